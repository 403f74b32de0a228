/* Bytes of a packet by what it carries, and the engine's time at both ends. */
#include "tech/wire.h"

#include <stdlib.h>

struct wire {
    struct block_codec codec;
    struct mem_image image;
    uint32_t block_bytes, sector_shift;
    uint16_t all; /* sectors of a block */
    bool is_told;
    struct engine encode, decode;
    struct wire_stats stats;
};

#define ROWS_FILE   "tech/wire_stats.def"
#define ROWS_STRUCT wire_stats
#include "parsim/rows_formulas.h"

const struct stat_row wire_stat_rows[] = {
#define ROWS_FILE   "tech/wire_stats.def"
#define ROWS_STRUCT wire_stats
#include "parsim/rows_entries.h"
};

const size_t wire_nstat_rows = ARRAY_LEN(wire_stat_rows);

struct wire *wire_new(const struct tech_machine *m, const struct wire_cfg *cfg)
{
    struct wire *w = xcalloc(1, sizeof *w);
    w->codec = cfg->codec;
    w->is_told = cfg->is_told;
    w->image = m->image;
    w->block_bytes = (uint32_t)m->l2->line_bytes;
    w->sector_shift = (uint32_t)__builtin_ctzll((uint64_t)m->l2->sector_bytes);
    w->all = (uint16_t)((1u << (w->block_bytes >> w->sector_shift)) - 1);
    engine_init(&w->encode, &cfg->encode);
    engine_init(&w->decode, &cfg->decode);
    return w;
}

void wire_free(struct wire *w)
{
    free(w);
}

static bool writes_block(const struct wire *w, const struct mem_req *r)
{
    return r->kind == MEM_WRITE &&
           mem_req_sectors_in(r, r->full, w->block_bytes, w->sector_shift) == w->all;
}

static uint32_t wire_bytes(void *self, const struct mem_req *r, bool reply, uint32_t payload)
{
    struct wire *w = self;
    uint32_t sent = payload;
    if (!payload)
        return 0;
    if (w->is_told) {
        sent = r->form.bytes ? r->form.bytes : payload;
    } else if (r->kind == MEM_READ ? reply : !reply && writes_block(w, r)) {
        const addr_t line = r->addr & ~(addr_t)(w->block_bytes - 1);
        const void *block = w->image.at(w->image.self, line, w->block_bytes);
        uint32_t bytes = block ? block_codec_bytes(&w->codec, line, block) : w->block_bytes;
        sent = bytes < payload ? bytes : payload;
    }
    w->stats.packets++;
    w->stats.encoded_packets += w->is_told ? r->form.bytes != 0 : sent < payload;
    w->stats.payload_bytes += payload;
    w->stats.wire_bytes += sent;
    return sent;
}

static uint32_t send_latency(void *self, const struct mem_req *r, cycle_t now)
{
    struct wire *w = self;
    return w->codec.codec && writes_block(w, r)
               ? engine_use_counted(&w->encode, now, &w->stats.encoded, &w->stats.encode_waits)
               : 0;
}

static uint32_t fill_latency(void *self, const struct mem_req *r, cycle_t now)
{
    struct wire *w = self;
    return !w->is_told && r->kind == MEM_READ &&
                   r->wire_bytes < mem_sector_count(r->sectors) << w->sector_shift
               ? engine_use_counted(&w->decode, now, &w->stats.decoded, &w->stats.decode_waits)
               : 0;
}

struct packet_policy wire_policy(struct wire *w)
{
    struct packet_policy p = packet_policy_null;
    p.wire_bytes = wire_bytes;
    p.send_latency = send_latency;
    p.fill_latency = fill_latency;
    p.self = w;
    return p;
}

const struct wire_stats *wire_stats(const struct wire *w)
{
    return &w->stats;
}
