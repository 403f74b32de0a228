/* The file: a magic line, then records of 64-bit words and bytes in the host's order, each of one
 * launch; a record that begins with 0 is the end; behind it a sum of all bytes before. */
#include "gpu/checkpoint.h"

#include "base/file.h"
#include "base/outfile.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

static const char magic[16] = "parsim-launch-2\n";
enum { PAGE = 4096, MARK = 0x4c, INVALID_VALUE = 1 };
#define WRITTEN UINT64_C(1) /* the lowest bit of a line's address */

/* An allocation as it was. */
struct shadow {
    uint64_t serial;
    const char *now;
    uint64_t bytes;
    char *was;
};

struct checkpoint {
    char *path;
    struct outfile *out; /* NULL: it is read, or whole */
    char *data;          /* of one that is read */
    size_t len, at;
    bool is_resumed;
    uint64_t launches, hash, sum;
    VEC(struct shadow) shadows;
    VEC(uint64_t) lines;
};

/* --- memory --- */

static uint64_t hash_bytes(uint64_t h, const char *p, uint64_t n)
{
    const uint64_t k = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t w;
    for (; n >= 8; p += 8, n -= 8) {
        memcpy(&w, p, 8);
        h = (h ^ w) * k;
        h ^= h >> 29;
    }
    for (; n; n--)
        h = (h ^ (unsigned char)*p++) * k;
    return h;
}

/* The same however the bytes come (FNV-1a). */
static uint64_t sum_bytes(uint64_t h, const void *p, size_t n)
{
    for (const unsigned char *b = p; n; n--)
        h = (h ^ *b++) * UINT64_C(0x100000001b3);
    return h;
}

static bool hash_alloc(const struct mem_alloc *a, void *arg)
{
    uint64_t *h = arg;
    *h = hash_bytes(*h ^ a->serial, devmem_ptr(a->base), a->bytes);
    return true;
}

static uint64_t hash_memory(const struct device *d)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    devmem_each(d->mem, hash_alloc, &h);
    return h;
}

static bool keep_alloc(const struct mem_alloc *a, void *arg)
{
    struct checkpoint *c = arg;
    struct shadow s = {a->serial, devmem_ptr(a->base), a->bytes, xmalloc(a->bytes + 1)};
    memcpy(s.was, s.now, s.bytes);
    vec_push(&c->shadows, s);
    return true;
}

static void drop_shadows(struct checkpoint *c)
{
    for (size_t i = 0; i < c->shadows.len; i++)
        free(c->shadows.data[i].was);
    c->shadows.len = 0;
}

struct finding {
    uint64_t serial;
    const struct mem_alloc *found;
};

static bool is_it(const struct mem_alloc *a, void *arg)
{
    struct finding *f = arg;
    if (a->serial == f->serial)
        f->found = a;
    return !f->found;
}

static bool count_one(const struct mem_alloc *a, void *arg)
{
    (void)a;
    ++*(size_t *)arg;
    return true;
}

/* --- writing --- */

static void put_bytes(struct checkpoint *c, const void *p, size_t n)
{
    c->sum = sum_bytes(c->sum, p, n);
    fwrite(p, n, 1, outfile_stream(c->out));
}

struct checkpoint *checkpoint_create(const char *path, struct err *err)
{
    struct outfile *o = outfile_open(path, err);
    if (!o)
        return NULL;
    struct checkpoint *c = xcalloc(1, sizeof *c);
    c->path = xstrdup(path);
    c->out = o;
    put_bytes(c, magic, sizeof magic);
    return c;
}

static void put(struct checkpoint *c, uint64_t v)
{
    put_bytes(c, &v, sizeof v);
}

void checkpoint_touched(struct checkpoint *c, addr_t line, bool is_write)
{
    vec_push(&c->lines, line | (is_write ? WRITTEN : 0));
}

void checkpoint_before(struct checkpoint *c, const struct device *d)
{
    c->hash = hash_memory(d);
    c->lines.len = 0;
    devmem_each(d->mem, keep_alloc, c);
}

