/* Which memory a kernel fills, by what it has done in the first part of its grid. */
#include "exec/pages_ahead.h"

#include "base/fresh_blocks.h"
#include "base/pages.h"

#include <unistd.h>

#define AHEAD_FROM (UINT64_C(8) << 20)

enum {
    FIRST_PART = 64,   /* of the grid, which has to have so many blocks */
    FILLS_PART = 2,    /* of the pages are touched if things go on like that */
    MEMORY_PART = 2,   /* of the host's free memory is the largest allocation looked at */
    LEAST_STRETCH = 8, /* pages; what is written in smaller ones is not filled in order */
};

/* Pages of a block that are there; all of them, if nobody can tell. */
static unsigned pages_there(addr_t block)
{
    bool is_in[BLOCK_BYTES / PAGE_BYTES];
    _Static_assert(BLOCK_BYTES / PAGE_BYTES <= PAGES_AT_ONCE, "a block is looked at as one");
    unsigned n = 0;
    if (!pages_in_memory(devmem_ptr(block), BLOCK_BYTES / PAGE_BYTES, is_in))
        return BLOCK_BYTES / PAGE_BYTES;
    for (unsigned i = 0; i < BLOCK_BYTES / PAGE_BYTES; i++)
        n += is_in[i];
    return n;
}

static uint64_t pages_absent(const struct fill_range *r)
{
    uint64_t n = 0;
    for (addr_t at = r->at; at < r->end; at += BLOCK_BYTES)
        n += BLOCK_BYTES / PAGE_BYTES - pages_there(at);
    return n;
}

static uint64_t host_memory_free(void)
{
    const long n = sysconf(_SC_AVPHYS_PAGES);
    return n > 0 ? (uint64_t)n * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

struct search {
    struct pages_ahead *ahead;
    uint64_t since, last; /* serials */
    uint64_t most;        /* bytes */
};

static bool consider(const struct mem_alloc *a, void *arg)
{
    struct search *s = arg;
    struct pages_ahead *p = s->ahead;
    s->last = a->serial > s->last ? a->serial : s->last;
    if (a->serial <= s->since || a->kind != MEM_DEVICE || a->bytes < AHEAD_FROM ||
        a->bytes > s->most || p->n == PAGES_AHEAD_RANGES)
        return true;
    struct fill_range r = {.at = align_up(a->base, BLOCK_BYTES),
                           .end = (a->base + a->bytes) & ~(addr_t)(BLOCK_BYTES - 1)};
    r.absent = r.at < r.end ? pages_absent(&r) : 0;
    if (r.absent * PAGE_BYTES >= AHEAD_FROM)
        p->range[p->n++] = r;
    return true;
}

void pages_ahead_begin(struct pages_ahead *p, const struct devmem *m, uint64_t total,
                       struct pages_seen *seen)
{
    *p = (struct pages_ahead){.total = total, .next = UINT64_MAX};
    if (total < FIRST_PART || seen->epoch == devmem_epoch(m))
        return;
    struct search s = {p, seen->serial, seen->serial, host_memory_free() / MEMORY_PART};
    devmem_each(m, consider, &s);
    *seen = (struct pages_seen){s.last, devmem_epoch(m)};
    if (p->n)
        p->next = total / FIRST_PART;
}

static bool is_being_filled(const struct pages_ahead *p, const struct fill_range *r, uint64_t done)
{
    const double touched = (double)(r->absent - pages_absent(r));
    return touched * (double)p->total >= (double)r->absent / FILLS_PART * (double)done;
}

/* Pages that are to be made, which follow each other. */
struct stretch {
    addr_t at;
    uint64_t pages;
};

/* False: this host cannot. */
static bool make_stretch(struct stretch *s)
{
    bool can = true;
    while (can && s->pages) {
        const uint64_t in_block = (BLOCK_BYTES - s->at % BLOCK_BYTES) / PAGE_BYTES;
        const uint64_t n = s->pages < in_block ? s->pages : in_block;
        can = n * PAGE_BYTES == BLOCK_BYTES ? fresh_block_make(devmem_ptr(s->at))
                                            : fresh_pages_make(devmem_ptr(s->at), n * PAGE_BYTES);
        s->at += n * PAGE_BYTES;
        s->pages -= n;
    }
    return can;
}

/* But for its middle, which will tell whether the kernel gets there. */
static bool make_but_middle(struct fill_range *r, struct stretch *s)
{
    struct stretch first = {s->at, s->pages / 2}, second = {0};
    if (s->pages >= LEAST_STRETCH && r->nleft < PAGES_LEFT) {
        const addr_t middle = s->at + first.pages * PAGE_BYTES;
        r->left[r->nleft++] = middle;
        second = (struct stretch){middle + PAGE_BYTES, s->pages - first.pages - 1};
    } else {
        first.pages = s->pages;
    }
    s->pages = 0;
    return make_stretch(&first) && make_stretch(&second);
}

/* Whether most of the pages that were left out are there now. */
static bool was_followed(const struct fill_range *r)
{
    unsigned n = 0;
    for (unsigned i = 0; i < r->nleft; i++) {
        bool is_in;
        n += pages_in_memory(devmem_ptr(r->left[i]), 1, &is_in) && is_in;
    }
    return 2 * n >= r->nleft;
}

/* Where a kernel fills memory: behind each stretch of pages that are there, as many again, `most`
 * at most in all. */
struct front {
    struct fill_range *range;
    uint64_t there; /* pages that follow each other, up to here */
    uint64_t more;  /* to be made behind them */
    uint64_t most;
    struct stretch next;
};

static bool front_page(struct front *f, addr_t at, bool is_in)
{
    if (is_in) {
        f->there++;
        f->more = f->there < LEAST_STRETCH ? 0 : f->there < f->most ? f->there : f->most;
        return !f->next.pages || make_but_middle(f->range, &f->next);
    }
    f->there = 0;
    if (f->more) {
        f->next.at = f->next.pages++ ? f->next.at : at;
        f->more--;
        f->most--;
    }
    return f->more || !f->next.pages || make_but_middle(f->range, &f->next);
}

/* False: this host cannot. */
static bool make_pages(struct fill_range *r, uint64_t most)
{
    bool is_in[BLOCK_BYTES / PAGE_BYTES];
    struct front f = {.range = r, .most = most};
    r->nleft = 0;
    for (addr_t block = r->at; block < r->end && f.most; block += BLOCK_BYTES) {
        if (!pages_in_memory(devmem_ptr(block), BLOCK_BYTES / PAGE_BYTES, is_in))
            return false;
        for (unsigned i = 0; i < BLOCK_BYTES / PAGE_BYTES; i++)
            if (!front_page(&f, block + (addr_t)i * PAGE_BYTES, is_in[i]))
                return false;
    }
    return !f.next.pages || make_but_middle(r, &f.next);
}

void pages_ahead_make(struct pages_ahead *p, uint64_t done)
{
    const bool is_first = p->next == p->total / FIRST_PART;
    bool goes_on = false;
    for (unsigned i = 0; i < p->n; i++) {
        struct fill_range *r = &p->range[i];
        r->is_filled = is_first ? is_being_filled(p, r, done) : r->is_filled && was_followed(r);
        const double pages = (double)r->absent * (double)done / (double)p->total;
        r->is_filled = r->is_filled && make_pages(r, (uint64_t)pages);
        goes_on |= r->is_filled;
    }
    p->next = goes_on && done < p->total / 2 ? 2 * done : UINT64_MAX;
}
