/* Texture reads against what an H200 returned (texture.vec.zst): one block per texture, one line
 * per read, `coordinates > four channels`, bit patterns. */
#include "base/rng.h"
#include "support_vectors.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_LEVELS = 8 };

static const struct {
    const char *name;
    enum tex_shape shape;
} shapes[] = {{"1d", TEX_1D},
              {"2d", TEX_2D},
              {"3d", TEX_3D},
              {"a1d", TEX_1D_LAYERED},
              {"a2d", TEX_2D_LAYERED},
              {"cube", TEX_CUBE},
              {"acube", TEX_CUBE_LAYERED}};

struct texture_case {
    char text[256], kind[16];
    struct tex_object object, levels[MAX_LEVELS];
    unsigned bad, total;
    unsigned together; /* reads that a warp can do at once */
};

static enum tex_format format_of(int n)
{
    return n == 0 ? TEX_UNSIGNED : n == 1 ? TEX_SIGNED : TEX_FLOAT;
}

static uint32_t shrink(uint32_t size, unsigned level)
{
    return !size ? 0 : size >> level ? size >> level : 1;
}

static void make_levels(struct texture_case *c, const struct texels *t)
{
    texels_make(&c->object, t);
    for (unsigned l = 1; l < c->object.levels; l++) {
        struct tex_object *o = &c->levels[l - 1];
        *o = c->object;
        o->levels = 1;
        o->width = shrink(o->width, l);
        o->height = shrink(o->height, l);
        o->depth = shrink(o->depth, l);
        texels_make(o, &(struct texels){t->seed + l, t->wide, t->single});
    }
    c->object.level_objects = c->levels;
}

/* case KIND SHAPE TYPE | w h d | format bits channels | filter address x 3 | normalised coords,
 * normalised reads, srgb | levels, mip filter, bias, clamps | memory, seed, wide, single */
static void case_open(struct texture_case *c, const char *line)
{
    char shape[16];
    int type, fmt, bits, ch, filter, a[3], norm, read_norm, srgb, levels, mip, memory, wide;
    unsigned w, h, d;
    struct texels t;
    *c = (struct texture_case){.object = {.is_used = true, .border = {0.25f, -2, 3.5f, 7}}};
    struct tex_object *o = &c->object;
    snprintf(c->text, sizeof c->text, "%s", line);
    assert_int_equal(sscanf(line,
                            "case %15s %15s %d | %u %u %u | %d %d %d | %d %d %d %d | %d %d %d | %d "
                            "%d %g %g %g | %d %u %d %d",
                            c->kind, shape, &type, &w, &h, &d, &fmt, &bits, &ch, &filter, &a[0],
                            &a[1], &a[2], &norm, &read_norm, &srgb, &levels, &mip, &o->mip_bias,
                            &o->mip_min, &o->mip_max, &memory, &t.seed, &wide, &t.single),
                     25);
    t.wide = wide;
    for (size_t i = 0; i < ARRAY_LEN(shapes); i++)
        if (!strcmp(shapes[i].name, shape))
            o->shape = (uint8_t)(memory == 1 ? TEX_BUFFER : shapes[i].shape);
    o->format = (uint8_t)format_of(fmt);
    o->channel_bits = (uint8_t)bits;
    o->channels = (uint8_t)ch;
    o->filter = (uint8_t)filter;
    for (int i = 0; i < 3; i++)
        o->address[i] = (uint8_t)a[i];
    o->normalized_coords = norm;
    o->read_normalized = read_norm;
    o->srgb = srgb;
    o->levels = (uint32_t)levels;
    o->mip_filter = (uint8_t)mip;
    o->width = w;
    o->height = h;
    o->depth = d;
    make_levels(c, &t);
}

static void case_close(struct texture_case *c)
{
    texels_free(&c->object);
    for (unsigned l = 1; l < c->object.levels; l++)
        texels_free(&c->levels[l - 1]);
}

