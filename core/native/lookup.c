/* iova_to_phys. Source: docs/contract.md. */
#include "core/native/table.h"

u64 native_iova_to_phys(struct walker_table *table, u64 iova)
{
	unsigned int level = table->top;
	u64 *items = table->root;
	u64 word, offset;

	if (!table_legal(table, iova, iova) || !table_reaches(table, iova))
		return 0;
	for (;; level--) {
		word = host_load(table->host, &items[table_index(table, level, iova)]);
		if (entry_is_empty(table, level, word))
			return 0;
		if (!entry_is_table(table, level, word))
			break;
		items = entry_child(table, word);
	}
	offset = bits_low(entry_lg2(table, level, word));
	return (entry_address(table, word) & ~offset) | (iova & offset);
}
