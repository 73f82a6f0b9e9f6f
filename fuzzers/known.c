/* Lists of known findings; see fuzzers/known.h. */
#include "fuzzers/known.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *trim(char *text)
{
	size_t length;

	text += strspn(text, " \t");
	length = strlen(text);
	while (length && strchr(" \t\r\n", text[length - 1]))
		text[--length] = 0;
	return text;
}

static int known_line(struct known *known, char *line)
{
	char *bar = strchr(line, '|');
	char *reason = bar ? bar + 1 : NULL;
	char *end = reason ? strchr(reason, '|') : NULL;
	u32 slashes = 0;
	bool breaking;

	if (!bar || !end)
		return -EINVAL;
	*bar = *end = 0;
	line = trim(line);
	breaking = *line == '~';
	line += breaking;
	for (const char *c = line; *c; c++)
		slashes += *c == '/';
	if (slashes < 3 || strlen(line) >= sizeof(known->entry[0].signature))
		return -EINVAL;
	if (known->nr == KNOWN_MAX)
		return -ENOSPC;
	snprintf(known->entry[known->nr].signature, sizeof(known->entry[0].signature), "%s", line);
	snprintf(known->entry[known->nr].reason, sizeof(known->entry[0].reason), "%s",
		 trim(reason));
	known->entry[known->nr].breaking = breaking;
	known->nr++;
	return 0;
}

int known_read(struct known *known, const char *path, char *error, size_t error_bytes)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t line_bytes = 0;
	int number = 0, ret = 0;

	errno = file ? 0 : errno;
	while (file && !ret && getline(&line, &line_bytes, file) >= 0) {
		char *text = trim(line);

		number++;
		if (!*text || *text == '#')
			continue;
		ret = known_line(known, text);
		if (ret)
			snprintf(
				error, error_bytes, "%s:%d: %s", path, number,
				ret == -ENOSPC
					? "too many entries"
					: "expected `[~]RULE/OP/FORMAT/REASON | reason | reference`");
	}
	if (!file || (!ret && ferror(file))) {
		ret = errno ? -errno : -EIO;
		snprintf(error, error_bytes, "%s: %s", path, strerror(-ret));
	}
	free(line);
	if (file)
		fclose(file);
	return ret;
}

/* Whether @entry, or a pattern in it, stands for @part of a signature. */
static bool part_matches(const char *entry, const char *part)
{
	return !strcmp(entry, part) || !fnmatch(entry, part, FNM_NOESCAPE);
}

/* Part by part, so that no `*` reaches beyond its own. The reason is the rest, whatever is in it. */
static bool signature_matches(const char *entry, const char *signature)
{
	char part[2][sizeof(((struct known *)0)->entry[0].signature)];

	for (int i = 0; i < 3; i++) {
		size_t entry_nr = strcspn(entry, "/"), signature_nr = strcspn(signature, "/");

		if (!entry[entry_nr] || !signature[signature_nr] || signature_nr >= sizeof(part[0]))
			return false;
		snprintf(part[0], sizeof(part[0]), "%.*s", (int)entry_nr, entry);
		snprintf(part[1], sizeof(part[1]), "%.*s", (int)signature_nr, signature);
		if (!part_matches(part[0], part[1]))
			return false;
		entry += entry_nr + 1;
		signature += signature_nr + 1;
	}
	return part_matches(entry, signature);
}

const char *known_find(const struct known *known, const char *signature, bool legal)
{
	for (u32 i = 0; i < known->nr; i++)
		if (!(legal && known->entry[i].breaking) &&
		    signature_matches(known->entry[i].signature, signature))
			return known->entry[i].reason;
	return NULL;
}
