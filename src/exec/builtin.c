/* vprintf field by field, as C has it, and the other functions that the runtime gives. */
#include "exec/builtin_int.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* One lane's bytes at a generic address. */
static bool read_generic(struct warp *w, const struct xinst *x, unsigned lane, addr_t addr,
                         void *to, unsigned bytes)
{
    addr_t a[WARP_LANES];
    char buf[WARP_LANES][8];
    a[lane] = addr;
    if (!warp_load(w, x, PTX_SPACE_GENERIC, a, bytes, buf, 8, UINT32_C(1) << lane))
        return false;
    memcpy(to, buf[lane], bytes);
    return true;
}

static bool read_string(struct warp *w, const struct xinst *x, unsigned lane, addr_t addr, char *to,
                        size_t len)
{
    for (size_t i = 0; i + 1 < len; i++) {
        if (!read_generic(w, x, lane, addr + i, &to[i], 1))
            return false;
        if (!to[i])
            return true;
    }
    to[len - 1] = 0;
    return true;
}

/* --- printf --- */

/* The host's printf makes room for as many characters as a conversion asks for. */
enum { MAX_FIELD = 4096 };

struct spec {
    char text[32]; /* %..., with the length modifiers removed */
    size_t len;
    char conv;
    bool is_long; /* ll, l, z, j, t: 64 bits */
    int stars;
    uint64_t field; /* the larger of width and precision, as far as the text has them */
};

/* A width or precision: digits or a star. False if it is longer than any that makes sense. */
static bool parse_field(const char **p, struct spec *s)
{
    uint64_t n = 0;
    size_t from = s->len;
    if (**p == '*') {
        s->stars++;
        s->text[s->len++] = *(*p)++;
        return true;
    }
    for (; isdigit((unsigned char)**p) && s->len < from + 10;
         n = n * 10 + (uint64_t)(*(*p)++ - '0'))
        s->text[s->len++] = **p;
    s->field = n > s->field ? n : s->field;
    return !isdigit((unsigned char)**p);
}

/* Parses the conversion at *p (just behind the %); false if it is not one. */
static bool parse_spec(const char **p, struct spec *s)
{
    memset(s, 0, sizeof *s);
    s->text[s->len++] = '%';
    while (**p && strchr("-+ #0", **p))
        if (!memchr(s->text, *(*p)++, s->len))
            s->text[s->len++] = (*p)[-1];
    if (!parse_field(p, s))
        return false;
    if (**p == '.') {
        s->text[s->len++] = *(*p)++;
        if (!parse_field(p, s))
            return false;
    }
    while (**p && strchr("hlLqjzt", **p))
        s->is_long |= *(*p)++ != 'h';
    s->conv = **p;
    if (!s->conv || !strchr("diouxXcsfFeEgGaAp", s->conv))
        return false;
    ++*p;
    if (strchr("diouxX", s->conv) && s->is_long) {
        s->text[s->len++] = 'l';
        s->text[s->len++] = 'l';
    }
    s->text[s->len++] = s->conv;
    return true;
}

struct printer {
    struct warp *w;
    const struct xinst *x;
    unsigned lane;
    addr_t args;
    uint64_t off;
    FILE *out;
};

static bool next_arg(struct printer *pr, unsigned bytes, void *to)
{
    pr->off = align_up(pr->off, bytes);
    bool ok = read_generic(pr->w, pr->x, pr->lane, pr->args + pr->off, to, bytes);
    pr->off += bytes;
    return ok;
}

/* The format is the program's own; its text was checked by parse_spec(). */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"

#define PRINT(value)                                               \
    (s->stars == 0   ? fprintf(pr->out, s->text, (value))          \
     : s->stars == 1 ? fprintf(pr->out, s->text, star[0], (value)) \
                     : fprintf(pr->out, s->text, star[0], star[1], (value)))

static bool print_spec(struct printer *pr, const struct spec *s)
{
    int star[2] = {0};
    uint64_t field = s->field;
    for (int i = 0; i < s->stars; i++) {
        if (!next_arg(pr, 4, &star[i]))
            return false;
        const uint64_t n = (uint64_t)(star[i] < 0 ? -(int64_t)star[i] : star[i]);
        field = n > field ? n : field;
    }
    if (field > MAX_FIELD)
        return warp_fault(pr->w, pr->x, pr->lane, FAULT_LAUNCH_FAILED,
                          "printf with a width or precision of %llu; the limit is %d",
                          (unsigned long long)field, MAX_FIELD);
    uint64_t v = 0;
    bool is_float = strchr("fFeEgGaA", s->conv) != NULL;
    bool is_wide = is_float || s->conv == 's' || s->conv == 'p' || s->is_long;
    if (!next_arg(pr, is_wide ? 8 : 4, &v))
        return false;
    if (is_float) {
        double d;
        memcpy(&d, &v, 8);
        PRINT(d);
    } else if (s->conv == 's') {
        char text[4096];
        if (!read_string(pr->w, pr->x, pr->lane, v, text, sizeof text))
            return false;
        PRINT(text);
    } else if (s->conv == 'p') {
        PRINT((void *)(uintptr_t)v);
    } else if (is_wide) {
        PRINT((unsigned long long)v);
    } else {
        PRINT((unsigned)v);
    }
    return true;
}
#pragma GCC diagnostic pop

