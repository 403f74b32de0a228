/* tex, tld4, txq, istypep. */
#include "exec/device.h"
#include "exec/grid.h"
#include "exec/memory.h"
#include "exec/softfp.h"
#include "exec/step.h"
#include "exec/texture_int.h"

static const struct ptx_operand *handle_operand(const struct ptx_operand *o)
{
    const bool is_list = o->kind == PTX_OPND_ADDR || o->kind == PTX_OPND_VEC;
    return is_list ? &o->elems[0] : o;
}

/* The handle: in a register, or in the .texref or .surfref variable that the operand names, which
 * may be one of the kernel's parameters. */
static bool handle_of(struct warp *w, const struct xinst *x, unsigned operand, unsigned lane,
                      uint64_t *handle)
{
    const struct ptx_operand *o = handle_operand(&x->src->ops[operand]);
    const uint64_t v = lane_u64(&x->op.refs[x->op.first[operand]], w->base, lane);
    *handle = v;
    if (o->kind != PTX_OPND_VAR)
        return true;
    if (o->var->space == PTX_SPACE_GLOBAL) { /* whole, or it was not lowered */
        __builtin_memcpy(handle, devmem_ptr(v), sizeof *handle);
        return true;
    }
    addr_t addr[WARP_LANES];
    uint64_t got[WARP_LANES];
    const enum ptx_space space = (enum ptx_space)o->var->space;
    addr[lane] = v;
    if (!warp_load(w, x, space == PTX_SPACE_CONST ? PTX_SPACE_GLOBAL : space, addr, sizeof *got,
                   got, sizeof *got, UINT32_C(1) << lane))
        return false;
    *handle = got[lane];
    return true;
}

bool texture_handle_fits(const struct ptx_operand *operand)
{
    const struct ptx_operand *o = handle_operand(operand);
    if (operand->kind == PTX_OPND_ADDR && operand->imm)
        return false;
    return o->kind != PTX_OPND_VAR || o->var->space != PTX_SPACE_GLOBAL ||
           (o->imm >= 0 && o->var->bytes >= sizeof(uint64_t) &&
            (uint64_t)o->imm <= o->var->bytes - sizeof(uint64_t));
}

const struct tex_object *texture_object(struct warp *w, const struct xinst *x, unsigned operand,
                                        unsigned lane, bool is_surface)
{
    uint64_t handle;
    if (!handle_of(w, x, operand, lane, &handle))
        return NULL;
    const struct tex_object *o = tex_table_get(warp_textures(w), handle);
    if (o && o->is_surface == is_surface)
        return o;
    warp_fault(w, x, lane, FAULT_ILLEGAL_ADDRESS, "%s handle 0x%llx is %s",
               is_surface ? "surface" : "texture", (unsigned long long)handle,
               o             ? "of the other kind"
               : handle == 0 ? "0: nothing is bound"
                             : "not that of a live object");
    return NULL;
}

/* --- tex --- */

enum tex_detail { DETAIL_NONE, DETAIL_LEVEL, DETAIL_GRAD };

struct tex_op {
    uint8_t shape;  /* enum tex_shape */
    uint8_t coords; /* where they start among the references of the address operand */
    uint8_t detail; /* enum tex_detail */
    uint8_t channel;
    bool is_whole, has_layer, is_gather;
};

static const struct lane_ref *ref_of(const struct xop *op, unsigned operand, unsigned i)
{
    return &op->refs[op->first[operand] + i];
}

static float read_float(struct warp *w, const struct lane_ref *r, unsigned lane)
{
    return f32_of((uint32_t)lane_u64(r, w->base, lane));
}

static void query_of(struct warp *w, const struct xop *op, const struct tex_op *t,
                     const struct tex_object *o, unsigned lane, struct tex_query *q)
{
    const unsigned dims = texture_dims((enum tex_shape)t->shape);
    const unsigned at = t->coords + t->has_layer;
    if (t->has_layer)
        q->layer = (uint32_t)lane_u64(ref_of(op, 1, t->coords), w->base, lane);
    for (unsigned k = 0; k < dims; k++) {
        const struct lane_ref *r = ref_of(op, 1, at + k);
        if (t->is_whole)
            q->place[k] = (int32_t)lane_u64(r, w->base, lane);
        else
            q->at[k] = read_float(w, r, lane);
    }
    if (t->detail == DETAIL_LEVEL)
        q->level = read_float(w, ref_of(op, 2, 0), lane);
    if (t->detail == DETAIL_GRAD) {
        float d[2][3] = {{0}, {0}};
        for (unsigned k = 0; k < dims; k++) {
            d[0][k] = read_float(w, ref_of(op, 2, k), lane);
            d[1][k] = read_float(w, ref_of(op, 3, k), lane);
        }
        q->level = texture_level(o, d[0], d[1], dims);
    }
}

