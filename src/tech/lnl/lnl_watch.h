/* What a program stores, as a list of records that two runs can be compared by: one as it is, one
 * with perturbed loads (lnl-perturb). */
#ifndef TECH_LNL_WATCH_H
#define TECH_LNL_WATCH_H

#include "base/err.h"
#include "base/vec.h"

/* A lane's store: who stored it (the key), where, and what. */
struct lnl_stored {
    uint64_t kernel;        /* hash of its name */
    uint32_t launch, block; /* of this kernel */
    uint32_t thread, pc, visit, element;
    uint64_t addr;
    uint32_t word;
    uint8_t type; /* enum ptx_type of the store */
    uint8_t unused[3];
};

struct lnl_watched {
    VEC(struct lnl_stored) at;
};

/* Sorted by key, written whole; read back. */
bool lnl_watched_write(struct lnl_watched *w, const char *path, struct err *err);
bool lnl_watched_read(struct lnl_watched *w, const char *path, struct err *err);
void lnl_watched_free(struct lnl_watched *w);

/* What perturbed loads did to stores. */
struct lnl_tolerance {
    uint64_t stores;  /* that both runs made */
    uint64_t missing; /* that one of them made */
    uint64_t moved;   /* that went elsewhere */
    double error;     /* of the values: root of the mean square over the mean magnitude */
};
/* Whether the kernel of this name has stored anything. */
bool lnl_watched_has(const struct lnl_watched *w, const char *kernel);
uint64_t lnl_watched_hash(const char *kernel);
struct lnl_tolerance lnl_watched_compare(const struct lnl_watched *precise,
                                         const struct lnl_watched *perturbed);

#endif
