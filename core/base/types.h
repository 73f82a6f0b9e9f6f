/*
 * The integer types that every part shares, spelt as kernel developers spell them. u64 is
 * `unsigned long long` on every platform, so that core/linux can declare the same type again.
 */
#ifndef CORE_BASE_TYPES_H
#define CORE_BASE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char s8;
typedef short s16;
typedef int s32;
typedef long long s64;

#define ARRAY_NR(array) (sizeof(array) / sizeof((array)[0]))

#ifndef likely
#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#endif

#endif
