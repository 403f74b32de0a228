/* mov of everything that is not register to register, address conversions, stack allocation. */
#include "exec/grid.h"
#include "exec/lower.h"
#include "exec/memory_lanes.h"
#include "exec/runs.h"
#include "exec/sregs.h"

#include <string.h>

/* --- running: op.refs[0] is the destination, refs[1..] the sources, op.imm a constant --- */

static bool op_add_imm(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct lane_ref *r = x->op.refs;
    const char *src = lane_at(&r[1], w->base);
    uint64_t sum[WARP_LANES];
    if (r[0].none)
        return true;
    if (!x->op.imm && r[0].bytes && r[1].bytes) {
        w->grid->lanes->put(lane_at(&r[0], w->base), r[0].bytes, src, r[1].bytes, false, mask);
        return true;
    }
    for (unsigned l = 0; l < WARP_LANES; l++)
        sum[l] = lane_u64(&r[1], w->base, l) + (uint64_t)x->op.imm;
    w->grid->lanes->put(lane_at(&r[0], w->base), r[0].bytes, sum, 8, false, mask);
    return true;
}

/* The address of a variable in the current frame's local memory. */
static bool op_frame_address(struct warp *w, const struct xinst *x, uint32_t mask)
{
    uint64_t v = warp_top(w)->frame->local_off + (uint64_t)x->op.imm;
    FOR_LANES (l, mask)
        lane_set_u64(&x->op.refs[0], w->base, l, v);
    return true;
}

/* {a, b, ...} to one register, lowest bits first. */
static bool op_pack(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct lane_ref *r = x->op.refs;
    const unsigned n = x->op.nrefs - 1u, bytes = (unsigned)x->op.imm;
    uint64_t word[WARP_LANES] = {0};
    for (unsigned k = 0; k < n; k++)
        w->grid->lanes->pack(word, lane_at(&r[1 + k], w->base), r[1 + k].bytes, bytes,
                             8 * k * bytes);
    w->grid->lanes->put(lane_at(&r[0], w->base), r[0].bytes, word, 8, false, mask);
    return true;
}

/* One register (the last reference) to {a, b, ...}. The source may be among them. */
static bool op_unpack(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct lane_ref *r = x->op.refs;
    const unsigned n = x->op.nrefs - 1u, bytes = (unsigned)x->op.imm;
    uint64_t word[8][WARP_LANES];
    for (unsigned k = 0; k < n; k++)
        w->grid->lanes->unpack(word[k], lane_at(&r[n], w->base), r[n].bytes, bytes, 8 * k * bytes);
    for (unsigned k = 0; k < n; k++)
        if (!r[k].none)
            w->grid->lanes->put(lane_at(&r[k], w->base), r[k].bytes, word[k], 8, false, mask);
    return true;
}

/* The same lane by lane: a register of 128 bits, or predicates. */
static bool op_pack_wide(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct lane_ref *r = x->op.refs;
    unsigned n = x->op.nrefs - 1u, bytes = (unsigned)x->op.imm;
    FOR_LANES (l, mask) {
        char v[16] = {0};
        for (unsigned k = 0; k < n; k++) {
            uint64_t e = lane_u64(&r[1 + k], w->base, l);
            memcpy(v + (size_t)k * bytes, &e, bytes);
        }
        memcpy(lane_at(&r[0], w->base) + (size_t)l * r[0].bytes, v, r[0].bytes);
    }
    return true;
}

static bool op_unpack_wide(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct lane_ref *r = x->op.refs;
    unsigned n = x->op.nrefs - 1u, bytes = (unsigned)x->op.imm;
    FOR_LANES (l, mask) {
        char v[16] = {0};
        memcpy(v, lane_at(&r[n], w->base) + (size_t)l * r[n].bytes, r[n].bytes);
        for (unsigned k = 0; k < n; k++) {
            uint64_t e = 0;
            memcpy(&e, v + (size_t)k * bytes, bytes);
            lane_set_u64(&r[k], w->base, l, e);
        }
    }
    return true;
}

