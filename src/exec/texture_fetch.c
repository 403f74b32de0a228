/* Addressing and filtering: from coordinates to texels and their weights. */
#include "exec/softfp.h"
#include "exec/texture_int.h"

#include <math.h>

/* Along one axis: the nearest texel, or two neighbours and where between them, in 1/256. */
struct axis {
    int32_t at[2];
    uint32_t frac;
};

static int64_t wrap_index(int64_t i, int64_t size)
{
    if ((uint64_t)i < (uint64_t)size) /* nearly always, and a division takes long */
        return i;
    const int64_t m = i % size;
    return m < 0 ? m + size : m;
}

/* floor(), where the compiler may not use an instruction for it. */
static inline double floor_of(double v)
{
    if (!(fabs(v) < 0x1p52)) /* whole already, or no number */
        return v;
    const double whole = (double)(int64_t)v;
    return whole > v ? whole - 1 : whole;
}

static int32_t address(int64_t i, int64_t size, enum tex_address mode)
{
    switch (mode) {
    case TEX_WRAP:
        return (int32_t)wrap_index(i, size);
    case TEX_MIRROR:
        i = wrap_index(i, 2 * size);
        return (int32_t)(i < size ? i : 2 * size - 1 - i);
    case TEX_BORDER:
        return i < 0 || i >= size ? TEX_OUTSIDE : (int32_t)i;
    default:
        return (int32_t)(i < 0 ? 0 : i >= size ? size - 1 : i);
    }
}

/* Coordinate in texels; what is no number or out of reach ends up at an edge. */
static double texels_of(const struct tex_object *o, double at, uint32_t size, enum tex_address mode)
{
    const bool repeats = mode == TEX_WRAP || mode == TEX_MIRROR;
    double pos = at;
    if (isnan(at) || (repeats && isinf(at)))
        return 0;
    if (repeats && fabs(pos) >= 2)
        pos = fmod(pos, 2);
    /* Normalised coordinates have 21 bits below the point. */
    pos = o->normalized_coords ? floor_of(pos * 0x1p21) * 0x1p-21 * size : pos;
    return pos < -0x1p30 ? -0x1p30 : pos > 0x1p30 ? 0x1p30 : pos;
}

enum tex_address texture_address_mode(const struct tex_object *o, unsigned k)
{
    const enum tex_address mode = (enum tex_address)o->address[k];
    const bool repeats = mode == TEX_WRAP || mode == TEX_MIRROR;
    return repeats && !o->normalized_coords ? TEX_CLAMP : mode;
}

/* Along axis k: coordinate `at`, or texel `place` if the query has whole ones. Results of a lane go
 * by pointer: a structure that is copied right after its parts were written makes the host wait. */
static void resolve(const struct tex_object *o, unsigned k, uint32_t size,
                    const struct tex_query *q, double at, int64_t place, bool linear,
                    struct axis *a)
{
    const enum tex_address mode = texture_address_mode(o, k);
    a->frac = 0;
    if (q->is_whole) {
        a->at[0] = a->at[1] = address(place, size, TEX_BORDER);
        return;
    }
    if (!linear) {
        a->at[0] = a->at[1] = address((int64_t)floor_of(texels_of(o, at, size, mode)), size, mode);
        return;
    }
    int64_t pos = (int64_t)floor_of((texels_of(o, at, size, mode) - 0.5) * 256 + 0.5);
    if (mode == TEX_CLAMP && !q->is_gather) {
        const int64_t last = ((int64_t)size - 1) * 256;
        pos = pos < 0 ? 0 : pos > last ? last : pos;
    }
    a->frac = pos & 255;
    a->at[0] = address(pos >> 8, size, mode);
    a->at[1] = address((pos >> 8) + 1, size, mode);
}

