/* Pairs of marks in a kernel, with the registers that they name. */
#include "tech/assist/memo_regions.h"

#include "ptx/isa.h"
#include "ptx/marks.h"
#include "tech/assist/memo_check.h"

#include <stdlib.h>
#include <string.h>

struct finding {
    const struct ptx_func *f;
    struct memo_region **regions;
    uint32_t *n;
    struct err *err;
};

static bool register_of(const struct ptx_func *f, const char *name, size_t len, uint32_t *reg)
{
    char text[96];
    for (*reg = 0; *reg < f->nregs; ++*reg) {
        ptx_reg_text(f, *reg, text, sizeof text);
        if (strlen(text) == len && !memcmp(text, name, len))
            return true;
    }
    return false;
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
        if (!register_of(f, s, len, &regs[k]))
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

bool memo_regions_find(const struct ptx_func *f, struct memo_region **to, uint32_t *n,
                       struct err *err)
{
    const struct finding d = {f, to, n, err};
    struct ptx_mark m;
    struct ptx_mark_error e;
    bool is_open = false;
    for (uint32_t i = 0; i < f->npragmas; i++) {
        const struct ptx_pragma *p = &f->pragmas[i];
        if (ptx_mark_read(p->text, &m, &e) != PTX_MARK_GOOD || strcmp(m.family, "memo"))
            continue;
        const bool begins = ptx_mark_is(&m, "memo", "begin");
        if (begins == is_open)
            return err_set(err, "%s:%u: memo: regions go from \"memo begin ...\" to \"memo end\"",
                           f->module->file, p->line);
        is_open = begins;
        if (!(begins ? begin_region : end_region)(&d, p, &m))
            return false;
    }
    if (is_open)
        return err_set(err, "%s: memo: a region of %s has no \"memo end\"", f->module->file,
                       f->name);
    return memo_regions_check(f, *to, *n, err);
}
