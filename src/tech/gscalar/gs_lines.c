/* PTX lines by the lanes that computed what another lane computed: `gscalar.lines`. Counted by SM
 * while a kernel runs; put together when its plan ends, because a plan lives as long as a launch.
 */
#include "base/outfile.h"
#include "base/strmap.h"
#include "base/vec.h"
#include "tech/gscalar/gscalar_int.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A line of the report. */
struct line {
    char *where; /* "function FILE:LINE instruction" */
    struct gs_line sum;
};

struct gs_lines {
    VEC(struct line *) at;
    struct strmap by_where;
};

struct gs_lines *gs_lines_new(void)
{
    return xcalloc(1, sizeof(struct gs_lines));
}

void gs_lines_free(struct gs_lines *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->at.len; i++) {
        free(l->at.data[i]->where);
        free(l->at.data[i]);
    }
    vec_free(&l->at);
    strmap_free(&l->by_where);
    free(l);
}

/* --- while it runs --- */

static bool is_one_value(const struct gs_seen *s, const struct gs_operand *op)
{
    const struct gs_reg *r = &s->slot->regs[op->at];
    if (!op->words) {
        const uint32_t p = r->mask & s->mask;
        return (r->flags & GS_KNOWN) && (!p || p == s->mask);
    }
    for (unsigned k = 0; k < op->words; k++)
        if (s->is_divergent ? !r[k].scalar : r[k].same < 4)
            return false;
    return true;
}

/* All lanes have computed the same, though not because one stood for them. */
static bool is_wasted(const struct gs_seen *s)
{
    if (s->is_one || !s->i->can_be_scalar || !s->i->ndst || s->e->is_deferred)
        return false;
    for (unsigned k = 0; k < s->i->ndst; k++)
        if (!is_one_value(s, &s->i->dst[k]))
            return false;
    return true;
}

void gs_lines_note(const struct gs_sm *m, const struct gs_seen *s, uint64_t gated)
{
    const struct gs_plan *p = s->slot->plan;
    const size_t inst = s->f->first_inst + (size_t)(s->i - s->f->code);
    struct gs_line *l = &p->lines[(size_t)(m - m->g->sms) * p->ninsts + inst];
    const uint64_t lanes = (uint64_t)__builtin_popcount(s->mask);
    l->times++;
    l->lanes += lanes;
    l->gated += gated;
    l->wasted += is_wasted(s) ? lanes - gated - 1 : 0;
}

/* --- a plan begins and ends; the kernel may be gone by then --- */

void gs_lines_begin(struct gs_plan *p, uint32_t nsms)
{
    p->lines = xcalloc((size_t)nsms * p->ninsts, sizeof *p->lines);
    p->where = arena_array(&p->rare, const char *, p->ninsts);
    for (uint32_t i = 0; i < p->nfuncs; i++) {
        const struct ptx_func *fn = p->funcs[i].fn->fn->src;
        for (uint32_t pc = 0; pc < fn->ninsts; pc++) {
            char text[96], where[512];
            snprintf(where, sizeof where, "%s %s:%u %s", fn->name, fn->module->file,
                     fn->insts[pc].line, ptx_inst_text(&fn->insts[pc], text, sizeof text));
            p->where[p->funcs[i].first_inst + pc] = arena_strndup(&p->rare, where, strlen(where));
        }
    }
}

static struct gs_line *line_for(struct gs_lines *l, const char *where)
{
    struct line *known = strmap_get(&l->by_where, where, strlen(where));
    if (known)
        return &known->sum;
    struct line *n = xcalloc(1, sizeof *n);
    n->where = xstrdup(where);
    vec_push(&l->at, n);
    strmap_put(&l->by_where, n->where, strlen(where), n);
    return &n->sum;
}

void gs_lines_end(struct gs_lines *l, struct gs_plan *p, uint32_t nsms)
{
    for (size_t i = 0; i < (size_t)nsms * p->ninsts; i++) {
        const struct gs_line *n = &p->lines[i];
        if (!n->times || !p->where[i % p->ninsts])
            continue;
        struct gs_line *to = line_for(l, p->where[i % p->ninsts]);
        to->times += n->times;
        to->lanes += n->lanes;
        to->gated += n->gated;
        to->wasted += n->wasted;
    }
}

/* --- the report --- */

static int by_lanes(const void *a, const void *b)
{
    const struct line *x = *(struct line *const *)a, *y = *(struct line *const *)b;
    const uint64_t m = x->sum.gated + x->sum.wasted, n = y->sum.gated + y->sum.wasted;
    return m != n ? (m < n ? 1 : -1) : strcmp(x->where, y->where);
}

bool gs_lines_write(struct gs_lines *l, const char *path, struct err *err)
{
    struct outfile *o = outfile_open(path, err);
    if (!o)
        return false;
    FILE *out = outfile_stream(o);
    if (l->at.len)
        qsort(l->at.data, l->at.len, sizeof *l->at.data, by_lanes);
    fprintf(out,
            "# PTX lines by lanes that computed what another lane computed: gated (one stood "
            "for them) and wasted\n# (all had the same result, which metadata did not say "
            "before).\n%12s %14s %14s %14s  function, line, instruction\n",
            "times", "lanes", "gated", "wasted");
    for (size_t i = 0; i < l->at.len; i++) {
        const struct gs_line *n = &l->at.data[i]->sum;
        fprintf(out, "%12" PRIu64 " %14" PRIu64 " %14" PRIu64 " %14" PRIu64 "  %s\n", n->times,
                n->lanes, n->gated, n->wasted, l->at.data[i]->where);
    }
    return outfile_close(o, err);
}
