/* real: rounding and division. */
#ifndef _LINUX_MATH_H
#define _LINUX_MATH_H

#define round_down(value, step)	 ((value) & ~((__typeof__(value))(step)-1))
#define round_up(value, step)	 ((((value)-1) | ((__typeof__(value))(step)-1)) + 1)
#define DIV_ROUND_UP(n, by)	 (((n) + (by)-1) / (by))
#define ALIGN(value, step)	 round_up((value) + 0, step)
#define ALIGN_DOWN(value, step)	 round_down(value, step)
#define IS_ALIGNED(value, step)	 (((value) & ((__typeof__(value))(step)-1)) == 0)
#define PTR_ALIGN(pointer, step) ((__typeof__(pointer))ALIGN((unsigned long)(pointer), step))

#endif
