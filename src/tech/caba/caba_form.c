/* Bytes by line: how long it is in memory, by which algorithm, whether the L2 has it raw or both
 * forms are there. */
#include "tech/caba/caba_form.h"

#include <stdlib.h>

struct caba_form {
    struct interleave il;
    addr_t base, end, first; /* device memory; its first channel-local address */
    uint32_t shift;          /* a line's */
    struct block_sizes bytes, algorithms;
    /* Lines that have a form for some reason; others get one when they are touched first, unless
     * `codec` is NULL. */
    struct block_sizes known;
    const struct line_codecs *codec;
    struct cmem *memory;
    /* With both forms: what is there encoded, too, and nobody has changed (0: no), and by region
     * whether there is any such line, and any that an SM has encoded. */
    const bool *is_on, *is_raw_only;
    struct block_sizes both;
    uint8_t *region_both, *region_coded;
    uint32_t region_shift;
    struct block_sizes
        reads; /* of a line that was opened, since it was written, and 1; 0: was not */
    bool counts_reads;
    bool has_algorithms;    /* others than the first */
    bool raw_after_use;     /* once an encoded line was read, the L2 has it raw */
    struct block_sizes raw; /* such a copy, clean, though memory has the line encoded */
    struct caba_form_stats stats;
};

const struct stat_row caba_form_stat_rows[] = {
#define ROWS_FILE   "tech/caba/caba_form_stats.def"
#define ROWS_STRUCT caba_form_stats
#include "parsim/rows_entries.h"
};

const size_t caba_form_nstat_rows = ARRAY_LEN(caba_form_stat_rows);

struct caba_form *caba_form_new(const struct tech_machine *m, const bool *is_on,
                                const bool *is_raw_only, uint64_t region)
{
    struct caba_form *f = xcalloc(1, sizeof *f);
    const uint64_t granule = UINT64_C(1) << m->il->shift;
    f->il = *m->il;
    f->base = m->memory_base;
    f->end = m->memory_base + m->memory_range;
    f->first = interleave_locate(m->il, m->memory_base).local & ~(granule - 1);
    f->shift = (uint32_t)__builtin_ctzll((uint64_t)m->mc->block_bytes);
    const uint64_t blocks = (m->memory_range / m->channels + 4 * granule) >> f->shift;
    block_sizes_init(&f->bytes, blocks);
    block_sizes_init(&f->algorithms, blocks);
    block_sizes_init(&f->known, blocks);
    block_sizes_init(&f->both, is_on ? blocks : 0);
    block_sizes_init(&f->raw, blocks);
    block_sizes_init(&f->reads, blocks);
    f->is_on = is_on;
    f->is_raw_only = is_raw_only;
    if (is_on) {
        f->region_shift = (uint32_t)__builtin_ctzll(region);
        f->region_both = xcalloc((m->memory_range >> f->region_shift) + 2, 1);
        f->region_coded = xcalloc((m->memory_range >> f->region_shift) + 2, 1);
    }
    return f;
}

void caba_form_free(struct caba_form *f)
{
    if (!f)
        return;
    block_sizes_free(&f->bytes);
    block_sizes_free(&f->algorithms);
    block_sizes_free(&f->known);
    block_sizes_free(&f->both);
    block_sizes_free(&f->raw);
    block_sizes_free(&f->reads);
    free(f->region_both);
    free(f->region_coded);
    free(f);
}

static bool is_here(const struct caba_form *f, addr_t line)
{
    return line >= f->base && line < f->end;
}

static uint64_t number(const struct caba_form *f, addr_t line)
{
    return (interleave_locate(&f->il, line).local - f->first) >> f->shift;
}

static uint64_t region_of(const struct caba_form *f, addr_t line)
{
    return (line - f->base) >> f->region_shift;
}

/* That of line number `i`. */
static struct line_form form_of(const struct caba_form *f, uint64_t i, uint16_t bytes)
{
    const bool is_tagged = bytes && f->has_algorithms;
    return (struct line_form){.bytes = bytes,
                              .algorithm =
                                  is_tagged ? block_size_get(&f->algorithms, i) : (uint8_t)0,
                              .reads = bytes ? (uint8_t)0 : block_size_get(&f->reads, i)};
}

static bool is_opened(const struct caba_form *f, uint64_t i)
{
    return f->raw_after_use && block_size_get(&f->raw, i);
}

static void set(struct caba_form *f, addr_t line, struct line_form form)
{
    uint64_t i = number(f, line);
    if (f->codec)
        *block_size_at(&f->known, i) = true;
    *block_size_at(&f->bytes, i) = (uint8_t)form.bytes;
    f->has_algorithms |= form.algorithm != 0;
    if (f->has_algorithms)
        *block_size_at(&f->algorithms, i) = form.algorithm;
}

void caba_form_encode_untouched(struct caba_form *f, const struct line_codecs *codec,
                                struct cmem *memory)
{
    f->codec = codec;
    f->memory = memory;
}

/* It is raw, and beside that in this form. */
static void set_both(struct caba_form *f, addr_t line, struct line_form form)
{
    set(f, line, form);
    *block_size_at(&f->bytes, number(f, line)) = 0;
    *block_size_at(&f->both, number(f, line)) = (uint8_t)form.bytes;
    if (form.bytes)
        f->region_both[region_of(f, line)] = true;
}

/* A line that nobody has written gets its form, or both. */
static void touch(struct caba_form *f, addr_t line, uint64_t i)
{
    if (!f->codec || block_size_get(&f->known, i))
        return;
    if (f->is_on) {
        set_both(f, line, line_codecs_form_as(f->codec, 0, line));
        return;
    }
    const struct line_form form = line_codecs_form(f->codec, line);
    set(f, line, form);
    if (form.bytes)
        cmem_tell(f->memory, interleave_locate(&f->il, line).local, form.bytes);
}

