/* How far a launch is, on the line of out/progress.h. */
#ifndef GPU_LAUNCH_PROGRESS_H
#define GPU_LAUNCH_PROGRESS_H

#include "exec/grid.h"
#include "out/progress.h"

/* For launch.progress; `progress` is a struct progress. */
void launch_progress(const struct grid_progress *g, void *progress);

#endif
