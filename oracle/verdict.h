/*
 * Verdicts: what the oracle says when a rule does not hold. The signature RULE/OPERATION/FORMAT/REASON
 * names a defect: deduplication, shrinking and lists of known findings go by it, so it holds no address.
 */
#ifndef ORACLE_VERDICT_H
#define ORACLE_VERDICT_H

#include "core/base/config.h"
#include "core/base/types.h"

enum rule {
#define RULE(id, name, goes_on, sentence, source) RULE_##id,
#include "oracle/verdict.def"
#undef RULE
	RULE_NR
};

#define VERDICT_TEXT_MAX      160
#define VERDICT_SIGNATURE_MAX 128
#define VERDICTS_MAX	      8

/**
 * struct verdict - one violation
 * @op: the operation's word
 * @reason: short words joined by '-'
 * @legal: the caller kept its own part of the contract in this operation and all before it
 * @got, @want: what the walker did and what is right, in words
 */
struct verdict {
	enum rule rule;
	enum format format;
	const char *op;
	bool legal;
	char reason[48];
	char got[VERDICT_TEXT_MAX];
	char want[VERDICT_TEXT_MAX];
};

/* The violations of one operation, in the order of their finding; each rule and reason once. */
struct verdicts {
	u32 nr;
	bool stop; /* one of them was of a rule after which a program can't go on */
	struct verdict verdict[VERDICTS_MAX];
};

/* verdict_signature() - @text has room for VERDICT_SIGNATURE_MAX; returns it */
char *verdict_signature(const struct verdict *verdict, char *text);

/*
 * signature_exists() - whether a rule, an operation and a format of these names exist and a reason follows
 * Reasons are not listed anywhere, so any will do.
 */
bool signature_exists(const char *signature);

const char *rule_name(unsigned int rule);
const char *rule_sentence(unsigned int rule);
const char *rule_source(unsigned int rule);
bool rule_goes_on(unsigned int rule);

#endif