static float as_float(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

static unsigned read_words(char *p, uint32_t *words, unsigned max)
{
    unsigned n = 0;
    for (char *end; n < max; p = end) {
        words[n] = (uint32_t)strtoul(p, &end, 16);
        if (end == p)
            break;
        n++;
    }
    return n;
}

/* The same read in one lane of a warp whose other lanes ask for other places. */
static void expect_same_in_a_warp(struct texture_case *c, const struct tex_query *q,
                                  const struct tex_value *want)
{
    const unsigned lane = c->total % WARP_LANES;
    uint32_t words[4][WARP_LANES];
    struct texel_lanes got;
    for (unsigned k = 0; k < 4; k++)
        for (unsigned l = 0; l < WARP_LANES; l++)
            words[k][l] = (c->total + l * 7 + k) * 2654435761u;
    for (unsigned k = 0; k < 3; k++) {
        const float at = (float)q->at[k];
        memcpy(&words[k][lane], &at, sizeof at);
        if (q->is_whole)
            words[k][lane] = (uint32_t)(int32_t)q->place[k];
    }
    words[3][lane] = q->layer;
    const struct tex_lanes lanes = {
        .at = {words[0], words[1], words[2]}, .layer = words[3], .is_whole = q->is_whole};
    if ((texture_fetch_lanes(&c->object, &lanes, &got) >> lane) & 1)
        return;
    c->together++;
    for (unsigned i = 0; i < 4; i++)
        if (got.v[i][lane] != want->v[i])
            fail_msg("%s: of a warp, channel %u is %x, alone %x", c->text, i, got.v[i][lane],
                     want->v[i]);
}

static void case_read(struct texture_case *c, const uint32_t *in, unsigned n, struct tex_value *v)
{
    struct tex_query q = {.is_whole = !strcmp(c->kind, "texs"),
                          .has_level = !strcmp(c->kind, "level")};
    const struct tex_object *o = &c->object;
    if (q.has_level)
        q.level = as_float(in[--n]);
    for (unsigned k = 0; k < n && k < 3; k++) {
        q.at[k] = as_float(in[k]);
        /* Unused ones may be anything. */
        q.place[k] = q.is_whole && isfinite(q.at[k]) ? (int64_t)q.at[k] : 0;
    }
    if (n > 3)
        q.layer = (uint32_t)(int32_t)as_float(in[3]);
    const char *channel = strncmp(c->kind, "tld4", 4) ? NULL : strchr("rgba", c->kind[4]);
    if (channel)
        texture_gather(o, &q, (unsigned)(channel - strchr("rgba", 'r')), v);
    else
        texture_fetch(o, (enum tex_shape)o->shape, &q, v);
    if (!channel)
        expect_same_in_a_warp(c, &q, v);
}

static void case_check(struct texture_case *c, char *line)
{
    static const char *const letters = "rgba";
    uint32_t in[8], want[4];
    struct tex_value got;
    char *arrow = strchr(line, '>');
    assert_non_null(arrow);
    *arrow = 0;
    const unsigned n = read_words(line, in, ARRAY_LEN(in));
    assert_int_equal(read_words(arrow + 1, want, 4), 4);
    case_read(c, in, n, &got);
    c->total++;
    if (!memcmp(got.v, want, sizeof want))
        return;
    if (!c->bad++)
        for (unsigned i = 0; i < 4; i++)
            if (got.v[i] != want[i])
                print_error("%s\n  %s: %c is %x, not %x\n", c->text, line, letters[i], got.v[i],
                            want[i]);
}

static void reads_are_those_of_an_h200(void **state)
{
    (void)state;
    char *text = vectors_read("exec/texture.vec.zst"), *at = text;
    struct texture_case c = {0};
    unsigned bad = 0, total = 0, together = 0, cases = 0;
    for (char *line; (line = vectors_line(&at));) {
        if (strncmp(line, "case", 4)) {
            case_check(&c, line);
            continue;
        }
        bad += c.bad;
        total += c.total;
        together += c.together;
        if (cases++)
            case_close(&c);
        case_open(&c, line);
    }
    bad += c.bad;
    total += c.total;
    case_close(&c);
    free(text);
    assert_int_equal(bad, 0);
    assert_true(total > 15000);
    assert_true(together > total / 3);
}

/* Coordinates of every size, and what is none. */
static uint32_t any_coordinate(struct rng *r, uint32_t size)
{
    static const uint32_t odd[] = {0x7f800000, 0xff800000, 0x7fc00000, 0x80000000, 0x7f7fffff,
                                   0xff7fffff, 0x3f800000, 0xbf800000, 0x4f000000, 0x00000001};
    const uint32_t kind = rng_below(r, 8);
    float f;
    if (kind == 0)
        return odd[rng_below(r, ARRAY_LEN(odd))];
    if (kind == 1)
        return (uint32_t)rng_u64(r);
    f = (float)(int32_t)rng_u64(r) * (kind < 5 ? 0x1p-31f * (float)(size + 3) : 0x1.8p-30f);
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static void random_object(struct rng *r, struct tex_object *o)
{
    static const uint8_t few[] = {TEX_BUFFER, TEX_1D,         TEX_2D,        TEX_3D,
                                  TEX_2D,     TEX_2D_LAYERED, TEX_1D_LAYERED};
    *o = (struct tex_object){.is_used = true, .levels = 1, .border = {0.3f, -2, 0.5f, 7}};
    o->shape = few[rng_below(r, ARRAY_LEN(few))];
    o->format = (uint8_t)(rng_below(r, 3));
    o->channel_bits = (uint8_t)(8u << rng_below(r, 3));
    if (o->format == TEX_FLOAT && o->channel_bits == 8)
        o->channel_bits = 32;
    o->channels = (uint8_t)(1u << rng_below(r, 3));
    o->filter = (uint8_t)(rng_below(r, 2));
    for (unsigned k = 0; k < 3; k++)
        o->address[k] = (uint8_t)(rng_below(r, 4));
    o->normalized_coords = rng_below(r, 2);
    o->read_normalized = o->channel_bits < 32 && rng_below(r, 2); /* others cannot be made */
    o->width = 1 + (uint32_t)(rng_below(r, 9));
    o->height = o->shape != TEX_BUFFER && o->shape != TEX_1D ? 1 + (uint32_t)(rng_below(r, 7)) : 0;
    o->depth = o->shape >= TEX_3D ? 1 + (uint32_t)(rng_below(r, 5)) : 0;
}

static unsigned compare_lanes(const struct tex_object *o, const uint32_t words[4][WARP_LANES],
                              bool is_whole)
{
    const struct tex_lanes lanes = {
        .at = {words[0], words[1], words[2]}, .layer = words[3], .is_whole = is_whole};
    struct texel_lanes got;
    const uint32_t left = texture_fetch_lanes(o, &lanes, &got);
    for (unsigned l = 0; l < WARP_LANES; l++) {
        struct tex_query q = {.layer = words[3][l], .is_whole = is_whole};
        struct tex_value want;
        for (unsigned k = 0; k < 3; k++) {
            q.at[k] = as_float(words[k][l]);
            q.place[k] = (int32_t)words[k][l];
        }
        texture_fetch(o, (enum tex_shape)o->shape, &q, &want);
        for (unsigned c = 0; c < 4 && !((left >> l) & 1); c++)
            if (got.v[c][l] != want.v[c])
                fail_msg("shape %u format %u bits %u channels %u filter %u address %u %u norm %d "
                         "%d size %u %u: at %x %x %x %x: %x, alone %x",
                         o->shape, o->format, o->channel_bits, o->channels, o->filter,
                         o->address[0], o->address[1], o->normalized_coords, o->read_normalized,
                         o->width, o->height, words[0][l], words[1][l], words[2][l], words[3][l],
                         got.v[c][l], want.v[c]);
    }
    return WARP_LANES - (unsigned)__builtin_popcount(left);
}

static void a_warp_reads_what_its_lanes_read_alone(void **state)
{
    (void)state;
    struct rng r = {5};
    unsigned together = 0;
    for (unsigned i = 0; i < 4000; i++) {
        struct tex_object o;
        uint32_t words[4][WARP_LANES];
        const bool is_whole = rng_below(&r, 8) == 0;
        random_object(&r, &o);
        texels_make(&o, &(struct texels){(uint32_t)rng_u64(&r), rng_below(&r, 2), -1});
        for (unsigned l = 0; l < WARP_LANES; l++) {
            for (unsigned k = 0; k < 3; k++)
                words[k][l] = is_whole ? (uint32_t)(rng_below(&r, 12) - 1)
                                       : any_coordinate(&r, k ? 7 : o.width);
            words[3][l] = (uint32_t)(rng_below(&r, 7));
        }
        together += compare_lanes(&o, (const uint32_t(*)[WARP_LANES])words, is_whole);
        texels_free(&o);
    }
    assert_true(together > 4000 * WARP_LANES / 2);
}

static void handles_are_checked(void **state)
{
    (void)state;
    struct tex_table t = {0};
    const struct tex_object o = {.width = 7};
    const uint64_t a = tex_table_add(&t, &o), b = tex_table_add(&t, &o);
    assert_true(a && b && a != b);
    assert_int_equal(tex_table_get(&t, a)->width, 7);
    assert_null(tex_table_get(&t, 0));
    assert_null(tex_table_get(&t, b + 1));
    assert_true(tex_table_remove(&t, a));
    assert_false(tex_table_remove(&t, a));
    assert_null(tex_table_get(&t, a));
    assert_int_equal(tex_table_first(&t), b);
    const uint64_t again = tex_table_add(&t, &o); /* in the same place, under another name */
    assert_true(again != a && again != b);
    assert_null(tex_table_get(&t, a));
    assert_non_null(tex_table_get(&t, again));
    assert_true(tex_table_remove(&t, again) && tex_table_remove(&t, b));
    assert_int_equal(tex_table_first(&t), 0);
    tex_table_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_are_those_of_an_h200),
        cmocka_unit_test(a_warp_reads_what_its_lanes_read_alone),
        cmocka_unit_test(handles_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
