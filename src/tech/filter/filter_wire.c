/* DPC on what an answer brings: on its sub-blocks alone (df-truc, and all that is not cut), or on a
 * line with others in the place of what nobody asked for (df-man). Or another codec on its
 * sub-blocks (df-ALG). */
#include "tech/filter/filter_wire.h"

#include "tech/block_codec.h"
#include "tech/published.h"

#include <inttypes.h>
#include <string.h>

enum { PART = 32, PART_SHIFT = 5 };

static bool make_codecs(struct filter_wire *w, const struct tech_design *d, struct err *err)
{
    for (unsigned i = 0; i < FILTER_BLOCKS; i++) {
        const struct codec_params params = {.block_bytes = PART << i};
        struct codec_error why;
        w->codecs[i] = codec_new(d->codec, &params, &why);
        if (!w->codecs[i])
            return err_set(err, "%s: %s", d->name, why.msg);
    }
    return true;
}

bool filter_wire_init(struct filter_wire *w, enum filter_method method, const struct filter_cfg *c,
                      const struct tech_machine *m, const struct tech_design *d, struct err *err)
{
    *w = (struct filter_wire){.method = method,
                              .fill = (enum filter_fill)c->man_fill,
                              .line_bytes = (uint32_t)m->l2->line_bytes,
                              .sector_shift =
                                  (uint32_t)__builtin_ctzll((uint64_t)m->l2->sector_bytes),
                              .image = m->image,
                              .verify = m->verify};
    if (w->line_bytes > CODEC_BLOCK_MAX || m->l1->line_bytes != m->l2->line_bytes)
        return err_set(err,
                       "%s: l1.line_bytes is %" PRId64 " and l2.line_bytes is %" PRId64
                       "; both must be the same, and %d at most",
                       d->name, m->l1->line_bytes, m->l2->line_bytes, CODEC_BLOCK_MAX);
    if (w->sector_shift < PART_SHIFT)
        return err_set(err,
                       "%s: l1.sector_bytes is %" PRId64
                       "; sub-blocks are of %d bytes or more, as DPC has them",
                       d->name, m->l1->sector_bytes, PART);
    return method != FILTER_CODEC || make_codecs(w, d, err);
}

void filter_wire_free(struct filter_wire *w)
{
    for (unsigned i = 0; i < FILTER_BLOCKS; i++)
        codec_free(w->codecs[i]);
}

/* DPC's circuits take an and, an or and a shift: two cycles, where the thesis says nothing. */
static uint32_t cycles_of(const struct filter_wire *w, int64_t set,
                          uint32_t (*published)(const struct codec *codec, int64_t set))
{
    enum { DPC_CYCLES = 2 };
    const struct codec *codec = w->codecs[FILTER_BLOCKS - 1];
    if (!filter_method_encodes(w->method))
        return 0;
    return codec ? published(codec, set) : set < 0 ? DPC_CYCLES : (uint32_t)set;
}

uint32_t filter_wire_encode_cycles(const struct filter_wire *w, int64_t set)
{
    return cycles_of(w, set, published_encode);
}

uint32_t filter_wire_decode_cycles(const struct filter_wire *w, int64_t set)
{
    return cycles_of(w, set, published_decode);
}

static unsigned all_parts(const struct filter_wire *w)
{
    return (1u << (w->line_bytes >> PART_SHIFT)) - 1;
}

/* The line with what is not in `map` filled in. */
static void fill_in(const struct filter_wire *w, const uint8_t *line, unsigned map, uint8_t *filled)
{
    const uint8_t *word = line + PART * (unsigned)__builtin_ctz(map);
    memcpy(filled, line, w->line_bytes);
    for (uint32_t i = 0; i < w->line_bytes; i += 4)
        if (!(map >> (i >> PART_SHIFT) & 1)) {
            if (w->fill == FILTER_COPY)
                memcpy(filled + i, word, 4);
            else
                memset(filled + i, 0, 4);
        }
}

/* `block` with the parts `map` encoded comes back with those that are in `critical`. */
static void verify(const struct filter_wire *w, addr_t addr, const uint8_t *block, unsigned map,
                   const uint8_t *line, unsigned critical, unsigned bits)
{
    uint8_t code[CODEC_BLOCK_MAX], back[CODEC_BLOCK_MAX];
    const unsigned n = codec_dpc_truc_encode(block, w->line_bytes, map, code);
    bool is_same = n == bits && codec_dpc_truc_decode(code, n, w->line_bytes, map, back);
    for (uint32_t i = 0; i < w->line_bytes && is_same; i += PART)
        is_same = !(critical >> (i >> PART_SHIFT) & 1) || !memcmp(back + i, line + i, PART);
    if (!is_same)
        panic("the answer with the line at %#" PRIx64 ", parts %#x, does not come back as it was "
              "(%u bits)",
              addr, critical, bits);
}

