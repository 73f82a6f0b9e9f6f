/* real: sizes by name. */
#ifndef _LINUX_SIZES_H
#define _LINUX_SIZES_H

#define SZ_2K	2048
#define SZ_4K	(1ul << 12)
#define SZ_16K	(1ul << 14)
#define SZ_64K	(1ul << 16)
#define SZ_2M	(1ul << 21)
#define SZ_4M	(1ul << 22)
#define SZ_1G	(1ul << 30)
#define SZ_2G	(1ull << 31)
#define SZ_4G	(1ull << 32)
#define SZ_512G (1ull << 39)

#endif