/* How the filter unit splits `total` (in 1/256) over four texels; the parts add up to it. */
static void split_weights(uint32_t total, uint32_t fx, uint32_t fy, uint16_t w[4])
{
    const uint32_t right = (fx * total + 128) >> 8, left = total - right;
    w[3] = (uint16_t)((right * fy + 128) >> 8);
    w[1] = (uint16_t)(right - w[3]);
    w[0] = (uint16_t)((left * (256 - fy) + 128) >> 8);
    w[2] = (uint16_t)(left - w[0]);
}

static void load_or_border(const struct tex_object *o, int32_t x, int32_t y, int32_t z,
                           struct tex_texels *texels, struct tex_value *out)
{
    if (x == TEX_OUTSIDE || y == TEX_OUTSIDE || z == TEX_OUTSIDE) {
        texture_border(o, out);
        return;
    }
    if (texels && texels->n < TEX_MAX_TEXELS)
        texels->at[texels->n++] = texture_texel_addr(o, (uint32_t)x, (uint32_t)y, (uint32_t)z);
    texture_load(o, (uint32_t)x, (uint32_t)y, (uint32_t)z, out);
}

/* The border colour in the texture's own format: rounded for normalised integers; for other
 * integers the low bits of what was given. */
void texture_border(const struct tex_object *o, struct tex_value *out)
{
    const bool is_signed = o->format == TEX_SIGNED;
    const unsigned spare = 32 - o->channel_bits;
    const float top = (float)((UINT64_C(1) << (o->channel_bits - is_signed)) - 1);
    for (unsigned c = 0; c < 4; c++) {
        const float b = o->border[c], low = is_signed ? -1.0f : 0.0f;
        const float clamped = b < low ? low : b > 1 ? 1 : b;
        const uint32_t bits = f32_bits(b) << spare;
        out->v[c] = c >= o->channels                                  ? 0
                    : o->format == TEX_FLOAT || texture_is_srgb(o, c) ? f32_bits(b)
                    : o->read_normalized ? (uint32_t)(int32_t)rintf(clamped * top)
                    : is_signed          ? (uint32_t)((int32_t)bits >> spare)
                                         : bits >> spare;
    }
}

/* An unfiltered integer texel as a float. */
static void normalize(const struct tex_object *o, struct tex_value *v)
{
    if (!o->read_normalized || o->format == TEX_FLOAT)
        return;
    const bool is_signed = o->format == TEX_SIGNED;
    const double top = (double)((UINT64_C(1) << (o->channel_bits - is_signed)) - 1);
    for (unsigned c = 0; c < o->channels; c++) {
        if (texture_is_srgb(o, c))
            continue;
        const double t = is_signed ? (double)(int32_t)v->v[c] : (double)v->v[c];
        v->v[c] = f32_bits((float)(t / top < -1 ? -1 : t / top));
    }
}

/* The texels of a read in one level: up to 2 x 2 x 2. */
struct footprint {
    struct axis x, y, z;
    bool linear;
    struct tex_texels *texels;
};

struct blend {
    struct tex_sum sum;
    struct tex_value texel[2][4];
};

static void fill_slice(struct blend *b, unsigned slice, const struct tex_object *o,
                       const struct footprint *f, int32_t z, uint32_t total)
{
    uint16_t *w = b->sum.weight[slice];
    if (f->linear)
        split_weights(total, f->x.frac, f->y.frac, w);
    else
        w[0] = (uint16_t)total, w[1] = w[2] = w[3] = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (w[i])
            load_or_border(o, f->x.at[i & 1], f->y.at[i >> 1], z, f->texels, &b->texel[slice][i]);
        b->sum.texel[slice][i] = &b->texel[slice][i];
    }
}

static void mix(const struct tex_object *o, const struct tex_sum *sum, struct tex_value *out)
{
    for (unsigned c = 0; c < 4; c++)
        out->v[c] = c < o->channels ? texture_mix(o, sum, c) : 0;
}

