/*
 * The .def lists as tables. Every list is read three times: once for its SHAPE, once for its LEVEL
 * rows and once for its FIELD rows.
 */
#include "oracle/layout.h"

#define BITS(low, high)	    ((~0ull >> (63 - (high))) & (~0ull << (low)))
#define LEVELS(first, last) ((1u << ((last) + 1)) - (1u << (first)))
#define SIZE(lg2)	    (1ull << (lg2))
#define SIZES(first, last)  BITS(first, last)

#define LEVEL(level, item_lg2, items_lg2, sizes, contiguous_sizes)
#define FIELD(low, high, kinds, levels, role, name, section)
#define FIELD_IF(feature, low, high, kinds, levels, role, name, section)
#define SHAPE(...) {__VA_ARGS__},
static const struct layout_shape vtdss_shape[] = {
#include "oracle/format/vtdss.def"
};
static const struct layout_shape x86_64_shape[] = {
#include "oracle/format/x86_64.def"
};
static const struct layout_shape amdv1_shape[] = {
#include "oracle/format/amdv1.def"
};
static const struct layout_shape riscv_64_shape[] = {
#include "oracle/format/riscv_64.def"
};
static const struct layout_shape amdv1_mock_shape[] = {
#include "oracle/format/amdv1_mock.def"
};
static const struct layout_shape armv8_s1_shape[] = {
#include "oracle/format/armv8_s1.def"
};
static const struct layout_shape armv8_s2_shape[] = {
#include "oracle/format/armv8_s2.def"
};

#undef SHAPE
#undef LEVEL
#define SHAPE(...)
#define LEVEL(level, item_lg2, items_lg2, sizes, contiguous_sizes) \
	[level] = {item_lg2, items_lg2, sizes, contiguous_sizes},
static const struct layout_geometry vtdss_level[] = {
#include "oracle/format/vtdss.def"
};
static const struct layout_geometry x86_64_level[] = {
#include "oracle/format/x86_64.def"
};
static const struct layout_geometry amdv1_level[] = {
#include "oracle/format/amdv1.def"
};
static const struct layout_geometry riscv_64_level[] = {
#include "oracle/format/riscv_64.def"
};
static const struct layout_geometry amdv1_mock_level[] = {
#include "oracle/format/amdv1_mock.def"
};
static const struct layout_geometry armv8_s1_level[] = {
#include "oracle/format/armv8_s1.def"
};
static const struct layout_geometry armv8_s2_level[] = {
#include "oracle/format/armv8_s2.def"
};

#undef LEVEL
#undef FIELD
#undef FIELD_IF
#define LEVEL(level, item_lg2, items_lg2, sizes, contiguous_sizes)
#define FIELD_IF(feature, low, high, kinds, levels, role, name, section) \
	{feature, low, high, KIND_##kinds, levels, ROLE_##role, name, name " (" section ")"},
#define FIELD(low, high, kinds, levels, role, name, section) \
	FIELD_IF(0, low, high, kinds, levels, role, name, section)
static const struct layout_field vtdss_field[] = {
#include "oracle/format/vtdss.def"
};
static const struct layout_field x86_64_field[] = {
#include "oracle/format/x86_64.def"
};
static const struct layout_field amdv1_field[] = {
#include "oracle/format/amdv1.def"
};
static const struct layout_field riscv_64_field[] = {
#include "oracle/format/riscv_64.def"
};
static const struct layout_field armv8_s1_field[] = {
#include "oracle/format/armv8_s1.def"
};
static const struct layout_field armv8_s2_field[] = {
#include "oracle/format/armv8_s2.def"
};

#define ROWS(name, field)                                          \
	{                                                          \
		name##_shape, name##_level, field, ARRAY_NR(field) \
	}

const struct layout_rows layout_rows[FORMAT_NR] = {
	[FORMAT_vtdss] = ROWS(vtdss, vtdss_field),
	[FORMAT_x86_64] = ROWS(x86_64, x86_64_field),
	[FORMAT_amdv1] = ROWS(amdv1, amdv1_field),
	[FORMAT_riscv_64] = ROWS(riscv_64, riscv_64_field),
	[FORMAT_amdv1_mock] = ROWS(amdv1_mock, amdv1_field),
	[FORMAT_armv8_s1] = ROWS(armv8_s1, armv8_s1_field),
	[FORMAT_armv8_s2] = ROWS(armv8_s2, armv8_s2_field),
};
