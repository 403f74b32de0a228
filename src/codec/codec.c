/* The codecs by name, and the rules that all of them share: raw blocks, exact lengths. */
#include "codec/codec_int.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const struct codec_class *const classes[CODEC_ID_COUNT] = {
#define CODEC(ID, file, size) [CODEC_##ID] = &codec_##file##_class,
#include "parsim/codecs.def"
#undef CODEC
};

#define BESTOF_DEFAULT "bdi+fpc+cpack"

bool codec_error_set(struct codec_error *err, const char *fmt, ...)
{
    if (err) {
        va_list ap;
        va_start(ap, fmt);
        vsnprintf(err->msg, sizeof err->msg, fmt, ap);
        va_end(ap);
    }
    return false;
}

/* "e2mc", "e2mc-L", "e2mc-LwW". */
static bool parse_e2mc(const char *name, unsigned *symbol_bits, unsigned *ways)
{
    int end = 0;
    *symbol_bits = 16;
    *ways = 1;
    if (!strcmp(name, "e2mc"))
        return true;
    if (sscanf(name, "e2mc-%2u%nw%1u%n", symbol_bits, &end, ways, &end) < 1 || name[end] ||
        name[5] == '+' || name[5] == ' ')
        return false;
    return *symbol_bits >= 4 && *symbol_bits <= 32 && is_pow2(*symbol_bits) && is_pow2(*ways);
}

bool codec_name_parse(const char *name, enum codec_id *id, unsigned *symbol_bits, unsigned *ways)
{
    *symbol_bits = 0;
    *ways = 1;
    for (unsigned i = 0; i < CODEC_ID_COUNT; i++) {
        *id = (enum codec_id)i;
        if (i != CODEC_E2MC && !strcmp(name, classes[i]->name))
            return true;
    }
    *id = CODEC_BESTOF;
    if (!strncmp(name, "bestof:", 7))
        return true;
    *id = CODEC_E2MC;
    return parse_e2mc(name, symbol_bits, ways);
}

void codec_encoded_size(const struct codec *c, const uint8_t *blocks, size_t n, uint16_t *bits)
{
    for (size_t i = 0; i < n; i++) {
        struct bitw w;
        bitw_init(&w);
        const unsigned b = c->cls->encode(c, blocks + i * c->block_bytes, &w);
        bits[i] = (uint16_t)codec_stored_bits(c, b);
    }
}

/* NULL: there is a kernel. */
static codec_size_fn *const sizes[CODEC_ID_COUNT] = {
#define SIZE_KERNEL(file)     NULL
#define SIZE_ENCODED(file)    codec_encoded_size
#define SIZE_OWN(file)        codec_##file##_size
#define CODEC(ID, file, size) [CODEC_##ID] = SIZE_##size(file),
#include "parsim/codecs.def"
#undef CODEC
};

static codec_size_fn *size_of(enum codec_id id, unsigned block_bytes)
{
    const unsigned b = block_bytes == 32 ? 0 : block_bytes == 64 ? 1 : 2;
    return sizes[id] ? sizes[id] : codec_kernels()->of[id][b];
}

static bool add_member(struct codec *c, const char *name, size_t len,
                       const struct codec_params *params, struct codec_error *err)
{
    char member[16];
    snprintf(member, sizeof member, "%.*s", (int)(len < 15 ? len : 15), name);
    if (c->nmembers == BESTOF_MAX)
        return codec_error_set(err, "bestof takes at most %d codecs", BESTOF_MAX);
    struct codec *m = codec_new(member, params, err);
    if (!m)
        return false;
    c->members[c->nmembers++] = m;
    if (m->id == CODEC_E2MC || m->id == CODEC_BESTOF || m->id == CODEC_ZERO)
        return codec_error_set(err, "bestof cannot have '%s' as a member", member);
    for (unsigned i = 0; i + 1 < c->nmembers; i++)
        if (c->members[i]->id == m->id)
            return codec_error_set(err, "bestof names '%s' twice", member);
    return true;
}

static bool add_members(struct codec *c, const char *set, const struct codec_params *params,
                        struct codec_error *err)
{
    for (;;) {
        size_t len = strcspn(set, "+");
        if (!add_member(c, set, len, params, err))
            return false;
        if (!set[len])
            return true;
        set += len + 1;
    }
}

static bool unknown(const char *name, struct codec_error *err)
{
    char known[128] = "";
    size_t len = 0;
    for (unsigned i = 0; i < CODEC_ID_COUNT; i++)
        if (i != CODEC_ZERO && i != CODEC_E2MC && i != CODEC_BESTOF && len < sizeof known)
            len += (size_t)snprintf(known + len, sizeof known - len, "%s ", classes[i]->name);
    return codec_error_set(err,
                           "unknown codec '%s'; known: %szero e2mc-4|8|16|32[w1|2|4|8] "
                           "bestof[:NAME+NAME...]",
                           name, known);
}