/* Pages that differ from what they were: serial, place, length, bytes; a 0 behind the last. */
static void put_changes(struct checkpoint *c)
{
    for (size_t i = 0; i < c->shadows.len; i++) {
        const struct shadow *s = &c->shadows.data[i];
        for (uint64_t at = 0; at < s->bytes; at += PAGE) {
            const uint64_t n = s->bytes - at < PAGE ? s->bytes - at : PAGE;
            if (!memcmp(s->was + at, s->now + at, n))
                continue;
            put(c, s->serial);
            put(c, at);
            put(c, n);
            put_bytes(c, s->now + at, n);
        }
    }
    put(c, 0);
}

static void put_shape(struct checkpoint *c, const struct launch *l, const char *name)
{
    put(c, strlen(name));
    put_bytes(c, name, strlen(name));
    for (unsigned i = 0; i < 3; i++) {
        put(c, l->grid[i]);
        put(c, l->block[i]);
    }
    put(c, hash_bytes(l->dynamic_shared_bytes, l->params, l->kernel->src->param_bytes));
}

bool checkpoint_after(struct checkpoint *c, const struct device *d, const struct launch *l,
                      const struct launch_result *result, struct err *err)
{
    const char *name = l->kernel->src->name;
    size_t n = 0;
    devmem_each(d->mem, count_one, &n);
    if (n != c->shadows.len) {
        drop_shadows(c);
        return err_set_code(
            err, INVALID_VALUE,
            "--checkpoint: kernel %s allocates or frees device memory itself, which a "
            "checkpoint cannot hold",
            name);
    }
    put(c, MARK);
    put_shape(c, l, name);
    put(c, c->hash);
    put(c, result->warp_inst);
    put(c, result->thread_inst);
    put(c, result->ctas);
    put_changes(c);
    put(c, c->lines.len);
    put_bytes(c, c->lines.data, sizeof *c->lines.data * c->lines.len);
    drop_shadows(c);
    c->launches++;
    return true;
}

bool checkpoint_end(struct checkpoint *c, struct err *err)
{
    if (!c->out)
        return true;
    put(c, 0);
    put(c, c->sum);
    struct outfile *o = c->out;
    c->out = NULL;
    return outfile_close(o, err);
}

/* --- reading --- */

static bool is_whole(const struct checkpoint *c)
{
    uint64_t sum;
    if (c->len < sizeof magic + sizeof sum)
        return false;
    memcpy(&sum, c->data + c->len - sizeof sum, sizeof sum);
    return sum == sum_bytes(0, c->data, c->len - sizeof sum);
}

struct checkpoint *checkpoint_open(const char *path, struct err *err)
{
    struct checkpoint *c = xcalloc(1, sizeof *c);
    c->path = xstrdup(path);
    c->data = file_read_max(path, UINT64_MAX, &c->len, err);
    c->is_resumed = true;
    c->at = sizeof magic;
    const bool is_one = c->data && c->len >= sizeof magic && !memcmp(c->data, magic, sizeof magic);
    if (is_one && is_whole(c))
        return c;
    if (is_one)
        err_set(err, "--resume %s: the file is damaged: its bytes have another sum", path);
    else if (c->data)
        err_set(err, "--resume %s: is no checkpoint of this version", path);
    checkpoint_free(c);
    return NULL;
}

static const char *take_bytes(struct checkpoint *c, uint64_t n)
{
    if (n > c->len - c->at)
        return NULL;
    c->at += n;
    return c->data + c->at - n;
}

static uint64_t take(struct checkpoint *c, bool *ok)
{
    uint64_t v = 0;
    const char *p = take_bytes(c, sizeof v);
    if (p)
        memcpy(&v, p, sizeof v);
    *ok = *ok && p;
    return v;
}

