/* Rounding modes and widths that an operation has not itself, around it. */
#include "exec/lanes_wrap.h"

#include "exec/memory_lanes.h"

#include <string.h>
#ifdef __SSE2_MATH__
#include <xmmintrin.h>
#else
#include <fenv.h>
#endif

/* Keeps the compiler from moving memory accesses, and with them arithmetic, across a change of
 * rounding mode. */
#define BARRIER() __asm__ volatile("" ::: "memory")

#ifdef __SSE2_MATH__
/* All arithmetic is in SSE registers; fesetround() would also set the mode of the x87 unit, which
 * takes several times as long as everything else here. */
static const unsigned host_mode[] = {
    [LANE_RN] = _MM_ROUND_NEAREST,
    [LANE_RZ] = _MM_ROUND_TOWARD_ZERO,
    [LANE_RM] = _MM_ROUND_DOWN,
    [LANE_RP] = _MM_ROUND_UP,
};

void lane_rounded(const struct lane_op *op, char *const *base, uint32_t mask)
{
    const unsigned own = _mm_getcsr();
    _mm_setcsr((own & ~(unsigned)_MM_ROUND_MASK) | host_mode[op->rnd]);
    BARRIER();
    op->inner(op, base, mask);
    BARRIER();
    _mm_setcsr(own);
}
#else
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
#endif

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
