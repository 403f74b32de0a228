/* One SM with a design of G-Scalar, without a machine around it. */
#ifndef TESTS_TECH_SUPPORT_GSCALAR_H
#define TESTS_TECH_SUPPORT_GSCALAR_H

#include "sm/support_sm_rig.h"
#include "tech/gscalar/gscalar_int.h"

struct gs_rig {
    struct sm_rig *r;
    struct gscalar_cfg cfg;
    struct gscalar g;
    struct gs_sm m;
    struct rf_policy registers;
    struct issue_policy issue;
    /* What a test does to it: a function that is called behind each cost() and may change what
     * metadata say, and moves that are left out. */
    void (*plant)(struct gs_rig *b, const struct rf_event *e);
    bool drops_moves;
    struct gs_around {
        struct rf_policy inner;
        struct gs_rig *b;
    } around;
};

/* `design` as --with names it. */
void gs_rig_open(struct gs_rig *b, const char *ptx, const char *const *sets, const char *design);
void gs_rig_close(struct gs_rig *b);
/* One block of so many threads; the statistics of the second of the rig's two runs. */
const struct gscalar_stats *gs_rig_run(struct gs_rig *b, uint32_t threads);

/* Values: %r1 the thread's number, %r2 one value, %r3 another for each half, %rd1 the buffer. */
#define GS_KERNEL(body)                                                       \
    RIG_KERNEL("ld.param.u64 %rd1,[p]; mov.u32 %r1,%tid.x; mov.u32 %r2,21;\n" \
               "shr.u32 %r3,%r1,4; " body " ret;\n")
/* 9: Figure 2.9. Lanes 0 and 4 to 7 of eight write one value to %r5; the others have their own. */
#define FIGURE_2_9                                                         \
    "setp.eq.u32 %p1,%r1,0; setp.gt.u32 %p2,%r1,3; or.pred %p3,%p1,%p2;\n" \
    "add.u32 %r5,%r1,100;\n@%p3 mov.u32 %r5,2;\n"

struct gs_way {
    const char *design;
    uint32_t threads;
    bool is_affine;
};

/* Statistics of a kernel under --verify, which must find nothing. */
struct gscalar_stats gs_stats_of(const char *ptx, const char *design, uint32_t threads);
/* What `more` adds behind `body` in a GS_KERNEL. */
struct gscalar_stats gs_added(const char *body, const char *more, const char *design,
                              uint32_t threads);
struct gscalar_stats gs_added_to(const char *body, const char *more, struct gs_way way);

#endif
