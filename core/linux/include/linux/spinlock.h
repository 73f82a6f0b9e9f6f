/* stub: one thread, so locks always stand open. */
#ifndef _LINUX_SPINLOCK_H
#define _LINUX_SPINLOCK_H

#include <linux/types.h>

typedef struct {
	int unused;
} spinlock_t;

struct mutex {
	int unused;
};

#define spin_lock_init(lock)		    ((void)(lock))
#define spin_lock(lock)			    ((void)(lock))
#define spin_unlock(lock)		    ((void)(lock))
#define spin_lock_irq(lock)		    ((void)(lock))
#define spin_unlock_irq(lock)		    ((void)(lock))
#define spin_lock_irqsave(lock, flags)	    ((void)(lock), (void)((flags) = 0))
#define spin_unlock_irqrestore(lock, flags) ((void)(lock), (void)(flags))
#define mutex_lock(lock)		    ((void)(lock))
#define mutex_unlock(lock)		    ((void)(lock))
#define lockdep_assert_held(lock)	    ((void)(lock))
#define assert_spin_locked(lock)	    ((void)(lock))
#define might_sleep()			    ((void)0)
#define rcu_read_lock()			    ((void)0)
#define rcu_read_unlock()		    ((void)0)

#endif
