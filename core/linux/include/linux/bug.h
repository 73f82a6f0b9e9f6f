/*
 * custom: the tree's own assertions are told to the machine, every time and not only once; BUG
 * leaves the operation. The text is the condition as the tree spells it, so no macro may come in
 * between.
 */
#ifndef _LINUX_BUG_H
#define _LINUX_BUG_H

#include <linux/compiler.h>

#define BUG_CALL(function, text)                                            \
	({                                                                  \
		static char bug_text[sizeof(__func__) + sizeof(": " text)]; \
		function(bug_text, sizeof(bug_text), __func__, text);       \
	})

#define WARN_ON(condition)                                 \
	({                                                 \
		bool warn_failed = !!(condition);          \
		if (unlikely(warn_failed))                 \
			BUG_CALL(access_warn, #condition); \
		unlikely(warn_failed);                     \
	})
#define WARN_ON_ONCE(condition)                            \
	({                                                 \
		bool warn_failed = !!(condition);          \
		if (unlikely(warn_failed))                 \
			BUG_CALL(access_warn, #condition); \
		unlikely(warn_failed);                     \
	})
#define WARN(condition, ...)                               \
	({                                                 \
		bool warn_failed = !!(condition);          \
		if (unlikely(warn_failed))                 \
			BUG_CALL(access_warn, #condition); \
		unlikely(warn_failed);                     \
	})
#define WARN_ONCE(condition, ...)                          \
	({                                                 \
		bool warn_failed = !!(condition);          \
		if (unlikely(warn_failed))                 \
			BUG_CALL(access_warn, #condition); \
		unlikely(warn_failed);                     \
	})
#define BUG() BUG_CALL(access_bug, "BUG")
#define BUG_ON(condition)                                 \
	do {                                              \
		if (unlikely(condition))                  \
			BUG_CALL(access_bug, #condition); \
	} while (0)
#define VM_WARN_ON(condition)	   WARN_ON(condition)
#define VM_WARN_ON_ONCE(condition) WARN_ON_ONCE(condition)
#define VM_BUG_ON(condition)	   BUG_ON(condition)

#endif
