/* A line that says how far something is, how fast, and how long it still takes. */
#include "out/progress.h"

#include "base/wall_clock.h"

#include <stdio.h>
#include <unistd.h>

void progress_start(struct progress *p)
{
    *p = (struct progress){.start = wall_seconds()};
    p->last = p->start;
}

void progress_show(struct progress *p, const struct progress_state *s)
{
    double now = wall_seconds();
    if (!isatty(STDERR_FILENO) || now - p->start < 2.0 || now - p->last < 0.25)
        return;
    fprintf(stderr, "\r\033[K%s: %llu", s->name, (unsigned long long)s->done);
    if (s->all)
        fprintf(stderr, " of %llu", (unsigned long long)s->all);
    fprintf(stderr, " %s, %.0f K %s/s", s->things, (double)s->work / (now - p->start) / 1e3,
            s->unit);
    if (s->done && s->all)
        fprintf(stderr, ", %.0f s left",
                (now - p->start) * (double)(s->all - s->done) / (double)s->done);
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
