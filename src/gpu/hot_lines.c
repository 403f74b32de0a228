/* Instructions gathered by line: of the CUDA program where it is known, or of the PTX. */
#include "gpu/hot.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/strmap.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

typedef VEC(struct hot_line) line_list;

static int by_time(const void *pa, const void *pb)
{
    const struct hot_line *a = pa, *b = pb;
    const uint64_t na = hot_samples(&a->counts), nb = hot_samples(&b->counts);
    if (na != nb)
        return na > nb ? -1 : 1;
    if (a->counts.inst != b->counts.inst)
        return a->counts.inst > b->counts.inst ? -1 : 1;
    const int order = strcmp(a->file, b->file);
    return order ? order : a->line < b->line ? -1 : a->line > b->line;
}

static void add_inst(line_list *v, struct strmap *map, struct arena *keys, const struct hot_func *f,
                     const struct hot_inst *i, bool by_source)
{
    const bool is_source = by_source && i->source;
    const char *file = is_source ? i->source : f->file;
    const uint32_t line = is_source ? i->source_line : i->line;
    char key[512];
    const int len = snprintf(key, sizeof key, "%u %.460s", line, file);
    size_t at = (size_t)(uintptr_t)strmap_get(map, key, (size_t)len);
    if (!at) {
        vec_push(v, ((struct hot_line){.func = f->name,
                                       .file = file,
                                       .text = is_source ? NULL : xstrdup(i->text ? i->text : ""),
                                       .line = line,
                                       .is_source = is_source}));
        at = v->len;
        strmap_put(map, arena_strndup(keys, key, (size_t)len), (size_t)len, (void *)(uintptr_t)at);
    }
    hot_add(&v->data[at - 1].counts, &i->counts);
}

/* The text of a CUDA line, if its file is there. */
static void read_source(line_list *v)
{
    for (size_t i = 0; i < v->len; i++) {
        struct err err = {0};
        size_t len;
        const char *file = v->data[i].file;
        if (!v->data[i].is_source || v->data[i].text)
            continue;
        char *text = file_read(file, &len, &err), *at = text;
        for (uint32_t line = 1; at; line++) {
            const size_t n = strcspn(at, "\n");
            for (size_t k = i; k < v->len; k++) {
                struct hot_line *l = &v->data[k];
                if (l->is_source && !l->text && l->line == line && l->file == file)
                    l->text = xasprintf("%.*s", (int)n, at);
            }
            at = at[n] ? at + n + 1 : NULL;
        }
        for (size_t k = i; k < v->len; k++)
            if (v->data[k].is_source && v->data[k].file == file && !v->data[k].text)
                v->data[k].text = xstrdup("");
        free(text);
    }
}

struct hot_line *hot_lines(const struct hot *h, bool by_source, size_t *n)
{
    line_list v = {0};
    struct strmap map = {0};
    struct arena keys = {0};
    for (size_t i = 0; i < hot_func_count(h); i++) {
        const struct hot_func *f = hot_func(h, i);
        for (uint32_t k = 0; k < f->ninst; k++)
            if (f->inst[k].counts.inst || hot_samples(&f->inst[k].counts))
                add_inst(&v, &map, &keys, f, &f->inst[k], by_source);
    }
    read_source(&v);
    if (v.len > 1)
        qsort(v.data, v.len, sizeof *v.data, by_time);
    strmap_free(&map);
    arena_free(&keys);
    *n = v.len;
    return v.data;
}

void hot_lines_free(struct hot_line *lines, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free((char *)lines[i].text);
    free(lines);
}