bool checkpoint_has_more(const struct checkpoint *c)
{
    uint64_t mark = 0;
    if (c->is_resumed && c->len - c->at >= sizeof mark)
        memcpy(&mark, c->data + c->at, sizeof mark);
    return mark == MARK;
}

static bool is_damaged(const struct checkpoint *c, struct err *err)
{
    return err_set_code(err, INVALID_VALUE, "--resume %s: the file is damaged at byte %zu", c->path,
                        c->at);
}

static bool check_shape(struct checkpoint *c, const struct launch *l, struct err *err)
{
    bool ok = true, is_same = true;
    const char *name = l->kernel->src->name;
    const uint64_t len = take(c, &ok);
    const char *was = take_bytes(c, len);
    ok = ok && was;
    is_same = ok && len == strlen(name) && !memcmp(was, name, len);
    for (unsigned i = 0; i < 3; i++) {
        is_same = take(c, &ok) == l->grid[i] && is_same;
        is_same = take(c, &ok) == l->block[i] && is_same;
    }
    is_same = take(c, &ok) ==
                  hash_bytes(l->dynamic_shared_bytes, l->params, l->kernel->src->param_bytes) &&
              is_same;
    if (!ok)
        return is_damaged(c, err);
    return is_same ||
           err_set_code(err, INVALID_VALUE,
                        "--resume %s: launch %llu is of kernel %.*s or another shape or parameters "
                        "there, and of %s here: the program does something else",
                        c->path, (unsigned long long)c->launches + 1, (int)(len < 200 ? len : 200),
                        was, name);
}

static bool apply_changes(struct checkpoint *c, const struct device *d, struct err *err)
{
    bool ok = true;
    for (uint64_t serial; (serial = take(c, &ok)) && ok;) {
        struct finding f = {serial, NULL};
        const uint64_t at = take(c, &ok), n = take(c, &ok);
        const char *bytes = ok ? take_bytes(c, n) : NULL;
        devmem_each(d->mem, is_it, &f);
        if (!bytes || !f.found || at > f.found->bytes || n > f.found->bytes - at)
            return is_damaged(c, err);
        memcpy((char *)devmem_ptr(f.found->base) + at, bytes, n);
    }
    return ok || is_damaged(c, err);
}

bool checkpoint_replay(struct checkpoint *c, struct device *d, const struct launch *l,
                       struct launch_result *result,
                       void (*touched)(void *ctx, addr_t line, bool is_write), void *ctx,
                       struct err *err)
{
    bool ok = true;
    memset(result, 0, sizeof *result);
    take(c, &ok);
    if (!ok || !check_shape(c, l, err))
        return ok ? false : is_damaged(c, err);
    if (take(c, &ok) != hash_memory(d))
        return err_set_code(
            err, INVALID_VALUE,
            "--resume %s: device memory before launch %llu (kernel %s) is not what it "
            "was: the program has copied something else",
            c->path, (unsigned long long)c->launches + 1, l->kernel->src->name);
    result->warp_inst = take(c, &ok);
    result->thread_inst = take(c, &ok);
    result->ctas = take(c, &ok);
    if (!apply_changes(c, d, err))
        return false;
    const uint64_t n = take(c, &ok);
    const char *lines = ok && n <= c->len / sizeof n ? take_bytes(c, n * sizeof n) : NULL;
    if (!lines)
        return is_damaged(c, err);
    for (uint64_t i = 0, line; i < n; i++) {
        memcpy(&line, lines + i * sizeof line, sizeof line);
        touched(ctx, line & ~WRITTEN, line & WRITTEN);
    }
    d->grid_count++;
    c->launches++;
    return true;
}

bool checkpoint_is_resumed(const struct checkpoint *c)
{
    return c->is_resumed;
}

void checkpoint_free(struct checkpoint *c)
{
    if (!c)
        return;
    outfile_discard(c->out);
    drop_shadows(c);
    vec_free(&c->shadows);
    vec_free(&c->lines);
    free(c->data);
    free(c->path);
    free(c);
}