/* The line as it is, or filled in where that is smaller. */
static struct filter_size man_size(const struct filter_wire *w, addr_t addr, const uint8_t *line,
                                   unsigned map)
{
    const unsigned all = all_parts(w);
    uint8_t filled[CODEC_BLOCK_MAX];
    fill_in(w, line, map, filled);
    const unsigned original = codec_dpc_truc_size(line, w->line_bytes, all);
    const unsigned other = codec_dpc_truc_size(filled, w->line_bytes, all);
    const bool is_filled = other < original;
    const unsigned bits = is_filled ? other : original;
    if (w->verify)
        verify(w, addr, is_filled ? filled : line, all, line, map, bits);
    return (struct filter_size){codec_bytes(bits), bits == 8 * w->line_bytes, is_filled};
}

/* The parts side by side, in blocks that a codec takes. */
static struct filter_size codec_bytes_of(const struct filter_wire *w, addr_t addr,
                                         const uint8_t *line, unsigned map)
{
    uint8_t parts[CODEC_BLOCK_MAX];
    uint32_t n = 0, at = 0, bytes = 0;
    for (unsigned i = 0; i << PART_SHIFT < w->line_bytes; i++)
        if (map >> i & 1)
            memcpy(parts + PART * n++, line + PART * i, PART);
    for (unsigned k = FILTER_BLOCKS; k-- > 0;) {
        const struct block_codec block = {w->codecs[k], PART << k, w->verify};
        if (!(n >> k & 1))
            continue;
        bytes += block_codec_bytes(&block, addr, parts + at);
        at += PART << k;
    }
    return (struct filter_size){bytes, bytes == at, false};
}

struct filter_size filter_wire_size(const struct filter_wire *w, addr_t addr, const void *line,
                                    unsigned map, bool is_cut)
{
    const uint32_t raw = PART * mem_sector_count((uint16_t)map);
    if (!filter_method_encodes(w->method))
        return (struct filter_size){raw, true, false};
    if (w->method == FILTER_CODEC)
        return codec_bytes_of(w, addr, line, map);
    if (w->method == FILTER_MANIPULATE && is_cut)
        return man_size(w, addr, line, map);
    const unsigned bits = codec_dpc_truc_size(line, w->line_bytes, map);
    if (w->verify)
        verify(w, addr, line, map, line, map, bits);
    return (struct filter_size){codec_bytes(bits), codec_bytes(bits) >= raw, false};
}

/* Sub-blocks of the asker's line, which for a data cache is as the L2's, as parts of the L2's. */
static unsigned parts_of(const struct filter_wire *w, const struct mem_req *r, uint16_t sectors)
{
    const unsigned in_line =
        filter_is_cut(r) ? sectors : mem_req_sectors_in(r, sectors, w->line_bytes, w->sector_shift);
    const unsigned shift = w->sector_shift - PART_SHIFT, each = (1u << (1u << shift)) - 1;
    unsigned map = 0;
    for (unsigned i = 0; i << w->sector_shift < w->line_bytes; i++)
        map |= (in_line >> i & 1 ? each : 0) << (i << shift);
    return map;
}

uint32_t filter_wire_raw_bytes(const struct filter_wire *w, const struct mem_req *r,
                               uint16_t sectors)
{
    return w->method == FILTER_MANIPULATE && filter_is_cut(r)
               ? w->line_bytes
               : mem_sector_count(sectors) << w->sector_shift;
}

struct filter_size filter_wire_answer(const struct filter_wire *w, const struct mem_req *r,
                                      uint16_t sectors)
{
    const addr_t line = r->addr & ~(addr_t)(w->line_bytes - 1);
    const void *bytes = r->space == MEM_INST || !filter_method_encodes(w->method)
                            ? NULL
                            : w->image.at(w->image.self, line, w->line_bytes);
    if (!bytes)
        return (struct filter_size){filter_wire_raw_bytes(w, r, sectors), true, false};
    return filter_wire_size(w, line, bytes, parts_of(w, r, sectors), filter_is_cut(r));
}