static bool op_isspacep(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct lane_ref *r = x->op.refs;
    FOR_LANES (l, mask) {
        uint64_t a = lane_u64(&r[1], w->base, l);
        bool in = x->space == PTX_SPACE_SHARED  ? a - SHARED_WINDOW < WINDOW_BYTES
                  : x->space == PTX_SPACE_LOCAL ? a - LOCAL_WINDOW < WINDOW_BYTES
                  : x->space == PTX_SPACE_PARAM ? a - PARAM_WINDOW < WINDOW_BYTES
                                                : a >= DEVICE_BASE || a < SHARED_WINDOW;
        if (x->space == PTX_SPACE_CONST || (in && x->space == PTX_SPACE_GLOBAL)) {
            const struct mem_alloc *m = devmem_find(w->grid->dev->mem, a, 1);
            in = (m && m->is_readonly) == (x->space == PTX_SPACE_CONST);
        }
        lane_set_u64(&r[0], w->base, l, in);
    }
    return true;
}

static bool op_alloca(struct warp *w, const struct xinst *x, uint32_t mask)
{
    struct frame *f = warp_top(w)->frame;
    const struct lane_ref *r = x->op.refs;
    uint64_t bytes = 0;
    FOR_LANES (l, mask) {
        uint64_t n = lane_u64(&r[1], w->base, l);
        bytes = n > bytes ? n : bytes;
    }
    uint64_t at = align_up((uint64_t)f->local_off + f->fn->local_bytes + f->alloca_bytes, 16);
    uint64_t end = at + align_up(bytes, 16);
    if (bytes > UINT32_MAX || !warp_local_reserve(w, x, end))
        return bytes <= UINT32_MAX ? false
                                   : warp_fault(w, x, (unsigned)__builtin_ctz(mask), FAULT_STACK,
                                                "alloca of %llu bytes", (unsigned long long)bytes);
    f->alloca_bytes = (uint32_t)(end - f->local_off - f->fn->local_bytes);
    FOR_LANES (l, mask)
        lane_set_u64(&r[0], w->base, l, at);
    return true;
}

static bool op_stacksave(struct warp *w, const struct xinst *x, uint32_t mask)
{
    FOR_LANES (l, mask)
        lane_set_u64(&x->op.refs[0], w->base, l, warp_top(w)->frame->alloca_bytes);
    return true;
}

static bool op_stackrestore(struct warp *w, const struct xinst *x, uint32_t mask)
{
    uint64_t v = lane_u64(&x->op.refs[0], w->base, (unsigned)__builtin_ctz(mask));
    struct frame *f = warp_top(w)->frame;
    if (v <= f->alloca_bytes)
        f->alloca_bytes = (uint32_t)v;
    return true;
}

bool move_describe(const struct xinst *x, struct run_op *op)
{
    static const struct {
        warp_fn fn;
        enum run_kind kind;
    } kinds[] = {{op_add_imm, RUN_ADD}, {op_pack, RUN_PACK}, {op_unpack, RUN_UNPACK}};
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (x->kind == X_OP && x->fn == kinds[i].fn) {
            *op = (struct run_op){.kind = kinds[i].kind, .move = &x->op};
            return true;
        }
    return false;
}

/* --- lowering --- */

static bool use_op(struct lower *lo, struct xinst *x, warp_fn fn, unsigned nrefs, int64_t imm)
{
    x->kind = X_OP;
    x->op.fn = fn;
    x->op.refs = arena_array(lo->arena, struct lane_ref, nrefs);
    x->op.nrefs = (uint16_t)nrefs;
    x->op.imm = imm;
    return true;
}

