/* The table of findings; see tools/report.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzzers/file.h"
#include "tools/command.h"
#include "tools/report.h"

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static json_int_t number_of(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static bool same(const json_t *a, const json_t *b, const char *key)
{
	return !strcmp(text_of(a, key), text_of(b, key));
}

/* The merged row for @finding, or NULL. */
static json_t *row_find(json_t *rows, const json_t *finding)
{
	size_t i;
	json_t *row;

	json_array_foreach(
		rows, i,
		row) if (same(row, finding, "rule") && same(row, finding, "op") &&
			 same(row, finding, "reason") &&
			 json_is_true(json_object_get(row, "known")) ==
				 json_is_true(json_object_get(finding, "known"))) return row;
	return NULL;
}

static void formats_add(json_t *formats, const char *format)
{
	size_t i;
	json_t *known;

	json_array_foreach(formats, i, known) if (!strcmp(json_string_value(known), format)) return;
	json_array_append_new(formats, json_string(format));
}

static void row_add(json_t *rows, const json_t *finding)
{
	static const char *const kept[] = {"signature", "rule", "op",	"reason", "known",
					   "legal",	"ops",	"file", "why"};
	json_t *row = row_find(rows, finding);

	if (!row) {
		row = json_pack("{s:[], s:I}", "formats", "count", (json_int_t)0);
		for (size_t i = 0; i < ARRAY_NR(kept); i++)
			json_object_set(row, kept[i], json_object_get(finding, kept[i]));
		json_array_append_new(rows, row);
	} else if (number_of(finding, "ops") < number_of(row, "ops")) {
		for (size_t i = 0; i < ARRAY_NR(kept); i++)
			json_object_set(row, kept[i], json_object_get(finding, kept[i]));
	}
	formats_add(json_object_get(row, "formats"), text_of(finding, "format"));
	json_object_set_new(row, "count",
			    json_integer(number_of(row, "count") + number_of(finding, "count")));
}

/* New before known, then by rule, operation and reason. */
static int row_order(const void *a, const void *b)
{
	const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
	int known = json_is_true(json_object_get(x, "known")) -
		    json_is_true(json_object_get(y, "known"));
	int rule = strcmp(text_of(x, "rule"), text_of(y, "rule"));
	int op = strcmp(text_of(x, "op"), text_of(y, "op"));

	return known  ? known
	       : rule ? rule
	       : op   ? op
		      : strcmp(text_of(x, "reason"), text_of(y, "reason"));
}

static json_t *rows_sorted(json_t *rows)
{
	size_t nr = json_array_size(rows);
	json_t **order = calloc(nr + 1, sizeof(*order));
	json_t *sorted = json_array();

	for (size_t i = 0; order && i < nr; i++)
		order[i] = json_array_get(rows, i);
	if (order)
		qsort(order, nr, sizeof(*order), row_order);
	for (size_t i = 0; order && i < nr; i++)
		json_array_append(sorted, order[i]);
	free(order);
	json_decref(rows);
	return sorted;
}

json_t *report_merge(json_t *stats)
{
	json_t *rows = json_array();
	json_int_t programs = 0, operations = 0;
	const char *walker = "", *tree = "";
	double seconds = 0;
	size_t i, j;
	json_t *one, *finding;

	json_array_foreach(stats, i, one)
	{
		double lasted = json_real_value(json_object_get(one, "seconds"));

		programs += number_of(one, "programs");
		operations += number_of(one, "operations");
		seconds = lasted > seconds ? lasted : seconds;
		walker = *walker ? walker : text_of(one, "walker");
		tree = *tree ? tree : text_of(one, "tree");
		json_array_foreach(json_object_get(one, "findings"), j, finding)
			row_add(rows, finding);
	}
	return json_pack("{s:s, s:s, s:f, s:I, s:I, s:o}", "walker", walker, "tree", tree,
			 "seconds", seconds, "programs", programs, "operations", operations,
			 "findings", rows_sorted(rows));
}

static void row_print(const json_t *row, const char *folder)
{
	bool known = json_is_true(json_object_get(row, "known"));
	const char *file = text_of(row, "file");
	char formats[128] = "";
	size_t i, length = folder ? strlen(folder) : 0;
	json_t *format;

	json_array_foreach(json_object_get(row, "formats"), i, format)
	{
		size_t at = strlen(formats);

		snprintf(formats + at, sizeof(formats) - at, "%s%s", i ? "," : "",
			 json_string_value(format));
	}
	if (length && !strncmp(file, folder, length))
		file += length + strspn(file + length, "/");
	printf("%-5s %-20s %-6s %-26s %-4lld %-9lld %s%s\n", known ? "known" : "NEW",
	       text_of(row, "rule"), text_of(row, "op"), text_of(row, "reason"),
	       (long long)number_of(row, "ops"), (long long)number_of(row, "count"), formats,
	       json_is_true(json_object_get(row, "legal")) ? "" : " *");
	if (!known && *file)
		printf("      %s\n", file);
}

u32 report_print(const json_t *merged, const char *folder)
{
	json_t *rows = json_object_get(merged, "findings");
	double seconds = json_real_value(json_object_get(merged, "seconds"));
	u32 new_nr = 0, broken_nr = 0;
	size_t i;
	json_t *row;

	printf("%s: %lld programs, %lld operations in %.0f s\n", text_of(merged, "tree"),
	       (long long)number_of(merged, "programs"), (long long)number_of(merged, "operations"),
	       seconds);
	if (json_array_size(rows))
		printf("\n      %-20s %-6s %-26s %-4s %-9s %s\n", "rule", "op", "reason", "ops",
		       "seen", "formats");
	json_array_foreach(rows, i, row)
	{
		row_print(row, folder);
		new_nr += !json_is_true(json_object_get(row, "known"));
		broken_nr += !json_is_true(json_object_get(row, "legal"));
	}
	if (json_array_size(rows))
		putchar('\n');
	if (broken_nr)
		puts("* only callers that break their own part of the contract see this");
	printf("%u new, %zu known findings", new_nr, json_array_size(rows) - new_nr);
	printf(json_array_size(rows) && folder ? "; reproducers in %s\n" : "\n", folder);
	return new_nr;
}

void report_write(const json_t *merged, const char *path)
{
	char *text = json_dumps(merged, JSON_INDENT(1));
	int ret = text ? file_write(path, text, strlen(text)) : -ENOMEM;

	free(text);
	if (ret)
		fail(EXIT_USAGE, "%s: cannot be written: %s", path, strerror(-ret));
}
