/* custom: the streaming DMA API with its rules checked; core/linux/dma.c. */
#ifndef _LINUX_DMA_MAPPING_H
#define _LINUX_DMA_MAPPING_H

#include <linux/types.h>

struct device;

enum dma_data_direction {
	DMA_BIDIRECTIONAL = 0,
	DMA_TO_DEVICE = 1,
	DMA_FROM_DEVICE = 2,
	DMA_NONE = 3,
};

#define DMA_MAPPING_ERROR (~(dma_addr_t)0)
#define DMA_BIT_MASK(nr)  ((nr) == 64 ? ~0ull : (1ull << (nr)) - 1)

dma_addr_t dma_map_single(struct device *device, void *start, size_t bytes,
			  enum dma_data_direction direction);
void dma_unmap_single(struct device *device, dma_addr_t dma, size_t bytes,
		      enum dma_data_direction direction);
void dma_sync_single_for_device(struct device *device, dma_addr_t dma, size_t bytes,
				enum dma_data_direction direction);

static inline int dma_mapping_error(struct device *device, dma_addr_t dma)
{
	return dma == DMA_MAPPING_ERROR ? -12 : 0;
}

#endif
