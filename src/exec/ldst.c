/* ld, ldu, st: loads and stores of every space, width and vector length. */
#include "exec/ldst_lanes.h"
#include "exec/lower.h"
#include "exec/memory.h"
#include "exec/runs.h"
#include "exec/step.h"

#include <string.h>

/* --- running --- */

static void put_lanes(struct warp *w, const struct xmem *m, unsigned k, const void *tmp,
                      uint32_t mask)
{
    const struct lane_ref *r = &m->regs[k];
    if (!r->none)
        w->grid->lanes->put(lane_at(r, w->base), r->bytes, tmp, m->bytes, m->is_signed, mask);
}

static bool is_uniform(const struct access *a)
{
    return a->span.min == a->span.max;
}

/* One value in memory, extended to 64 bits. */
static uint64_t read_value(const char *from, unsigned bytes, bool is_signed)
{
    uint64_t v = 0;
    lane_copy(&v, from, bytes);
    const unsigned spare = 64 - 8 * bytes;
    return is_signed ? (uint64_t)((int64_t)(v << spare) >> spare) : v;
}

/* The same value for every lane. */
static void broadcast(struct warp *w, const struct xmem *m, const char *from, uint32_t mask)
{
    for (unsigned k = 0; k < m->nregs; k++, from += m->bytes) {
        const struct lane_ref *r = &m->regs[k];
        if (r->none)
            continue;
        char *reg = lane_at(r, w->base);
        if (LIKELY(r->bytes <= 8))
            w->grid->lanes->fill(reg, r->bytes, read_value(from, m->bytes, m->is_signed), mask);
        else
            FOR_LANES (l, mask)
                lane_copy_wide(reg + (size_t)l * 16, from, m->bytes);
    }
}

static bool load_lanes(struct warp *w, const struct xinst *x, struct access *a, void *arg)
{
    const struct xmem *m = &x->mem;
    const struct memory_lanes *lanes = w->grid->lanes;
    _Alignas(64) char tmp[WARP_LANES * 16];
    (void)arg;
    bool is_overlaid = w->effects && a->space == PTX_SPACE_GLOBAL && effects_overlap(w->effects, a);
    if (!is_overlaid && m->nregs == 1 && a->mask == UINT32_MAX && m->regs[0].bytes == m->bytes &&
        !m->regs[0].none && a->space != PTX_SPACE_LOCAL && a->span.step == m->bytes) {
        memcpy(lane_at(&m->regs[0], w->base), devmem_ptr(a->base + a->addr[0]),
               (size_t)m->bytes * WARP_LANES);
        return true;
    }
    if (!is_overlaid && a->space != PTX_SPACE_LOCAL && is_uniform(a) && m->bytes <= 8) {
        broadcast(w, m, devmem_ptr(a->base + a->addr[0]), a->mask);
        return true;
    }
    for (unsigned k = 0; k < m->nregs; k++) {
        if (a->space == PTX_SPACE_LOCAL) {
            lanes->local_load(w->local, a->addr, (uint64_t)k * m->bytes, is_uniform(a), m->bytes,
                              tmp);
        } else {
            lanes->gather(a->addr, a->base + (uint64_t)k * m->bytes, m->bytes, tmp);
            if (is_overlaid)
                effects_overlay(w->effects, a, (uint64_t)k * m->bytes, m->bytes, tmp);
        }
        put_lanes(w, m, k, tmp, a->mask);
    }
    return true;
}

static bool store_lanes(struct warp *w, const struct xinst *x, struct access *a, void *arg)
{
    const struct xmem *m = &x->mem;
    const struct memory_lanes *lanes = w->grid->lanes;
    (void)arg;
    if (w->effects && a->space == PTX_SPACE_GLOBAL) {
        effects_store(w->effects, a, m, w->base, w->grid->clock);
        return true;
    }
    if (m->nregs == 1 && a->mask == UINT32_MAX && m->regs[0].bytes == m->bytes &&
        a->space != PTX_SPACE_LOCAL && a->span.step == m->bytes) {
        memcpy(devmem_ptr(a->base + a->addr[0]), lane_at(&m->regs[0], w->base),
               (size_t)m->bytes * WARP_LANES);
        return true;
    }
    for (unsigned k = 0; k < m->nregs; k++) {
        const struct lane_ref *r = &m->regs[k];
        const char *src = lane_at(r, w->base);
        if (a->space == PTX_SPACE_LOCAL) {
            lanes->local_store(w->local, a->addr, (uint64_t)k * m->bytes, is_uniform(a), src,
                               r->bytes, m->bytes, a->mask);
        } else {
            lanes->scatter(a->addr, a->base + (uint64_t)k * m->bytes, src, r->bytes, m->bytes,
                           a->mask);
        }
    }
    return true;
}

