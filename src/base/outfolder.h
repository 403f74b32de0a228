/* A folder of pictures, all of them whole or none new: files are written into a temporary folder
 * inside, and outfolder_close() moves them out. */
#ifndef BASE_OUTFOLDER_H
#define BASE_OUTFOLDER_H

#include "base/err.h"

#include <stdio.h>

struct outfolder;

/* Makes `folder` if it is not there. */
struct outfolder *outfolder_open(const char *folder, struct err *err);
/* The file NAME.EXT, to be closed with outfolder_end(). */
FILE *outfolder_begin(struct outfolder *f, const char *name, const char *ext, struct err *err);
bool outfolder_end(struct outfolder *f, FILE *file, struct err *err);
/* Moves everything to its place; with `ok` false nothing. Returns `ok` if that worked; `f` is gone.
 */
bool outfolder_close(struct outfolder *f, bool ok, struct err *err);

#endif
