/* Outputs: their hash, their distance from the CPU reference, their bytes as files. */
#include "wl_int.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

/* 64-bit multiply-and-rotate over words; the tail is padded with zeros and the length goes in, so
 * that arrays of different sizes differ. */
uint64_t wl_hash(uint64_t h, const void *data, size_t bytes)
{
    const uint8_t *p = data;
    h ^= bytes * 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t v = 0;
        memcpy(&v, p + i, bytes - i < 8 ? bytes - i : 8);
        h = (h ^ v) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return h;
}

static double element(const void *data, enum wl_type type, size_t i)
{
    switch (type) {
    case WL_U8:
        return ((const uint8_t *)data)[i];
    case WL_U16:
        return ((const uint16_t *)data)[i];
    case WL_I32:
        return ((const int32_t *)data)[i];
    case WL_U32:
        return ((const uint32_t *)data)[i];
    case WL_F32:
        return ((const float *)data)[i];
    case WL_U64:
        return (double)((const uint64_t *)data)[i];
    case WL_F64:
        return ((const double *)data)[i];
    }
    return NAN;
}

void wl_describe_wrong(struct wl_verdict *v, const struct wl_array *a, size_t i, const void *right,
                       const char *whose)
{
    snprintf(v->first, sizeof v->first, "%s[%zu] is %.9g, %s has %.9g", a->name, i,
             element(a->data, a->type, i), whose, element(right, a->type, i));
}

static void note_wrong(struct wl_verdict *v, const struct wl_array *a, size_t i)
{
    if (!v->wrong++)
        wl_describe_wrong(v, a, i, a->expect, "the CPU");
    v->ok = false;
}

/* Whether `diff`, the distance from `r` of an element whose bits differ, is within the bound. */
static bool is_near(const struct workload *wl, enum wl_type type, double diff, double r)
{
    if (type == WL_U8)
        return diff <= wl->byte_tol;
    if (type != WL_F32 && type != WL_F64)
        return false;
    if (wl->abs_tol == 0 && wl->rel_tol == 0)
        return false;
    return diff <= wl->abs_tol + wl->rel_tol * fabs(r); /* false for a NaN */
}

static void compare_array(const struct wl *w, const struct wl_array *a, struct wl_verdict *v)
{
    const struct workload *wl = w->row->workload;
    size_t bytes = wl_bytes(a) / a->count;
    for (size_t i = 0; i < a->count; i++) {
        if (!memcmp((char *)a->data + i * bytes, (char *)a->expect + i * bytes, bytes))
            continue;
        v->is_equal = false;
        double x = element(a->data, a->type, i), r = element(a->expect, a->type, i);
        double diff = fabs(x - r);
        if (diff > v->max_abs)
            v->max_abs = diff;
        if (r != 0 && diff / fabs(r) > v->max_rel)
            v->max_rel = diff / fabs(r);
        if (!is_near(wl, a->type, diff, r))
            note_wrong(v, a, i);
    }
}

struct wl_verdict wl_compare(const struct wl *w)
{
    struct wl_verdict v = {.ok = true, .is_equal = true};
    for (unsigned i = 0; i < w->narrays; i++)
        if (w->arrays[i]->role & WL_OUTPUT)
            compare_array(w, w->arrays[i], &v);
    return v;
}

static void dump_file(const struct wl *w, const char *dir, const struct wl_array *a,
                      const char *kind, const void *data)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%s.%s.bin", dir, w->row->name, a->name, kind);
    FILE *f = fopen(path, "wb");
    if (!f)
        wl_die(w, "cannot write %s: %s", path, strerror(errno));
    bool ok = fwrite(data, 1, wl_bytes(a), f) == wl_bytes(a);
    if (fclose(f) || !ok)
        wl_die(w, "cannot write %s: %s", path, strerror(errno));
}

/* Scratch has no host copy: what the run left of it is fetched for the dump. */
static void dump_scratch(struct wl *w, const char *dir, const struct wl_array *a)
{
    void *data = wl_alloc(w, wl_bytes(a), 1);
    wl_read(w, a->dev, data, wl_bytes(a));
    dump_file(w, dir, a, "left", data);
}

void wl_dump(struct wl *w, const char *dir)
{
    if (mkdir(dir, 0777) && errno != EEXIST)
        wl_die(w, "cannot make the folder %s: %s", dir, strerror(errno));
    for (unsigned i = 0; i < w->narrays; i++) {
        const struct wl_array *a = w->arrays[i];
        if (a->role & WL_INPUT)
            dump_file(w, dir, a, "in", a->initial ? a->initial : a->data);
        if (a->role & WL_OUTPUT)
            dump_file(w, dir, a, "out", a->data);
        if (a->precise)
            dump_file(w, dir, a, "precise", a->precise);
        if (a->role == WL_SCRATCH && w->has_device)
            dump_scratch(w, dir, a);
    }
}
