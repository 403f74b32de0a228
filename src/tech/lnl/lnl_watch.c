/* Records of stores: files of them, two of them beside each other. */
#include "tech/lnl/lnl_watch.h"

#include "base/file.h"
#include "base/outfile.h"
#include "ptx/isa.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char magic[8] = "lnlwatch";

static int by_key(const void *a, const void *b)
{
    const struct lnl_stored *x = a, *y = b;
    const uint64_t p[] = {x->kernel, x->launch, x->block, x->thread, x->pc, x->visit, x->element};
    const uint64_t q[] = {y->kernel, y->launch, y->block, y->thread, y->pc, y->visit, y->element};
    for (unsigned k = 0; k < ARRAY_LEN(p); k++)
        if (p[k] != q[k])
            return p[k] < q[k] ? -1 : 1;
    return 0;
}

uint64_t lnl_watched_hash(const char *kernel)
{
    uint64_t h = UINT64_C(0xCBF29CE484222325); /* FNV-1a */
    for (; *kernel; kernel++)
        h = (h ^ (uint8_t)*kernel) * UINT64_C(0x100000001B3);
    return h;
}

bool lnl_watched_has(const struct lnl_watched *w, const char *kernel)
{
    const uint64_t hash = lnl_watched_hash(kernel);
    for (size_t i = 0; i < w->at.len; i++)
        if (w->at.data[i].kernel == hash)
            return true;
    return false;
}

bool lnl_watched_write(struct lnl_watched *w, const char *path, struct err *err)
{
    struct outfile *o = outfile_open(path, err);
    if (!o)
        return false;
    if (w->at.len)
        qsort(w->at.data, w->at.len, sizeof *w->at.data, by_key);
    fwrite(magic, 1, sizeof magic, outfile_stream(o));
    fwrite(w->at.data, sizeof *w->at.data, w->at.len, outfile_stream(o));
    return outfile_close(o, err);
}

bool lnl_watched_read(struct lnl_watched *w, const char *path, struct err *err)
{
    size_t len;
    char *bytes = file_read(path, &len, err);
    *w = (struct lnl_watched){0};
    if (!bytes)
        return false;
    const size_t n = len < sizeof magic ? 1 : len - sizeof magic;
    const bool ok = n % sizeof *w->at.data == 0 && !memcmp(bytes, magic, sizeof magic);
    if (ok) {
        vec_reserve(&w->at, n / sizeof *w->at.data + 1);
        memcpy(w->at.data, bytes + sizeof magic, n);
        w->at.len = n / sizeof *w->at.data;
    }
    free(bytes);
    return ok || err_set(err, "%s: no list of stores", path);
}

void lnl_watched_free(struct lnl_watched *w)
{
    vec_free(&w->at);
}

static double value_of(const struct lnl_stored *s)
{
    const enum ptx_type t = (enum ptx_type)s->type;
    const unsigned up = ptx_type_bits(t) < 32 ? 32 - ptx_type_bits(t) : 0;
    float f;
    memcpy(&f, &s->word, sizeof f);
    return ptx_type_is_float(t)    ? (double)f
           : ptx_type_is_signed(t) ? (double)((int32_t)(s->word << up) >> up)
                                   : (double)(s->word << up >> up);
}

struct lnl_tolerance lnl_watched_compare(const struct lnl_watched *precise,
                                         const struct lnl_watched *perturbed)
{
    struct lnl_tolerance t = {0};
    double squares = 0, magnitude = 0;
    size_t i = 0, k = 0;
    while (i < precise->at.len || k < perturbed->at.len) {
        const struct lnl_stored *a = i < precise->at.len ? &precise->at.data[i] : NULL;
        const struct lnl_stored *b = k < perturbed->at.len ? &perturbed->at.data[k] : NULL;
        const int order = !a ? 1 : !b ? -1 : by_key(a, b);
        i += order <= 0;
        k += order >= 0;
        if (order) {
            t.missing++;
            continue;
        }
        const double d = value_of(b) - value_of(a);
        t.stores++;
        t.moved += a->addr != b->addr;
        squares += isfinite(d) ? d * d : 0;
        magnitude += isfinite(d) ? fabs(value_of(a)) : 0;
        if (isfinite(value_of(a)) != isfinite(value_of(b)))
            squares = INFINITY;
    }
    if (squares > 0)
        t.error = magnitude > 0 ? sqrt(squares / (double)t.stores) / (magnitude / (double)t.stores)
                                : INFINITY;
    return t;
}
