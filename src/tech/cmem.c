/* What a request costs in bursts and cycles, by the form of its block and what is known of it. */
#include "tech/cmem.h"

#include "tech/block_sizes.h"
#include "tech/md_cache.h"

#include <stdio.h>
#include <stdlib.h>

struct cmem {
    struct cmem_cfg cfg;
    struct mem_image image;
    bool is_on, is_masked;
    uint32_t block_bytes, block_shift, burst_bytes, sector_shift;
    uint32_t nraw;        /* bursts of a raw block */
    uint32_t md_blocks;   /* blocks whose metadata is in one burst */
    uint16_t all;         /* sectors of a block */
    addr_t first, md_top; /* channel-local: of device memory, of the metadata */
    struct block_sizes sizes;
    struct md_cache md;
    struct engine encode, decode;
    struct interleave il;
    struct cmem_stats stats;
};

#define ROWS_FILE   "tech/cmem_stats.def"
#define ROWS_STRUCT cmem_stats
#include "parsim/rows_formulas.h"

const struct stat_row cmem_stat_rows[] = {
#define ROWS_FILE   "tech/cmem_stats.def"
#define ROWS_STRUCT cmem_stats
#include "parsim/rows_entries.h"
};

const size_t cmem_nstat_rows = ARRAY_LEN(cmem_stat_rows);

bool cmem_check(const struct tech_machine *m, const char *name, uint64_t md_bytes, int64_t md_ways,
                struct err *err)
{
    const struct mem_ctrl_cfg *mc = m->mc;
    if (mc->block_bytes != 32 && mc->block_bytes != 64 && mc->block_bytes != 128)
        return err_set(err, "%s: blocks have 32, 64 or 128 bytes, but mc.block_bytes is %lld", name,
                       (long long)mc->block_bytes);
    if (mc->burst_bytes >= mc->block_bytes)
        return err_set(err, "%s: a burst (mc.burst_bytes = %lld) is not less than a block (%lld)",
                       name, (long long)mc->burst_bytes, (long long)mc->block_bytes);
    if (md_bytes % (uint64_t)(md_ways * mc->burst_bytes))
        return err_set(err, "%s: md_size: %llu is not a multiple of %lld ways of %lld bytes", name,
                       (unsigned long long)md_bytes, (long long)md_ways,
                       (long long)mc->burst_bytes);
    return !mc->burst_per_sector ||
           err_set(err, "%s: mc.burst_per_sector leaves nothing to compress", name);
}

/* 2 bits a block of 4 bursts: 8 MB for 4 GB of blocks of 128 bytes. */
static uint32_t metadata_bits(uint32_t nraw)
{
    uint32_t bits = 1;
    while (1u << bits < nraw)
        bits *= 2;
    return bits;
}

struct cmem *cmem_new(const struct tech_machine *m, const struct cmem_cfg *cfg)
{
    struct cmem *c = xcalloc(1, sizeof *c);
    c->cfg = *cfg;
    c->image = m->image;
    c->il = *m->il;
    c->is_on = !cfg->is_off;
    c->is_masked = m->l2->masked_writes;
    c->block_bytes = (uint32_t)m->mc->block_bytes;
    c->block_shift = (uint32_t)__builtin_ctz(c->block_bytes);
    c->burst_bytes = (uint32_t)m->mc->burst_bytes;
    c->sector_shift = (uint32_t)__builtin_ctzll((uint64_t)m->mc->sector_bytes);
    c->nraw = c->block_bytes / c->burst_bytes;
    c->all = (uint16_t)((1u << (c->block_bytes >> c->sector_shift)) - 1);
    const uint32_t bits = metadata_bits(c->nraw);
    const uint64_t granule = UINT64_C(1) << m->il->shift;
    c->md_blocks = c->burst_bytes * 8 / bits;
    c->first = interleave_locate(m->il, m->memory_base).local & ~(granule - 1);
    const uint64_t local_bytes = m->memory_bytes / m->channels;
    c->md_top = (c->first + local_bytes - local_bytes * bits / 8 / c->block_bytes) &
                ~(addr_t)(c->burst_bytes - 1);
    block_sizes_init(&c->sizes, (m->memory_range / m->channels + 4 * granule) >> c->block_shift);
    md_cache_init(&c->md, cfg->md_bytes, cfg->md_ways, c->burst_bytes);
    engine_init(&c->encode, &cfg->encode);
    engine_init(&c->decode, &cfg->decode);
    return c;
}