/* d = a + constant, where a may be any source, or a variable of the frame. */
static bool lower_add(struct lower *lo, const struct ptx_operand *d, const struct ptx_operand *a,
                      int64_t imm, struct xinst *x)
{
    bool in_frame = false;
    uint64_t addr = 0;
    if (a->kind == PTX_OPND_VAR) {
        if (!lower_var_addr(lo, a->var, &addr, &in_frame))
            return false;
        addr += (uint64_t)a->imm;
    }
    use_op(lo, x, in_frame ? op_frame_address : op_add_imm, 2, imm + (int64_t)addr);
    if (!lower_dest(lo, d, &x->op.refs[0]))
        return false;
    if (x->op.refs[0].bytes != 2 && x->op.refs[0].bytes != 4 && x->op.refs[0].bytes != 8) {
        lo->why = "an address in a register of this width";
        return false;
    }
    if (a->kind == PTX_OPND_VAR) {
        x->op.refs[1] = lower_const(lo, 0, 8);
        return true;
    }
    return lower_source(lo, a, PTX_U64, 8, &x->op.refs[1]);
}

/* Whether all registers of a vector move are plain lanes of up to 64 bits. */
static bool is_narrow(const struct xop *op)
{
    for (unsigned k = 0; k < op->nrefs; k++)
        if (!op->refs[k].none && (!op->refs[k].bytes || op->refs[k].bytes > 8))
            return false;
    return op->nrefs <= 9;
}

static bool lower_vector(struct lower *lo, const struct ptx_inst *i, struct xinst *x, bool is_pack)
{
    const struct ptx_operand *vec = &i->ops[is_pack ? 1 : 0], *whole = &i->ops[is_pack ? 0 : 1];
    unsigned n = vec->nelems, total = ptx_type_bytes((enum ptx_type)i->types[0]);
    if (!n || total % n || total / n > 8 || whole->kind == PTX_OPND_VEC) {
        lo->why = "a vector of this length";
        return false;
    }
    unsigned bytes = total / n;
    use_op(lo, x, is_pack ? op_pack_wide : op_unpack_wide, n + 1, bytes);
    struct lane_ref *r = x->op.refs;
    for (unsigned k = 0; k < n; k++) {
        bool ok = is_pack
                      ? lower_source(lo, &vec->elems[k], PTX_B64, bytes < 2 ? 2 : bytes, &r[1 + k])
                      : lower_dest(lo, &vec->elems[k], &r[k]);
        if (!ok)
            return false;
    }
    if (is_pack ? !lower_dest(lo, whole, &r[0])
                : !lower_source(lo, whole, (enum ptx_type)i->types[0], total, &r[n]))
        return false;
    if (is_pack && r[0].bytes != total) {
        lo->why = "a register of another width";
        return false;
    }
    if (is_narrow(&x->op))
        x->op.fn = is_pack ? op_pack : op_unpack;
    return true;
}

static bool lower_plain_mov(struct lower *lo, const struct ptx_inst *i, struct xinst *x)
{
    enum ptx_type t = (enum ptx_type)i->types[0];
    struct lane_op *op = &x->lane;
    op->d2.none = op->src[1].none = op->src[2].none = op->src[3].none = true;
    x->kind = X_LANE;
    unsigned bytes = t == PTX_PRED ? 0 : ptx_type_bytes(t) < 2 ? 2 : ptx_type_bytes(t);
    if (!lower_dest(lo, &i->ops[0], &op->d) || !lower_source(lo, &i->ops[1], t, bytes, &op->src[0]))
        return false;
    if (op->d.bytes == op->src[0].bytes)
        return lanes_select(i, op, &lo->why);
    if (!op->d.bytes || !op->src[0].bytes || op->d.bytes > 8) {
        lo->why = "a special register in a register of this width";
        return false;
    }
    /* old PTX reads 32-bit special registers into 16-bit ones */
    struct lane_ref d = op->d, a = op->src[0];
    use_op(lo, x, op_add_imm, 2, 0);
    x->op.refs[0] = d;
    x->op.refs[1] = a;
    return true;
}