/* A line of which memory has both forms comes in the one that who decides for all lines says; to be
 * changed by an atomic it comes raw. */
static struct line_form look(const void *self, addr_t line, bool is_in_l2, enum mem_kind kind)
{
    const struct caba_form *f = self;
    if (!is_here(f, line))
        return (struct line_form){0};
    const uint64_t i = number(f, line);
    touch((struct caba_form *)self, line, i); /* pure but for what it keeps of the first time */
    uint16_t bytes = block_size_get(&f->bytes, i);
    if (is_in_l2 && is_opened(f, i))
        bytes = 0;
    const uint8_t both = !is_in_l2 && f->is_on ? block_size_get(&f->both, i) : 0;
    if (both)
        bytes = kind != MEM_ATOMIC && *f->is_on ? both : 0;
    return form_of(f, i, bytes);
}

static void store(void *self, addr_t line, struct line_form form)
{
    struct caba_form *f = self;
    if (!is_here(f, line))
        return;
    const bool is_opened_now = !form.bytes && block_size_get(&f->bytes, number(f, line));
    f->stats.opened += is_opened_now;
    f->stats.encoded_again += form.bytes && block_size_get(&f->reads, number(f, line));
    ++*(form.bytes ? &f->stats.stored_encoded : &f->stats.stored_raw);
    set(f, line, form);
    block_size_forget(&f->raw, number(f, line));
    block_size_forget(&f->reads, number(f, line));
    if ((is_opened_now || form.reads) && f->counts_reads)
        *block_size_at(&f->reads, number(f, line)) = 1;
    if (!f->is_on)
        return;
    *block_size_at(&f->both, number(f, line)) = 0;
    if (form.bytes)
        f->region_coded[region_of(f, line)] = true;
}

/* A line lies in the L2 as in memory. */
static bool has_one_form(const struct caba_form *f)
{
    return !f->is_on && !f->raw_after_use;
}

/* No other form of it holds any more: it is opened. */
static void drop_both(struct caba_form *f, uint64_t i)
{
    if (!f->is_on || !block_size_get(&f->both, i))
        return;
    *block_size_at(&f->both, i) = *block_size_at(&f->bytes, i) = 0;
    if (f->counts_reads)
        *block_size_at(&f->reads, i) = 1;
}

static void enter(void *self, addr_t line, enum line_entry why)
{
    struct caba_form *f = self;
    if (has_one_form(f) || !is_here(f, line))
        return;
    const uint64_t i = number(f, line);
    if (why == LINE_READ && f->is_on && block_size_get(&f->both, i))
        *block_size_at(&f->bytes, i) = (uint8_t)look(f, line, false, MEM_READ).bytes;
    if (why == LINE_CHANGED)
        drop_both(f, i);
    block_size_forget(&f->raw, i);
}

/* Not while who decides for all lines has switched encoding off. */
static void count_read(struct caba_form *f, addr_t line)
{
    if ((f->is_on && !*f->is_on) || !is_here(f, line) ||
        !block_size_get(&f->reads, number(f, line)))
        return;
    uint8_t *reads = block_size_at(&f->reads, number(f, line));
    *reads = (uint8_t)(*reads + (*reads < UINT8_MAX));
}

void caba_form_count_reads(struct caba_form *f)
{
    f->counts_reads = true;
}

/* What is dirty goes to memory as the slice has it. */
static void read_once(void *self, addr_t line, bool is_dirty)
{
    struct caba_form *f = self;
    if (f->counts_reads)
        count_read(f, line);
    if (!f->raw_after_use || !look(f, line, true, MEM_READ).bytes)
        return;
    if (is_dirty)
        store(f, line, (struct line_form){0});
    else
        *block_size_at(&f->raw, number(f, line)) = true;
}

static bool change(void *self, addr_t line)
{
    struct caba_form *f = self;
    if (is_here(f, line) && block_size_get(&f->reads, number(f, line)))
        *block_size_at(&f->reads, number(f, line)) = 1;
    if (has_one_form(f) || !is_here(f, line))
        return false;
    const uint64_t i = number(f, line);
    drop_both(f, i);
    if (!is_opened(f, i))
        return false;
    store(f, line, (struct line_form){0});
    return true;
}

static bool is_stale(const void *self, addr_t line)
{
    const struct caba_form *f = self;
    return f->is_on && *f->is_raw_only && is_here(f, line) &&
           block_size_get(&f->both, number(f, line));
}

void caba_form_host_both(struct caba_form *f, addr_t line, struct line_form form)
{
    ++*(form.bytes ? &f->stats.host_encoded : &f->stats.host_raw);
    set_both(f, line, form);
}

bool caba_form_is_mixed(const void *self, addr_t line)
{
    const struct caba_form *f = self;
    if (!is_here(f, line))
        return false;
    const uint64_t r = region_of(f, line);
    return f->region_coded[r] || (*f->is_on && f->region_both[r]);
}

void caba_form_host(struct caba_form *f, addr_t line, struct line_form form)
{
    ++*(form.bytes ? &f->stats.host_encoded : &f->stats.host_raw);
    set(f, line, form);
}

struct form_policy caba_form_policy(struct caba_form *f, bool is_raw_after_use)
{
    f->raw_after_use = is_raw_after_use;
    return (struct form_policy){look, enter, read_once, change, store, is_stale, f};
}

const struct caba_form_stats *caba_form_stats(const struct caba_form *f)
{
    return &f->stats;
}