void cmem_free(struct cmem *c)
{
    if (!c)
        return;
    block_sizes_free(&c->sizes);
    md_cache_free(&c->md);
    free(c);
}

void cmem_turn_on(struct cmem *c, const struct codec *codec)
{
    c->cfg.codec.codec = codec;
    c->is_on = true;
    block_sizes_forget_all(&c->sizes);
}

/* --- sizes --- */

static uint64_t block_number(const struct cmem *c, addr_t local)
{
    return (local - c->first) >> c->block_shift;
}

static uint32_t bursts_for(const struct cmem *c, uint32_t bytes)
{
    return (bytes + c->burst_bytes - 1) / c->burst_bytes;
}

/* The bytes that the block takes in DRAM. */
static uint32_t stored_bytes(struct cmem *c, const struct mem_req *r, addr_t line, addr_t local,
                             const void *block)
{
    if (c->cfg.is_told)
        return r->form.bytes ? r->form.bytes : c->block_bytes;
    uint8_t *size = block_size_at(&c->sizes, block_number(c, local));
    if (!*size) {
        *size = (uint8_t)block_codec_bytes(&c->cfg.codec, line, block);
        c->stats.first_touches++;
    }
    return *size;
}

static uint32_t low_bursts(uint32_t n)
{
    return (1u << n) - 1;
}

static uint32_t bursts_of_sectors(const struct cmem *c, uint16_t sectors)
{
    uint32_t bursts = 0;
    for (; sectors; sectors &= (uint16_t)(sectors - 1)) {
        uint32_t first = (uint32_t)__builtin_ctz(sectors) << c->sector_shift;
        uint32_t last = first + (1u << c->sector_shift) - 1;
        for (uint32_t b = first / c->burst_bytes; b <= last / c->burst_bytes; b++)
            bursts |= 1u << b;
    }
    return bursts;
}

static void count_block(struct cmem *c, uint32_t bytes)
{
    uint32_t n = bursts_for(c, bytes);
    c->stats.blocks++;
    c->stats.block_bytes += c->block_bytes;
    c->stats.code_bytes += bytes;
    c->stats.mag_bytes += n * c->burst_bytes;
    c->stats.incompressible += n == c->nraw;
    hist_add(&c->stats.bursts, n);
}

/* --- metadata --- */

static addr_t metadata_addr(const struct cmem *c, uint64_t line)
{
    return c->md_top + line * c->burst_bytes;
}

/* `waits`: the block's accesses depend on what the metadata says. */
static void use_metadata(struct cmem *c, const struct mem_req *r, addr_t local, bool changes,
                         bool waits, struct storage_form *f)
{
    if (c->cfg.free_metadata)
        return;
    if (c->cfg.is_mixed && !r->form.bytes &&
        !c->cfg.is_mixed(c->cfg.is_mixed_ctx, r->addr & ~(addr_t)(c->block_bytes - 1)))
        return;
    uint64_t line = block_number(c, local) / c->md_blocks;
    struct md_outcome o = md_cache_access(&c->md, line, changes);
    if (o.is_hit) {
        c->stats.md_hits++;
        return;
    }
    c->stats.md_misses++;
    f->extras_first = waits;
    f->extras[f->nextras++] = (struct storage_access){metadata_addr(c, line), MEM_READ};
    if (o.writes_back) {
        c->stats.md_write_backs++;
        f->extras[f->nextras++] = (struct storage_access){metadata_addr(c, o.victim), MEM_WRITE};
    }
}

/* --- forms --- */

static uint32_t encode(struct cmem *c, cycle_t now)
{
    uint64_t before = c->encode.waited;
    uint32_t cycles = engine_use(&c->encode, now);
    c->stats.encoded += cycles != 0;
    c->stats.encode_waits += c->encode.waited - before;
    return cycles;
}

