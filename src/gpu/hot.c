/* Probes and samples by SM, each with tables of its own; folded into one after each kernel. */
#include "gpu/hot.h"

#include "base/vec.h"
#include "exec/grid.h"
#include "gpu/gpu_int.h"
#include "sm/decode.h"

#include <stdlib.h>
#include <string.h>

/* Of one function, by instruction. */
struct table {
    const struct xfunc *fn;
    struct hot_counts *counts;
};

struct hot_sm {
    const struct sm *sm;
    struct probe inst, event, miss;
    VEC(struct table) tables;
    size_t last;
};

struct hot {
    struct gpu *gpu;
    struct hot_sm *sms;
    cycle_t next;
    VEC(struct hot_func) funcs;
    VEC(char *) sources; /* names of CUDA files */
};

const char *const hot_wait_names[SM_WAITS] = {
#define WAIT(id, name, help) name,
#include "sm/sm_waits.def"
#undef WAIT
};
const char *const hot_wait_keys[SM_WAITS] = {
#define WAIT(id, name, help) #id,
#include "sm/sm_waits.def"
#undef WAIT
};

uint64_t hot_samples(const struct hot_counts *c)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < SM_WAITS; i++)
        n += c->waits[i];
    return n;
}

void hot_add(struct hot_counts *to, const struct hot_counts *from)
{
    to->inst += from->inst;
    to->lanes += from->lanes;
    to->divergences += from->divergences;
    to->accesses += from->accesses;
    to->lines += from->lines;
    to->misses += from->misses;
    to->conflicts += from->conflicts;
    for (unsigned i = 0; i < SM_WAITS; i++)
        to->waits[i] += from->waits[i];
}

/* --- while a kernel runs --- */

static struct hot_counts *counts_of(struct hot_sm *h, const struct dinst *d)
{
    const struct xfunc *fn = d && d->x && d->fn ? d->fn->fn : NULL;
    if (!fn || d->x < fn->code || d->x >= fn->code + fn->ncode)
        return NULL; /* of the machine, or of an extra warp */
    if (!h->tables.len || h->tables.data[h->last].fn != fn) {
        for (h->last = 0; h->last < h->tables.len; h->last++)
            if (h->tables.data[h->last].fn == fn)
                break;
        if (h->last == h->tables.len)
            vec_push(&h->tables,
                     ((struct table){fn, xcalloc(fn->ncode, sizeof(struct hot_counts))}));
    }
    return &h->tables.data[h->last].counts[d->x - fn->code];
}

/* Lanes of the split that the instruction's guard lets execute. */
static uint32_t guarded(struct warp *w, const struct xinst *x, uint32_t active)
{
    uint32_t p;
    if (!x->has_guard)
        return active;
    memcpy(&p, w->regs + warp_top(w)->frame->reg_off + x->guard_off, sizeof p);
    return active & (x->guard_neg ? ~p : p);
}

static void executed(void *ctx, cycle_t now, uint32_t event, uint64_t warp, uint64_t inst)
{
    struct warp *w = (struct warp *)(uintptr_t)warp;
    const struct dinst *d = (const struct dinst *)(uintptr_t)inst;
    struct hot_counts *c = counts_of(ctx, d);
    (void)now, (void)event;
    if (!c)
        return;
    const uint32_t active = warp_top(w)->mask, mask = guarded(w, d->x, active);
    c->inst++;
    c->lanes += (uint64_t)__builtin_popcount(mask);
    c->divergences +=
        d->x->src && d->x->src->op == PTX_OP_BRA && d->x->has_guard && mask && mask != active;
}

static void accessed(void *ctx, cycle_t now, uint32_t event, uint64_t inst, uint64_t what)
{
    (void)now;
    struct hot_counts *c =
        event == SM_ACCESSED ? counts_of(ctx, (const struct dinst *)(uintptr_t)inst) : NULL;
    if (!c)
        return;
    c->accesses++;
    c->lines += (uint32_t)what;
    c->conflicts += what >> 32;
}

static void missed(void *ctx, cycle_t now, uint32_t event, uint64_t line, uint64_t token)
{
    struct hot_sm *h = ctx;
    struct hot_counts *c = counts_of(h, sm_inst_of(h->sm, (uint32_t)token));
    (void)now, (void)event, (void)line;
    if (c)
        c->misses++;
}

static void waits(void *ctx, const struct dinst *d, enum sm_wait why)
{
    struct hot_counts *c = counts_of(ctx, d);
    if (c)
        c->waits[why]++;
}