static bool lower_mov(struct lower *lo, const struct ptx_inst *i, struct xinst *x)
{
    const struct ptx_operand *d = &i->ops[0], *a = &i->ops[1];
    if (ptx_inst_vec(i) > 1) {
        lo->why = "a move of vectors";
        return false;
    }
    if (d->kind == PTX_OPND_VEC)
        return lower_vector(lo, i, x, false);
    if (a->kind == PTX_OPND_VEC)
        return lower_vector(lo, i, x, true);
    if (a->kind == PTX_OPND_SREG && sreg_is_dynamic((enum ptx_sreg)a->sreg))
        return lower_clock(lo, i, x);
    if (a->kind == PTX_OPND_VAR) {
        /* the address of a parameter is used as a generic one: see ldst.c */
        bool in_frame = u64map_get(&lo->locals, (uintptr_t)a->var) != NULL;
        int64_t window = a->var->space != PTX_SPACE_PARAM ? 0
                         : in_frame                       ? (int64_t)LOCAL_WINDOW
                                                          : (int64_t)PARAM_WINDOW;
        return lower_add(lo, d, a, window, x);
    }
    return lower_plain_mov(lo, i, x);
}

static int64_t window_base(enum ptx_space s, bool is_32)
{
    if (s == PTX_SPACE_SHARED)
        return (int64_t)(is_32 ? SHARED_WINDOW_32 : SHARED_WINDOW);
    if (s == PTX_SPACE_LOCAL)
        return (int64_t)(is_32 ? LOCAL_WINDOW_32 : LOCAL_WINDOW);
    return 0;
}

static bool lower_cvta(struct lower *lo, const struct ptx_inst *i, struct xinst *x)
{
    enum ptx_space s = ptx_inst_space(i);
    bool to = ptx_inst_has(i, PTX_M_TO);
    const struct ptx_operand *a = &i->ops[1];
    /* parameter addresses in registers are generic already, on both sides */
    if (s == PTX_SPACE_PARAM && a->kind == PTX_OPND_VAR) {
        bool in_frame = u64map_get(&lo->locals, (uintptr_t)a->var) != NULL;
        return lower_add(lo, &i->ops[0], a, (int64_t)(in_frame ? LOCAL_WINDOW : PARAM_WINDOW), x);
    }
    int64_t window = window_base(s, ptx_type_bits((enum ptx_type)i->types[0]) == 32);
    return lower_add(lo, &i->ops[0], a, to ? -window : window, x);
}

static bool lower_refs(struct lower *lo, const struct ptx_inst *i, struct xinst *x, warp_fn fn)
{
    x->kind = X_OP;
    if (!lower_flatten(lo, i, &x->op))
        return false;
    x->op.fn = fn;
    return true;
}

bool lower_move(struct lower *lo, const struct ptx_inst *i, struct xinst *x)
{
    static const struct ptx_operand zero = {.kind = PTX_OPND_IMM};
    unsigned need = i->op == PTX_OP_STACKSAVE || i->op == PTX_OP_STACKRESTORE    ? 1
                    : i->op == PTX_OP_GETCTARANK || i->op == PTX_OP_CREATEPOLICY ? 1
                                                                                 : 2;
    if (i->nops < need || (!i->ntypes && i->op != PTX_OP_ISSPACEP)) {
        lo->why = "a missing operand or type";
        return false;
    }
    switch (i->op) {
    case PTX_OP_MOV:
        return lower_mov(lo, i, x);
    case PTX_OP_CVTA:
        return lower_cvta(lo, i, x);
    case PTX_OP_ISSPACEP:
        x->space = (uint8_t)ptx_inst_space(i);
        return lower_refs(lo, i, x, op_isspacep);
    case PTX_OP_ALLOCA:
        return lower_refs(lo, i, x, op_alloca);
    case PTX_OP_STACKSAVE:
        return lower_refs(lo, i, x, op_stacksave);
    case PTX_OP_STACKRESTORE:
        return lower_refs(lo, i, x, op_stackrestore);
    case PTX_OP_MAPA: /* a cluster has one block: every rank's memory is our own */
        return lower_add(lo, &i->ops[0], &i->ops[1], 0, x);
    default: /* rank 0; a cache policy that says nothing */
        return lower_add(lo, &i->ops[0], &zero, 0, x);
    }
}
