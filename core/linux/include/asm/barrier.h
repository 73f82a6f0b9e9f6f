/* custom: a barrier is a point at which another thread could run; see core/linux/access.h. */
#ifndef _ASM_BARRIER_H
#define _ASM_BARRIER_H

#include <linux/compiler.h>

#define mb()			      access_barrier()
#define rmb()			      access_barrier()
#define wmb()			      access_barrier()
#define smp_mb()		      access_barrier()
#define smp_rmb()		      access_barrier()
#define smp_wmb()		      access_barrier()
#define dma_mb()		      access_barrier()
#define dma_rmb()		      access_barrier()
#define dma_wmb()		      access_barrier()
#define smp_mb__before_atomic()	      access_barrier()
#define smp_mb__after_atomic()	      access_barrier()
#define smp_acquire__after_ctrl_dep() access_barrier()
#define smp_load_acquire(at)	      READ_ONCE(*(at))
#define smp_store_release(at, value)  WRITE_ONCE(*(at), value)
#define smp_store_mb(object, value)   WRITE_ONCE(object, value)
#define cpu_relax()		      host_step(current_entry.host)

#endif
