/* cp.async and mbarrier. A copy is done when it is issued, so waiting for it costs nothing; an
 * mbarrier is a real object in shared memory. */
#include "exec/lower.h"
#include "exec/memory.h"

#include <string.h>

/* --- cp.async --- */

struct copy_op {
    uint8_t bytes;
    bool has_ignore, has_size;
    struct lane_ref dst, src, size, ignore; /* size: bytes to read, the rest is zeros */
    int64_t dst_imm, src_imm;
};

static bool op_copy(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct copy_op *o = x->op.data;
    _Alignas(16) char buf[WARP_LANES][16];
    addr_t src[WARP_LANES], dst[WARP_LANES];
    uint32_t read = mask;
    if (o->has_ignore)
        read &= ~lane_pred(&o->ignore, w->base);
    if (o->has_size)
        FOR_LANES (l, mask)
            if (!lane_u64(&o->size, w->base, l))
                read &= ~(UINT32_C(1) << l);
    warp_addresses(w, &o->src, o->src_imm, src);
    warp_addresses(w, &o->dst, o->dst_imm, dst);
    memset(buf, 0, sizeof buf);
    if (read && !warp_load(w, x, PTX_SPACE_GLOBAL, src, o->bytes, buf, 16, read))
        return false;
    if (o->has_size)
        FOR_LANES (l, read) {
            uint64_t n = lane_u64(&o->size, w->base, l);
            if (n < o->bytes)
                memset(buf[l] + n, 0, o->bytes - n);
        }
    return warp_store(w, x, PTX_SPACE_SHARED, dst, o->bytes, buf, 16, mask);
}

static bool lower_side(struct lower *lo, const struct ptx_operand *o, struct lane_ref *ref,
                       int64_t *imm)
{
    struct xinst x = {0};
    if (!lower_mem_address(lo, o, &x))
        return false;
    *ref = x.mem.addr;
    *imm = x.mem.imm;
    return true;
}

static bool lower_copy(struct lower *lo, const struct ptx_inst *i, struct xinst *x)
{
    if (i->nops < 3 || i->ops[2].kind != PTX_OPND_IMM) {
        lo->why = "a copy of this form";
        return false;
    }
    struct copy_op *o = arena_new(lo->arena, struct copy_op);
    int64_t bytes = i->ops[2].imm;
    if (bytes != 4 && bytes != 8 && bytes != 16) {
        lo->why = "a copy size other than 4, 8 or 16";
        return false;
    }
    o->bytes = (uint8_t)bytes;
    if (!lower_side(lo, &i->ops[0], &o->dst, &o->dst_imm) ||
        !lower_side(lo, &i->ops[1], &o->src, &o->src_imm))
        return false;
    bool has_policy = ptx_inst_has(i, PTX_M_L2_CACHE_HINT);
    if (i->nops > 3u + has_policy) {
        const struct ptx_operand *e = &i->ops[3];
        o->has_ignore = e->kind == PTX_OPND_REG && !lo->fn->regs[e->reg].bytes;
        o->has_size = !o->has_ignore;
        struct lane_ref *ref = o->has_ignore ? &o->ignore : &o->size;
        if (!lower_source(lo, e, PTX_U32, 4, ref))
            return false;
    }
    x->kind = X_OP;
    x->op.fn = op_copy;
    x->op.data = o;
    return true;
}

/* --- mbarrier --- */

/* The 64-bit object: pending arrivals, arrivals a phase, bytes still to come, parity of the phase.
 */
struct mbar {
    uint64_t pending : 20, expected : 20, tx : 22, parity : 1, valid : 1;
};

enum mbar_kind {
    MB_INIT,
    MB_INVAL,
    MB_ARRIVE,
    MB_DROP,
    MB_EXPECT,
    MB_COMPLETE,
    MB_WAIT,
    MB_PENDING
};

struct mbar_op {
    uint8_t kind;
    bool by_parity, and_expect;
    uint8_t space;
    struct lane_ref d, addr, arg;
    int64_t imm;
    bool has_arg;
};

static void mbar_settle(struct mbar *b)
{
    if (b->pending || b->tx)
        return;
    b->parity ^= 1;
    b->pending = b->expected;
}

