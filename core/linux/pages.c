/*
 * custom: allocation and release of folios, on the machine's table pages. Sizes are passed on as
 * asked, also absurd ones, so that the record shows them.
 */
#include <linux/mm.h>

/* The largest order that the kernel's allocator knows. */
#define PAGES_ORDER_MAX 10

void mm_wild(void)
{
	host_fault(current_entry.host, HOST_FAULT_WILD_PA, 0);
	host_leave(current_entry.host, HOST_ESCAPE_FAULT, "page struct of memory that is no table");
}

/* Memory that nobody asked to be zeroed holds what was there before: as bad a table as there can be. */
static void page_soil(struct host *host, u64 *items, u64 bytes)
{
	for (u64 i = 0; i < bytes / sizeof(*items); i++)
		host_store(host, &items[i], host->trap);
}

struct folio *__folio_alloc_node(gfp_t gfp, unsigned int order, int nid)
{
	struct host *host = current_entry.host;
	struct folio *folio;
	void *table;

	table = host_alloc(host, order <= PAGES_ORDER_MAX ? PAGE_SIZE << order : ~0ull);
	if (!table)
		return NULL;
	if (!(gfp & __GFP_ZERO))
		page_soil(host, table, PAGE_SIZE << order);
	folio = virt_to_folio(table);
	folio->page.order = order;
	return folio;
}

void folio_put(struct folio *folio)
{
	struct host *host = current_entry.host;
	u8 *table = folio_address(folio);
	struct host_page *page = &host->page[(table - host->cpu) >> HOST_PAGE_LG2];

	/* The device still has the page as far as the DMA API knows. */
	if (page->state == HOST_PAGE_LIVE && page->mapped) {
		host_fault(host, HOST_FAULT_DMA_API, (u64)(table - host->cpu));
		page->mapped = false;
	}
	host_free(host, table);
}
