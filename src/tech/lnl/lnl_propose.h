/* Loads and regions that Lock and Load could take in a kernel nobody has marked: from slices
 * between loads and stores. What is proposed holds on paper; whether values tolerate it, a run with
 * perturbed loads says (lnl_watch.h). */
#ifndef TECH_LNL_PROPOSE_H
#define TECH_LNL_PROPOSE_H

#include "base/vec.h"
#include "tech/lnl/lnl_regions.h"

struct lnl_proposed_region {
    uint32_t begin, end;   /* [begin, end) */
    uint32_t loads;        /* entries of the history table */
    uint32_t approximable; /* instructions that anchors alone would execute */
};

/* A mark and the instruction that it stands before. */
struct lnl_proposed_mark {
    uint32_t pc;
    char text[48];
};

struct lnl_proposal {
    const struct ptx_func *f;
    VEC(struct lnl_proposed_region) regions;
    VEC(struct lnl_proposed_mark) marks; /* in the order in which they are written */
    char why[256];                       /* there is no region, because */
    /* The function's own marks: instructions of its regions; of those, in proposed ones. */
    uint32_t marked, covered;
};

/* False and an error: the function's own marks cannot be. */
bool lnl_propose(const struct ptx_func *f, struct lnl_proposal *p, struct err *err);
void lnl_proposal_free(struct lnl_proposal *p);

/* The module's text with the marks of `n` proposals, without those of this family that it has. To
 * be freed; NULL and an error that names file and line. */
char *lnl_annotate(const char *text, size_t len, const struct lnl_proposal *p, size_t n,
                   struct err *err);

#endif