static void sample(void *ctx, uint64_t time)
{
    struct hot *h = ctx;
    const cycle_t now = sim_cycle_at(h->gpu->core, time);
    if (now < h->next)
        return;
    h->next = now + HOT_CYCLES;
    for (uint32_t i = 0; i < h->gpu->nsms; i++)
        sm_each_wait(h->sms[i].sm, waits, &h->sms[i]);
}

/* --- after it --- */

static const char *source_name(struct hot *h, const char *name)
{
    for (size_t i = 0; name && i < h->sources.len; i++)
        if (!strcmp(h->sources.data[i], name))
            return h->sources.data[i];
    if (name)
        vec_push(&h->sources, xstrdup(name));
    return name ? vec_last(&h->sources) : NULL;
}

static struct hot_func *func_of(struct hot *h, const struct xfunc *fn)
{
    const struct ptx_func *src = fn->src;
    for (size_t i = 0; i < h->funcs.len; i++) {
        struct hot_func *f = &h->funcs.data[i];
        if (f->ninst == fn->ncode && !strcmp(f->name, src->name) &&
            !strcmp(f->file, src->module->file))
            return f;
    }
    struct ptx_line_cursor cursor = {0};
    struct hot_func f = {.name = xstrdup(src->name),
                         .file = xstrdup(src->module->file),
                         .inst = xcalloc(fn->ncode, sizeof *f.inst),
                         .ninst = fn->ncode};
    for (uint32_t i = 0; i < fn->ncode; i++) {
        const struct ptx_inst *p = fn->code[i].src;
        size_t len = 0;
        if (!p)
            continue;
        const char *text = ptx_line_text(src->module, p->line, &cursor, &len);
        f.inst[i].text = xasprintf("%.*s", (int)len, text);
        f.inst[i].line = p->line;
        f.inst[i].source_line = p->loc.line;
        f.inst[i].source =
            p->loc.line ? source_name(h, ptx_file_name(src->module, p->loc.file)) : NULL;
    }
    vec_push(&h->funcs, f);
    return &vec_last(&h->funcs);
}

void hot_fold(struct hot *h)
{
    for (uint32_t s = 0; s < h->gpu->nsms; s++) {
        struct hot_sm *sm = &h->sms[s];
        for (size_t t = 0; t < sm->tables.len; t++) {
            struct hot_func *f = func_of(h, sm->tables.data[t].fn);
            for (uint32_t i = 0; i < f->ninst; i++)
                hot_add(&f->inst[i].counts, &sm->tables.data[t].counts[i]);
            free(sm->tables.data[t].counts);
        }
        sm->tables.len = sm->last = 0;
    }
}

struct hot *hot_new(struct gpu *g)
{
    struct hot *h = xcalloc(1, sizeof *h);
    h->gpu = g;
    h->sms = xcalloc(g->nsms, sizeof *h->sms);
    for (uint32_t i = 0; i < g->nsms; i++) {
        struct hot_sm *s = &h->sms[i];
        s->sm = g->sms[i];
        s->inst = (struct probe){executed, s, NULL};
        s->event = (struct probe){accessed, s, NULL};
        s->miss = (struct probe){missed, s, NULL};
        sm_add_inst_probe(g->sms[i], &s->inst);
        sm_add_probe(g->sms[i], &s->event);
        sm_add_miss_probe(g->sms[i], &s->miss);
    }
    sim_at_sync(g->sim, sample, h);
    return h;
}

void hot_free(struct hot *h)
{
    if (!h)
        return;
    for (uint32_t i = 0; i < h->gpu->nsms; i++) {
        for (size_t t = 0; t < h->sms[i].tables.len; t++)
            free(h->sms[i].tables.data[t].counts);
        vec_free(&h->sms[i].tables);
    }
    for (size_t i = 0; i < h->funcs.len; i++) {
        struct hot_func *f = &h->funcs.data[i];
        for (uint32_t k = 0; k < f->ninst; k++)
            free(f->inst[k].text);
        free(f->inst);
        free(f->name);
        free(f->file);
    }
    for (size_t i = 0; i < h->sources.len; i++)
        free(h->sources.data[i]);
    vec_free(&h->sources);
    vec_free(&h->funcs);
    free(h->sms);
    free(h);
}

size_t hot_func_count(const struct hot *h)
{
    return h->funcs.len;
}

const struct hot_func *hot_func(const struct hot *h, size_t i)
{
    return &h->funcs.data[i];
}
