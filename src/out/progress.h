/* A line on a terminal's stderr for what takes more than two seconds; nothing elsewhere. */
#ifndef OUT_PROGRESS_H
#define OUT_PROGRESS_H

#include "base/common.h"

struct progress {
    double start, last;
    bool shown;
};

/* How far something is. */
struct progress_state {
    const char *name;
    uint64_t done, all; /* all 0: nobody knows */
    const char *things; /* that are done */
    uint64_t work;
    const char *unit; /* of the work, whose rate is shown */
};

void progress_start(struct progress *p);
void progress_show(struct progress *p, const struct progress_state *s);
/* Wipes the line. */
void progress_end(struct progress *p);

#endif