/* An array of one row, which cudaMallocArray(..., n, 1) makes and programs read with tex1D. */
static bool is_row(const struct tex_object *o, const struct tex_op *t)
{
    return o->shape == TEX_2D && o->height == 1 && t->shape == TEX_1D;
}

/* A 1D object may be a linear buffer or a row; other shapes must agree. */
static bool shape_fits(const struct tex_object *o, const struct tex_op *t)
{
    return o->shape == t->shape || (o->shape == TEX_BUFFER && t->shape == TEX_1D) || is_row(o, t);
}

/* The lanes' first texels are one access, their second ones the next, and so on. */
struct tex_accesses {
    unsigned n;
    struct access at[TEX_MAX_TEXELS];
};

static void add_texels(struct tex_accesses *a, const struct tex_texels *texels, unsigned lane,
                       unsigned bytes)
{
    for (unsigned k = 0; k < texels->n; k++) {
        if (k == a->n)
            a->at[a->n++] = (struct access){.space = PTX_SPACE_GLOBAL, .count = 1};
        a->at[k].addr[lane] = texels->at[k];
        a->at[k].mask |= UINT32_C(1) << lane;
        if (bytes > a->at[k].bytes)
            a->at[k].bytes = (uint8_t)bytes;
    }
}

/* Channel c of all lanes to its register. */
static void put_channels(struct warp *w, const struct xop *op, const struct texel_lanes *found,
                         uint32_t mask)
{
    for (unsigned c = 0; c < 4; c++) {
        const struct lane_ref *r = ref_of(op, 0, c);
        if (LIKELY(r->bytes && !r->none))
            w->grid->lanes->put(lane_at(r, w->base), r->bytes, found->v[c], 4, false, mask);
        else
            FOR_LANES (l, mask)
                lane_set_u64(r, w->base, l, found->v[c][l]);
    }
}

/* One lane, which may want to know the texels for time. */
static void read_lane(struct warp *w, const struct xinst *x, const struct tex_object *o, unsigned l,
                      struct texel_lanes *found, struct tex_accesses *accesses)
{
    const struct tex_op *t = x->op.data;
    struct tex_texels texels;
    struct tex_query q = {.is_whole = t->is_whole,
                          .has_level = t->detail != DETAIL_NONE,
                          .texels = w->step ? &texels : NULL};
    struct tex_value v;
    texels.n = 0;
    query_of(w, &x->op, t, o, l, &q);
    if (t->is_gather)
        texture_gather(o, &q, t->channel, &v);
    else
        texture_fetch(o, (enum tex_shape)o->shape, &q, &v);
    for (unsigned c = 0; c < 4; c++)
        found->v[c][l] = v.v[c];
    add_texels(accesses, &texels, l, texture_texel_bytes(o));
}

/* All lanes at once; the result are those that have to be read one by one. */
static uint32_t read_together(struct warp *w, const struct xinst *x, const struct tex_object *o,
                              struct texel_lanes *found)
{
    const struct tex_op *t = x->op.data;
    const unsigned dims = texture_dims((enum tex_shape)t->shape);
    uint32_t room[4][WARP_LANES];
    struct tex_lanes q = {.is_whole = t->is_whole};
    if (w->step || t->is_gather || is_row(o, t))
        return UINT32_MAX;
    if (t->has_layer)
        q.layer = lane_words(ref_of(&x->op, 1, t->coords), w->base, room[3]);
    for (unsigned k = 0; k < dims; k++)
        q.at[k] = lane_words(ref_of(&x->op, 1, t->coords + t->has_layer + k), w->base, room[k]);
    return texture_fetch_lanes(o, &q, found);
}

/* Whether all lanes have the handle of lane `first`, whose other lanes may not even be active. */
static bool is_one_handle(const uint64_t *handles, unsigned first)
{
    uint64_t differ = 0;
    for (unsigned l = 0; l < WARP_LANES; l++)
        differ |= handles[l] ^ handles[first];
    return !differ;
}

