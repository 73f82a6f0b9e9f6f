/*
 * custom: the streaming DMA API on a machine that does not snoop. Mapping for the device cleans
 * the whole range, a sync for the device cleans its range, unmapping moves nothing. What the
 * kernel's DMA-API debugging would complain about is a fault: mapping twice, anything with a range
 * that is not mapped or not as it was mapped, another direction than to the device.
 */
#include <linux/dma-mapping.h>
#include <linux/mm.h>

static void dma_misuse(dma_addr_t dma)
{
	host_fault(current_entry.host, HOST_FAULT_DMA_API, dma);
}

/* The first page of the mapped allocation that @dma lies in, or NULL; a NULL is a fault already. */
static struct host_page *dma_mapping(dma_addr_t dma, u64 *offset)
{
	struct host *host = current_entry.host;
	s64 nr = host_page_of(host, dma);
	s64 last = nr;

	while (nr > 0 && !host->page[nr].run && host->page[nr].state == HOST_PAGE_LIVE)
		nr--;
	if (nr < 0 || host->page[nr].state != HOST_PAGE_LIVE || !host->page[nr].mapped) {
		dma_misuse(dma);
		return NULL;
	}
	*offset = (u64)(last - nr) * PAGE_SIZE + dma % PAGE_SIZE;
	return &host->page[nr];
}

static struct page *dma_struct_page(struct host_page *page)
{
	struct host *host = current_entry.host;

	return (struct page *)(host->private + (u64)(page - host->page) * HOST_PRIVATE_BYTES);
}

dma_addr_t dma_map_single(struct device *device, void *start, size_t bytes,
			  enum dma_data_direction direction)
{
	struct host *host = current_entry.host;
	dma_addr_t dma = virt_to_phys(start);
	struct host_page *page = &host->page[((u8 *)start - host->cpu) >> HOST_PAGE_LG2];

	if (page->mapped || direction != DMA_TO_DEVICE || !bytes ||
	    bytes > (u64)page->run << HOST_PAGE_LG2)
		dma_misuse(dma);
	page->mapped = true;
	dma_struct_page(page)->dma_bytes = (u32)bytes;
	host_flush(host, start, bytes);
	return dma;
}

void dma_unmap_single(struct device *device, dma_addr_t dma, size_t bytes,
		      enum dma_data_direction direction)
{
	u64 offset;
	struct host_page *page = dma_mapping(dma, &offset);

	if (!page)
		return;
	if (offset || bytes != dma_struct_page(page)->dma_bytes || direction != DMA_TO_DEVICE)
		dma_misuse(dma);
	page->mapped = false;
}

void dma_sync_single_for_device(struct device *device, dma_addr_t dma, size_t bytes,
				enum dma_data_direction direction)
{
	struct host *host = current_entry.host;
	struct host_page *page;
	u64 offset;

	if (!bytes) {
		host_flush(host, host->cpu, 0);
		return;
	}
	page = dma_mapping(dma, &offset);
	if (!page)
		return;
	if (offset + bytes > dma_struct_page(page)->dma_bytes || direction != DMA_TO_DEVICE)
		dma_misuse(dma);
	host_flush(host, phys_to_virt(dma), bytes);
}
