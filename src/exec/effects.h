/* The log of what an SM's instructions do to memory that others can see: see step.h. */
#ifndef EXEC_EFFECTS_H
#define EXEC_EFFECTS_H

#include "exec/grid.h"

enum { EFFECTS_MAX_LOGS = 1024 };

struct access;
struct step;
struct effects;

struct effects *effects_new(void);
void effects_free(struct effects *fx);
bool effects_empty(const struct effects *fx);
/* `bit` of `*note` is set when the log gets an entry; who reads it clears it. */
void effects_tell(struct effects *fx, uint8_t *note, uint8_t bit);

typedef void (*effect_done_fn)(void *ctx, size_t place, struct warp *w, const struct step *s);

/* Executes what the `n` logs hold (a log may be NULL), by cycle, then by place in the array, and
 * empties them. For a deferred instruction, done(ctx, place, warp, step) tells its SM what it
 * accessed. False: a fault of log *at_fault; it is in the warp's grid, and the rest of the logs is
 * dropped. */
bool effects_apply(struct effects *const *logs, size_t n, effect_done_fn done, void *ctx,
                   size_t *at_fault);

/* What stopped effects_apply() in this log. */
const struct fault *effects_fault(const struct effects *fx);

/* --- for the code of instructions --- */

/* A global store of the warp's lanes at cycle `now`. */
void effects_store(struct effects *fx, const struct access *a, const struct xmem *m,
                   char *const *base, cycle_t now);
/* The instruction is to be executed when the log is applied; until then the warp stands still. */
void effects_defer(struct effects *fx, struct warp *w, const struct xinst *x, uint32_t mask,
                   cycle_t now);
/* Whether a load must see stores of the log. */
bool effects_overlap(const struct effects *fx, const struct access *a);
/* The bytes that the log's stores have put at addr[l] + off, into tmp[l]. */
void effects_overlay(const struct effects *fx, const struct access *a, uint64_t off, unsigned bytes,
                     char *tmp);

#endif