static void record_frame(struct warp *w, const struct xmem *m, uint64_t off, uint32_t mask,
                         bool is_write)
{
    struct access a = {.mask = mask,
                       .space = PTX_SPACE_LOCAL,
                       .bytes = m->bytes,
                       .count = m->nregs,
                       .is_write = is_write};
    for (unsigned l = 0; l < WARP_LANES; l++)
        a.addr[l] = off;
    step_record(w->step, &a);
}

/* A variable of the frame in local memory: the same offset for every lane, so rows of words. Its
 * alignment is what the program says, and may be less than the access. */
static bool load_frame(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct xmem *m = &x->mem;
    uint64_t off = warp_top(w)->frame->local_off + (uint64_t)m->imm;
    _Alignas(64) char tmp[WARP_LANES * 16];
    if (w->step)
        record_frame(w, m, off, mask, false);
    for (unsigned k = 0; k < m->nregs; k++, off += m->bytes) {
        if (m->bytes == 4 && !(off & 3)) {
            put_lanes(w, m, k, &w->local[(off >> 2) * WARP_LANES], mask);
            continue;
        }
        if (LIKELY(!(off & (m->bytes - 1u))))
            w->grid->lanes->local_load(w->local, &off, 0, true, m->bytes, tmp);
        else
            FOR_LANES (l, mask)
                local_read(w, l, off, tmp + (size_t)l * m->bytes, m->bytes);
        put_lanes(w, m, k, tmp, mask);
    }
    return true;
}

static bool store_frame(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct xmem *m = &x->mem;
    uint64_t off = warp_top(w)->frame->local_off + (uint64_t)m->imm;
    if (w->step)
        record_frame(w, m, off, mask, true);
    for (unsigned k = 0; k < m->nregs; k++, off += m->bytes) {
        const struct lane_ref *r = &m->regs[k];
        const char *src = lane_at(r, w->base);
        if (m->bytes == 4 && r->bytes == 4 && !(off & 3)) {
            w->grid->lanes->put(&w->local[(off >> 2) * WARP_LANES], 4, src, 4, false, mask);
            continue;
        }
        if (LIKELY(!(off & (m->bytes - 1u))))
            w->grid->lanes->local_store(w->local, &off, 0, true, src, r->bytes, m->bytes, mask);
        else
            FOR_LANES (l, mask)
                local_write(w, l, off, src + (size_t)l * r->bytes, m->bytes);
    }
    return true;
}

static void access_init(struct warp *w, const struct xinst *x, uint32_t mask, bool is_write,
                        struct access *a)
{
    const struct xmem *m = &x->mem;
    a->mask = mask;
    a->space = x->space;
    a->bytes = m->bytes;
    a->count = m->nregs;
    a->is_write = is_write;
    w->grid->lanes->addresses(lane_at(&m->addr, w->base), m->addr.bytes, m->imm, mask, a->addr,
                              &a->span);
}

bool ldst_load_checked(struct warp *w, const struct xinst *x, uint32_t mask)
{
    struct access a;
    if (x->mem.in_frame)
        return load_frame(w, x, mask);
    access_init(w, x, mask, false, &a);
    return access_each(w, x, &a, load_lanes, NULL);
}

bool ldst_store_checked(struct warp *w, const struct xinst *x, uint32_t mask)
{
    struct access a;
    if (x->mem.in_frame)
        return store_frame(w, x, mask);
    access_init(w, x, mask, true, &a);
    return access_each(w, x, &a, store_lanes, NULL);
}

