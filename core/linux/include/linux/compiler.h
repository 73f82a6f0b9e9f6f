/*
 * custom: loads and stores are observed, see core/linux/access.h. Annotations for sparse and the
 * linker are stubs. Included in front of every file.
 */
#ifndef _LINUX_COMPILER_H
#define _LINUX_COMPILER_H

#include <linux/kconfig.h>
#include "core/linux/access.h"

/* glibc's <sys/cdefs.h> owns some of these names too */
#undef __always_inline
#undef __attribute_const__

#define __user
#define __rcu
#define __iomem
#define __percpu
#define __force
#define __kernel
#define __init
#define __exit
#define __ro_after_init
#define __read_mostly
#define __acquires(lock)
#define __releases(lock)
#define __must_hold(lock)

#define __always_inline	     inline __attribute__((always_inline))
#define __attribute_const__  __attribute__((const))
#define __pure		     __attribute__((pure))
#define __cold		     __attribute__((cold))
#define __packed	     __attribute__((packed))
#define __aligned(bytes)     __attribute__((aligned(bytes)))
#define __printf(text, args) __attribute__((format(printf, text, args)))
#define __must_check	     __attribute__((warn_unused_result))
#define __maybe_unused	     __attribute__((unused))
#define __always_unused	     __attribute__((unused))
#define __used		     __attribute__((used))
#define __weak		     __attribute__((weak))
#define __counted_by(member)
#undef noinline
#define noinline	  __attribute__((noinline))
#define fallthrough	  __attribute__((fallthrough))
#define barrier()	  access_barrier()
#define unreachable()	  __builtin_unreachable()
#define __UNIQUE_ID(name) COMPILER_PASTE(name##_unique_, __COUNTER__)

#define COMPILER_PASTE(a, b)	 COMPILER_PASTE_NOW(a, b)
#define COMPILER_PASTE_NOW(a, b) a##b
#define __same_type(a, b)	 __builtin_types_compatible_p(__typeof__(a), __typeof__(b))
#define typeof(expression) __typeof__(expression)
#define static_assert(holds, ...) _Static_assert(holds, "" __VA_ARGS__)
#define __must_be_array(array)	   0
#define READ_ONCE(object)	   ((__typeof__(object))access_load(&(object), sizeof(object)))
#define WRITE_ONCE(object, value)  access_store(&(object), (u64)(value), sizeof(object))
#define data_race(expression)	   (expression)
#define OPTIMIZER_HIDE_VAR(object) __asm__("" : "+r"(object))

#endif
