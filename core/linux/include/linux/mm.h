/* custom: folios are index arithmetic on the machine's table pages; statistics are stubs. */
#ifndef _LINUX_MM_H
#define _LINUX_MM_H

#include <linux/bitmap.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/mm_types.h>

#define NR_IOMMU_PAGES	       0
#define NR_SECONDARY_PAGETABLE 1
#define FOLL_WRITE	       1

#define folio_pgdat(folio)		       ((void *)(folio))
#define mod_node_page_state(node, item, by)    ((void)(node), (void)(by))
#define lruvec_stat_mod_folio(folio, item, by) ((void)(folio), (void)(by))

/* mm_wild() - a pointer or a folio that belongs to no table page: leaves the operation */
void mm_wild(void) __attribute__((noreturn));

static inline struct folio *virt_to_folio(const void *virt)
{
	struct host *host = current_entry.host;

	if (unlikely(!host_is_table(host, virt)))
		mm_wild();
	return (struct folio *)(host->private + (((const u8 *)virt - host->cpu) >> HOST_PAGE_LG2) *
							HOST_PRIVATE_BYTES);
}

static inline void *folio_address(const struct folio *folio)
{
	struct host *host = current_entry.host;
	u64 slot = (u64)((const u8 *)folio - host->private) / HOST_PRIVATE_BYTES;

	if (unlikely(slot >= host->pages_max))
		mm_wild();
	return host->cpu + (slot << HOST_PAGE_LG2);
}

static inline unsigned int folio_order(const struct folio *folio)
{
	return folio->page.order;
}

static inline long folio_nr_pages(const struct folio *folio)
{
	return 1l << folio->page.order;
}

void folio_put(struct folio *folio);

/*
 * A pinned page of the caller's dirty bitmap is a pointer to its memory, which is where highmem.h
 * maps it to again.
 */
static inline int pin_user_pages_fast(unsigned long start, int nr, unsigned int flags,
				      struct page **pages)
{
	for (int i = 0; i < nr; i++)
		pages[i] = (struct page *)((start & PAGE_MASK) + (unsigned long)i * PAGE_SIZE);
	return nr;
}

static inline void unpin_user_pages(struct page **pages, unsigned long nr)
{
}

#endif
