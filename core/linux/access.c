/*
 * The thread's current machine, and failed assertions of the tree: each gets a text that is the
 * same in every run and every build, "function: condition", since findings are told apart by it.
 */
#include "core/linux/access.h"

__thread struct current current_entry;

static size_t text_put(char *text, size_t bytes, size_t at, const char *more)
{
	while (*more && at + 1 < bytes)
		text[at++] = *more++;
	text[at] = '\0';
	return at;
}

static void text_join(char *text, size_t bytes, const char *function, const char *condition)
{
	size_t at = text_put(text, bytes, 0, function);

	at = text_put(text, bytes, at, ": ");
	text_put(text, bytes, at, condition);
}

void access_warn(char *text, size_t bytes, const char *function, const char *condition)
{
	text_join(text, bytes, function, condition);
	host_warn(current_entry.host, text);
}

void access_bug(char *text, size_t bytes, const char *function, const char *condition)
{
	access_warn(text, bytes, function, condition);
	host_leave(current_entry.host, HOST_ESCAPE_FAULT, text);
}
