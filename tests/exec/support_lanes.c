/* From the text of an operation to the function of its lanes, and a call of it. */
#include "exec/support_lanes.h"

#include <string.h>

bool lanes_parse_op(const char *text, size_t len, struct ptx_inst *inst)
{
    const char *end = text + len;
    memset(inst, 0, sizeof *inst);
    inst->guard = PTX_NO_REG;
    for (unsigned part = 0; text < end; part++) {
        const char *dot = memchr(text, '.', (size_t)(end - text));
        const size_t n = (size_t)((dot ? dot : end) - text);
        if (part == 0) {
            inst->op = (uint16_t)ptx_op_find(text, n);
            if (!inst->op)
                return false;
        } else if (ptx_type_find(text, n)) {
            inst->types[inst->ntypes++] = (uint8_t)ptx_type_find(text, n);
        } else if (ptx_mod_find(text, n)) {
            inst->mods[inst->nmods++] = (uint8_t)ptx_mod_find(text, n);
        } else {
            return false;
        }
        text += n + 1;
    }
    return true;
}

unsigned lanes_type_bytes(enum ptx_type t)
{
    const unsigned bytes = ptx_type_bytes(t);
    return t == PTX_PRED ? 0 : bytes < 2 ? 2 : bytes;
}

static struct lane_ref bench_ref(unsigned reg, unsigned bytes)
{
    return (struct lane_ref){.sel = LANE_REGS,
                             .off = reg * WARP_LANES * 16,
                             .bytes = (uint8_t)(bytes == 0xff ? 0 : bytes),
                             .none = bytes == 0xff};
}

void lanes_bench_init(struct lanes_bench *b, unsigned d, unsigned d2, const unsigned src[4])
{
    memset(b, 0, sizeof *b);
    b->op.d = bench_ref(BENCH_D, d);
    b->op.d2 = bench_ref(BENCH_D2, d2);
    for (unsigned k = 0; k < 4; k++)
        b->op.src[k] = bench_ref(BENCH_SRC + k, src[k]);
    b->op.cc = bench_ref(BENCH_CC, 0);
}

void lanes_bench_put(struct lanes_bench *b, unsigned reg, unsigned bytes, unsigned lane, uint64_t v)
{
    if (bytes) {
        memcpy(b->regs[reg] + lane * bytes, &v, bytes < 8 ? bytes : 8);
        return;
    }
    uint32_t m;
    memcpy(&m, b->regs[reg], sizeof m);
    m = (m & ~(1u << lane)) | (uint32_t)(v & 1) << lane;
    memcpy(b->regs[reg], &m, sizeof m);
}

uint64_t lanes_bench_get(const struct lanes_bench *b, unsigned reg, unsigned bytes, unsigned lane)
{
    uint64_t v = 0;
    if (bytes) {
        memcpy(&v, b->regs[reg] + lane * bytes, bytes < 8 ? bytes : 8);
        return v;
    }
    uint32_t m;
    memcpy(&m, b->regs[reg], sizeof m);
    return m >> lane & 1;
}

void lanes_bench_run(struct lanes_bench *b, uint32_t mask)
{
    char *const base[LANE_BASES] = {b->regs[0], b->regs[0], b->regs[0], b->regs[0]};
    b->op.fn(&b->op, base, mask);
}
