/* A machine of ours made of a configuration of GPGPU-Sim (gpgpusim.config). */
#ifndef GPU_IMPORT_GPGPUSIM_H
#define GPU_IMPORT_GPGPUSIM_H

#include "base/err.h"

#include <stdio.h>

struct import_count {
    size_t taken, left; /* options */
    struct err refused; /* why the machine that came out cannot be built; "" = it can */
};

/* Writes a file for --gpu: what the configuration says, each with its option, on top of
 * gtx480-gpgpusim, whose models are GPGPU-Sim's; at its end what could not be taken over. */
bool import_gpgpusim_text(const char *path, char *text, size_t len, FILE *out,
                          struct import_count *count, struct err *err); /* changes the text */
bool import_gpgpusim(const char *path, FILE *out, struct import_count *count, struct err *err);

#endif
