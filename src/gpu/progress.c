#include "gpu/progress.h"

#include "base/wall_clock.h"

#include <stdio.h>
#include <unistd.h>

void progress_start(struct progress *p)
{
    *p = (struct progress){.start = wall_seconds()};
    p->last = p->start;
}

void progress_show(const struct grid_progress *g, void *progress)
{
    struct progress *p = progress;
    double now = wall_seconds();
    if (!isatty(STDERR_FILENO) || now - p->start < 2.0 || now - p->last < 0.25)
        return;
    double rate = (double)g->warp_inst / (now - p->start);
    double left = g->ctas_done
                      ? (now - p->start) * (double)(g->ctas - g->ctas_done) / (double)g->ctas_done
                      : 0;
    fprintf(stderr, "\r\033[K%s: %llu of %llu blocks, %.0f K warp-instructions/s", g->kernel,
            (unsigned long long)g->ctas_done, (unsigned long long)g->ctas, rate / 1e3);
    if (g->ctas_done)
        fprintf(stderr, ", %.0f s left", left);
    fflush(stderr);
    p->last = now;
    p->shown = true;
}

void progress_end(struct progress *p)
{
    if (p->shown)
        fprintf(stderr, "\r\033[K");
    p->shown = false;
}