static void read_footprint(const struct tex_object *o, const struct footprint *f,
                           struct tex_value *out)
{
    struct blend b;
    if (!f->linear) {
        load_or_border(o, f->x.at[0], f->y.at[0], f->z.at[0], f->texels, out);
        normalize(o, out);
        return;
    }
    b.sum.slices = f->z.frac ? 2 : 1;
    fill_slice(&b, 0, o, f, f->z.at[0], 256 - f->z.frac);
    if (f->z.frac)
        fill_slice(&b, 1, o, f, f->z.at[1], f->z.frac);
    mix(o, &b.sum, out);
}

static bool has_layers(enum tex_shape shape)
{
    return shape == TEX_1D_LAYERED || shape == TEX_2D_LAYERED || shape == TEX_CUBE_LAYERED;
}

int32_t texture_layer(const struct tex_object *o, enum tex_shape shape, uint32_t layer,
                      bool is_whole)
{
    if (!has_layers(shape))
        return 0;
    const uint32_t faces = shape == TEX_CUBE_LAYERED ? 6 : 1;
    const uint32_t count = o->depth / faces ? o->depth / faces : 1;
    if (layer >= count && is_whole)
        return TEX_OUTSIDE;
    return (int32_t)((layer >= count ? count - 1 : layer) * faces);
}

/* From [-1, 1] on a face to [0, 1], in steps that a normalised coordinate has. */
static double face_coordinate(double along, double longest)
{
    const double ratio = longest > 0 ? along / longest : 0;
    return floor(ratio * 0x1p20) * 0x1p-21 + 0.5;
}

/* The face a direction points at, and the place on it. What is not finite counts as 0. */
static unsigned cube_face(const double *direction, double *s, double *t)
{
    double d[3], size[3];
    for (unsigned k = 0; k < 3; k++) {
        d[k] = isfinite(direction[k]) ? direction[k] : 0;
        size[k] = fabs(d[k]);
    }
    const unsigned major = size[2] >= size[0] && size[2] >= size[1] ? 2 : size[1] >= size[0];
    const bool neg = signbit(d[major]) && size[major] > 0;
    const double sc = major == 0 ? (neg ? d[2] : -d[2]) : major == 2 && neg ? -d[0] : d[0];
    const double tc = major == 1 ? (neg ? -d[2] : d[2]) : -d[1];
    *s = face_coordinate(sc, size[major]);
    *t = face_coordinate(tc, size[major]);
    return 2 * major + neg;
}

static void footprint_of(const struct tex_object *o, enum tex_shape shape,
                         const struct tex_query *q, struct footprint *f)
{
    f->linear = o->filter == TEX_LINEAR && texture_is_float(o) && !q->is_whole;
    f->texels = q->texels;
    f->y.at[0] = f->y.at[1] = 0;
    f->y.frac = f->z.frac = 0;
    const int64_t *place = q->place;
    double x = q->at[0], y = q->at[1];
    unsigned dims = texture_dims(shape);
    f->z.at[0] = f->z.at[1] = texture_layer(o, shape, q->layer, q->is_whole);
    if (shape == TEX_CUBE || shape == TEX_CUBE_LAYERED) {
        f->z.at[0] += (int32_t)cube_face(q->at, &x, &y);
        dims = 2;
    }
    resolve(o, 0, o->width, q, x, place[0], f->linear, &f->x);
    /* A 1D texture is a row of a 2D one, read at its edge: a border shows. */
    if (shape == TEX_1D)
        resolve(o, 1, 1, q, 0, 0, f->linear, &f->y);
    if (dims > 1)
        resolve(o, 1, o->height, q, y, place[1], f->linear, &f->y);
    if (dims > 2)
        resolve(o, 2, o->depth, q, q->at[2], place[2], f->linear, &f->z);
}

static void fetch_level(const struct tex_object *o, enum tex_shape shape, const struct tex_query *q,
                        struct tex_value *out)
{
    struct footprint f;
    footprint_of(o, shape, q, &f);
    if (q->is_whole &&
        (f.x.at[0] == TEX_OUTSIDE || f.y.at[0] == TEX_OUTSIDE || f.z.at[0] == TEX_OUTSIDE)) {
        *out = (struct tex_value){{0, 0, 0, 0}};
        return;
    }
    read_footprint(o, &f, out);
}