static uint32_t decode(struct cmem *c, cycle_t now)
{
    uint64_t before = c->decode.waited;
    uint32_t cycles = engine_use(&c->decode, now);
    c->stats.decoded += cycles != 0;
    c->stats.decode_waits += c->decode.waited - before;
    return cycles;
}

static void read_form(struct cmem *c, const struct mem_req *r, addr_t line, addr_t local,
                      const void *block, struct storage_form *f)
{
    uint32_t bytes = stored_bytes(c, r, line, local, block), n = bursts_for(c, bytes);
    c->stats.reads++;
    c->stats.read_bursts_raw += (uint32_t)__builtin_popcount(f->bursts);
    if (n < c->nraw) {
        f->bursts = low_bursts(n);
        f->latency = c->cfg.is_raw_above ? c->decode.cfg.latency : 0;
        if (!c->cfg.is_raw_above && n * c->burst_bytes < f->fill)
            f->fill = n * c->burst_bytes;
    }
    c->stats.read_bursts += (uint32_t)__builtin_popcount(f->bursts);
    count_block(c, bytes);
    use_metadata(c, r, local, false, true, f);
}

/* The whole block is there: it is encoded anew, unless it came so. */
static void write_block(struct cmem *c, cycle_t now, const struct mem_req *r, addr_t line,
                        addr_t local, const void *block, struct storage_form *f)
{
    uint8_t *size = block_size_at(&c->sizes, block_number(c, local));
    uint32_t bytes = c->cfg.is_told ? stored_bytes(c, r, line, local, block)
                                    : block_codec_bytes(&c->cfg.codec, line, block);
    uint32_t n = bursts_for(c, bytes);
    bool changes = !*size || bursts_for(c, *size) != n;
    *size = (uint8_t)bytes;
    f->bursts = low_bursts(n);
    if (c->cfg.codec.codec && (c->cfg.is_raw_above || f->reads))
        f->delay += encode(c, now);
    c->stats.recompressed += changes;
    count_block(c, bytes);
    use_metadata(c, r, local, changes, f->reads != 0, f);
}

static void write_part(struct cmem *c, cycle_t now, const struct mem_req *r, addr_t line,
                       addr_t local, const void *block, struct storage_form *f)
{
    uint32_t bytes = stored_bytes(c, r, line, local, block), n = bursts_for(c, bytes);
    uint16_t part = r->sectors & (uint16_t)~r->full;
    if (n < c->nraw) {
        f->reads = low_bursts(n);
        f->delay = decode(c, now);
        write_block(c, now, r, line, local, block, f);
    } else {
        if (part && !c->is_masked)
            f->reads =
                bursts_of_sectors(c, mem_req_sectors_in(r, part, c->block_bytes, c->sector_shift));
        count_block(c, bytes);
        use_metadata(c, r, local, false, true, f);
    }
    c->stats.rmw += f->reads != 0;
    c->stats.rmw_bursts += (uint32_t)__builtin_popcount(f->reads);
}

static void dram_form(void *self, cycle_t now, const struct mem_req *r, addr_t local,
                      uint32_t bursts, struct storage_form *f)
{
    struct cmem *c = self;
    const addr_t line = r->addr & ~(addr_t)(c->block_bytes - 1);
    const void *block = c->image.at(c->image.self, line, c->block_bytes);
    f->bursts = bursts;
    f->reads = f->delay = f->latency = 0;
    f->fill = r->bytes;
    f->extras_first = false;
    f->nextras = 0;
    if (block && c->cfg.seen)
        c->cfg.seen(c->cfg.seen_ctx, block);
    if (!block || !c->is_on) {
        c->stats.raw_bursts += (uint32_t)__builtin_popcount(bursts);
        return;
    }
    if (!mem_req_is_write(r)) {
        read_form(c, r, line, local, block, f);
        return;
    }
    c->stats.writes++;
    c->stats.write_bursts_raw += (uint32_t)__builtin_popcount(bursts);
    if (mem_req_sectors_in(r, r->full, c->block_bytes, c->sector_shift) == c->all)
        write_block(c, now, r, line, local, block, f);
    else
        write_part(c, now, r, line, local, block, f);
    c->stats.write_bursts += (uint32_t)__builtin_popcount(f->bursts);
}