/* Returns the number of conversions printed, as CUDA's printf does, or -1 after a fault. */
static int print_format(struct printer *pr, const char *fmt)
{
    int count = 0;
    while (*fmt) {
        const char *from = fmt;
        if (*fmt++ != '%') {
            fputc(*from, pr->out);
            continue;
        }
        if (*fmt == '%') {
            fputc(*fmt++, pr->out);
            continue;
        }
        struct spec s;
        if (!parse_spec(&fmt, &s)) {
            fmt += *fmt != 0;
            fwrite(from, 1, (size_t)(fmt - from), pr->out);
            continue;
        }
        if (!print_spec(pr, &s))
            return -1;
        count++;
    }
    return count;
}

static bool builtin_vprintf(struct warp *w, const struct xinst *x, uint32_t mask)
{
    FOR_LANES (l, mask) {
        char fmt[4096];
        struct printer pr = {
            .w = w, .x = x, .lane = l, .args = arg_u64(w, x, 1, l), .out = w->grid->dev->out};
        if (!read_string(w, x, l, arg_u64(w, x, 0, l), fmt, sizeof fmt))
            return false;
        int n = print_format(&pr, fmt);
        if (n < 0)
            return false;
        return_u64(w, x, l, (uint64_t)n);
    }
    return true;
}

/* __assertfail(message, file, line, function, char size) */
static bool builtin_assertfail(struct warp *w, const struct xinst *x, uint32_t mask)
{
    FILE *out = stderr;
    char text[3][1024];
    const uint32_t *b = w->cta->ctaid, *dim = w->grid->launch->block;
    fflush(w->grid->dev->out);
    FOR_LANES (l, mask) {
        uint32_t t = w->first_thread + l;
        if (!read_string(w, x, l, arg_u64(w, x, 0, l), text[0], sizeof text[0]) ||
            !read_string(w, x, l, arg_u64(w, x, 1, l), text[1], sizeof text[1]) ||
            !read_string(w, x, l, arg_u64(w, x, 3, l), text[2], sizeof text[2]))
            return false;
        fprintf(out, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
                text[1], (unsigned)arg_u64(w, x, 2, l), text[2], b[0], b[1], b[2], t % dim[0],
                t / dim[0] % dim[1], t / dim[0] / dim[1], text[0]);
    }
    return warp_fault(w, x, (unsigned)__builtin_ctz(mask), FAULT_ASSERT,
                      "assertion `%.200s` failed", text[0]);
}

/* --- malloc and free on the device --- */

/* What an allocation takes of the heap: whole units, and what is kept to find it again. */
static uint64_t heap_cost(uint64_t bytes)
{
    enum { UNIT = 16, HEADER = 64 };
    return align_up(bytes, UNIT) + HEADER;
}

addr_t builtin_heap_alloc(struct device *d, uint64_t bytes, uint64_t align)
{
    const uint64_t left =
        d->heap_used_bytes < d->heap_limit_bytes ? d->heap_limit_bytes - d->heap_used_bytes : 0;
    if (!bytes || bytes > left || heap_cost(bytes) > left)
        return 0;
    const struct mem_alloc *m = devmem_alloc(d->mem, bytes, align, MEM_HEAP, NULL);
    if (!m)
        return 0;
    d->heap_used_bytes += heap_cost(bytes);
    return m->base;
}

bool builtin_heap_free(struct device *d, addr_t p)
{
    const struct mem_alloc *m = devmem_find(d->mem, p, 1);
    if (!m || m->base != p || m->kind != MEM_HEAP)
        return false;
    d->heap_used_bytes -= heap_cost(m->bytes);
    return devmem_release(d->mem, p);
}

static bool builtin_malloc(struct warp *w, const struct xinst *x, uint32_t mask)
{
    FOR_LANES (l, mask)
        return_u64(w, x, l, builtin_heap_alloc(w->grid->dev, arg_u64(w, x, 0, l), 16));
    return true;
}

static bool builtin_free(struct warp *w, const struct xinst *x, uint32_t mask)
{
    FOR_LANES (l, mask) {
        addr_t p = arg_u64(w, x, 0, l);
        if (p && !builtin_heap_free(w->grid->dev, p))
            return warp_fault(w, x, l, FAULT_ILLEGAL_ADDRESS,
                              "free of 0x%llx, which malloc did not return or was freed before",
                              (unsigned long long)p);
    }
    return true;
}

/* cudaGraphSetConditional(handle, value): the handle is the address of the word that the graph's
 * conditional node asks. */
static bool builtin_set_conditional(struct warp *w, const struct xinst *x, uint32_t mask)
{
    FOR_LANES (l, mask) {
        addr_t handle = arg_u64(w, x, 0, l);
        uint32_t value = (uint32_t)arg_u64(w, x, 1, l);
        const struct mem_alloc *m = devmem_find(w->grid->dev->mem, handle, sizeof value);
        if (!m || m->is_readonly)
            return warp_fault(w, x, l, FAULT_ILLEGAL_ADDRESS, "0x%llx is no conditional handle",
                              (unsigned long long)handle);
        memcpy(devmem_ptr(handle), &value, sizeof value);
    }
    return true;
}

static const struct {
    const char *name;
    warp_fn fn;
} builtins[] = {
    {"vprintf", builtin_vprintf},
    {"__assertfail", builtin_assertfail},
    {"malloc", builtin_malloc},
    {"free", builtin_free},
    {"cudaGraphSetConditional", builtin_set_conditional},
};

warp_fn builtin_find(const char *name)
{
    for (unsigned i = 0; i < ARRAY_LEN(builtins); i++)
        if (!strcmp(name, builtins[i].name))
            return builtins[i].fn;
    return builtin_find_cdp(name);
}
