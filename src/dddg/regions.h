/* Regions worth a table: the cones of a graph that are heavy for their inputs, equal ones taken
 * together, merged where they overlap, ranked by what they weigh in all. */
#ifndef DDDG_REGIONS_H
#define DDDG_REGIONS_H

#include "dddg/cone.h"

enum { DDDG_CUTS = 3, DDDG_INPUTS_MOST = 64 };

/* Bits that are cut off inputs when distinct ones are counted. */
extern const unsigned dddg_cuts[DDDG_CUTS];

struct dddg_input {
    bool is_register; /* that nobody in the trace wrote; else an instruction makes it */
    uint32_t at;      /* the register, or the site */
    unsigned bytes;
};

struct dddg_region {
    VEC(uint32_t) sites;   /* ascending */
    VEC(uint32_t) outputs; /* the sites of the roots */
    VEC(struct dddg_input) inputs;
    VEC(uint32_t) paths;          /* signatures of its heaviest part, one for each way through it */
    uint64_t executed;            /* times, of the heaviest of its parts */
    uint64_t sum;                 /* of all their weights */
    uint32_t weight;              /* of one, on its heaviest way */
    uint64_t distinct[DDDG_CUTS]; /* inputs of the heaviest part */
};

struct dddg_found {
    VEC(struct dddg_region) regions; /* the heaviest first */
    uint64_t total;                  /* candidates, cones within others included */
    uint64_t unique;                 /* regions that are executed more than once, before merging */
    double mean_ci, coverage;
};

struct dddg_found *dddg_find(const struct dddg_graph *g, const struct dddg_limits *limits);
void dddg_found_free(struct dddg_found *f);

/* The share of lookups that a table without end would answer, with dddg_cuts[cut] bits less. */
double dddg_hit_rate(const struct dddg_region *r, unsigned cut);
/* Cycles that a table without end would save in the trace. */
double dddg_saving(const struct dddg_region *r, const struct dddg_limits *limits, unsigned cut);

/* Of sets of sites. */
uint32_t dddg_common(const struct dddg_region *a, const struct dddg_region *b);

/* --- merge.c --- */

/* Merges, drops and ranks. */
void dddg_merge(struct dddg_found *f, const struct dddg_graph *g, const struct dddg_limits *limits);

#endif
