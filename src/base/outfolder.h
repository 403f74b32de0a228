/* A folder of pictures, each whole or not there: data and gnuplot scripts are written into a
 * temporary folder inside, gnuplot runs there, and outfolder_close() moves all files out. */
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
/* Runs gnuplot on NAME.gp; its outputs go into the current folder. */
bool outfolder_plot(struct outfolder *f, const char *name, struct err *err);
/* Moves everything to its place; with `ok` false only what gnuplot would need. Returns `ok` if that
 * worked; `f` is gone. */
bool outfolder_close(struct outfolder *f, bool ok, struct err *err);

#endif
