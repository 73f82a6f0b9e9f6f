/* Programs in files; see fuzzers/file.h. */
#include "fuzzers/file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 4096

/* Lines of readable text: hardly what a fuzzer left, and most likely the wrong file. */
static bool is_prose(const char *bytes, size_t length)
{
	bool lines = false;

	for (size_t i = 0; i < length; i++) {
		if (!isprint((unsigned char)bytes[i]) && !isspace((unsigned char)bytes[i]))
			return false;
		lines |= bytes[i] == '\n';
	}
	return lines;
}

int file_read_program(struct program *program, const char *path, char *error, size_t error_bytes)
{
	size_t max = PROGRAM_TEXT_MAX + 65536, length;
	FILE *file = fopen(path, "rb");
	char *bytes;
	int ret = 0;

	if (!file) {
		ret = -errno;
		snprintf(error, error_bytes, "%s: %s", path, strerror(errno));
		return ret;
	}
	bytes = malloc(max);
	errno = 0;
	length = bytes ? fread(bytes, 1, max, file) : 0;
	if (!bytes || ferror(file)) {
		ret = !bytes ? -ENOMEM : errno ? -errno : -EIO;
		snprintf(error, error_bytes, "%s: %s", path, strerror(-ret));
	} else if (length == max) {
		ret = -EFBIG;
		snprintf(error, error_bytes, "%s: too large for a program", path);
	} else if (text_is_program((const u8 *)bytes, length)) {
		ret = text_parse(program, bytes, length, path, error, error_bytes);
	} else if (strlen(path) > 3 && !strcmp(path + strlen(path) - 3, ".pt")) {
		ret = -EINVAL;
		snprintf(error, error_bytes, "%s:1: a text program starts with `ptfuzz 1`", path);
	} else if (is_prose(bytes, length)) {
		ret = -EINVAL;
		snprintf(error, error_bytes,
			 "%s:1: text, but no program: that starts with `ptfuzz 1`", path);
	} else {
		program_decode(program, (const u8 *)bytes, length);
	}
	free(bytes);
	fclose(file);
	return ret;
}

static int wanted(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return entry->d_name[0] != '.' && (!dot || !strcmp(dot, ".pt"));
}

int file_each(const char *path, void (*visit)(void *arg, const char *path), void *arg)
{
	struct dirent **entries;
	char below[PATH_BYTES];
	struct stat stat_of;
	int nr, visited = 0, ret = 0;

	if (stat(path, &stat_of))
		return -errno;
	if (!S_ISDIR(stat_of.st_mode)) {
		visit(arg, path);
		return 1;
	}
	nr = scandir(path, &entries, wanted, alphasort);
	if (nr < 0)
		return -errno;
	for (int i = 0; i < nr; i++) {
		snprintf(below, sizeof(below), "%s/%s", path, entries[i]->d_name);
		ret = ret < 0 ? ret : file_each(below, visit, arg);
		visited += ret > 0 ? ret : 0;
		free(entries[i]);
	}
	free(entries);
	return ret < 0 ? ret : visited;
}

/* Whether something other than a regular file stands at @path: it must not be replaced. */
static bool is_special(const char *path)
{
	struct stat stat_of;

	return !stat(path, &stat_of) && !S_ISREG(stat_of.st_mode);
}

int file_write(const char *path, const void *bytes, size_t bytes_nr)
{
	bool direct = is_special(path);
	char temporary[PATH_BYTES + 32];
	FILE *file;
	int ret = 0;

	snprintf(temporary, sizeof(temporary), "%s.%d.tmp", path, (int)getpid());
	file = fopen(direct ? path : temporary, "wb");
	if (!file)
		return -errno;
	if (fwrite(bytes, 1, bytes_nr, file) != bytes_nr)
		ret = -errno;
	if (fclose(file) && !ret)
		ret = -errno;
	if (!direct && !ret && rename(temporary, path))
		ret = -errno;
	if (!direct && ret)
		unlink(temporary);
	return ret;
}
