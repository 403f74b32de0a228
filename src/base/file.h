/* Whole files in and out, with errors that name the file. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/err.h"

/* Reads all of `path` ("-" = standard input); the buffer has one extra NUL byte after `*len`. */
char *file_read(const char *path, size_t *len, struct err *err);
/* Size of a regular file; false (no error set) for anything else. */
bool file_size(const char *path, uint64_t *bytes);
/* Reads exactly `len` bytes, without a buffer of its own. */
bool file_read_into(const char *path, void *to, size_t len, struct err *err);
bool file_write(const char *path, const void *data, size_t len, struct err *err);

#endif
