/*
 * custom: the configuration that the tree's code sees. What the three builds differ in (CONFIG_X86,
 * CONFIG_DEBUG_GENERIC_PT) comes from the command line.
 */
#ifndef _LINUX_KCONFIG_H
#define _LINUX_KCONFIG_H

#define CONFIG_64BIT	       1
#define CONFIG_SMP	       1
#define CONFIG_IOMMU_API       1
#define CONFIG_IOMMU_PT	       1
#define CONFIG_IOMMUFD_DRIVER  1
#define CONFIG_IOMMUFD_TEST    1
#define CONFIG_AMD_MEM_ENCRYPT 1

/*
 * An option that is 1 pastes to a name that brings a second argument along; any other pastes to a
 * name that stands for itself, and the 0 behind it is picked. Works in #if and in C.
 */
#define KCONFIG_SET_1		       , 1
#define KCONFIG_PICK(none, value, ...) value
#define KCONFIG_LOOK(set)	       KCONFIG_PICK(set, 0, 0)
#define KCONFIG_PASTE(value)	       KCONFIG_LOOK(KCONFIG_SET_##value)
#define IS_ENABLED(option)	       KCONFIG_PASTE(option)
#define IS_BUILTIN(option)	       IS_ENABLED(option)
#define IS_REACHABLE(option)	       IS_ENABLED(option)
#define IS_MODULE(option)	       0

#endif
