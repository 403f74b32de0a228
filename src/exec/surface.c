/* suld, sust, sured. */
#include "exec/surface.h"
#include "exec/device.h"
#include "exec/softfp.h"

#include <string.h>

static int64_t clamp_between(int64_t low, int64_t v, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

static uint64_t texel_bytes(const struct tex_object *o)
{
    return (uint64_t)o->channels * o->channel_bits / 8;
}

bool surface_locate(const struct tex_object *o, enum tex_shape shape, const struct surf_place *p,
                    unsigned bytes, enum ptx_mod mode, addr_t *addr)
{
    const unsigned dims = texture_dims(shape);
    int64_t x = p->x, y = dims > 1 ? p->y : 0;
    int64_t z = dims > 2                                                                  ? p->z
                : shape == TEX_1D_LAYERED || shape == TEX_2D_LAYERED || shape >= TEX_CUBE ? p->layer
                                                                                          : 0;
    const int64_t row = (int64_t)(o->width * texel_bytes(o));
    const int64_t last[3] = {row - (int64_t)bytes, o->height ? o->height - 1 : 0,
                             o->depth ? o->depth - 1 : 0};
    if (mode == PTX_M_CLAMP) {
        x = clamp_between(0, x, last[0]);
        y = clamp_between(0, y, last[1]);
        z = clamp_between(0, z, last[2]);
    }
    if (x < 0 || x > last[0] || y < 0 || y > last[1] || z < 0 || z > last[2])
        return false;
    *addr = o->data + (uint64_t)z * o->slice_bytes + (uint64_t)y * o->pitch_bytes + (uint64_t)x;
    return true;
}

/* A component to the surface's own format: integers saturate, halves are cut off. */
static uint32_t to_format(const struct tex_object *o, uint32_t v)
{
    const uint32_t top = (uint32_t)((UINT64_C(1) << o->channel_bits) - 1);
    if (o->channel_bits == 32)
        return v;
    if (o->format == TEX_UNSIGNED)
        return v < top ? v : top;
    if (o->format == TEX_SIGNED)
        return (uint32_t)clamp_between(-(int64_t)(top / 2) - 1, (int32_t)v, top / 2);
    const uint32_t sign = (v >> 16) & 0x8000;
    const bool is_nan = (v & ~F32_SIGN) > F32_INF;
    return sign | (is_nan ? 0x7fff : softfp_narrow(v, SOFTFP_F16, LANE_RZ));
}

void surface_format(const struct tex_object *o, const uint32_t in[4], unsigned n, char *texel)
{
    const unsigned step = o->channel_bits / 8;
    for (unsigned c = 0; c < o->channels; c++) {
        const uint64_t v = c < n ? to_format(o, in[c]) : 0;
        lane_copy(texel + (size_t)c * step, &v, step);
    }
}

struct surf_op {
    uint8_t shape; /* enum tex_shape */
    uint8_t count; /* elements of a vector */
    uint8_t bytes; /* of one element */
    uint8_t address, data;
    uint16_t mode; /* enum ptx_mod: TRAP, CLAMP, ZERO */
    bool is_formatted, has_layer;
    uint16_t reduce; /* enum ptx_mod */
    uint8_t type;
};

static struct surf_place place_of(struct warp *w, const struct xop *op, const struct surf_op *s,
                                  unsigned lane)
{
    const struct lane_ref *r = &op->refs[op->first[s->address] + 1];
    const unsigned dims = texture_dims((enum tex_shape)s->shape);
    struct surf_place p = {0};
    if (s->has_layer)
        p.layer = (uint32_t)lane_u64(r++, w->base, lane);
    p.x = (int32_t)lane_u64(r, w->base, lane);
    if (dims > 1)
        p.y = (int32_t)lane_u64(r + 1, w->base, lane);
    if (dims > 2)
        p.z = (int32_t)lane_u64(r + 2, w->base, lane);
    return p;
}

/* The faces of a cube are the layers of an array. */
static bool shape_fits(const struct tex_object *o, const struct surf_op *s)
{
    const bool is_cube = o->shape == TEX_CUBE || o->shape == TEX_CUBE_LAYERED;
    return o->shape == s->shape || (is_cube && s->shape == TEX_2D_LAYERED);
}

/* The bytes a lane reads or writes. *addr is 0 where nothing is (.zero). */
static bool lane_address(struct warp *w, const struct xinst *x, unsigned lane,
                         const struct tex_object **o, addr_t *addr)
{
    const struct surf_op *s = x->op.data;
    struct surf_place p = place_of(w, &x->op, s, lane);
    *o = texture_object(w, x, s->address, lane, true);
    if (!*o)
        return false;
    if (!shape_fits(*o, s))
        return warp_fault(w, x, lane, FAULT_ILLEGAL_ADDRESS,
                          "the surface bound has another number of dimensions");
    unsigned bytes = (unsigned)s->bytes * s->count;
    if (s->is_formatted) {
        bytes = (unsigned)texel_bytes(*o);
        p.x *= bytes;
    }
    if (surface_locate(*o, (enum tex_shape)s->shape, &p, bytes, (enum ptx_mod)s->mode, addr))
        return true;
    *addr = 0;
    if (s->mode != PTX_M_TRAP)
        return true;
    return warp_fault(w, x, lane, FAULT_LAUNCH_FAILED,
                      "surface access outside the surface: byte %lld of row %lld, slice %lld",
                      (long long)p.x, (long long)p.y, (long long)(p.z + p.layer));
}

static bool suld_run(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct surf_op *s = x->op.data;
    FOR_LANES (l, mask) {
        const struct tex_object *o;
        addr_t addr;
        if (!lane_address(w, x, l, &o, &addr))
            return false;
        for (unsigned i = 0; i < s->count; i++) {
            uint64_t v = 0;
            if (addr)
                lane_copy(&v, devmem_ptr(addr + (uint64_t)i * s->bytes), s->bytes);
            lane_set_u64(&x->op.refs[x->op.first[s->data] + i], w->base, l, v);
        }
    }
    return true;
}

static bool sust_run(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct surf_op *s = x->op.data;
    FOR_LANES (l, mask) {
        const struct tex_object *o;
        addr_t addr;
        uint64_t v[4] = {0};
        if (!lane_address(w, x, l, &o, &addr))
            return false;
        if (!addr)
            continue;
        for (unsigned i = 0; i < s->count; i++)
            v[i] = lane_u64(&x->op.refs[x->op.first[s->data] + i], w->base, l);
        if (s->is_formatted) {
            const uint32_t in[4] = {(uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2], (uint32_t)v[3]};
            surface_format(o, in, s->count, devmem_ptr(addr));
            continue;
        }
        for (unsigned i = 0; i < s->count; i++)
            lane_copy(devmem_ptr(addr + (uint64_t)i * s->bytes), &v[i], s->bytes);
    }
    return true;
}

static uint64_t reduce(const struct surf_op *s, uint64_t a, uint64_t b)
{
    const bool is_signed = ptx_type_is_signed((enum ptx_type)s->type);
    const unsigned spare = 64 - 8u * s->bytes;
    const int64_t sa = (int64_t)(a << spare), sb = (int64_t)(b << spare);
    const bool less = is_signed ? sa < sb : (uint64_t)sa < (uint64_t)sb;
    switch (s->reduce) {
    case PTX_M_ADD:
        return a + b;
    case PTX_M_MIN:
        return less ? a : b;
    case PTX_M_MAX:
        return less ? b : a;
    case PTX_M_AND:
        return a & b;
    default:
        return a | b;
    }
}

static bool sured_run(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct surf_op *s = x->op.data;
    FOR_LANES (l, mask) {
        const struct tex_object *o;
        addr_t addr;
        uint64_t old = 0;
        if (!lane_address(w, x, l, &o, &addr))
            return false;
        if (!addr)
            continue;
        lane_copy(&old, devmem_ptr(addr), s->bytes);
        old = reduce(s, old, lane_u64(&x->op.refs[x->op.first[s->data]], w->base, l));
        lane_copy(devmem_ptr(addr), &old, s->bytes);
    }
    return true;
}

static enum ptx_mod mode_of(const struct ptx_inst *inst)
{
    return ptx_inst_has(inst, PTX_M_CLAMP)  ? PTX_M_CLAMP
           : ptx_inst_has(inst, PTX_M_ZERO) ? PTX_M_ZERO
                                            : PTX_M_TRAP;
}

bool surface_select(const struct ptx_inst *inst, struct arena *arena, struct xop *op,
                    const char **why)
{
    const int shape = texture_shape_of(inst);
    const bool is_load = inst->op == PTX_OP_SULD, is_reduce = inst->op == PTX_OP_SURED;
    struct surf_op *s = arena_new(arena, struct surf_op);
    *why = "this form of surface instruction is not supported";
    if (shape < 0 || shape >= TEX_CUBE || inst->nops != 2 || inst->ntypes != 1)
        return false;
    s->shape = (uint8_t)shape;
    s->has_layer = shape == TEX_1D_LAYERED || shape == TEX_2D_LAYERED;
    s->address = is_load;
    s->data = !is_load;
    s->count = (uint8_t)ptx_inst_vec(inst);
    s->type = inst->types[0];
    s->bytes = (uint8_t)ptx_type_bytes((enum ptx_type)s->type);
    s->mode = (uint16_t)mode_of(inst);
    s->is_formatted = ptx_inst_has(inst, PTX_M_P);
    s->reduce = (uint16_t)ptx_inst_mod_in(inst, PTX_M_AND, PTX_M_MAX);
    const unsigned places = s->has_layer + texture_dims((enum tex_shape)shape);
    unsigned first;
    if (s->bytes > 8 || s->count > 4 || (is_reduce && s->count > 1)) {
        *why = "a surface access of this width";
        return false;
    }
    if (texture_coordinates(&inst->ops[s->address], &first) < places || first != 1 ||
        !texture_handle_fits(&inst->ops[s->address]) || (is_reduce && !s->reduce) ||
        (is_load && s->is_formatted))
        return false;
    op->data = s;
    op->fn = is_load ? suld_run : is_reduce ? sured_run : sust_run;
    return true;
}
