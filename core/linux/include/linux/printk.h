/* stub: what the kernel would log is not checked. */
#ifndef _LINUX_PRINTK_H
#define _LINUX_PRINTK_H

#define PRINTK_NOTHING(...) \
	do {                \
	} while (0)
#define printk(...)		 PRINTK_NOTHING(__VA_ARGS__)
#define pr_err(...)		 PRINTK_NOTHING(__VA_ARGS__)
#define pr_err_once(...)	 PRINTK_NOTHING(__VA_ARGS__)
#define pr_err_ratelimited(...)	 PRINTK_NOTHING(__VA_ARGS__)
#define pr_warn(...)		 PRINTK_NOTHING(__VA_ARGS__)
#define pr_warn_once(...)	 PRINTK_NOTHING(__VA_ARGS__)
#define pr_warn_ratelimited(...) PRINTK_NOTHING(__VA_ARGS__)
#define pr_info(...)		 PRINTK_NOTHING(__VA_ARGS__)
#define pr_debug(...)		 PRINTK_NOTHING(__VA_ARGS__)
#define dev_err(...)		 PRINTK_NOTHING(__VA_ARGS__)
#define dev_warn(...)		 PRINTK_NOTHING(__VA_ARGS__)
#define trace_printk(...)	 PRINTK_NOTHING(__VA_ARGS__)

#endif
