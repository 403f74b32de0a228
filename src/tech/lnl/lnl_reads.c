/* Accesses, which liveness has by register, by instruction. */
#include "tech/lnl/lnl_reads.h"

#include <stdlib.h>

/* Without `next`: counts into first[pc + 1]; with it: puts registers where it says. */
static void visit(const struct ptx_live *live, bool is_def, struct lnl_reads *r, uint32_t *next)
{
    const struct ptx_func *f = live->f;
    for (uint32_t reg = 0; reg < f->nregs; reg++)
        for (uint32_t i = live->first_access[reg]; i < live->first_access[reg + 1]; i++) {
            const struct ptx_access *a = &live->accesses[i];
            if (a->is_def != is_def)
                continue;
            if (next)
                r->regs[next[a->pc]++] = reg;
            else
                r->first[a->pc + 1]++;
        }
    for (uint32_t pc = 0; pc < f->ninsts && !is_def; pc++) {
        if (f->insts[pc].guard == PTX_NO_REG)
            continue;
        if (next)
            r->regs[next[pc]++] = f->insts[pc].guard;
        else
            r->first[pc + 1]++;
    }
}

static void find(const struct ptx_live *live, bool is_def, struct lnl_reads *r)
{
    const uint32_t n = live->f->ninsts;
    r->first = xcalloc(n + 1, sizeof *r->first);
    visit(live, is_def, r, NULL);
    for (uint32_t pc = 0; pc < n; pc++)
        r->first[pc + 1] += r->first[pc];
    r->regs = xmalloc((r->first[n] + 1) * sizeof *r->regs);
    uint32_t *next = xmalloc((n + 1) * sizeof *next);
    for (uint32_t pc = 0; pc < n; pc++)
        next[pc] = r->first[pc];
    visit(live, is_def, r, next);
    free(next);
}

void lnl_reads_find(const struct ptx_live *live, struct lnl_reads *reads)
{
    find(live, false, reads);
}

void lnl_writes_find(const struct ptx_live *live, struct lnl_reads *writes)
{
    find(live, true, writes);
}

void lnl_reads_free(struct lnl_reads *r)
{
    free(r->first);
    free(r->regs);
}