static uint32_t dram_done(void *self, cycle_t now, const struct mem_req *r,
                          const struct storage_form *f)
{
    (void)r;
    return f->latency ? decode(self, now) : 0;
}

static bool write_whole(void *self, addr_t line)
{
    struct cmem *c = self;
    const void *block = c->image.at(c->image.self, line, c->block_bytes);
    if (!c->is_on || !c->cfg.codec.codec || !block)
        return false;
    uint64_t i = block_number(c, interleave_locate(&c->il, line).local);
    uint32_t size = *block_size_at(&c->sizes, i);
    return (size && bursts_for(c, size) < c->nraw) ||
           bursts_for(c, block_codec_bytes(&c->cfg.codec, line, block)) < c->nraw;
}

/* An atomic changes a block that is encoded in the L2; an answer of some sectors that is not larger
 * than the encoded block is cut out of it. */
static uint32_t l2_latency(void *self, const struct mem_req *r)
{
    struct cmem *c = self;
    if (c->cfg.is_raw_above || !c->cfg.decode.latency)
        return 0;
    const addr_t line = r->addr & ~(addr_t)(c->block_bytes - 1);
    uint32_t asked = mem_sector_count(r->sectors) << c->sector_shift;
    if (r->kind != MEM_ATOMIC && asked == c->block_bytes)
        return 0;
    const void *block = c->image.at(c->image.self, line, c->block_bytes);
    uint32_t bytes = block ? block_codec_bytes(&c->cfg.codec, line, block) : c->block_bytes;
    if (bytes == c->block_bytes || (r->kind != MEM_ATOMIC && bytes < asked))
        return 0;
    c->stats.l2_decoded++;
    return c->cfg.decode.latency + (r->kind == MEM_ATOMIC ? c->cfg.encode.latency : 0);
}

struct storage_policy cmem_policy(struct cmem *c)
{
    return (struct storage_policy){dram_form, dram_done, write_whole, l2_latency, c};
}

void cmem_tell(struct cmem *c, addr_t local, uint32_t bytes)
{
    *block_size_at(&c->sizes, block_number(c, local)) = (uint8_t)bytes;
}

void cmem_forget(struct cmem *c, addr_t local)
{
    block_size_forget(&c->sizes, block_number(c, local));
}

const struct cmem_stats *cmem_stats(const struct cmem *c)
{
    return &c->stats;
}

void cmem_forget_all(struct cmem *const *channels, const struct tech_machine *m, addr_t addr,
                     uint64_t bytes)
{
    const addr_t step = (addr_t)m->mc->block_bytes;
    if (addr < m->memory_base || addr + bytes > m->memory_base + m->memory_range)
        return;
    for (addr_t a = addr - addr % step; a < addr + bytes; a += step) {
        struct mem_place p = interleave_locate(m->il, a);
        cmem_forget(channels[p.channel], p.local);
    }
}

void cmem_describe(struct cmem *const *channels, uint32_t n, char *buf, size_t size)
{
    struct cmem_stats sum = {0};
    for (uint32_t i = 0; i < n; i++) {
        const struct cmem_stats *s = &channels[i]->stats;
        sum.block_bytes += s->block_bytes;
        sum.code_bytes += s->code_bytes;
        sum.mag_bytes += s->mag_bytes;
        sum.md_hits += s->md_hits;
        sum.md_misses += s->md_misses;
        sum.rmw += s->rmw;
    }
    if (!sum.block_bytes)
        snprintf(buf, size, "no block was read or written encoded");
    else
        snprintf(buf, size,
                 "blocks 1/%.2f of their size, 1/%.2f in whole bursts; metadata hits %.1f%%; "
                 "%llu read to change a part",
                 cmem_stats_ratio_raw(&sum), cmem_stats_ratio_mag(&sum),
                 100 * cmem_stats_md_hit_rate(&sum), (unsigned long long)sum.rmw);
}