static bool mbar_step(struct warp *w, const struct xinst *x, unsigned lane, struct mbar *b)
{
    const struct mbar_op *o = x->op.data;
    uint64_t arg = o->has_arg ? lane_u64(&o->arg, w->base, lane) : 1, state;
    memcpy(&state, b, 8);
    if (o->kind != MB_INIT && !b->valid)
        return warp_fault(w, x, lane, FAULT_ILLEGAL_INSTRUCTION,
                          "the mbarrier was not initialised by mbarrier.init");
    switch (o->kind) {
    case MB_INIT:
        *b = (struct mbar){.pending = arg, .expected = arg, .valid = 1};
        break;
    case MB_INVAL:
        *b = (struct mbar){0};
        break;
    case MB_EXPECT:
        b->tx += arg;
        break;
    case MB_COMPLETE:
        b->tx -= arg;
        mbar_settle(b);
        break;
    case MB_WAIT: {
        struct mbar then = {0};
        memcpy(&then, &arg, 8);
        unsigned parity = o->by_parity ? (unsigned)arg & 1 : then.parity;
        lane_set_u64(&o->d, w->base, lane, b->parity != parity);
        break;
    }
    default: { /* arrive, arrive_drop */
        uint64_t n = o->and_expect ? 1 : arg;
        if (n > b->pending)
            return warp_fault(w, x, lane, FAULT_ILLEGAL_INSTRUCTION,
                              "%llu arrivals at an mbarrier that expects %u more",
                              (unsigned long long)n, (unsigned)b->pending);
        if (o->and_expect)
            b->tx += arg;
        b->pending -= n;
        if (o->kind == MB_DROP)
            b->expected -= n;
        lane_set_u64(&o->d, w->base, lane, state);
        mbar_settle(b);
    }
    }
    return true;
}

/* The lanes of `mask` at the object of its first lane. Where time is kept each lane's access
 * counts, so there it is that lane alone. */
static uint32_t lanes_at_one(const struct warp *w, const addr_t *addr, uint32_t mask)
{
    const addr_t at = addr[__builtin_ctz(mask)];
    uint32_t same = 0;
    if (w->step)
        return mask & -mask;
    FOR_LANES (l, mask)
        same |= (uint32_t)(addr[l] == at) << l;
    return same;
}

/* Lanes at one object, one after the other. */
static bool mbar_lanes(struct warp *w, const struct xinst *x, const addr_t *addr, uint32_t lanes)
{
    const struct mbar_op *o = x->op.data;
    const uint32_t first = lanes & -lanes;
    struct mbar b[WARP_LANES], *object = &b[__builtin_ctz(lanes)];
    if (!warp_load(w, x, o->space, addr, 8, b, 8, first))
        return false;
    FOR_LANES (l, lanes)
        if (!mbar_step(w, x, l, object))
            return false;
    return warp_store(w, x, o->space, addr, 8, b, 8, first);
}

static bool op_mbarrier(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct mbar_op *o = x->op.data;
    if (o->kind == MB_PENDING) {
        FOR_LANES (l, mask)
            lane_set_u64(&o->d, w->base, l, lane_u64(&o->arg, w->base, l) & 0xfffff);
        return true;
    }
    addr_t addr[WARP_LANES];
    uint32_t lanes;
    warp_addresses(w, &o->addr, o->imm, addr);
    for (uint32_t left = mask; left; left &= ~lanes) {
        lanes = lanes_at_one(w, addr, left);
        if (!mbar_lanes(w, x, addr, lanes))
            return false;
    }
    return true;
}

/* Changes nothing, so that all lanes look at once: programs wait in a loop around it. */
static bool op_mbarrier_wait(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct mbar_op *o = x->op.data;
    addr_t addr[WARP_LANES];
    struct mbar b[WARP_LANES];
    warp_addresses(w, &o->addr, o->imm, addr);
    if (!warp_load(w, x, o->space, addr, 8, b, 8, mask))
        return false;
    FOR_LANES (l, mask)
        if (!mbar_step(w, x, l, &b[l]))
            return false;
    return true;
}

