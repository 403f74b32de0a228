/* A line that says how far something is, how fast, and how long it still takes. */
#include "out/progress.h"

#include "base/wall_clock.h"

#include <stdio.h>
#include <unistd.h>

void progress_start(struct progress *p)
{
    p->start = wall_seconds();
    if (!p->number++)
        p->begun = p->last = p->start;
}

void progress_show(struct progress *p, const struct progress_state *s)
{
    const double now = wall_seconds();
    const bool is_tty = isatty(STDERR_FILENO);
    if (!(is_tty || p->is_asked) || now - p->begun < 2.0 || now - p->last < (is_tty ? 0.25 : 5.0))
        return;
    fputs(is_tty ? "\r\033[K" : "parsim: ", stderr);
    if (p->number > 1)
        fprintf(stderr, "%llu, ", (unsigned long long)p->number);
    fprintf(stderr, "%s: %llu", s->name, (unsigned long long)s->done);
    if (s->all)
        fprintf(stderr, " of %llu", (unsigned long long)s->all);
    fprintf(stderr, " %s, %.0f K %s/s", s->things, (double)s->work / (now - p->start) / 1e3,
            s->unit);
    if (s->done && s->all)
        fprintf(stderr, ", %.0f s left",
                (now - p->start) * (double)(s->all - s->done) / (double)s->done);
    if (!is_tty)
        fputc('\n', stderr);
    fflush(stderr);
    p->last = now;
    p->shown = is_tty;
}

void progress_end(struct progress *p)
{
    if (p->shown)
        fprintf(stderr, "\r\033[K");
    p->shown = false;
}
