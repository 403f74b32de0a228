/* The graph of a trace: who made what an instruction reads.
 *
 * A value is the number of the instruction that made it, or DDDG_INITIAL of a register. Loads from
 * where the stack was written are the value that was stored; loads from other memory are leaves,
 * and those of a place that nobody wrote in between are one leaf. */
#ifndef DDDG_GRAPH_H
#define DDDG_GRAPH_H

#include "dddg/trace.h"

enum {
    DDDG_LEAF = 1,      /* an input: its makers are not followed */
    DDDG_CONSTANT = 2,  /* made of nothing but constants */
    DDDG_INVARIANT = 4, /* the same for (nearly) all who read it */
    DDDG_DECIDES = 8,   /* only branches depend on it */
    DDDG_INSIDE = 16    /* an operation, which a cone may take in */
};

struct dddg_graph {
    const struct dddg_trace *trace;
    uint32_t n;      /* instructions */
    uint32_t *first; /* n + 1: where the operands of each begin */
    VEC(uint32_t) operands;
    uint32_t *consumers;    /* of each value: instructions, without those that only decide */
    uint32_t *last_decided; /* of each value: the last instruction that decides by it */
    uint8_t *traits;        /* of each value: DDDG_LEAF... */
    uint32_t *site;         /* of each instruction: the number of its address */
    VEC(uint64_t) addresses;
    VEC(uint32_t) executed; /* by site */
    VEC(uint8_t) bytes;     /* by site: of the largest value */
};

#define DDDG_INITIAL(g, reg) ((g)->n + (uint32_t)(reg))

struct dddg_graph *dddg_graph_new(const struct dddg_trace *t);
void dddg_graph_free(struct dddg_graph *g);

/* What it was, and of how many bytes. */
uint64_t dddg_value(const struct dddg_graph *g, uint32_t value, unsigned *bytes);

#endif
