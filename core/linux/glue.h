/*
 * The glue between core/walker.h and a Linux tree's walker: what the five formats share. Each
 * format is a struct glue_format in a file of its own; glue.c opens, maps and looks up, gather.c
 * unmaps and plays the driver that syncs, dirty.c asks for dirty pages.
 */
#ifndef CORE_LINUX_GLUE_H
#define CORE_LINUX_GLUE_H

#include <linux/iommu.h>
#include <linux/generic_pt/iommu.h>

#include "core/linux/current.h"
#include "core/walker.h"
#include "tree.h" /* TREE_*: what the tree has, made by CMakeLists.txt */

/* What iova_bitmap_alloc() takes: the object, and a page of pointers to pinned pages. */
#define GLUE_SCRATCH_BYTES (PAGE_SIZE + 256)

/**
 * struct glue_format - one format of the tree
 * @code: which
 * @own: by FEATURE_BIT_*, 1 + the PT_FEAT_* that only this format gives a meaning to; 0 if none
 * @init: fills the format's config and calls pt_iommu_FORMAT_init()
 * @root: fills root_pa and root_mode as a driver would program them
 * @domain_ops: iova_to_phys and the driver's iotlb_sync
 * @dirty: read_and_clear_dirty
 */
struct glue_format {
	enum format code;
	u8 own[FEATURE_NR];
	int (*init)(struct walker_table *table, const struct config *config,
		    const struct pt_iommu_cfg *common);
	void (*root)(struct walker_table *table, struct walker_info *info);
	struct iommu_domain_ops domain_ops;
	struct iommu_dirty_ops dirty;
};

/**
 * struct walker_table - an open table of any format; lies in the caller's memory
 * @host: its machine
 * @format: its format
 * @detailed: gathers tell levels
 * @encrypt_mask: see struct current
 * @top_lock: what the driver would hold while the root changes
 * @device: the IOMMU that walks the table
 * @scratch: see struct current
 */
struct walker_table {
	union {
		struct iommu_domain domain;
		struct pt_iommu iommu;
		struct pt_iommu_amdv1 amdv1;
#ifdef TREE_HAS_vtdss
		struct pt_iommu_vtdss vtdss;
#endif
#ifdef TREE_HAS_x86_64
		struct pt_iommu_x86_64 x86_64;
#endif
#ifdef TREE_HAS_riscv_64
		struct pt_iommu_riscv_64 riscv_64;
#endif
	};
	struct host *host;
	const struct glue_format *format;
	bool detailed;
	u64 encrypt_mask;
	spinlock_t top_lock;
	struct device device;
	u8 scratch[GLUE_SCRATCH_BYTES] __attribute__((aligned(16)));
} __attribute__((aligned(64)));

PT_IOMMU_CHECK_DOMAIN(struct walker_table, iommu, domain);

/* glue_format() - the tree's format of this code, or NULL; in formats.c */
const struct glue_format *glue_format(unsigned int code);

/* glue_enter(), glue_leave() - stand around every call into the tree */
static inline void glue_enter(struct walker_table *table)
{
	current_entry = (struct current){
		.host = table->host,
		.encrypt_mask = table->encrypt_mask,
		.scratch = table->scratch,
		.scratch_left = sizeof(table->scratch),
	};
}

static inline void glue_leave(void)
{
	current_entry.host = NULL;
}

/* The members of struct walker that all of the builds share. */
int glue_open(struct host *host, const struct config *config, void *memory,
	      struct walker_table **table);
void glue_close(struct walker_table *table);
void glue_set_pgsizes(struct walker_table *table, u64 pgsizes);
int glue_map(struct walker_table *table, u64 iova, u64 oa, u64 len, u32 prot, u64 *mapped);
u64 glue_iova_to_phys(struct walker_table *table, u64 iova);
void glue_info(struct walker_table *table, struct walker_info *info);
u64 gather_unmap(struct walker_table *table, u64 iova, u64 len, struct walker_gather *gather);
void gather_init(struct walker_table *table, struct walker_gather *gather);
void gather_sync(struct walker_table *table, struct walker_gather *gather);
int dirty_read_and_clear(struct walker_table *table, u64 iova, u64 len, u32 flags, u8 *bitmap,
			 struct walker_gather *gather);

/* gather_driver_sync() - what a driver does when the IOMMU core asks it to complete a gather */
void gather_driver_sync(struct iommu_domain *domain, struct iommu_iotlb_gather *gather);

/* gather_kernel() - the kernel's gather inside ours */
static inline struct iommu_iotlb_gather *gather_kernel(struct walker_gather *gather)
{
	static_assert(sizeof(struct iommu_iotlb_gather) <= WALKER_GATHER_BYTES);
	return (struct iommu_iotlb_gather *)gather->walker;
}

/* gather_tell() - fills the fields of @gather that everybody reads from the kernel's */
void gather_tell(struct walker_table *table, struct walker_gather *gather);

#ifndef TREE_HAS_MAP_RANGE
/* How the IOMMU core cuts ranges for trees whose formats only know map_pages; chunks.c */
int chunks_map(struct walker_table *table, u64 iova, u64 oa, u64 len, int prot, size_t *mapped);
u64 chunks_unmap(struct walker_table *table, u64 iova, u64 len, struct iommu_iotlb_gather *gather);
#endif

/* The parts of a struct glue_format that have the same names in every format. */
#define GLUE_OPERATIONS(format)                                                        \
	.code = FORMAT_##format, .init = format##_init, .root = format##_root,         \
	.domain_ops = {IOMMU_PT_DOMAIN_OPS(format), .iotlb_sync = gather_driver_sync}, \
	.dirty = {IOMMU_PT_DIRTY_OPS(format)}

#endif
