/* An oracle: what was read of every line in each of its lives, as a run has recorded it
 * (filter.record), and what misses of another run may ask for by it (filter.replay). Lives are told
 * apart by SM, line and order. Time is another in the second run, and blocks may be on other SMs:
 * what the SM has not recorded goes by what any SM has. */
#ifndef TECH_FILTER_REPLAY_H
#define TECH_FILTER_REPLAY_H

#include "base/vec.h"
#include "tech/filter/filter.h"

/* Of the machine; those of both runs are the same. */
struct replay_shape {
    uint32_t sms, line_bytes, sector_bytes;
};

/* What an SM notes: lines with a map below, and whether a life begins. */
struct replay_notes {
    VEC(uint64_t) all;
};

/* A life of `line` begins, with a miss that needs these sub-blocks. */
void replay_note_begin(struct replay_notes *n, addr_t line, uint16_t need);
/* So far these have been read in it. */
void replay_note_used(struct replay_notes *n, addr_t line, uint16_t used);
void replay_notes_free(struct replay_notes *n);
/* The record of `shape`.sms SMs. The notes are in another order afterwards. */
bool replay_write(const char *path, const struct replay_shape *shape,
                  struct replay_notes *const *notes, struct err *err);

/* The lives of an SM's lines, or of all: by line, then by order. */
struct replay_lives {
    uint64_t *at; /* a line and its map */
    size_t n;
};

struct replay {
    struct replay_shape shape;
    struct replay_lives *sm, any; /* any: each line once, what was read in one of its lives */
    uint32_t **begun;             /* by SM, at a line's first life: how many have begun */
};

/* NULL and an error: the file is none, or of another machine. */
struct replay *replay_open(const char *path, const struct replay_shape *shape, struct err *err);
void replay_close(struct replay *r);
/* What is read of the line in the life that would begin now; 0: not known. */
uint16_t replay_map(const struct replay *r, uint32_t sm, addr_t line);
/* A life of the line begins. */
void replay_begin(struct replay *r, uint32_t sm, addr_t line);

#endif
