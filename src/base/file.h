/* Whole files in and out, with errors that name the file. What has no end is refused before it is
 * read: folders, devices, pipes that nobody writes into, files above a limit. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/err.h"

#define FILE_READ_MAX (UINT64_C(1) << 30) /* of file_read() */
#define FILE_TEXT_MAX (UINT64_C(4) << 20) /* for what people write: YAML */
#define FILE_NO_SIZE  UINT64_MAX

/* A descriptor for reading ("-" = standard input, not to be closed), or -1. *bytes of a plain file,
 * FILE_NO_SIZE of a pipe or a terminal. */
int file_open(const char *path, uint64_t *bytes, struct err *err);
/* Reads all of `path` ("-" = standard input); the buffer has one extra NUL byte after `*len`. */
char *file_read(const char *path, size_t *len, struct err *err);
/* The same, refusing more than `most` bytes. */
char *file_read_max(const char *path, uint64_t most, size_t *len, struct err *err);
/* Size of a regular file; false (no error set) for anything else. */
bool file_size(const char *path, uint64_t *bytes);
/* Reads exactly `len` bytes, without a buffer of its own. */
bool file_read_into(const char *path, void *to, size_t len, struct err *err);
/* Whole or not there: outfile.h. */
bool file_write(const char *path, const void *data, size_t len, struct err *err);

#endif
