/* real: NULL, offsetof() and what the kernel adds to them. */
#ifndef _LINUX_STDDEF_H
#define _LINUX_STDDEF_H

#include <stddef.h>

#define sizeof_field(type, member) sizeof(((type *)0)->member)
#define offsetofend(type, member)  (offsetof(type, member) + sizeof_field(type, member))

#endif
