/* custom: pages of 4 KiB; physical addresses are the machine's. */
#ifndef _ASM_PAGE_H
#define _ASM_PAGE_H

#include <linux/types.h>
#include <linux/log2.h>

#define PAGE_SHIFT		12
#define PAGE_SIZE		(1ul << PAGE_SHIFT)
#define PAGE_MASK		(~(PAGE_SIZE - 1))
#define PAGE_ALIGN(value)	(((value) + PAGE_SIZE - 1) & PAGE_MASK)
#define offset_in_page(pointer) ((unsigned long)(pointer) & ~PAGE_MASK)

#define virt_to_phys(pointer) ((phys_addr_t)host_pa(current_entry.host, pointer))
#define phys_to_virt(phys)    host_ptr(current_entry.host, phys)
#define __pa(pointer)	      virt_to_phys((void *)(pointer))
#define __va(phys)	      phys_to_virt(phys)

/* get_order() - log2 of the pages that hold @bytes; for 0 bytes, as in the kernel, 52 */
static inline int get_order(unsigned long bytes)
{
	return fls64((bytes - 1) >> PAGE_SHIFT);
}

#endif
