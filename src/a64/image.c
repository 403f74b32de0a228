/* Pages of a guest: made when they are touched, found by a small table or by the mappings. */
#include "a64/image.h"

#include "a64/code.h"

#include <stdlib.h>
#include <string.h>

enum { LEVEL_BITS = 12, LEVEL = 1 << LEVEL_BITS };

static uint64_t page_of(uint64_t addr)
{
    return addr & -(uint64_t)IMAGE_PAGE;
}

static struct image_tlb *slot(struct image_tlb *tlb, uint64_t addr)
{
    return &tlb[addr >> IMAGE_PAGE_BITS & (IMAGE_TLB - 1)];
}

static void forget_all(struct image *m)
{
    for (unsigned i = 0; i < IMAGE_TLB; i++)
        m->read[i].page = m->write[i].page = m->exec[i].page = 1;
}

struct image *image_new(uint64_t limit)
{
    struct image *m = xcalloc(1, sizeof *m);
    m->limit = limit;
    m->root = xcalloc(LEVEL, sizeof *m->root);
    forget_all(m);
    return m;
}

/* --- the table of pages --- */

/* Memory of the host for the guest, within the limit; NULL: no more. */
static void *take(struct image *m, size_t bytes)
{
    if (m->bytes + bytes > m->limit)
        return NULL;
    void *p = calloc(1, bytes);
    m->bytes += p ? bytes : 0;
    return p;
}

static void give(struct image *m, void *p, size_t bytes)
{
    m->bytes -= p ? bytes : 0;
    free(p);
}

/* The entry of a page; with `make`, the tables on the way to it too. */
static struct image_page *entry(struct image *m, uint64_t addr, bool make)
{
    void **top = &m->root[addr >> (IMAGE_PAGE_BITS + 2 * LEVEL_BITS)];
    if (!*top && make)
        *top = take(m, LEVEL * sizeof(void *));
    if (!*top)
        return NULL;
    void **middle = &((void **)*top)[addr >> (IMAGE_PAGE_BITS + LEVEL_BITS) & (LEVEL - 1)];
    if (!*middle && make)
        *middle = take(m, LEVEL * sizeof(struct image_page));
    struct image_page *leaf = *middle;
    return leaf ? &leaf[addr >> IMAGE_PAGE_BITS & (LEVEL - 1)] : NULL;
}

static void drop_page(struct image *m, struct image_page *p)
{
    m->pages -= p->data != NULL;
    give(m, p->data, IMAGE_PAGE);
    give(m, p->code, sizeof *p->code);
    *p = (struct image_page){0};
}

/* How far it is to the end of the table at `level` (0: a page) that `addr` is in. */
static uint64_t step_over(uint64_t addr, unsigned level)
{
    const uint64_t bytes = UINT64_C(1) << (IMAGE_PAGE_BITS + level * LEVEL_BITS);
    return bytes - (addr & (bytes - 1));
}

/* Calls fn for every page of the range that has been made; tables that are not there are skipped.
 */
static void each_page(struct image *m, uint64_t start, uint64_t end,
                      void (*fn)(struct image *m, struct image_page *p))
{
    while (start < end) {
        void **top = m->root[start >> (IMAGE_PAGE_BITS + 2 * LEVEL_BITS)];
        struct image_page *p = top ? entry(m, start, false) : NULL;
        if (p && p->data)
            fn(m, p);
        start += step_over(start, !top ? 2 : !p ? 1 : 0);
    }
}

void image_free(struct image *m)
{
    if (!m)
        return;
    each_page(m, 0, IMAGE_END, drop_page);
    for (unsigned i = 0; i < LEVEL; i++) {
        void **top = m->root[i];
        for (unsigned k = 0; top && k < LEVEL; k++)
            free(top[k]);
        free(top);
    }
    free(m->root);
    vec_free(&m->mappings);
    free(m);
}

/* --- mappings --- */