/* A kernel parameter at a constant place. */
static bool op_load_param(struct warp *w, const struct xinst *x, uint32_t mask)
{
    broadcast(w, &x->mem, w->grid->params + x->mem.imm, mask);
    return true;
}

/* Loads that have a short way. */
bool ldst_describe(const struct xinst *x, struct run_op *op)
{
    const struct xmem *m = &x->mem;
    const unsigned size = (unsigned)m->bytes * m->nregs;
    if (x->kind != X_OP || (x->src->op != PTX_OP_LD && x->src->op != PTX_OP_LDU) || m->in_frame ||
        !is_pow2(size) || size > 16 || m->bytes > 8)
        return false;
    if (x->space != PTX_SPACE_GLOBAL && x->space != PTX_SPACE_SHARED &&
        x->space != PTX_SPACE_GENERIC && m->fn != op_load_param)
        return false;
    *op = (struct run_op){.kind = RUN_LOAD, .mem = m, .space = x->space, .slot = x->slot};
    return true;
}

/* --- lowering --- */

static bool lower_regs(struct lower *lo, const struct ptx_operand *o, bool is_dst, enum ptx_type t,
                       struct xmem *m)
{
    unsigned n = o->kind == PTX_OPND_VEC ? o->nelems : 1;
    m->regs = arena_array(lo->arena, struct lane_ref, n);
    m->nregs = (uint8_t)n;
    for (unsigned k = 0; k < n; k++) {
        const struct ptx_operand *e = o->kind == PTX_OPND_VEC ? &o->elems[k] : o;
        unsigned bytes = ptx_type_bytes(t) < 2 ? 2 : ptx_type_bytes(t);
        if (is_dst ? !lower_dest(lo, e, &m->regs[k]) : !lower_source(lo, e, t, bytes, &m->regs[k]))
            return false;
        if (!m->regs[k].none && !m->regs[k].bytes) {
            lo->why = "a predicate register in memory";
            return false;
        }
        if (!m->regs[k].none && !is_dst && m->regs[k].bytes < ptx_type_bytes(t)) {
            lo->why = "a register narrower than what is stored";
            return false;
        }
    }
    return true;
}

/* Whether `bytes` at `off` from the start of something of `size` bytes are within it. */
static bool is_within(int64_t off, uint64_t bytes, uint64_t size)
{
    return off >= 0 && bytes <= size && (uint64_t)off <= size - bytes;
}

/* [var + imm]: the variable's place and the offset from it, which is constant. */
static bool lower_var_address(struct lower *lo, const struct ptx_operand *o, struct xinst *x)
{
    struct xmem *m = &x->mem;
    const struct ptx_operand *b = &o->elems[0];
    uint64_t at;
    int64_t off;
    if (!lower_var_addr(lo, b->var, &at, &m->in_frame))
        return false;
    if (x->space == PTX_SPACE_GENERIC)
        x->space = b->var->space;
    bool is_far = __builtin_add_overflow(o->imm, b->imm, &off);
    const uint64_t size = b->var->bytes ? b->var->bytes : 4; /* the least a variable takes */
    if (m->in_frame && (is_far || !is_within(off, (uint64_t)m->bytes * m->nregs, size))) {
        lo->why = "an access outside the variable";
        return false;
    }
    m->imm = (int64_t)(at + (uint64_t)o->imm + (uint64_t)b->imm);
    return true;
}

/* Resolves [base + imm]: to a constant where the base is a variable or a number. */
static bool lower_address(struct lower *lo, const struct ptx_operand *o, struct xinst *x)
{
    struct xmem *m = &x->mem;
    if (o->kind != PTX_OPND_ADDR || o->nelems != 1) {
        lo->why = "an operand that is not an address";
        return false;
    }
    const struct ptx_operand *b = &o->elems[0];
    if (b->kind == PTX_OPND_REG) {
        m->addr = lo->fn->regs[b->reg];
        m->imm = o->imm;
        if (m->addr.bytes != 4 && m->addr.bytes != 8) {
            lo->why = "an address in a register of this width";
            return false;
        }
        return true;
    }
    if (b->kind == PTX_OPND_VAR) {
        if (!lower_var_address(lo, o, x))
            return false;
    } else if (b->kind == PTX_OPND_IMM) {
        m->imm = (int64_t)((uint64_t)b->imm + (uint64_t)o->imm);
    } else {
        lo->why = "an address of this form";
        return false;
    }
    m->is_uniform = true;
    m->addr = lower_const(lo, 0, 8);
    return true;
}

