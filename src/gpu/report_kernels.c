/* Kernels by name, most cycles first, each with what held the machine back while it ran. */
#include "gpu/report_int.h"

#include "base/demangle.h"
#include "base/strmap.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN = 12, NAME_WIDTH = 36 };

struct by_name {
    const char *name;
    uint64_t launches, cycles, warp_inst, thread_inst, divergences;
    uint64_t limits[LIMITS];
    size_t first;
};

typedef VEC(struct by_name) by_names;

static int by_cycles(const void *pa, const void *pb)
{
    const struct by_name *a = pa, *b = pb;
    if (a->cycles != b->cycles)
        return a->cycles > b->cycles ? -1 : 1;
    return a->first < b->first ? -1 : 1;
}

static void add(struct by_name *b, const struct gpu_kernel *k)
{
    b->launches++;
    b->cycles += k->cycles;
    b->warp_inst += k->warp_inst;
    b->thread_inst += k->thread_inst;
    b->divergences += k->divergences;
    for (enum limit i = 0; i < LIMITS; i++)
        b->limits[i] += k->limits[i];
}

static void collect(const struct gpu *g, by_names *v)
{
    struct strmap map = {0};
    for (size_t i = 0; i < gpu_kernel_count(g); i++) {
        const struct gpu_kernel *k = gpu_kernel(g, i);
        size_t len = strlen(k->name), at = (size_t)(uintptr_t)strmap_get(&map, k->name, len);
        if (!at) {
            vec_push(v, ((struct by_name){.name = k->name, .first = i}));
            strmap_put(&map, k->name, len, (void *)(uintptr_t)(at = v->len));
        }
        add(&v->data[at - 1], k);
    }
    strmap_free(&map);
    if (v->len > 1)
        qsort(v->data, v->len, sizeof *v->data, by_cycles);
}

static void print_limit(const struct by_name *b, FILE *out)
{
    enum limit most = LIMIT_work;
    uint64_t all = 0;
    for (enum limit i = 0; i < LIMITS; i++) {
        most = b->limits[i] > b->limits[most] ? i : most;
        all += b->limits[i];
    }
    const bool is_divergent = report_is_divergent(most, (double)b->warp_inst,
                                                  (double)b->thread_inst, (double)b->divergences);
    fprintf(out, "%s %.0f%%\n", is_divergent ? "divergence" : limit_names[most],
            100 * stat_ratio((double)b->limits[most], (double)all));
}

static void print_overlap(const struct gpu *g, FILE *out)
{
    size_t n = 0;
    for (size_t i = 0; i < gpu_kernel_count(g); i++)
        n += gpu_kernel(g, i)->together > 1;
    if (n)
        fprintf(out,
                "  %-14s%zu of %zu launches ran at the same time as others: their cycles overlap\n",
                "", n, gpu_kernel_count(g));
}

/* Of the table's column; the list and its texts are to be freed. */
static char **short_names(const by_names *v)
{
    const char **names = xcalloc(v->len + 1, sizeof *names);
    for (size_t i = 0; i < v->len; i++)
        names[i] = v->data[i].name;
    char **texts = demangle_column(names, v->len, NAME_WIDTH);
    free(names);
    return texts;
}

void report_kernels_print(const struct gpu *g, FILE *out)
{
    by_names v = {0};
    collect(g, &v);
    char **names = short_names(&v);
    int width = 10;
    for (size_t i = 0; i < v.len && i < SHOWN; i++)
        width = (int)strlen(names[i]) > width ? (int)strlen(names[i]) : width;
    if (v.len > 1)
        fprintf(out, "  %-14s%-*s   time  launches      cycles     IPC  held back by\n", "kernels",
                width, "");
    for (size_t i = 0; v.len > 1 && i < v.len && i < SHOWN; i++) {
        const struct by_name *b = &v.data[i];
        fprintf(out, "  %-14s%-*s %5.1f%% %9llu %11llu %7.1f  ", "", width, names[i],
                100 * stat_ratio((double)b->cycles, (double)gpu_cycles(g)),
                (unsigned long long)b->launches, (unsigned long long)b->cycles,
                stat_ratio((double)b->thread_inst, (double)b->cycles));
        print_limit(b, out);
    }
    if (v.len > SHOWN)
        fprintf(out, "  %-14sand %zu more\n", "", v.len - SHOWN);
    print_overlap(g, out);
    for (size_t i = 0; i < v.len; i++)
        free(names[i]);
    free(names);
    vec_free(&v);
}
