/* stub: a device is a name for an IOMMU, nothing of it is looked at. */
#ifndef _LINUX_DEVICE_H
#define _LINUX_DEVICE_H

#include <linux/kernel.h>
#include <linux/atomic.h>
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>

struct dev_iommu;
struct module;

struct work_struct {
	struct list_head entry;
};

struct device {
	struct device *parent;
	void *driver_data;
	struct dev_iommu *iommu;
};

static inline void *dev_get_drvdata(const struct device *device)
{
	return device->driver_data;
}

#endif
