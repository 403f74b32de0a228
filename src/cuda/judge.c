/* parsim/program.h: what a program asks and tells beside CUDA. */
#include "gpu/judge.h"
#include "cuda/ctx.h"

CUDA_EXPORT const char *parsim_changes_values(void)
{
    struct ctx *c = ctx_lock();
    if (!c)
        return NULL;
    const char *design = judge_design(c->session);
    ctx_unlock(c);
    return design;
}

CUDA_EXPORT int parsim_judge(const struct parsim_output *output)
{
    struct err err = {0};
    struct ctx *c = ctx_lock();
    if (!c)
        return -1;
    bool is_within = false;
    const bool ok = judge_output(c->session, output, &is_within, &err);
    if (!ok)
        ctx_say("%s", err.msg);
    ctx_unlock(c);
    return !ok ? -1 : is_within ? 0 : 1;
}
