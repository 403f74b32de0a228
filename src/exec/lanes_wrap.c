#include "exec/lanes_wrap.h"

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

/* Copies the low `to` bytes of 32 elements of `from` bytes. */
static void truncate_lanes(char *dst, unsigned to, const char *src, unsigned from)
{
    for (unsigned l = 0; l < WARP_LANES; l++)
        memcpy(dst + l * to, src + l * from, to);
}

static void extend_lane(char *dst, unsigned to, const char *src, unsigned from, bool is_signed)
{
    const int fill = is_signed && (src[from - 1] & 0x80) ? 0xff : 0;
    memcpy(dst, src, from);
    memset(dst + from, fill, to - from);
}

void lane_resized(const struct lane_op *op, char *const *base, uint32_t mask)
{
    enum { LANE_BYTES = 16 * WARP_LANES };
    _Alignas(64) char tmp[4 * LANE_BYTES];
    char *bases[LANE_BASES + 1];
    const uint8_t want[3] = {op->sel_b, op->sel_c, op->sel_d};
    struct lane_op inner = *op;

    memcpy(bases, base, LANE_BASES * sizeof bases[0]);
    bases[LANE_BASES] = tmp;
    for (unsigned i = 0; i < 3; i++) {
        if (!want[i] || want[i] == op->src[i].bytes)
            continue;
        inner.src[i] =
            (struct lane_ref){.sel = LANE_BASES, .off = (i + 1) * LANE_BYTES, .bytes = want[i]};
        truncate_lanes(tmp + inner.src[i].off, want[i], lane_at(&op->src[i], base),
                       op->src[i].bytes);
    }
    if (op->d.bytes == op->sel_a) {
        op->inner(&inner, bases, mask);
        return;
    }
    inner.d = (struct lane_ref){.sel = LANE_BASES, .bytes = op->sel_a};
    op->inner(&inner, bases, UINT32_MAX);
    char *d = lane_at(&op->d, base);
    const bool is_signed = ptx_type_is_signed((enum ptx_type)op->type);
    for (unsigned l = 0; l < WARP_LANES; l++)
        if (mask >> l & 1)
            extend_lane(d + l * op->d.bytes, op->d.bytes, tmp + l * op->sel_a, op->sel_a,
                        is_signed);
}
