/* The rules as tables, and the signature of a violation. */
#include "oracle/verdict.h"

#include <stdio.h>

static const struct {
	const char *name;
	bool goes_on;
	const char *sentence;
	const char *source;
} rules[RULE_NR] = {
#define RULE(id, name, goes_on, sentence, source) {name, goes_on, sentence, source},
#include "oracle/verdict.def"
#undef RULE
};

char *verdict_signature(const struct verdict *verdict, char *text)
{
	snprintf(text, VERDICT_SIGNATURE_MAX, "%s/%s/%s/%s", rule_name(verdict->rule), verdict->op,
		 format_word(verdict->format), verdict->reason);
	return text;
}

const char *rule_name(unsigned int rule)
{
	return rule < RULE_NR ? rules[rule].name : NULL;
}

const char *rule_sentence(unsigned int rule)
{
	return rule < RULE_NR ? rules[rule].sentence : NULL;
}

const char *rule_source(unsigned int rule)
{
	return rule < RULE_NR ? rules[rule].source : NULL;
}

bool rule_goes_on(unsigned int rule)
{
	return rule < RULE_NR && rules[rule].goes_on;
}