/* Whether the registers are as wide as their elements. */
static bool has_own_widths(const struct xmem *m)
{
    for (unsigned k = 0; k < m->nregs; k++)
        if (m->regs[k].none || m->regs[k].bytes != m->bytes)
            return false;
    return true;
}

/* The short way where there is one for accesses of this form. */
static warp_fn short_way(const struct xmem *m, enum ptx_space space, bool is_load)
{
    const struct ldst_lanes *lanes = ldst_lanes_get(space);
    const unsigned size = (unsigned)m->bytes * m->nregs;
    const bool is_plain = m->nregs == 1 && has_own_widths(m);
    const bool is_wide = size == 16 && m->nregs > 1 && m->nregs <= 4 && has_own_widths(m);
    if (!is_pow2(size) || size > 16 || (size == 16 && !is_plain && !is_wide))
        return is_load ? ldst_load_checked : ldst_store_checked;
    const unsigned log = (unsigned)__builtin_ctz(size);
    return is_load ? lanes->load[log][is_plain] : lanes->store[log][is_plain];
}

static bool choose(struct lower *lo, struct xinst *x, bool is_load)
{
    struct xmem *m = &x->mem;
    if (m->in_frame) {
        m->fn = short_way(m, PTX_SPACE_LOCAL, is_load);
        return true;
    }
    if (x->space == PTX_SPACE_PARAM && m->is_uniform) {
        /* a function's own parameters lie in its frame: at a number, it has none */
        const uint64_t bytes = (uint64_t)m->bytes * m->nregs;
        const uint64_t has = lo->src->is_entry ? lo->src->param_bytes : 0;
        if (!is_load || !is_within(m->imm, bytes, has)) {
            lo->why = is_load ? "a read outside the kernel's parameters"
                              : "a write to a kernel's parameters";
            return false;
        }
        m->fn = op_load_param;
        return true;
    }
    if (x->space == PTX_SPACE_PARAM) /* the address of a parameter, in a register, is generic */
        x->space = PTX_SPACE_GENERIC;
    if (x->space == PTX_SPACE_CONST && !is_load) {
        lo->why = "a write to constant memory";
        return false;
    }
    if (x->space == PTX_SPACE_CONST)
        x->space = PTX_SPACE_GLOBAL;
    m->fn = short_way(m, x->space, is_load);
    return true;
}

bool lower_memory(struct lower *lo, const struct ptx_inst *i, struct xinst *x)
{
    if (i->op == PTX_OP_ATOM || i->op == PTX_OP_RED)
        return lower_atomic(lo, i, x);
    bool is_load = i->op != PTX_OP_ST;
    struct xmem *m = &x->mem;
    x->kind = X_OP;
    x->space = (uint8_t)ptx_inst_space(i);
    if (i->nops < 2 || !i->ntypes) {
        lo->why = "a missing operand or type";
        return false;
    }
    m->type = i->types[i->ntypes - 1];
    m->bytes = (uint8_t)ptx_type_bytes(m->type);
    m->is_signed = ptx_type_is_signed(m->type);
    if (is_load)
        m->nscattered = arena_new(lo->arena, uint32_t);
    else
        m->last = arena_new(lo->arena, uintptr_t);
    if (!lower_regs(lo, &i->ops[is_load ? 0 : 1], is_load, m->type, m))
        return false;
    if (!lower_address(lo, &i->ops[is_load ? 1 : 0], x))
        return false;
    return choose(lo, x, is_load);
}

bool lower_mem_address(struct lower *lo, const struct ptx_operand *o, struct xinst *x)
{
    if (!lower_address(lo, o, x))
        return false;
    if (x->mem.in_frame) {
        lo->why = "local memory with this instruction";
        return false;
    }
    return true;
}
