/*
 * Programs in files: text or bytes, told apart by how they begin.
 */
#ifndef FUZZERS_FILE_H
#define FUZZERS_FILE_H

#include "fuzzers/program.h"

/*
 * file_read_program() - reads the program in the file at @path
 * Returns 0, or -errno with one line without a newline in @error.
 */
int file_read_program(struct program *program, const char *path, char *error, size_t error_bytes);

/*
 * file_each() - calls @visit for @path, or, when it is a folder, for each file below it in name order;
 * in folders only *.pt files and files without a suffix count
 * Returns how many were visited, or -errno.
 */
int file_each(const char *path, void (*visit)(void *arg, const char *path), void *arg);

/*
 * file_write() - writes @bytes to @path whole or not at all; what is no regular file (a pipe, a device) is
 * written to directly. Returns 0 or -errno.
 */
int file_write(const char *path, const void *bytes, size_t bytes_nr);

#endif