static const struct tex_object *level_object(const struct tex_object *o, uint32_t level)
{
    return level ? &o->level_objects[level - 1] : o;
}

/* Between two levels; both have a slice in the sum. */
static void fetch_between(const struct tex_object *lo, const struct tex_object *hi, uint32_t frac,
                          enum tex_shape shape, const struct tex_query *q, struct tex_value *out)
{
    struct blend b;
    b.sum.slices = 2;
    if (shape == TEX_3D) {
        /* Four slices: each level alone first. */
        struct tex_value *near = &b.texel[0][0], *far = &b.texel[1][0];
        fetch_level(lo, shape, q, near);
        fetch_level(hi, shape, q, far);
        b.sum = (struct tex_sum){.slices = 2,
                                 .weight = {{(uint16_t)(256 - frac)}, {(uint16_t)frac}},
                                 .texel = {{near}, {far}}};
    } else {
        struct footprint near, far;
        footprint_of(lo, shape, q, &near);
        footprint_of(hi, shape, q, &far);
        fill_slice(&b, 0, lo, &near, near.z.at[0], 256 - frac);
        fill_slice(&b, 1, hi, &far, far.z.at[0], frac);
    }
    mix(lo, &b.sum, out);
}

/* The level in 1/256. Level and bias are cut to that before they meet. */
static uint32_t level_fixed(const struct tex_object *o, const struct tex_query *q)
{
    const float last = (float)(o->levels - 1);
    const float low = o->mip_min > 0 ? o->mip_min : 0, high = o->mip_max < last ? o->mip_max : last;
    float lod = q->level < -64 ? -64 : q->level > 64 ? 64 : isnan(q->level) ? 0 : q->level;
    if (q->has_level)
        lod = truncf(lod * 256) / 256 + truncf(o->mip_bias * 256) / 256;
    lod = lod > high ? high : lod;
    lod = lod < low ? low : lod;
    return (uint32_t)(lod * 256);
}

void texture_fetch(const struct tex_object *o, enum tex_shape shape, const struct tex_query *q,
                   struct tex_value *out)
{
    if (o->levels <= 1) {
        fetch_level(o, shape, q, out);
        return;
    }
    const uint32_t fixed = level_fixed(o, q), frac = fixed & 255;
    if (o->mip_filter != TEX_LINEAR || !texture_is_float(o))
        fetch_level(level_object(o, (fixed + 128) >> 8), shape, q, out);
    else if (!frac)
        fetch_level(level_object(o, fixed >> 8), shape, q, out);
    else
        fetch_between(level_object(o, fixed >> 8), level_object(o, (fixed >> 8) + 1), frac, shape,
                      q, out);
}

void texture_gather(const struct tex_object *o, const struct tex_query *q, unsigned channel,
                    struct tex_value *out)
{
    /* Counter-clockwise from the lower left. */
    static const uint8_t order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    struct tex_query each = *q;
    each.is_gather = true;
    struct axis x, y;
    resolve(o, 0, o->width, &each, q->at[0], 0, true, &x);
    resolve(o, 1, o->height, &each, q->at[1], 0, true, &y);
    for (unsigned i = 0; i < 4; i++) {
        struct tex_value t;
        load_or_border(o, x.at[order[i][0]], y.at[order[i][1]], 0, q->texels, &t);
        normalize(o, &t);
        out->v[i] = t.v[channel];
    }
}

float texture_level(const struct tex_object *o, const float *dx, const float *dy, unsigned dims)
{
    const float size[3] = {(float)o->width, (float)o->height, (float)o->depth};
    double lx = 0, ly = 0;
    for (unsigned k = 0; k < dims; k++) {
        const double s = o->normalized_coords ? size[k] : 1;
        lx += (dx[k] * s) * (dx[k] * s);
        ly += (dy[k] * s) * (dy[k] * s);
    }
    const double longest = lx > ly ? lx : ly;
    return longest > 0 ? (float)(log2(longest) / 2) : -128;
}
