/* Pages of device memory that a running kernel is about to write for the first time, made before it
 * gets there: a fault for each costs more than making them by blocks (base/fresh_blocks.h).
 *
 * When a 64th of a grid's blocks is done, the pages that it has touched of memory that nobody had
 * written tell whether it will fill that; if so, more are made behind each stretch of those that
 * are there, as many again, and once more whenever twice as many blocks are done. In the middle of
 * what is made a page is left out: if most of those are not there the next time, the kernel does
 * not get that far, and no more are made. So a grid that fills memory at many places has what it
 * needs at each, and what is made for nobody is at most as much as has been filled. Nothing that
 * can be read depends on it. */
#ifndef EXEC_PAGES_AHEAD_H
#define EXEC_PAGES_AHEAD_H

#include "exec/devmem.h"

enum { PAGES_AHEAD_RANGES = 8, PAGES_LEFT = 16 };

struct pages_ahead {
    struct fill_range {
        addr_t at, end;  /* whole blocks */
        uint64_t absent; /* pages that were not there when the grid began */
        bool is_filled;  /* the kernel does so */
        unsigned nleft;
        addr_t left[PAGES_LEFT]; /* pages that were left out among those made last */
    } range[PAGES_AHEAD_RANGES];
    unsigned n;
    uint64_t total, next; /* blocks of the grid; when so many are done, it is looked again */
};

/* Which allocations have been looked at. */
struct pages_seen {
    uint64_t serial, epoch;
};

/* A grid of `total` blocks begins; allocations that are new since `seen` are looked at. */
void pages_ahead_begin(struct pages_ahead *p, const struct devmem *m, uint64_t total,
                       struct pages_seen *seen);
void pages_ahead_make(struct pages_ahead *p, uint64_t done);

static inline void pages_ahead_note(struct pages_ahead *p, uint64_t done)
{
    if (done >= p->next)
        pages_ahead_make(p, done);
}

#endif