/* The lanes of `mask` that name the same texture as its first. */
static uint32_t lanes_alike(const struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct lane_ref *r = ref_of(&x->op, 1, 0);
    const unsigned first = (unsigned)__builtin_ctz(mask);
    if (handle_operand(&x->src->ops[1])->kind == PTX_OPND_VAR ||
        (r->bytes == 8 &&
         is_one_handle((const uint64_t *)(const void *)lane_at(r, w->base), first)))
        return mask;
    const uint64_t own = lane_u64(r, w->base, first);
    uint32_t alike = 0;
    FOR_LANES (l, mask)
        alike |= (uint32_t)(lane_u64(r, w->base, l) == own) << l;
    return alike;
}

static bool tex_run(struct warp *w, const struct xinst *x, uint32_t mask)
{
    struct tex_accesses accesses;
    struct texel_lanes found;
    uint32_t lanes;
    accesses.n = 0;
    for (uint32_t left = mask; left; left &= ~lanes) { /* mostly one texture for all */
        const unsigned first = (unsigned)__builtin_ctz(left);
        const struct tex_object *o = texture_object(w, x, 1, first, false);
        if (!o)
            return false;
        if (!shape_fits(o, x->op.data))
            return warp_fault(w, x, first, FAULT_ILLEGAL_ADDRESS,
                              "the texture bound has another number of dimensions");
        lanes = lanes_alike(w, x, left);
        const uint32_t single =
            lanes & (lanes == mask ? read_together(w, x, o, &found) : UINT32_MAX);
        FOR_LANES (l, single)
            read_lane(w, x, o, l, &found, &accesses);
    }
    put_channels(w, &x->op, &found, mask);
    for (unsigned k = 0; k < accesses.n; k++)
        step_record(w->step, &accesses.at[k]);
    return true;
}

unsigned texture_coordinates(const struct ptx_operand *address, unsigned *first)
{
    const struct ptx_operand *last = &address->elems[address->nelems - 1];
    *first = address->nelems - 1u;
    return address->kind != PTX_OPND_ADDR || !*first ? 0
           : last->kind == PTX_OPND_VEC              ? last->nelems
                                                     : 1;
}

static bool select_tex(const struct ptx_inst *inst, struct tex_op *t)
{
    const int shape = texture_shape_of(inst);
    unsigned first;
    t->detail = ptx_inst_has(inst, PTX_M_LEVEL)  ? DETAIL_LEVEL
                : ptx_inst_has(inst, PTX_M_GRAD) ? DETAIL_GRAD
                                                 : DETAIL_NONE;
    if (shape < 0 || inst->nops != 2 + t->detail || inst->ntypes != 2 ||
        inst->ops[0].kind != PTX_OPND_VEC || inst->ops[0].nelems != 4 ||
        ptx_type_bits((enum ptx_type)inst->types[0]) != 32)
        return false;
    t->shape = (uint8_t)shape;
    t->has_layer = shape == TEX_1D_LAYERED || shape == TEX_2D_LAYERED || shape == TEX_CUBE_LAYERED;
    t->is_whole = inst->types[1] != PTX_F32;
    const unsigned given = texture_coordinates(&inst->ops[1], &first);
    t->coords = (uint8_t)first;
    return texture_handle_fits(&inst->ops[1]) &&
           t->has_layer + texture_dims((enum tex_shape)shape) <= given;
}

static bool select_gather(const struct ptx_inst *inst, struct tex_op *t)
{
    t->is_gather = true;
    t->channel = ptx_inst_has(inst, PTX_M_R)   ? 0
                 : ptx_inst_has(inst, PTX_M_G) ? 1
                 : ptx_inst_has(inst, PTX_M_B) ? 2
                                               : 3;
    return t->shape == TEX_2D && !t->detail && !t->is_whole;
}

/* --- queries --- */

static uint32_t channel_order(const struct tex_object *o)
{
    /* CL_R, CL_RG, CL_RGBA as PTX names them */
    return o->channels == 1 ? 0x10B0 : o->channels == 2 ? 0x10B2 : 0x10B5;
}

static uint32_t channel_data_type(const struct tex_object *o)
{
    const unsigned width = o->channel_bits == 8 ? 0 : o->channel_bits == 16 ? 1 : 2;
    if (o->format == TEX_FLOAT)
        return o->channel_bits == 16 ? 0x10DD : 0x10DE;
    if (o->read_normalized)
        return (o->format == TEX_SIGNED ? 0x10D0 : 0x10D2) + width;
    return (o->format == TEX_SIGNED ? 0x10D7 : 0x10DA) + width;
}

