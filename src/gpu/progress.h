/* A line on a terminal's stderr for launches that take more than two seconds; nothing elsewhere. */
#ifndef GPU_PROGRESS_H
#define GPU_PROGRESS_H

#include "exec/grid.h"

struct progress {
    double start, last;
    bool shown;
};

void progress_start(struct progress *p);
/* For launch.progress; `progress` is the struct. */
void progress_show(const struct grid_progress *g, void *progress);
/* Wipes the line. */
void progress_end(struct progress *p);

#endif
