/* How far a launch is: by its blocks. */
#include "gpu/launch_progress.h"

void launch_progress(const struct grid_progress *g, void *progress)
{
    progress_show(progress, &(struct progress_state){.name = g->kernel,
                                                     .done = g->ctas_done,
                                                     .all = g->ctas,
                                                     .things = "blocks",
                                                     .work = g->warp_inst,
                                                     .unit = "warp-instructions"});
}