static int mbar_kind_of(const struct ptx_inst *i)
{
    static const struct {
        uint8_t mod, kind;
    } rows[] = {
        {PTX_M_INIT, MB_INIT},      {PTX_M_INVAL, MB_INVAL},      {PTX_M_ARRIVE_DROP, MB_DROP},
        {PTX_M_ARRIVE, MB_ARRIVE},  {PTX_M_EXPECT_TX, MB_EXPECT}, {PTX_M_COMPLETE_TX, MB_COMPLETE},
        {PTX_M_TEST_WAIT, MB_WAIT}, {PTX_M_TRY_WAIT, MB_WAIT},    {PTX_M_PENDING_COUNT, MB_PENDING},
    };
    for (unsigned k = 0; k < ARRAY_LEN(rows); k++)
        if (ptx_inst_has(i, (enum ptx_mod)rows[k].mod))
            return rows[k].kind;
    return -1;
}

static bool lower_mbarrier(struct lower *lo, const struct ptx_inst *i, struct xinst *x)
{
    struct mbar_op *o = arena_new(lo->arena, struct mbar_op);
    int kind = mbar_kind_of(i);
    if (kind < 0) {
        lo->why = "an operation that is not known";
        return false;
    }
    bool has_address = kind == MB_PENDING;
    o->kind = (uint8_t)kind;
    o->and_expect = kind == MB_ARRIVE && ptx_inst_has(i, PTX_M_EXPECT_TX);
    o->by_parity = ptx_inst_has(i, PTX_M_PARITY);
    o->space = (uint8_t)ptx_inst_space(i);
    o->d.none = true;
    for (unsigned k = 0; k < i->nops; k++) {
        const struct ptx_operand *op = &i->ops[k];
        bool ok = true;
        if (op->kind == PTX_OPND_ADDR) {
            ok = lower_side(lo, op, &o->addr, &o->imm);
            has_address = true;
        } else if (k == 0)
            ok = lower_dest(lo, op, &o->d);
        else if (!o->has_arg) { /* a second one is only a hint how long to wait */
            ok = lower_source(lo, op, PTX_B64, 8, &o->arg);
            o->has_arg = true;
        }
        if (!ok)
            return false;
    }
    if (!has_address || (!o->has_arg && (kind == MB_PENDING || kind == MB_WAIT))) {
        lo->why = "a missing operand";
        return false;
    }
    x->kind = X_OP;
    x->space = o->space;
    x->op.fn = kind == MB_WAIT ? op_mbarrier_wait : op_mbarrier;
    x->op.data = o;
    return true;
}

/* cp.async.mbarrier.arrive: the copies are done, so it is an arrival; without .noinc the arrival
 * was added to the count just before and nothing is left to do. */
static bool lower_copy_arrive(struct lower *lo, const struct ptx_inst *i, struct xinst *x)
{
    if (!ptx_inst_has(i, PTX_M_NOINC)) {
        x->kind = X_NOP;
        return true;
    }
    struct mbar_op *o = arena_new(lo->arena, struct mbar_op);
    o->kind = MB_ARRIVE;
    o->space = (uint8_t)ptx_inst_space(i);
    o->d.none = true;
    x->kind = X_OP;
    x->space = o->space;
    x->op.fn = op_mbarrier;
    x->op.data = o;
    return i->nops == 1 && lower_side(lo, &i->ops[0], &o->addr, &o->imm);
}

bool lower_async(struct lower *lo, const struct ptx_inst *i, struct xinst *x)
{
    if (i->op == PTX_OP_MBARRIER)
        return lower_mbarrier(lo, i, x);
    if (!ptx_inst_has(i, PTX_M_ASYNC) || ptx_inst_has(i, PTX_M_BULK)) {
        lo->why = "bulk and tensor copies";
        return false;
    }
    if (ptx_inst_has(i, PTX_M_MBARRIER))
        return lower_copy_arrive(lo, i, x);
    if (ptx_inst_has(i, PTX_M_COMMIT_GROUP) || ptx_inst_has(i, PTX_M_WAIT_GROUP) ||
        ptx_inst_has(i, PTX_M_WAIT_ALL)) {
        x->kind = X_NOP;
        return true;
    }
    return lower_copy(lo, i, x);
}
