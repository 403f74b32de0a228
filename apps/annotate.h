/* What `parsim annotate` does: device code of a program, proposals for it, runs that try them. */
#ifndef APPS_ANNOTATE_H
#define APPS_ANNOTATE_H

#include "tech/lnl/lnl_propose.h"
#include "tech/lnl/lnl_watch.h"

struct annotate_options {
    const char *gpu;
    double perturb, max_error; /* shares */
    char **program;            /* the words behind `parsim run`; NULL: `file` alone */
    const char *file;          /* PTX */
    const char *out;           /* a folder; of a file: a file */
};

struct annotate_kernel {
    struct lnl_proposal proposal;
    bool is_tried, is_taken;
    struct lnl_tolerance tolerance; /* is_tried */
    char why[512];                  /* not taken, because */
};

struct annotate_module {
    struct ptx_module *ptx;
    char *name; /* of its file, without the folder */
    char *text;
    size_t len;
    VEC(struct annotate_kernel) kernels;
};

struct annotation {
    VEC(struct annotate_module) modules;
    char folder[64]; /* for what children write */
    size_t taken;    /* kernels */
    uint32_t marked, covered;
};

/* Fills `a`; false and an error: bad input, or a run that cannot be made. */
bool annotate(const struct annotate_options *o, struct annotation *a, struct err *err);
/* The modules with the marks of the kernels that were taken, to o->out. */
bool annotate_write(const struct annotate_options *o, const struct annotation *a, struct err *err);
void annotate_free(struct annotation *a);

#endif
