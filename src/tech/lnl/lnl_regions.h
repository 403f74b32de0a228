/* What the marks of a function say to Lock and Load (../shared/spec/lnl.md, 2.1), and which of its
 * instructions all active lanes execute although their warp is approximated (2.5). */
#ifndef TECH_LNL_REGIONS_H
#define TECH_LNL_REGIONS_H

#include "ptx/ir.h"

/* A load whose values are compared. */
struct lnl_load {
    uint32_t pc;
    uint8_t entry, uses; /* of the history table; regions that will use it */
    bool is_absolute;
    uint8_t type; /* enum ptx_type: of what it brings */
};

/* In the order of "lnl store" in ptx_marks.def. */
enum lnl_format { LNL_F32, LNL_U8, LNL_S32, LNL_U32, LNL_U8X4 };

/* A register that approximated instructions write and that is read behind the region. */
struct lnl_out {
    uint32_t reg;
    enum lnl_format format;
};

struct lnl_region {
    uint32_t begin, end; /* [begin, end) */
    uint32_t loads;      /* entries that decide, a bit each */
    uint32_t line;       /* of its begin */
    struct lnl_out *outs;
    uint32_t nouts;
};

struct lnl_marks {
    const struct ptx_func *f;
    struct lnl_load *loads;
    struct lnl_region *regions;
    uint32_t nloads, nregions;
    uint8_t *is_precise; /* by instruction; of regions only */
    uint8_t *formats;    /* by instruction: of a region's store, enum lnl_format */
};

/* Reads the marks and finds the precise instructions. False and an error that names file and line;
 * either way lnl_marks_free(). */
bool lnl_marks_read(const struct ptx_func *f, struct lnl_marks *m, struct err *err);
void lnl_marks_free(struct lnl_marks *m);

/* Whether a load is one that "lnl load" can be about; why an instruction cannot be in a region
 * (NULL: it can); what a store's data is unless "lnl store" says another. */
bool lnl_is_checkable(const struct ptx_inst *i);
const char *lnl_why_not(const struct ptx_inst *i);
enum lnl_format lnl_format_of(const struct ptx_inst *store);

/* lnl_precise.c: adds to the marked ones (1) what (2) computes addresses and guards of stores, (3)
 * decides branches on which a store or barrier depends, (4) is made outside such a branch and used
 * inside it, and (5) whatever feeds those; and (6) whatever is read behind the region and has not
 * 32 bits. Then finds what of the rest is read there. */
void lnl_find_precise(struct lnl_marks *m, struct lnl_region *r);

#endif
