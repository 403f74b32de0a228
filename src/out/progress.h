/* A line on a terminal's stderr for what takes more than two seconds; elsewhere nothing, or, where
 * that is asked for, a line of its own every few seconds. */
#ifndef OUT_PROGRESS_H
#define OUT_PROGRESS_H

#include "base/common.h"

struct progress {
    double begun, start, last; /* of all, of what is under way, of the last line */
    uint64_t number;           /* of what is under way */
    bool is_asked;             /* also where stderr is no terminal */
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

/* The next thing is under way; zeros at first. */
void progress_start(struct progress *p);
void progress_show(struct progress *p, const struct progress_state *s);
/* Wipes the line. */
void progress_end(struct progress *p);

#endif
