/* Pairs of pragmas in a kernel, with the registers between them. */
#include "tech/assist/memo_regions.h"

#include "ptx/isa.h"

#include <stdlib.h>
#include <string.h>

/* The instruction behind a line; ninsts: there is none. */
static uint32_t pc_behind(const struct ptx_func *f, uint32_t line)
{
    uint32_t pc = 0;
    while (pc < f->ninsts && f->insts[pc].line < line)
        pc++;
    return pc;
}

static bool register_of(const struct ptx_func *f, const char *name, uint32_t *reg)
{
    char text[96];
    for (*reg = 0; *reg < f->nregs; ++*reg)
        if (!strcmp(ptx_reg_text(f, *reg, text, sizeof text), name))
            return true;
    return false;
}

static bool set_registers(const struct ptx_func *f, uint32_t line, char *names, uint32_t most,
                          uint32_t *regs, uint32_t *n, struct err *err)
{
    char *save = NULL;
    for (char *w = strtok_r(names, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
        if (*n == most)
            return err_set(err, "%s:%u: memo: at most %u registers here", f->module->file, line,
                           most);
        const uint32_t k = (*n)++;
        if (!register_of(f, w, &regs[k]))
            return err_set(err, "%s:%u: memo: %s has no register %s", f->module->file, line,
                           f->name, w);
        if (ptx_type_bytes((enum ptx_type)f->regs[regs[k]].type) != 4)
            return err_set(err, "%s:%u: memo: %s does not have 32 bits", f->module->file, line, w);
    }
    return true;
}

static bool parse_begin(const struct ptx_func *f, const struct ptx_pragma *p, struct memo_region *r,
                        struct err *err)
{
    char *copy = xstrdup(p->text + strlen("memo begin")), *save = NULL;
    uint32_t nout = 0;
    bool ok = true;
    *r = (struct memo_region){.begin = pc_behind(f, p->line)};
    for (char *w = strtok_r(copy, " \t", &save); w && ok; w = strtok_r(NULL, " \t", &save))
        ok = !strncmp(w, "IN=", 3)
                 ? set_registers(f, p->line, w + 3, MEMO_INPUTS, r->in, &r->nin, err)
             : !strncmp(w, "OUT=", 4)
                 ? set_registers(f, p->line, w + 4, 1, &r->out, &nout, err)
                 : err_set(err, "%s:%u: memo: '%s' should be IN=... or OUT=...", f->module->file,
                           p->line, w);
    free(copy);
    return ok && ((r->nin && nout) || err_set(err,
                                              "%s:%u: memo: should be \"memo begin IN=%%a,%%b "
                                              "OUT=%%r\"",
                                              f->module->file, p->line));
}

/* A pragma that is about memoization: 'b', 'e'; 'x': wrongly written; 0: not. */
static char kind_of(const char *text)
{
    if (strncmp(text, "memo", 4) || (text[4] && text[4] != ' '))
        return 0;
    return !strncmp(text + 4, " begin ", 7) ? 'b' : !strcmp(text + 4, " end") ? 'e' : 'x';
}

bool memo_regions_find(const struct ptx_func *f, struct memo_region **to, uint32_t *n,
                       struct err *err)
{
    bool is_open = false;
    for (uint32_t i = 0; i < f->npragmas; i++) {
        const struct ptx_pragma *p = &f->pragmas[i];
        const char kind = kind_of(p->text);
        if (!kind)
            continue;
        if (kind == 'x' || (kind == 'b') == is_open)
            return err_set(err, "%s:%u: memo: regions go from \"memo begin ...\" to \"memo end\"",
                           f->module->file, p->line);
        is_open = kind == 'b';
        if (is_open) {
            *to = xrealloc(*to, (*n + 1) * sizeof **to);
            if (!parse_begin(f, p, &(*to)[(*n)++], err))
                return false;
        } else {
            (*to)[*n - 1].end = pc_behind(f, p->line);
        }
    }
    return !is_open ||
           err_set(err, "%s: memo: a region of %s has no \"memo end\"", f->module->file, f->name);
}
