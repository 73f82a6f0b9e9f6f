/* Sweeping configs; see config_sweep.h. */
#include "tests/config_sweep.h"

#include <stdio.h>

#include "core/base/bits.h"
#include "oracle/format.h"

#define FLUSH FEATURE_FLUSH_RANGE
#define AMD   (FEATURE_GROWING_TOP | FEATURE_ENCRYPT_TABLES | FEATURE_FORCE_COHERENCE)
#define RISCV (FEATURE_SIGN_EXTEND | FLUSH | FEATURE_SVNAPOT_64K | FEATURE_DETAILED_GATHER)

const struct intree intree[] = {
	/* intel second stage: vasz from MGAW, top from SAGAW */
	{FORMAT_vtdss, FLUSH, 39, 46, 2},
	{FORMAT_vtdss, FLUSH, 39, 46, 3},
	{FORMAT_vtdss, FLUSH | FEATURE_INCOHERENT, 48, 52, 3},
	{FORMAT_vtdss, FLUSH | FEATURE_FORCE_COHERENCE, 48, 52, 4},
	{FORMAT_vtdss, FLUSH | FEATURE_FORCE_WRITEABLE, 57, 52, 4},
	{FORMAT_vtdss, FLUSH | FEATURE_INCOHERENT | FEATURE_FORCE_WRITEABLE, 46, 46, 3},
	/* intel first stage */
	{FORMAT_x86_64, FLUSH | FEATURE_SIGN_EXTEND, 48, 52, 3},
	{FORMAT_x86_64, FLUSH | FEATURE_SIGN_EXTEND, 39, 52, 3},
	{FORMAT_x86_64, FLUSH | FEATURE_SIGN_EXTEND | FEATURE_INCOHERENT, 57, 52, 4},
	/* amd v1 */
	{FORMAT_amdv1, AMD | FLUSH, 64, 52, 2},
	{FORMAT_amdv1, AMD | FEATURE_NO_GAPS, 64, 52, 2},
	/* amd v2 */
	{FORMAT_x86_64, FEATURE_ENCRYPT_TABLES | FLUSH | FEATURE_SIGN_EXTEND, 48, 52, 3},
	{FORMAT_x86_64, FEATURE_ENCRYPT_TABLES | FEATURE_NO_GAPS | FEATURE_SIGN_EXTEND, 57, 52, 4},
	{FORMAT_x86_64, FEATURE_ENCRYPT_TABLES | FLUSH, 47, 52, 3},
	{FORMAT_x86_64, FEATURE_ENCRYPT_TABLES | FEATURE_NO_GAPS, 56, 52, 4},
	/* riscv */
	{FORMAT_riscv_64, RISCV, 39, 56, 2},
	{FORMAT_riscv_64, RISCV, 48, 56, 3},
	{FORMAT_riscv_64, RISCV | FEATURE_SVPBMT, 57, 56, 4},
	/* iommufd's selftest */
	{FORMAT_amdv1_mock, 0, 56, 51, 4},
	/* an SMMUv3 driver: the widths that hardware reports, the top that TnSZ needs */
	{FORMAT_armv8_s1, FLUSH, 48, 48, 3},
	{FORMAT_armv8_s1, FLUSH | FEATURE_INCOHERENT, 39, 40, 2},
	{FORMAT_armv8_s1, FEATURE_NO_GAPS, 30, 32, 1},
	{FORMAT_armv8_s2, FLUSH, 48, 48, 3},
	{FORMAT_armv8_s2, FLUSH | FEATURE_INCOHERENT, 40, 40, 3},
	{FORMAT_armv8_s2, FEATURE_NO_GAPS, 32, 36, 2},
};
const u32 intree_nr = ARRAY_NR(intree);

static bool on_found(void *arg, const struct step *step, const struct verdict *verdict)
{
	struct sweep *sweep = arg;

	sweep->found(sweep->arg, &sweep->program, verdict);
	return true;
}

static void on_step(void *arg, const struct step *step, const struct verdicts *verdicts)
{
	struct sweep *sweep = arg;

	sweep->opened += step->op == ORACLE_OPEN && !step->error;
}

void sweep_one(struct sweep *sweep, const struct config *config)
{
	struct execute_watch watch = {.found = on_found, .step = on_step, .arg = sweep};
	struct program *program = &sweep->program;
	struct layout layout;

	program->config = *config;
	program->config.encrypt_bit = PROGRAM_ENCRYPT_BIT;
	program->tables_pa = PROGRAM_TABLES_PA;
	program->ops_nr = 0;
	if (!layout_legal(&program->config)) {
		layout_init(&layout, &program->config);
		if (layout.pgsizes) {
			u64 page = 1ull << bits_lowest(layout.pgsizes);

			program->op[program->ops_nr++] =
				(struct op){.code = OP_MAP,
					    .prot = MAP_PROT_READ | MAP_PROT_WRITE,
					    .len = page};
			program->op[program->ops_nr++] = (struct op){.code = OP_UNMAP, .len = page};
		}
	}
	sweep->configs++;
	execute(sweep->executor, sweep->walker, program, &watch);
}

/* All widths and tops of a feature set. */
static void sweep_features(struct sweep *sweep, enum format format, u32 features, u32 *nr)
{
	static const u8 oaszs[] = {1, 12, 32, 46, 51, 52, 53, 56, 64};
	struct config config = {.format = format, .features = features};

	for (u32 vasz = 1; vasz <= 64; vasz++) {
		for (u32 top = 0; top < 8; top++) {
			for (u32 i = 0; i < ARRAY_NR(oaszs); i++) {
				config.vasz_lg2 = (u8)vasz;
				config.oasz_lg2 = oaszs[i];
				config.top_level = (u8)top;
				if (!((*nr)++ % sweep->stride))
					sweep_one(sweep, &config);
			}
		}
	}
}

void sweep_format(struct sweep *sweep, enum format format)
{
	u32 done[64], done_nr = 0, nr = 0;

	for (u32 i = 0; i < intree_nr; i++) {
		if (intree[i].format != format)
			continue;
		for (u32 bit = 0; bit <= FEATURE_NR; bit++) {
			u32 features = intree[i].features ^ (bit < FEATURE_NR ? 1u << bit : 0);
			u32 at = 0;

			while (at < done_nr && done[at] != features)
				at++;
			if (at < done_nr || done_nr == ARRAY_NR(done))
				continue;
			done[done_nr++] = features;
			sweep_features(sweep, format, features, &nr);
		}
	}
}
