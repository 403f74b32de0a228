/* Outputs that are whole or not there: a file is written under a temporary name beside its place
 * and gets its name when all of it is on the disk. "-" is standard output; that and other open
 * descriptors by their names ("/dev/stderr", "/dev/fd/3") are written on, whatever they are. What
 * exists and is no plain file (a device, a pipe) is written where it is and never removed; a pipe
 * that nobody reads from is refused.
 *
 *     struct outfile *o = outfile_open(path, err);
 *     if (!o)
 *         return false;
 *     fprintf(outfile_stream(o), ...);
 *     return outfile_close(o, err); */
#ifndef BASE_OUTFILE_H
#define BASE_OUTFILE_H

#include "base/err.h"

#include <stdio.h>

struct outfile;

struct outfile *outfile_open(const char *path, struct err *err);
FILE *outfile_stream(struct outfile *o);
/* Gives the file its name, or removes it and says why; `o` is gone in both cases. */
bool outfile_close(struct outfile *o, struct err *err);
/* As if it had never been opened; NULL is allowed. */
void outfile_discard(struct outfile *o);

/* For other writers (a database) that want a name: what to write instead of `path`. */
const char *outfile_name(const struct outfile *o);
/* The end of such a file: as outfile_close(), but fails if there is a `path` by now, and leaves
 * both alone then (*exists). */
bool outfile_close_new(struct outfile *o, bool *exists, struct err *err);

/* Whether outfile_open() would work; nothing is changed. */
bool outfile_probe(const char *path, struct err *err);
/* The same for all of them, which must not be the same file; here and below NULL is none. */
bool outfile_probe_all(const char *const *paths, size_t n, struct err *err);
/* None of the outputs is one of the inputs, which would be lost. */
bool outfile_check_inputs(const char *const *outputs, size_t n, const char *const *inputs, size_t m,
                          struct err *err);
/* Whether the name is that of an open descriptor. */
bool outfile_is_stream(const char *path);
/* Makes `folder` if it is not there, and probes it. */
bool outfile_probe_folder(const char *folder, struct err *err);
/* Fails if what was written to standard output did not arrive. */
bool outfile_check_stdout(struct err *err);

#endif