/* The first mapping that ends above `addr`. */
static size_t first_above(const struct image *m, uint64_t addr)
{
    size_t low = 0, high = m->mappings.len;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (m->mappings.data[middle].end <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const struct image_mapping *mapping_of(const struct image *m, uint64_t addr)
{
    const size_t i = first_above(m, addr);
    return i < m->mappings.len && m->mappings.data[i].start <= addr ? &m->mappings.data[i] : NULL;
}

static void insert(struct image *m, size_t at, struct image_mapping new)
{
    vec_push(&m->mappings, new);
    struct image_mapping *to = m->mappings.data + at;
    memmove(to + 1, to, (m->mappings.len - 1 - at) * sizeof *to);
    *to = new;
}

static void take_out(struct image *m, size_t at, size_t n)
{
    struct image_mapping *from = m->mappings.data + at;
    memmove(from, from + n, (m->mappings.len - at - n) * sizeof *from);
    m->mappings.len -= n;
}

/* Cuts mappings in two where a range begins or ends. */
static void cut_at(struct image *m, uint64_t addr)
{
    const size_t i = first_above(m, addr);
    if (i == m->mappings.len || m->mappings.data[i].start >= addr)
        return;
    struct image_mapping left = m->mappings.data[i];
    left.end = addr;
    m->mappings.data[i].start = addr;
    insert(m, i, left);
}

/* Two cuts and one new mapping are always possible after this. */
static bool may_change(const struct image *m, uint64_t addr, uint64_t len)
{
    return len && addr < IMAGE_END && len <= IMAGE_END - addr &&
           m->mappings.len + 3 <= IMAGE_MAPPINGS_MAX;
}

/* Neighbours of the same protection in or beside the range become one. */
static void join(struct image *m, uint64_t addr, uint64_t end)
{
    size_t i = first_above(m, addr ? addr - 1 : 0);
    while (i + 1 < m->mappings.len && m->mappings.data[i].start <= end) {
        struct image_mapping *a = &m->mappings.data[i];
        if (a->end == a[1].start && a->prot == a[1].prot) {
            a->end = a[1].end;
            take_out(m, i + 1, 1);
        } else {
            i++;
        }
    }
}

bool image_unmap(struct image *m, uint64_t addr, uint64_t len)
{
    if (!may_change(m, addr, len))
        return false;
    const uint64_t end = addr + len;
    cut_at(m, addr);
    cut_at(m, end);
    const size_t first = first_above(m, addr);
    size_t last = first;
    for (; last < m->mappings.len && m->mappings.data[last].start < end; last++)
        each_page(m, m->mappings.data[last].start, m->mappings.data[last].end, drop_page);
    if (last > first)
        take_out(m, first, last - first);
    forget_all(m);
    return true;
}

bool image_map(struct image *m, uint64_t addr, uint64_t len, unsigned prot)
{
    if (!image_unmap(m, addr, len))
        return false;
    insert(m, first_above(m, addr),
           (struct image_mapping){.start = addr, .end = addr + len, .prot = prot});
    join(m, addr, addr + len);
    return true;
}

static bool is_all_mapped(const struct image *m, uint64_t addr, uint64_t end)
{
    for (size_t i = first_above(m, addr); addr < end; i++) {
        if (i == m->mappings.len || m->mappings.data[i].start > addr)
            return false;
        addr = m->mappings.data[i].end;
    }
    return true;
}

/* What was decoded may not be executed any more, or may be written now. */
static void drop_code(struct image *m, struct image_page *p)
{
    give(m, p->code, sizeof *p->code);
    p->code = NULL;
}

bool image_protect(struct image *m, uint64_t addr, uint64_t len, unsigned prot)
{
    if (!may_change(m, addr, len) || !is_all_mapped(m, addr, addr + len))
        return false;
    const uint64_t end = addr + len;
    cut_at(m, addr);
    cut_at(m, end);
    for (size_t i = first_above(m, addr); i < m->mappings.len && m->mappings.data[i].start < end;
         i++)
        m->mappings.data[i].prot = prot;
    each_page(m, addr, end, drop_code);
    join(m, addr, end);
    forget_all(m);
    return true;
}

bool image_prot(const struct image *m, uint64_t addr, uint64_t len, unsigned *prot)
{
    const struct image_mapping *at = addr < IMAGE_END ? mapping_of(m, addr) : NULL;
    *prot = at ? at->prot : 0;
    return at && len <= at->end - addr;
}

bool image_move(struct image *m, uint64_t from, uint64_t to, uint64_t len)
{
    bool is_moved = true;
    for (uint64_t done = 0; done < len; done += IMAGE_PAGE) {
        struct image_page *old = entry(m, from + done, false);
        struct image_page *new = old && old->data ? entry(m, to + done, true) : NULL;
        if (old && old->data && !new)
            is_moved = false;
        if (!new)
            continue;
        drop_code(m, old);
        *new = *old;
        *old = (struct image_page){0};
    }
    return image_unmap(m, from, len) && is_moved;
}

bool image_is_free(const struct image *m, uint64_t addr, uint64_t len)
{
    const size_t i = first_above(m, addr);
    return addr < IMAGE_END && len <= IMAGE_END - addr &&
           (i == m->mappings.len || m->mappings.data[i].start >= addr + len);
}

uint64_t image_find_room(const struct image *m, uint64_t len, uint64_t below)
{
    for (size_t i = m->mappings.len; i-- > 0;) {
        const struct image_mapping *at = &m->mappings.data[i];
        if (at->end <= below && below - at->end >= len)
            return below - len;
        below = at->start < below ? at->start : below;
    }
    return below > len && below - len >= 65536 ? below - len : 0;
}

/* --- accesses --- */

static bool refuse(struct image *m, uint64_t addr, unsigned wanted, bool is_mapped, bool is_full)
{
    m->fault = (struct image_fault){
        .addr = addr, .wanted = wanted, .is_mapped = is_mapped, .is_out_of_memory = is_full};
    return false;
}

/* The page of an address, made if it is new; wanted 0: whatever its protection. */
static struct image_page *touch(struct image *m, uint64_t addr, unsigned wanted)
{
    const struct image_mapping *at = mapping_of(m, addr);
    if (!at || (at->prot & wanted) != wanted) {
        refuse(m, addr, wanted, at != NULL, false);
        return NULL;
    }
    struct image_page *p = entry(m, addr, true);
    if (p && !p->data) {
        p->data = take(m, IMAGE_PAGE);
        m->pages += p->data != NULL;
    }
    if (p && p->data)
        return p;
    refuse(m, addr, wanted, true, true);
    return NULL;
}

/* Instructions that were decoded from these bytes are decoded anew. */
static void change_code(struct a64_code *code, uint64_t offset, uint64_t len)
{
    a64_code_forget(code, (unsigned)(offset / 4), (unsigned)((offset + len - 1) / 4));
}

uint8_t *image_span(struct image *m, uint64_t addr, uint64_t *len, unsigned wanted)
{
    addr = image_untag(addr);
    const uint64_t offset = addr & (IMAGE_PAGE - 1);
    struct image_page *p = touch(m, addr, wanted);
    if (!p)
        return NULL;
    if (*len > IMAGE_PAGE - offset)
        *len = IMAGE_PAGE - offset;
    if (wanted & IMAGE_W && p->code)
        change_code(p->code, offset, *len);
    if (wanted == IMAGE_R)
        *slot(m->read, addr) = (struct image_tlb){.page = page_of(addr), .host = p->data};
    if (wanted == IMAGE_W && !p->code)
        *slot(m->write, addr) = (struct image_tlb){.page = page_of(addr), .host = p->data};
    return p->data + offset;
}

/* All pages of an access are looked at before the first byte is written. */
static bool is_allowed(struct image *m, uint64_t addr, uint64_t len, unsigned wanted)
{
    for (uint64_t done = 0; done < len;) {
        uint64_t n = len - done;
        const uint64_t in_page = IMAGE_PAGE - ((addr + done) & (IMAGE_PAGE - 1));
        if (!touch(m, image_untag(addr + done), wanted))
            return false;
        done += n < in_page ? n : in_page;
    }
    return true;
}

static bool copy_in(struct image *m, uint64_t addr, const void *from, uint64_t len, unsigned wanted)
{
    if (!is_allowed(m, addr, len, wanted))
        return false;
    for (uint64_t done = 0; done < len;) {
        uint64_t n = len - done;
        uint8_t *to = image_span(m, addr + done, &n, wanted);
        memcpy(to, (const uint8_t *)from + done, n);
        const struct image_page *p = entry(m, image_untag(addr + done), false);
        if (p->code)
            change_code(p->code, (addr + done) & (IMAGE_PAGE - 1), n);
        done += n;
    }
    return true;
}

static bool copy_out(struct image *m, uint64_t addr, void *to, uint64_t len, unsigned wanted)
{
    for (uint64_t done = 0; done < len;) {
        uint64_t n = len - done;
        const uint8_t *from = image_span(m, addr + done, &n, wanted);
        if (!from)
            return false;
        memcpy((uint8_t *)to + done, from, n);
        done += n;
    }
    return true;
}

bool image_read(struct image *m, uint64_t addr, void *to, uint64_t len)
{
    return copy_out(m, addr, to, len, IMAGE_R);
}

bool image_write(struct image *m, uint64_t addr, const void *from, uint64_t len)
{
    return copy_in(m, addr, from, len, IMAGE_W);
}

bool image_put(struct image *m, uint64_t addr, const void *from, uint64_t len)
{
    return copy_in(m, addr, from, len, 0);
}

bool image_peek(struct image *m, uint64_t addr, void *to, uint64_t len)
{
    return copy_out(m, addr, to, len, 0);
}

struct a64_code *image_code(struct image *m, uint64_t addr)
{
    struct image_page *p = touch(m, addr, IMAGE_X);
    if (!p)
        return NULL;
    if (!p->code) {
        p->code = take(m, sizeof *p->code);
        if (!p->code) {
            refuse(m, addr, IMAGE_X, true, true);
            return NULL;
        }
        a64_code_start(p->code, page_of(addr));
        slot(m->write, addr)->page = 1; /* whoever writes here has to say so */
    }
    *slot(m->exec, addr) = (struct image_tlb){.page = page_of(addr), .host = (uint8_t *)p->code};
    return p->code;
}
