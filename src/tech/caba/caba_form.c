/* Bytes by line: how long it is in memory, by which algorithm, whether the L2 has it raw or both
 * forms are there. */
#include "tech/caba/caba_form.h"

#include "tech/block_sizes.h"

#include <stdlib.h>

/* What is asked of every line that is looked up: two bytes, so that all of a program's lines are
 * few lines of the host's caches. */
struct note {
    uint8_t bytes;
    bool is_known : 1;  /* it has a form for some reason; others get one when they are touched
                           first, unless `codec` is NULL */
    bool is_opened : 1; /* the L2 has a copy that is raw, clean, though memory has the line encoded
                         */
    uint8_t algorithm : 6;
};
static_assert(LINE_CODECS <= 1 << 6, "an algorithm has six bits");

enum { PAGE_BITS = 12 };

struct caba_form {
    struct interleave il;
    addr_t base, end, first; /* device memory; its first channel-local address */
    uint32_t shift;          /* a line's */
    bool counts_reads;
    bool raw_after_use;  /* once an encoded line was read, the L2 has it raw */
    struct note **pages; /* made when they are written */
    uint64_t npages;
    struct block_sizes both;  /* with both forms: of what is there encoded, too, and nobody has
                                 changed; 0: no */
    struct block_sizes reads; /* of a line that was opened, since then, and 1; 0: it was not */
    const struct line_codecs *codec;
    struct cmem *memory;
    const bool *is_on, *is_raw_only; /* with both forms */
    /* by region, whether any line has both, and any that an SM has encoded */
    uint8_t *region_both, *region_coded;
    uint32_t region_shift;
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
    f->npages = (blocks >> PAGE_BITS) + 1;
    f->pages = xcalloc(f->npages, sizeof *f->pages);
    block_sizes_init(&f->both, is_on ? blocks : 0);
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
    for (uint64_t i = 0; i < f->npages; i++)
        free(f->pages[i]);
    free(f->pages);
    block_sizes_free(&f->both);
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

/* What is known of the line; takes no memory. */
static const struct note *note_of(const struct caba_form *f, addr_t line)
{
    static const struct note nothing;
    const uint64_t i = number(f, line);
    assert_often(i >> PAGE_BITS < f->npages);
    const struct note *page = f->pages[i >> PAGE_BITS];
    return page ? &page[i & ((1u << PAGE_BITS) - 1)] : &nothing;
}

/* Where it is kept. */
static struct note *note_at(struct caba_form *f, addr_t line)
{
    const uint64_t i = number(f, line);
    assert_often(i >> PAGE_BITS < f->npages);
    struct note **page = &f->pages[i >> PAGE_BITS];
    if (!*page)
        *page = xcalloc(1u << PAGE_BITS, sizeof **page);
    return &(*page)[i & ((1u << PAGE_BITS) - 1)];
}

static uint64_t region_of(const struct caba_form *f, addr_t line)
{
    return (line - f->base) >> f->region_shift;
}

/* Of a line with so many bytes. */
static struct line_form form_of(const struct caba_form *f, addr_t line, const struct note *n,
                                uint16_t bytes)
{
    if (bytes)
        return (struct line_form){.bytes = bytes, .algorithm = n->algorithm};
    return (struct line_form){.reads = block_size_get(&f->reads, number(f, line))};
}

static bool is_opened(const struct caba_form *f, const struct note *n)
{
    return f->raw_after_use && n->is_opened;
}

static void set(struct note *n, struct line_form form)
{
    n->is_known = true;
    n->bytes = (uint8_t)form.bytes;
    n->algorithm = form.algorithm & 0x3f;
}

void caba_form_encode_untouched(struct caba_form *f, const struct line_codecs *codec,
                                struct cmem *memory)
{
    f->codec = codec;
    f->memory = memory;
}

/* With both forms. */
static uint8_t both_of(const struct caba_form *f, addr_t line)
{
    return block_size_get(&f->both, number(f, line));
}

static uint8_t reads_of(const struct caba_form *f, addr_t line)
{
    return block_size_get(&f->reads, number(f, line));
}

static void set_reads(struct caba_form *f, addr_t line, uint8_t reads)
{
    if (reads || reads_of(f, line))
        *block_size_at(&f->reads, number(f, line)) = reads;
}

/* It is raw, and beside that in this form. */
static void set_both(struct caba_form *f, struct note *n, addr_t line, struct line_form form)
{
    set(n, form);
    n->bytes = 0;
    *block_size_at(&f->both, number(f, line)) = (uint8_t)form.bytes;
    if (form.bytes)
        f->region_both[region_of(f, line)] = true;
}

/* A line that nobody has written gets its form, or both. */
static void touch(struct caba_form *f, addr_t line)
{
    struct note *n = note_at(f, line);
    if (f->is_on) {
        set_both(f, n, line, line_codecs_form_as(f->codec, 0, line));
        return;
    }
    const struct line_form form = line_codecs_form(f->codec, line);
    set(n, form);
    if (form.bytes)
        cmem_tell(f->memory, interleave_locate(&f->il, line).local, form.bytes);
}

/* A line of which memory has both forms comes in the one that who decides for all lines says; to be
 * changed by an atomic it comes raw. Pure but for what it keeps of the first time. */
static struct line_form look(const void *self, addr_t line, bool is_in_l2, enum mem_kind kind)
{
    const struct caba_form *f = self;
    if (!is_here(f, line))
        return (struct line_form){0};
    const struct note *n = note_of(f, line);
    if (UNLIKELY(f->codec && !n->is_known)) {
        touch((struct caba_form *)self, line);
        n = note_of(f, line);
    }
    uint16_t bytes = n->bytes;
    if (is_in_l2 && is_opened(f, n))
        bytes = 0;
    const uint8_t both = !is_in_l2 && f->is_on ? both_of(f, line) : 0;
    if (both)
        bytes = kind != MEM_ATOMIC && *f->is_on ? both : 0;
    return form_of(f, line, n, bytes);
}

static void store(void *self, addr_t line, struct line_form form)
{
    struct caba_form *f = self;
    if (!is_here(f, line))
        return;
    struct note *n = note_at(f, line);
    const bool is_opened_now = !form.bytes && n->bytes;
    f->stats.opened += is_opened_now;
    f->stats.encoded_again += form.bytes && reads_of(f, line);
    ++*(form.bytes ? &f->stats.stored_encoded : &f->stats.stored_raw);
    set(n, form);
    n->is_opened = false;
    set_reads(f, line, (is_opened_now || form.reads) && f->counts_reads);
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
static void drop_both(struct caba_form *f, addr_t line, struct note *n)
{
    if (!f->is_on || !both_of(f, line))
        return;
    *block_size_at(&f->both, number(f, line)) = n->bytes = 0;
    if (f->counts_reads)
        set_reads(f, line, 1);
}

static void enter(void *self, addr_t line, enum line_entry why)
{
    struct caba_form *f = self;
    if (has_one_form(f) || !is_here(f, line))
        return;
    struct note *n = note_at(f, line);
    if (why == LINE_READ && f->is_on && both_of(f, line))
        n->bytes = (uint8_t)look(f, line, false, MEM_READ).bytes;
    if (why == LINE_CHANGED)
        drop_both(f, line, n);
    n->is_opened = false;
}

/* Not while who decides for all lines has switched encoding off. */
static void count_read(struct caba_form *f, addr_t line)
{
    const bool is_off = f->is_on && !*f->is_on;
    const uint8_t reads = is_off || !is_here(f, line) ? 0 : reads_of(f, line);
    if (reads && reads < UINT8_MAX)
        set_reads(f, line, (uint8_t)(reads + 1));
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
        note_at(f, line)->is_opened = true;
}

static bool change(void *self, addr_t line)
{
    struct caba_form *f = self;
    if (is_here(f, line) && reads_of(f, line))
        set_reads(f, line, 1);
    if (has_one_form(f) || !is_here(f, line))
        return false;
    struct note *n = note_at(f, line);
    drop_both(f, line, n);
    if (!is_opened(f, n))
        return false;
    store(f, line, (struct line_form){0});
    return true;
}

static bool is_stale(const void *self, addr_t line)
{
    const struct caba_form *f = self;
    return f->is_on && *f->is_raw_only && is_here(f, line) && both_of(f, line);
}

void caba_form_host_both(struct caba_form *f, addr_t line, struct line_form form)
{
    ++*(form.bytes ? &f->stats.host_encoded : &f->stats.host_raw);
    set_both(f, note_at(f, line), line, form);
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
    set(note_at(f, line), form);
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
