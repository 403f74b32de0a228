/* The file: a head, then for each SM the number of its lives and the lives, 8 bytes each, in the
 * host's order of bytes. A line's address has its low bits free for the map. */
#include "tech/filter/replay.h"

#include "base/file.h"

#include <stdlib.h>
#include <string.h>

enum { MAP = 0xf, BEGINS = 0x10, LOW = 0x1f };

static const char magic[8] = "psmaps1\n";

struct head {
    char magic[8];
    struct replay_shape shape;
};

static addr_t line_of(uint64_t life)
{
    return life & ~(uint64_t)LOW;
}

/* --- the record --- */

void replay_note_begin(struct replay_notes *n, addr_t line, uint16_t need)
{
    vec_push(&n->all, line | BEGINS | need);
}

void replay_note_used(struct replay_notes *n, addr_t line, uint16_t used)
{
    vec_push(&n->all, line | used);
}

void replay_notes_free(struct replay_notes *n)
{
    vec_free(&n->all);
}

struct note {
    uint64_t what;
    size_t number;
};

static int by_line(const void *a, const void *b)
{
    const struct note *x = a, *y = b;
    if (line_of(x->what) != line_of(y->what))
        return line_of(x->what) < line_of(y->what) ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* Notes become lives, in their place. One whose begin was before the record begins with a note. */
static void join_notes(struct replay_notes *n)
{
    const size_t len = n->all.len;
    struct note *notes = xcalloc(len + 1, sizeof *notes);
    for (size_t i = 0; i < len; i++)
        notes[i] = (struct note){n->all.data[i], i};
    qsort(notes, len, sizeof *notes, by_line);
    n->all.len = 0;
    for (size_t i = 0; i < len; i++) {
        const uint64_t what = notes[i].what & ~(uint64_t)BEGINS;
        const bool is_new =
            (notes[i].what & BEGINS) || !n->all.len || line_of(vec_last(&n->all)) != line_of(what);
        if (is_new)
            vec_push(&n->all, what);
        else
            vec_last(&n->all) |= what & MAP;
    }
    free(notes);
}

bool replay_write(const char *path, const struct replay_shape *shape,
                  struct replay_notes *const *notes, struct err *err)
{
    struct head head = {.shape = *shape};
    VEC(char) out = {0};
    memcpy(head.magic, magic, sizeof magic);
    size_t bytes = sizeof head;
    for (uint32_t i = 0; i < shape->sms; i++) {
        join_notes(notes[i]);
        bytes += (1 + notes[i]->all.len) * sizeof(uint64_t);
    }
    vec_reserve(&out, bytes);
    memcpy(out.data, &head, sizeof head);
    out.len = sizeof head;
    for (uint32_t i = 0; i < shape->sms; i++) {
        const uint64_t n = notes[i]->all.len;
        memcpy(out.data + out.len, &n, sizeof n);
        if (n)
            memcpy(out.data + out.len + sizeof n, notes[i]->all.data, n * sizeof n);
        out.len += (1 + n) * sizeof n;
    }
    const bool ok = file_write(path, out.data, out.len, err);
    vec_free(&out);
    return ok;
}

/* --- the replay --- */

/* How many lives are of lines before this one. */
static size_t count_before(const struct replay_lives *l, addr_t line)
{
    size_t from = 0, to = l->n;
    while (from < to) {
        const size_t mid = from + (to - from) / 2;
        if (line_of(l->at[mid]) < line)
            from = mid + 1;
        else
            to = mid;
    }
    return from;
}

/* The first of the line's lives; `n`: it has none. */
static size_t first_of(const struct replay_lives *l, addr_t line)
{
    const size_t i = count_before(l, line);
    return i < l->n && line_of(l->at[i]) == line ? i : l->n;
}

/* Of the life that is so many after the line's first one, or of its last. */
static uint16_t map_of(const struct replay_lives *l, size_t first, uint32_t number)
{
    const addr_t line = line_of(l->at[first]);
    const size_t i = first + number;
    const bool is_there = i < l->n && line_of(l->at[i]) == line;
    return l->at[is_there ? i : count_before(l, line + LOW + 1) - 1] & MAP;
}

uint16_t replay_map(const struct replay *r, uint32_t sm, addr_t line)
{
    const size_t own = first_of(&r->sm[sm], line);
    if (own < r->sm[sm].n)
        return map_of(&r->sm[sm], own, r->begun[sm][own]);
    const size_t any = first_of(&r->any, line);
    return any < r->any.n ? map_of(&r->any, any, 0) : 0;
}

void replay_begin(struct replay *r, uint32_t sm, addr_t line)
{
    const size_t own = first_of(&r->sm[sm], line);
    if (own < r->sm[sm].n)
        r->begun[sm][own]++;
}

/* --- opening --- */

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Every line once, with what was read in any of its lives. */
static void join_lives(struct replay *r, size_t lives)
{
    uint64_t *at = xcalloc(lives + 1, sizeof *at);
    size_t n = 0, kept = 0;
    for (uint32_t i = 0; i < r->shape.sms; i++) {
        if (r->sm[i].n)
            memcpy(at + n, r->sm[i].at, r->sm[i].n * sizeof *at);
        n += r->sm[i].n;
    }
    qsort(at, n, sizeof *at, by_value);
    for (size_t i = 0; i < n; i++) {
        if (kept && line_of(at[kept - 1]) == line_of(at[i]))
            at[kept - 1] |= at[i];
        else
            at[kept++] = at[i];
    }
    r->any = (struct replay_lives){at, kept};
}

/* Lines of the machine, in order, each with a map. */
static bool are_lives(const struct replay_lives *l, const struct replay_shape *shape)
{
    const uint64_t all = (UINT64_C(1) << (shape->line_bytes / shape->sector_bytes)) - 1;
    bool ok = true;
    for (size_t i = 0; i < l->n && ok; i++) {
        const uint64_t map = l->at[i] & (shape->line_bytes - 1);
        ok = map && map <= all && (!i || line_of(l->at[i - 1]) <= line_of(l->at[i]));
    }
    return ok;
}

/* Of one SM, from `data`, which has `len` bytes left; how many they took, 0: they are none. */
static size_t take_lives(struct replay *r, uint32_t sm, const char *data, size_t len)
{
    struct replay_lives *l = &r->sm[sm];
    uint64_t n;
    if (len < sizeof n)
        return 0;
    memcpy(&n, data, sizeof n);
    if (n > len / sizeof n - 1)
        return 0;
    *l = (struct replay_lives){xcalloc(n + 1, sizeof n), n};
    memcpy(l->at, data + sizeof n, n * sizeof n);
    r->begun[sm] = xcalloc(n + 1, sizeof **r->begun);
    return are_lives(l, &r->shape) ? (1 + n) * sizeof n : 0;
}

static bool check_head(const char *path, const struct head *h, bool is_whole,
                       const struct replay_shape *shape, struct err *err)
{
    if (!is_whole || memcmp(h->magic, magic, sizeof magic))
        return err_set(err, "%s: not a record of maps (filter.record writes one)", path);
    return !memcmp(&h->shape, shape, sizeof *shape) ||
           err_set(err,
                   "%s: recorded with %u SMs, lines of %u bytes and sub-blocks of %u; this machine "
                   "has %u, %u and %u",
                   path, h->shape.sms, h->shape.line_bytes, h->shape.sector_bytes, shape->sms,
                   shape->line_bytes, shape->sector_bytes);
}

/* All that is behind the head. */
static bool take_all(struct replay *r, const char *path, const char *data, size_t len,
                     struct err *err)
{
    size_t at = sizeof(struct head), lives = 0;
    for (uint32_t i = 0; i < r->shape.sms; i++) {
        const size_t taken = take_lives(r, i, data + at, len - at);
        if (!taken)
            return err_set(err, "%s: a record of maps with wrong lives of SM %u", path, i);
        at += taken;
        lives += r->sm[i].n;
    }
    if (at != len)
        return err_set(err, "%s: a record of maps with %zu bytes too many", path, len - at);
    join_lives(r, lives);
    return true;
}

struct replay *replay_open(const char *path, const struct replay_shape *shape, struct err *err)
{
    size_t len;
    struct head head = {{0}, {0}};
    char *data = file_read(path, &len, err);
    if (!data)
        return NULL;
    memcpy(&head, data, len < sizeof head ? len : sizeof head);
    struct replay *r = NULL;
    if (check_head(path, &head, len >= sizeof head, shape, err)) {
        r = xcalloc(1, sizeof *r);
        r->shape = *shape;
        r->sm = xcalloc(shape->sms, sizeof *r->sm);
        r->begun = xcalloc(shape->sms, sizeof *r->begun);
        if (!take_all(r, path, data, len, err)) {
            replay_close(r);
            r = NULL;
        }
    }
    free(data);
    return r;
}

void replay_close(struct replay *r)
{
    if (!r)
        return;
    for (uint32_t i = 0; i < r->shape.sms; i++) {
        free(r->sm[i].at);
        free(r->begun[i]);
    }
    free(r->any.at);
    free(r->sm);
    free(r->begun);
    free(r);
}