static bool set_up(struct codec *c, const char *name, const struct codec_params *params,
                   struct codec_error *err)
{
    if (!codec_name_parse(name, &c->id, &c->symbol_bits, &c->ways))
        return unknown(name, err);
    if (c->block_bytes != 32 && c->block_bytes != 64 && c->block_bytes != 128)
        return codec_error_set(err, "a block of %u bytes; 32, 64 or 128 is possible",
                               c->block_bytes);
    if (c->mag_bytes > c->block_bytes || c->block_bytes % c->mag_bytes)
        return codec_error_set(err, "an access granularity of %u bytes does not divide %u",
                               c->mag_bytes, c->block_bytes);
    c->cls = classes[c->id];
    c->limit_bytes = c->id == CODEC_E2MC ? c->block_bytes - c->mag_bytes : c->block_bytes - 1;
    c->size_blocks = size_of(c->id, c->block_bytes);
    if (strlen(name) >= sizeof c->name)
        return codec_error_set(err, "the name of the codec is too long");
    strcpy(c->name, name);
    if (c->id == CODEC_BESTOF)
        return add_members(c, name[6] == ':' ? name + 7 : BESTOF_DEFAULT, params, err);
    if (c->id != CODEC_E2MC)
        return true;
    if (!c->table)
        return codec_error_set(err, "%s needs a code table", name);
    if (codec_table_symbol_bits(c->table) != c->symbol_bits)
        return codec_error_set(err, "%s was given a table for symbols of %u bits", name,
                               codec_table_symbol_bits(c->table));
    return true;
}

struct codec *codec_new(const char *name, const struct codec_params *params,
                        struct codec_error *err)
{
    struct codec *c = xcalloc(1, sizeof *c);
    c->block_bytes = params && params->block_bytes ? params->block_bytes : 128;
    c->mag_bytes = params && params->mag_bytes ? params->mag_bytes : 32;
    c->table = params ? params->table : NULL;
    if (!set_up(c, name, params, err)) {
        codec_free(c);
        return NULL;
    }
    return c;
}

void codec_free(struct codec *c)
{
    if (!c)
        return;
    for (unsigned i = 0; i < c->nmembers; i++)
        codec_free(c->members[i]);
    free(c);
}

const char *codec_id_name(enum codec_id id)
{
    return classes[id]->name;
}

struct codec_hw codec_hw(const struct codec *c)
{
    struct codec_hw hw = c->cls->hw;
    if (c->cls->scale_hw)
        c->cls->scale_hw(c, &hw);
    return hw;
}

const char *codec_name(const struct codec *c)
{
    return c->name;
}

enum codec_id codec_id(const struct codec *c)
{
    return c->id;
}

unsigned codec_block_bytes(const struct codec *c)
{
    return c->block_bytes;
}

unsigned codec_mag_bytes(const struct codec *c)
{
    return c->mag_bytes;
}

unsigned codec_size(const struct codec *c, const void *block)
{
    uint16_t bits;
    c->size_blocks(c, block, 1, &bits);
    return bits;
}

void codec_size_blocks(const struct codec *c, const void *blocks, size_t n, uint16_t *bits)
{
    c->size_blocks(c, blocks, n, bits);
}

unsigned codec_encode(const struct codec *c, const void *block, void *out)
{
    struct bitw w;
    bitw_init(&w);
    unsigned bits = codec_stored_bits(c, c->cls->encode(c, block, &w));
    bitw_align(&w);
    memcpy(out, bits == codec_raw_bits(c) ? block : w.buf, codec_bytes(bits));
    return bits;
}

bool codec_decode(const struct codec *c, const void *in, unsigned bits, void *block)
{
    if (bits == codec_raw_bits(c)) {
        memcpy(block, in, c->block_bytes);
        return true;
    }
    if (codec_bytes(bits) > c->limit_bytes)
        return false;
    struct bitr r = {.buf = in, .bits = bits};
    return c->cls->decode(c, &r, block) && !r.bad && r.pos == r.bits;
}

void codec_tally(const struct codec *c, const void *block, uint64_t *counts)
{
    if (codec_size(c, block) == codec_raw_bits(c))
        counts[codec_kind_count(c) - 1]++;
    else
        c->cls->tally(c, block, counts);
}

unsigned codec_kind_count(const struct codec *c)
{
    return (c->id == CODEC_BESTOF ? c->nmembers : c->cls->nkinds) + 1;
}

const char *codec_kind_name(const struct codec *c, unsigned kind)
{
    if (kind + 1 == codec_kind_count(c))
        return "raw-block";
    return c->id == CODEC_BESTOF ? c->members[kind]->name : c->cls->kinds[kind];
}

const char *codec_kind_unit(const struct codec *c)
{
    return c->cls->unit;
}
