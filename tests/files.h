/* Files for tests, in the folder that a test runs in. */
#ifndef TESTS_FILES_H
#define TESTS_FILES_H

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/check.h"

/* files_put() - makes a file of @bytes_nr bytes */
static inline void files_put(const char *path, const void *bytes, size_t bytes_nr)
{
	FILE *file = fopen(path, "wb");

	CHECK(file);
	CHECK_OP(fwrite(bytes, 1, bytes_nr, file), ==, bytes_nr);
	CHECK_OP(fclose(file), ==, 0);
}

static inline void files_put_text(const char *path, const char *text)
{
	files_put(path, text, strlen(text));
}

/* files_get() - what is in the file, ended by a zero and to be freed; NULL when there is none */
static inline char *files_get(const char *path, size_t *bytes_nr)
{
	FILE *file = fopen(path, "rb");
	char *bytes = calloc(1, 1 << 20);
	size_t nr;

	CHECK(bytes);
	if (!file) {
		free(bytes);
		return NULL;
	}
	nr = fread(bytes, 1, (1 << 20) - 1, file);
	fclose(file);
	if (bytes_nr)
		*bytes_nr = nr;
	return bytes;
}

/* files_folder() - makes a folder, if there is none */
static inline void files_folder(const char *path)
{
	CHECK(!mkdir(path, 0777) || errno == EEXIST);
}

/* files_clear() - removes the files in a folder, folders apart; makes it if there is none */
static inline void files_clear(const char *path)
{
	struct dirent *entry;
	char below[1024];
	DIR *folder;

	files_folder(path);
	folder = opendir(path);
	CHECK(folder);
	while ((entry = readdir(folder))) {
		snprintf(below, sizeof(below), "%s/%s", path, entry->d_name);
		CHECK(!unlink(below) || errno == EISDIR);
	}
	closedir(folder);
}

/* files_nr() - how many files are in a folder */
static inline int files_nr(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	int nr = 0;

	CHECK(folder);
	while ((entry = readdir(folder)))
		nr += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	closedir(folder);
	return nr;
}

/* files_one_line() - whether an error is what users shall see: one line, not empty, no newline */
static inline bool files_one_line(const char *error)
{
	return error[0] && !strchr(error, '\n');
}

#endif