/* What the hardware's descriptor says: layers of a 1D array count as rows. */
static uint32_t query_height(const struct tex_object *o)
{
    if (o->shape == TEX_1D_LAYERED)
        return o->depth;
    return o->height || o->is_surface ? o->height : 1;
}

static uint32_t query_depth(const struct tex_object *o)
{
    switch (o->shape) {
    case TEX_3D:
    case TEX_2D_LAYERED:
        return o->depth;
    case TEX_CUBE:
        return o->is_surface ? 6 : 0;
    case TEX_CUBE_LAYERED:
        return o->is_surface ? o->depth : o->depth / 6;
    default:
        return 0;
    }
}

static uint32_t query(const struct tex_object *o, enum ptx_mod what)
{
    switch (what) {
    case PTX_M_WIDTH:
        return o->width;
    case PTX_M_HEIGHT:
        return query_height(o);
    case PTX_M_DEPTH:
        return query_depth(o);
    case PTX_M_CHANNEL_DATA_TYPE:
        return channel_data_type(o);
    case PTX_M_CHANNEL_ORDER:
        return channel_order(o);
    case PTX_M_NORMALIZED_COORDS:
        return o->normalized_coords;
    case PTX_M_FILTER_MODE:
        return o->filter;
    case PTX_M_ADDR_MODE_0:
    case PTX_M_ADDR_MODE_1:
    case PTX_M_ADDR_MODE_2:
        return o->address[what - PTX_M_ADDR_MODE_0];
    case PTX_M_ARRAY_SIZE:
        return o->shape == TEX_CUBE_LAYERED ? o->depth / 6 : o->depth;
    case PTX_M_NUM_MIPMAP_LEVELS:
        return o->levels;
    default:
        return 0;
    }
}

static bool query_run(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const enum ptx_mod what = (enum ptx_mod) * (const uint16_t *)x->op.data;
    FOR_LANES (l, mask) {
        const struct tex_object *o = texture_object(w, x, 1, l, x->src->op == PTX_OP_SUQ);
        if (!o)
            return false;
        if (x->src->nops > 2) {
            const uint32_t level = (uint32_t)lane_u64(ref_of(&x->op, 2, 0), w->base, l);
            o = level && level < o->levels ? &o->level_objects[level - 1] : o;
        }
        lane_set_u64(ref_of(&x->op, 0, 0), w->base, l, query(o, what));
    }
    return true;
}

static bool select_query(const struct ptx_inst *inst, struct arena *arena, struct xop *op)
{
    const enum ptx_mod what = ptx_inst_mod_in(inst, PTX_M_WIDTH, PTX_M_NUM_MIPMAP_LEVELS);
    if (!what || what == PTX_M_FORCE_UNNORMALIZED || inst->nops < 2 ||
        !texture_handle_fits(&inst->ops[1]))
        return false;
    uint16_t *data = arena_new(arena, uint16_t);
    *data = (uint16_t)what;
    op->data = data;
    op->fn = query_run;
    return true;
}

static bool istypep_run(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const bool wants_surface = x->src->types[0] == PTX_SURFREF;
    FOR_LANES (l, mask) {
        const struct tex_object *o =
            tex_table_get(warp_textures(w), lane_u64(ref_of(&x->op, 1, 0), w->base, l));
        lane_set_u64(ref_of(&x->op, 0, 0), w->base, l,
                     o && o->is_surface == wants_surface && x->src->types[0] != PTX_SAMPLERREF);
    }
    return true;
}

bool texture_select(const struct ptx_inst *inst, struct arena *arena, struct xop *op,
                    const char **why)
{
    *why = "this form of texture or surface instruction is not supported";
    if (inst->op == PTX_OP_TXQ || inst->op == PTX_OP_SUQ)
        return select_query(inst, arena, op);
    if (inst->op == PTX_OP_ISTYPEP) {
        op->fn = istypep_run;
        return inst->nops == 2;
    }
    if (inst->op != PTX_OP_TEX && inst->op != PTX_OP_TLD4)
        return surface_select(inst, arena, op, why);
    struct tex_op *t = arena_new(arena, struct tex_op);
    op->data = t;
    op->fn = tex_run;
    return select_tex(inst, t) && (inst->op == PTX_OP_TEX || select_gather(inst, t));
}
