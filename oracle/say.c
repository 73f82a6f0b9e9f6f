/* Collecting the violations of one operation. */
#include "oracle/state.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const op_words[ORACLE_OP_NR] = {
	[ORACLE_OPEN] = "open",	    [ORACLE_MAP] = "map",     [ORACLE_UNMAP] = "unmap",
	[ORACLE_LOOKUP] = "lookup", [ORACLE_SYNC] = "sync",   [ORACLE_CLOSE] = "close",
	[ORACLE_WRITE] = "write",   [ORACLE_DIRTY] = "dirty",
};

const char *oracle_op_word(unsigned int op)
{
	return op < ORACLE_OP_NR ? op_words[op] : NULL;
}

/*
 * A reason as it stands in signatures: words joined by '-'. What a row's name adds in brackets (section,
 * remark) is left out; it is in the text.
 */
static void reason_slug(char *slug, size_t bytes, const char *reason)
{
	size_t length = 0;

	for (; *reason && strncmp(reason, " (", 2) && length + 1 < bytes; reason++) {
		bool plain = isalnum((unsigned char)*reason) || *reason == '_';

		if (plain)
			slug[length++] = *reason;
		else if (length && slug[length - 1] != '-')
			slug[length++] = '-';
	}
	while (length && slug[length - 1] == '-')
		length--;
	slug[length] = 0;
}

static bool said_before(const struct verdicts *verdicts, enum rule rule, const char *reason)
{
	for (u32 i = 0; i < verdicts->nr; i++) {
		const struct verdict *verdict = &verdicts->verdict[i];

		if (verdict->rule == rule && !strcmp(verdict->reason, reason))
			return true;
	}
	return false;
}

struct verdict *say(struct oracle *oracle, enum rule rule, const char *reason, const char *got, ...)
{
	struct verdicts *verdicts = &oracle->verdicts;
	struct verdict *verdict;
	char slug[sizeof(verdict->reason)];
	va_list arguments;

	if (!rule_goes_on(rule))
		verdicts->stop = true;
	reason_slug(slug, sizeof(slug), reason);
	if (verdicts->nr == VERDICTS_MAX || said_before(verdicts, rule, slug))
		return NULL;
	verdict = &verdicts->verdict[verdicts->nr++];
	verdict->rule = rule;
	verdict->format = oracle->config.format;
	verdict->op = op_words[oracle->current.op];
	verdict->legal = oracle->legal;
	verdict->want[0] = 0;
	memcpy(verdict->reason, slug, sizeof(slug));
	va_start(arguments, got);
	vsnprintf(verdict->got, sizeof(verdict->got), got, arguments);
	va_end(arguments);
	return verdict;
}

void say_want(struct verdict *verdict, const char *want, ...)
{
	va_list arguments;

	if (!verdict)
		return;
	va_start(arguments, want);
	vsnprintf(verdict->want, sizeof(verdict->want), want, arguments);
	va_end(arguments);
}

const char *say_errno(int error)
{
	static const struct {
		int error;
		const char *name;
	} names[] = {
		{0, "0"},
		{-EINVAL, "EINVAL"},
		{-ENOMEM, "ENOMEM"},
		{-EADDRINUSE, "EADDRINUSE"},
		{-ERANGE, "ERANGE"},
		{-ENXIO, "ENXIO"},
		{-EOVERFLOW, "EOVERFLOW"},
		{-EOPNOTSUPP, "EOPNOTSUPP"},
		{-EAGAIN, "EAGAIN"},
		{-ENOENT, "ENOENT"},
		{-EPROTOTYPE, "EPROTOTYPE"},
	};

	for (size_t i = 0; i < ARRAY_NR(names); i++)
		if (names[i].error == error)
			return names[i].name;
	return "errno";
}

static bool word_is(const char *text, size_t length, const char *word)
{
	return word && strlen(word) == length && !strncmp(text, word, length);
}

bool signature_exists(const char *signature)
{
	const char *op = strchr(signature, '/');
	const char *format = op ? strchr(op + 1, '/') : NULL;
	const char *reason = format ? strchr(format + 1, '/') : NULL;
	unsigned int rule = 0, word = 0, name = 0;

	if (!reason || !reason[1])
		return false;
	while (rule < RULE_NR && !word_is(signature, (size_t)(op - signature), rule_name(rule)))
		rule++;
	while (word < ORACLE_OP_NR && !word_is(op + 1, (size_t)(format - op - 1), op_words[word]))
		word++;
	while (name < FORMAT_NR &&
	       !word_is(format + 1, (size_t)(reason - format - 1), format_word(name)))
		name++;
	return rule < RULE_NR && word < ORACLE_OP_NR && name < FORMAT_NR;
}
