/* A machine beside the GPU that it is a model of: kernels of the workloads, ours and measured.
 *
 * workloads/MACHINE.csv has what the GPU did (tools/workloads_gpu), a row a kernel of a workload
 * and size; workloads/MACHINE_halves.csv says of each workload whether values of the machine may be
 * chosen on it ("chosen") or not ("held"). */
#ifndef VALIDATE_MEASURED_H
#define VALIDATE_MEASURED_H

#include "base/err.h"

#include <stdio.h>

struct measured_options {
    const char *machine;           /* a name of `parsim gpus` */
    const char *data;              /* folder of the measurements; NULL: workloads/ of the tree */
    const char *json, *csv, *plot; /* files; a folder for pictures; NULL: none */
    const char *half;              /* "chosen" or "held" only; NULL: both */
    const char *only;              /* one workload; NULL: all */
    const char *size;              /* one size; NULL: all */
    const char *from;  /* what --csv of earlier runs wrote, in place of runs; NULL: runs */
    const char *micro; /* the program of tools/calibrate; NULL: without it */
    uint64_t jobs;     /* runs at once; 0: a processor each */
    bool quick;        /* only what takes little work */
};

/* Whether the GPU of this machine was measured. */
bool measured_knows(const char *machine, const char *data);
/* Prints a line a kernel, then errors by class; the last line is
 * "mean absolute error N%, correlation C, K kernels". *failed: runs that gave nothing. */
bool measured_validate(const struct measured_options *o, FILE *out, size_t *failed,
                       struct err *err);

#endif
