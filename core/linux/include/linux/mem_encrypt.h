/* custom: the memory-encryption bit is the one of the table's config. */
#ifndef _LINUX_MEM_ENCRYPT_H
#define _LINUX_MEM_ENCRYPT_H

#include <linux/types.h>

#define sme_me_mask	  current_entry.encrypt_mask
#define __sme_set(word)	  ((word) | sme_me_mask)
#define __sme_clr(word)	  ((word) & ~sme_me_mask)
#define __sme_pa(pointer) __sme_set(virt_to_phys(pointer))

#endif
