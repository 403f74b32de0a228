/* The approximations of single precision. */
#include "exec/lanes_loop.h"
#include "exec/sfu.h"

#define SFU(name)                                \
    LANE_FN1(fn_##name, u32, u32, sfu_##name(x)) \
    LANE_FN1(fn_##name##_ftz, u32, u32, f32_flush(sfu_##name(f32_flush(x))))
LANE_FN1(fn_ex2, u32, u32, sfu_ex2(x))
LANE_FN1(fn_ex2_ftz, u32, u32, sfu_ex2_ftz(x))
SFU(lg2)
SFU(sin)
SFU(cos)
SFU(rcp)
SFU(sqrt)
SFU(rsqrt)
SFU(tanh)

#define ROWS(OP, name)                               \
    LANE_ROW(OP, F32, NOTYPE, LV_APPROX, fn_##name), \
        LANE_ROW(OP, F32, NOTYPE, LV_APPROX | LV_FTZ, fn_##name##_ftz),

const struct lane_entry MV(lanes_sfu)[] = {
    ROWS(EX2, ex2) ROWS(LG2, lg2) ROWS(SIN, sin) ROWS(COS, cos) ROWS(RCP, rcp) ROWS(SQRT, sqrt)
        ROWS(RSQRT, rsqrt) ROWS(TANH, tanh){0},
};
