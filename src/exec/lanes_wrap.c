#include "exec/lanes_wrap.h"

#include "exec/memory_lanes.h"

#include <fenv.h>
#include <string.h>

/* Keeps the compiler from moving memory accesses, and with them arithmetic, across a change of
 * rounding mode. */
#define BARRIER() __asm__ volatile("" ::: "memory")

static const int host_mode[] = {
    [LANE_RN] = FE_TONEAREST,
    [LANE_RZ] = FE_TOWARDZERO,
    [LANE_RM] = FE_DOWNWARD,
    [LANE_RP] = FE_UPWARD,
};

void lane_rounded(const struct lane_op *op, char *const *base, uint32_t mask)
{
    fesetround(host_mode[op->rnd]);
    BARRIER();
    op->inner(op, base, mask);
    BARRIER();
    fesetround(FE_TONEAREST);
}

void lane_resized(const struct lane_op *op, char *const *base, uint32_t mask)
{
    enum { LANE_BYTES = 16 * WARP_LANES };
    _Alignas(64) char tmp[4 * LANE_BYTES];
    char *bases[LANE_BASES + 1];
    const uint8_t want[3] = {op->sel_b, op->sel_c, op->sel_d};
    struct lane_op inner = *op;
    void (*const put)(void *, unsigned, const void *, unsigned, bool, uint32_t) =
        memory_lanes_get()->put;

    memcpy(bases, base, LANE_BASES * sizeof bases[0]);
    bases[LANE_BASES] = tmp;
    for (unsigned i = 0; i < 3; i++) {
        if (!want[i] || want[i] == op->src[i].bytes)
            continue;
        inner.src[i] =
            (struct lane_ref){.sel = LANE_BASES, .off = (i + 1) * LANE_BYTES, .bytes = want[i]};
        put(tmp + inner.src[i].off, want[i], lane_at(&op->src[i], base), op->src[i].bytes, false,
            UINT32_MAX);
    }
    if (op->d.bytes == op->sel_a) {
        op->inner(&inner, bases, mask);
        return;
    }
    inner.d = (struct lane_ref){.sel = LANE_BASES, .bytes = op->sel_a};
    op->inner(&inner, bases, UINT32_MAX);
    put(lane_at(&op->d, base), op->d.bytes, tmp, op->sel_a,
        ptx_type_is_signed((enum ptx_type)op->type), mask);
}
