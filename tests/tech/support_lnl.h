/* One SM with a design of Lock and Load on its seams. */
#ifndef TESTS_TECH_SUPPORT_LNL_H
#define TESTS_TECH_SUPPORT_LNL_H

#include "sm/support_sm_rig.h"
#include "tech/lnl/lnl_int.h"

struct lnl_rig {
    struct sm_rig *r;
    struct lnl_cfg cfg; /* defaults; may be changed before a run */
    struct lnl g;
    struct lnl_sm m;
    struct rf_policy registers;
    struct issue_policy issue;
};

/* `design` NULL: nothing is bound. */
void lnl_rig_open(struct lnl_rig *b, const char *ptx, const char *const *sets, const char *design);
void lnl_rig_close(struct lnl_rig *b);
const struct lnl_stats *lnl_rig_run(struct lnl_rig *b, uint32_t grid, uint32_t threads);

/* A kernel whose threads load %f1 from word `tid`, checked, and have %rd2 = its address, %r1 = tid;
 * results go to [%rd2+LNL_OUT]. */
enum { LNL_OUT_WORDS = 64 };
#define LNL_OUT "256"
#define LNL_LOAD                                                                 \
    "ld.param.u64 %rd1,[p]; mov.u32 %r1,%tid.x; mad.wide.u32 %rd2,%r1,4,%rd1;\n" \
    ".pragma \"lnl load H=0 uses=1\";\nld.global.f32 %f1,[%rd2];\n"
#define LNL_BEGIN_0 ".pragma \"lnl begin loads=0\";\n"
#define LNL_END     ".pragma \"lnl end\";\n"
#define LNL_KERNEL(region)                                                                   \
    RIG_KERNEL(LNL_LOAD LNL_BEGIN_0 region "st.global.f32 [%rd2+" LNL_OUT "],%f2;\n" LNL_END \
                                           "ret;\n")

float lnl_float(uint32_t bits);
uint32_t lnl_bits(float f);

#endif
