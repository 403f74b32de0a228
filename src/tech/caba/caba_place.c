/* The kernels that were launched, each with what was decided for its last launch. */
#include "tech/caba/caba_place.h"

#include "base/vec.h"

#include <stdlib.h>

struct placed {
    const struct kernel *kernel;
    bool is_spare;
};

struct caba_place {
    const struct sm_cfg *sm;
    struct assist *assist;
    uint32_t least, registers;
    VEC(struct placed) kernels;
};

struct adapt_room caba_room(const struct sm_cfg *sm, const struct sm_kernel *k, uint32_t registers,
                            bool has_spares)
{
    const uint64_t each =
        align_up((uint64_t)k->registers * WARP_LANES, (uint64_t)sm->register_unit) *
        k->root->nwarps;
    struct adapt_room r = {.blocks = sm_capacity(sm, k, 0),
                           .blocks_with = sm_capacity(sm, k, registers)};
    if (registers && has_spares)
        r.instances = (uint32_t)(((uint64_t)sm->registers - r.blocks * each) /
                                 ((uint64_t)registers * WARP_LANES));
    return r;
}

static struct placed *find(const struct caba_place *p, const struct kernel *k)
{
    for (size_t i = 0; i < p->kernels.len; i++)
        if (p->kernels.data[i].kernel == k)
            return &p->kernels.data[i];
    return NULL;
}

static uint32_t registers_of(const void *ctx, const struct kernel *k)
{
    const struct caba_place *p = ctx;
    const struct placed *at = find(p, k);
    return at && at->is_spare ? 0 : p->registers;
}

struct caba_place *caba_place_new(const struct sm_cfg *sm, struct assist *assist, uint32_t least)
{
    struct caba_place *p = xcalloc(1, sizeof *p);
    p->sm = sm;
    p->assist = assist;
    p->least = least;
    p->registers = assist_registers(assist);
    assist_bind_registers(assist, registers_of, p);
    return p;
}

void caba_place_free(struct caba_place *p)
{
    if (!p)
        return;
    vec_free(&p->kernels);
    free(p);
}

void caba_place_launch(struct caba_place *p, const struct sm_kernel *k)
{
    const struct adapt_room room = caba_room(p->sm, k, p->registers, true);
    struct placed *at = find(p, k->root->kernel);
    if (!at) {
        vec_push(&p->kernels, ((struct placed){.kernel = k->root->kernel}));
        at = &p->kernels.data[p->kernels.len - 1];
    }
    at->is_spare = adapt_place(&room, p->least, true, true) == ADAPT_SPARE;
    assist_set_bare(p->assist, at->is_spare);
}
