/* What a function and those that it calls need, and what the limits of a GPU make of it. */
#include "ptx/regs.h"

#include "base/vec.h"
#include "ptx/liveness.h"

#include <string.h>

/* --- need --- */

const struct ptx_func *ptx_regs_callee(const struct ptx_inst *i)
{
    for (unsigned k = 0; i->op == PTX_OP_CALL && k < i->nops && k < 2; k++)
        if (i->ops[k].kind == PTX_OPND_FUNC) {
            const struct ptx_func *f = i->ops[k].func;
            f = f->def ? f->def : f;
            return f->is_decl ? NULL : f;
        }
    return NULL;
}

/* The largest sum over all points; a call adds what its callee needs. `needs` by function number:
 * what is known about callees so far; NULL when there are no calls. */
static uint32_t count_words(const struct ptx_func *f, const uint32_t *needs)
{
    struct ptx_live live;
    ptx_live_find(f, &live);
    int64_t *delta = xcalloc(2 * (size_t)f->ninsts + 2, sizeof *delta), now = 0, most = 0;
    for (uint32_t r = 0; r < f->nregs; r++)
        for (uint32_t i = live.first_range[r]; i < live.first_range[r + 1]; i++) {
            delta[live.ranges[i].from] += ptx_reg_words(f, r);
            delta[live.ranges[i].to + 1] -= ptx_reg_words(f, r);
        }
    for (uint32_t pc = 0; pc < f->ninsts; pc++) {
        now += delta[2 * pc];
        most = now > most ? now : most;
        now += delta[2 * pc + 1];
        const struct ptx_func *callee = needs ? ptx_regs_callee(&f->insts[pc]) : NULL;
        int64_t here = now + (callee ? needs[callee->index] : 0);
        most = here > most ? here : most;
    }
    free(delta);
    ptx_live_free(&live);
    return (uint32_t)most;
}

struct frame {
    const struct ptx_func *f;
    uint32_t pc;
};

/* The next callee of the frame's function that has not been entered yet. */
static const struct ptx_func *next_callee(struct frame *fr, const bool *entered)
{
    for (; fr->pc < fr->f->ninsts; fr->pc++) {
        const struct ptx_func *c = ptx_regs_callee(&fr->f->insts[fr->pc]);
        if (c && !entered[c->index])
            return c;
    }
    return NULL;
}

/* Callees before callers; in a recursion, the call that closes the circle adds nothing. */
uint32_t *ptx_regs_callees(const struct ptx_func *f)
{
    bool calls = false;
    for (uint32_t pc = 0; pc < f->ninsts && !calls; pc++)
        calls = ptx_regs_callee(&f->insts[pc]) != NULL;
    if (!calls)
        return NULL;
    uint32_t n = f->module->nfuncs;
    uint32_t *needs = xcalloc(n, sizeof *needs);
    bool *entered = xcalloc(n, sizeof *entered);
    VEC(struct frame) stack = {0};
    entered[f->index] = true;
    vec_push(&stack, ((struct frame){f, 0}));
    while (stack.len) {
        struct frame *top = &vec_last(&stack);
        const struct ptx_func *callee = next_callee(top, entered);
        if (callee) {
            entered[callee->index] = true;
            vec_push(&stack, ((struct frame){callee, 0}));
        } else {
            if (stack.len > 1)
                needs[top->f->index] = count_words(top->f, needs);
            stack.len--;
        }
    }
    free(entered);
    vec_free(&stack);
    return needs;
}

uint32_t ptx_regs_needed(const struct ptx_func *f)
{
    uint32_t *needs = ptx_regs_callees(f);
    uint32_t words = f->ninsts ? count_words(f, needs) : 0;
    free(needs);
    return words ? words : 1;
}

/* --- what is given --- */

enum { LEAST_BY_BLOCKS = 16 }; /* a compiler does not go below this for more resident blocks */

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* So that the blocks that the kernel declares fit on an SM. */
static uint32_t most_by_blocks(const struct ptx_func *f, const struct ptx_reg_limits *limits)
{
    const uint64_t threads = ptx_threads_declared(f->reqntid[0] ? f->reqntid : f->maxntid);
    if (!threads)
        return UINT32_MAX;
    uint64_t warps = (threads + 31) / 32 * (f->minnctapersm ? f->minnctapersm : 1);
    uint64_t each = limits->sm / warps / limits->unit * limits->unit / 32;
    return each < LEAST_BY_BLOCKS ? LEAST_BY_BLOCKS : (uint32_t)each;
}

uint32_t ptx_regs_given(const struct ptx_func *kernel, uint32_t need,
                        const struct ptx_reg_limits *limits)
{
    if (limits->fixed)
        return limits->fixed;
    uint32_t most = least(limits->thread, most_by_blocks(kernel, limits));
    if (kernel->maxnreg)
        most = least(most, kernel->maxnreg);
    return least(need, most);
}
