/*
 * The head of a program: what each choice of its 32 bytes comes to, and which choice spells a given
 * config. Both spellings of a program end here: fields of a byte string, words of a config line; a
 * missing one is 0, the plainest choice, which the table below gives for each format: what a driver on
 * common hardware asks for.
 *
 * Table pages stand where a program puts them, but never where an address of theirs could not be told
 * from something else: all of the machine's pages are below the highest address that a table entry has
 * room for, and below the memory-encryption bit.
 */
#include "core/base/bits.h"
#include "fuzzers/program.h"

/* What a format's zeros stand for. Part of the byte form: not to be changed. */
struct plain {
	u8 granule_lg2;
	u8 vasz;
	u8 oasz;
	u8 top_min;
	u8 top_growing; /* where a growing top starts */
	u8 tables_lg2;	/* table pages stand below 2^this */
	u32 features;
};

static const struct plain plains[FORMAT_NR] = {
	[FORMAT_vtdss] = {12, 48, 52, 2, 2, 52, FEATURE_FLUSH_RANGE},
	[FORMAT_x86_64] = {12, 48, 52, 3, 3, 52, FEATURE_SIGN_EXTEND | FEATURE_FLUSH_RANGE},
	[FORMAT_amdv1] = {12, 64, 52, 1, 2, 52,
			  FEATURE_GROWING_TOP | FEATURE_ENCRYPT_TABLES | FEATURE_FORCE_COHERENCE |
				  FEATURE_FLUSH_RANGE},
	[FORMAT_riscv_64] = {12, 48, 56, 2, 2, 52,
			     FEATURE_SIGN_EXTEND | FEATURE_FLUSH_RANGE | FEATURE_SVNAPOT_64K |
				     FEATURE_DETAILED_GATHER},
	[FORMAT_amdv1_mock] = {11, 56, 51, 1, 2, 51, 0},
	[FORMAT_armv8_s1] = {12, 48, 48, 1, 1, 48, FEATURE_FLUSH_RANGE},
	[FORMAT_armv8_s2] = {12, 48, 48, 1, 1, 48, FEATURE_FLUSH_RANGE},
};

u32 program_plain_features(enum format format)
{
	return plains[format].features;
}

unsigned int program_granule_lg2(enum format format)
{
	return plains[format].granule_lg2;
}

unsigned int program_encrypt_min(unsigned int scatter_lg2)
{
	return 12 + bits_highest(PROGRAM_MACHINE_PAGES) + scatter_lg2;
}

/* tables_lg2() - table pages, all of them, must stand below 2^this */
static unsigned int tables_lg2(const struct config *config)
{
	unsigned int lg2 = plains[config->format].tables_lg2;

	if ((config->features & FEATURE_ENCRYPT_TABLES) && config->encrypt_bit < lg2)
		return config->encrypt_bit;
	return lg2;
}

u64 program_tables_max(const struct config *config, unsigned int scatter_lg2)
{
	return (1ull << tables_lg2(config)) - ((u64)PROGRAM_MACHINE_PAGES << (12 + scatter_lg2));
}

static u8 resolve_top(const struct config *config, u8 top)
{
	const struct plain *plain = &plains[config->format];

	if (top)
		return (top - 1) & 7;
	if (config->features & FEATURE_GROWING_TOP)
		return plain->top_growing;
	top = plain->top_min;
	while (plain->granule_lg2 + 9 * (top + 1) < config->vasz_lg2)
		top++;
	return top;
}

static u64 resolve_tables_pa(const struct program *program, u64 tables_pa)
{
	u64 max = program_tables_max(&program->config, program->scatter_lg2);

	if (!tables_pa)
		tables_pa = PROGRAM_TABLES_PA;
	else
		tables_pa &= bits_low(tables_lg2(&program->config)) & ~bits_low(12);
	return tables_pa < max ? tables_pa : max;
}

static u8 fold_width(u8 width, u8 usual)
{
	return width ? ((width - 1) & 63) + 1 : usual;
}

void program_resolve(struct program *program, const struct program_header *header)
{
	const struct plain *plain = &plains[header->format];
	struct config *config = &program->config;
	unsigned int scatter = header->scatter & 15;
	unsigned int bit = header->encrypt_bit ? header->encrypt_bit & 63 : PROGRAM_ENCRYPT_BIT;

	program->scatter_lg2 =
		scatter > PROGRAM_SCATTER_MAX ? scatter - PROGRAM_SCATTER_MAX : scatter;
	config->format = header->format;
	config->features = (header->features ^ plain->features) & ((1u << FEATURE_NR) - 1);
	config->vasz_lg2 = fold_width(header->vasz, plain->vasz);
	config->oasz_lg2 = fold_width(header->oasz, plain->oasz);
	config->top_level = resolve_top(config, header->top);
	if (bit < program_encrypt_min(program->scatter_lg2))
		bit = program_encrypt_min(program->scatter_lg2);
	config->encrypt_bit = config->features & FEATURE_ENCRYPT_TABLES ? bit : 0;
	config->pgsizes = header->pgsizes;
	program->tables_pa = resolve_tables_pa(program, header->tables_pa);
}

void program_header(struct program_header *header, const struct program *program)
{
	const struct config *config = &program->config;
	const struct plain *plain = &plains[config->format];
	struct program again;

	*header = (struct program_header){.format = config->format};
	header->vasz = config->vasz_lg2 == plain->vasz ? 0 : config->vasz_lg2;
	header->oasz = config->oasz_lg2 == plain->oasz ? 0 : config->oasz_lg2;
	header->scatter = program->scatter_lg2;
	header->features = config->features ^ plain->features;
	header->pgsizes = config->pgsizes;
	if ((config->features & FEATURE_ENCRYPT_TABLES) &&
	    config->encrypt_bit != PROGRAM_ENCRYPT_BIT)
		header->encrypt_bit = config->encrypt_bit;
	program_resolve(&again, header);
	if (config->top_level != again.config.top_level)
		header->top = config->top_level + 1;
	if (program->tables_pa != again.tables_pa)
		header->tables_pa = program->tables_pa ? program->tables_pa : 1;
}
