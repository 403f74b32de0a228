/* Pairs of marks in a kernel, with the registers that they name. */
#include "tech/assist/memo_regions.h"

#include "base/strmap.h"
#include "ptx/isa.h"
#include "ptx/marks.h"
#include "tech/assist/memo_check.h"

#include <stdlib.h>
#include <string.h>

struct finding {
    const struct ptx_func *f;
    struct memo_region **regions;
    uint32_t *n;
    struct strmap names; /* of the function's registers, each with its place in regs */
    struct err *err;
};

static void name_registers(struct finding *d)
{
    char text[96];
    for (uint32_t reg = 0; reg < d->f->nregs; reg++) {
        char *name = xstrdup(ptx_reg_text(d->f, reg, text, sizeof text));
        strmap_put(&d->names, name, strlen(name), &d->f->regs[reg]);
    }
}

static void forget_names(struct finding *d)
{
    for (uint32_t i = 0; i < d->names.count; i++)
        free((char *)d->names.entries[i].key);
    strmap_free(&d->names);
}

static bool register_of(const struct finding *d, const char *name, size_t len, uint32_t *reg)
{
    const struct ptx_reg *r = strmap_get(&d->names, name, len);
    *reg = r ? (uint32_t)(r - d->f->regs) : 0;
    return r;
}

/* The registers of an item, separated by commas. */
static bool set_registers(const struct finding *d, const struct ptx_pragma *p,
                          const struct ptx_mark_item *item, uint32_t most, uint32_t *regs,
                          uint32_t *n)
{
    const struct ptx_func *f = d->f;
    const char *s = item->is_given ? item->text : "", *end = s + item->len;
    while (s < end) {
        const char *comma = memchr(s, ',', (size_t)(end - s));
        const size_t len = (size_t)((comma ? comma : end) - s);
        const uint32_t k = (*n)++;
        if (k == most)
            return err_set(d->err, "%s:%u: memo: at most %u registers here", f->module->file,
                           p->line, most);
        if (!register_of(d, s, len, &regs[k]))
            return err_set(d->err, "%s:%u: memo: %s has no register %.*s", f->module->file, p->line,
                           f->name, (int)len, s);
        if (ptx_type_bytes((enum ptx_type)f->regs[regs[k]].type) != 4)
            return err_set(d->err, "%s:%u: memo: %.*s does not have 32 bits", f->module->file,
                           p->line, (int)len, s);
        s += len + (comma != NULL);
    }
    return true;
}

static bool set_output(const struct finding *d, const struct ptx_pragma *p,
                       const struct ptx_mark_item *item, struct memo_region *r)
{
    uint32_t n = 0;
    if (item->is_given && r->has_out)
        return err_set(d->err, "%s:%u: memo: the region has an OUT= already", d->f->module->file,
                       p->line);
    r->has_out |= item->is_given;
    return set_registers(d, p, item, 1, &r->out, &n);
}

static bool begin_region(const struct finding *d, const struct ptx_pragma *p,
                         const struct ptx_mark *m)
{
    *d->regions = xrealloc(*d->regions, (*d->n + 1) * sizeof **d->regions);
    struct memo_region *r = &(*d->regions)[(*d->n)++];
    *r = (struct memo_region){.begin = p->pc, .line = p->line};
    return set_registers(d, p, &m->items[0], MEMO_INPUTS, r->in, &r->nin) &&
           set_output(d, p, &m->items[1], r);
}

static bool end_region(const struct finding *d, const struct ptx_pragma *p,
                       const struct ptx_mark *m)
{
    struct memo_region *r = &(*d->regions)[*d->n - 1];
    r->end = p->pc;
    if (!set_output(d, p, &m->items[0], r))
        return false;
    return r->has_out ||
           err_set(d->err, "%s:%u: memo: neither \"memo begin\" nor \"memo end\" has OUT=%%r",
                   d->f->module->file, p->line);
}

static bool find_pairs(struct finding *d)
{
    const struct ptx_func *f = d->f;
    struct ptx_mark m;
    struct ptx_mark_error e;
    bool is_open = false;
    for (uint32_t i = 0; i < f->npragmas; i++) {
        const struct ptx_pragma *p = &f->pragmas[i];
        if (ptx_mark_read(p->text, &m, &e) != PTX_MARK_GOOD || strcmp(m.family, "memo"))
            continue;
        const bool begins = ptx_mark_is(&m, "memo", "begin");
        if (!d->names.count)
            name_registers(d);
        if (begins == is_open)
            return err_set(d->err,
                           "%s:%u: memo: regions go from \"memo begin ...\" to \"memo end\"",
                           f->module->file, p->line);
        is_open = begins;
        if (!(begins ? begin_region : end_region)(d, p, &m))
            return false;
    }
    return !is_open || err_set(d->err, "%s: memo: a region of %s has no \"memo end\"",
                               f->module->file, f->name);
}

bool memo_regions_find(const struct ptx_func *f, struct memo_region **to, uint32_t *n,
                       struct err *err)
{
    struct finding d = {.f = f, .regions = to, .n = n, .err = err};
    const bool ok = find_pairs(&d);
    forget_names(&d);
    return ok && memo_regions_check(f, *to, *n, err);
}
