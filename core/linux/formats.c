/* The formats that the tree has, by code. */
#include "core/linux/glue.h"

#define GLUE_FORMAT(name, features, forced) extern const struct glue_format glue_##name;
#include "core/linux/formats.def"
#undef GLUE_FORMAT

static const struct glue_format *const formats[FORMAT_NR] = {
#define GLUE_FORMAT(name, features, forced) [FORMAT_##name] = &glue_##name,
#include "core/linux/formats.def"
#undef GLUE_FORMAT
};

const struct glue_format *glue_format(unsigned int code)
{
	return code < FORMAT_NR ? formats[code] : NULL;
}

/* The tree calls this where a format without software bits can't come by. */
void __pt_no_sw_bit(void);
void __pt_no_sw_bit(void)
{
	BUG();
}
