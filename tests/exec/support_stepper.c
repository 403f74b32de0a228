/* Steps warps of several blocks one instruction at a time. */
#include "support_stepper.h"

void stepper_open(struct stepper *s, const char *ptx, unsigned sms, uint32_t block)
{
    memset(s, 0, sizeof *s);
    fixture_open(&s->f, ptx, 65536);
    s->params[0] = s->f.buf->base;
    s->l = (struct launch){.kernel = program_kernel(s->f.prog, "k", &s->f.err),
                           .grid = {sms, 1, 1},
                           .block = {block, 1, 1},
                           .params = s->params};
    if (!s->l.kernel)
        fail_msg("%s", s->f.err.msg);
    grid_init(&s->root, s->f.dev, &s->l);
    for (unsigned i = 0; i < sms; i++) {
        s->part[i] = s->root;
        s->part[i].smid = i;
        s->part[i].root = &s->root;
        s->cta[i] = cta_new(&s->part[i]);
        cta_start(s->cta[i], &s->part[i], i);
        s->fx[i] = effects_new();
    }
}

void stepper_close(struct stepper *s)
{
    for (unsigned i = 0; i < STEPPER_SMS; i++)
        if (s->cta[i]) {
            cta_free(s->cta[i]);
            effects_free(s->fx[i]);
        }
    fixture_close(&s->f);
}

bool stepper_step(struct stepper *s, unsigned sm, unsigned warp, cycle_t now)
{
    struct warp *w = &s->cta[sm]->warps[warp];
    const struct xinst *x = warp_peek(w);
    assert_non_null(x);
    assert_false(warp_is_deferred(w));
    bool ok = warp_step(w, s->fx[sm], now, &s->step);
    assert_ptr_equal(s->step.x, x);
    return ok;
}

uint32_t stepper_pc(struct stepper *s, unsigned sm, unsigned warp)
{
    const struct xinst *x = warp_peek(&s->cta[sm]->warps[warp]);
    return x ? (uint32_t)(x - s->l.kernel->entry->code) : UINT32_MAX;
}

void stepper_to(struct stepper *s, unsigned sm, unsigned warp, uint32_t pc, cycle_t now)
{
    while (stepper_pc(s, sm, warp) != pc)
        if (!stepper_step(s, sm, warp, now))
            fail_msg("%s", s->part[sm].fault.msg);
}

void stepper_go(struct stepper *s, unsigned sm, unsigned warp, cycle_t now)
{
    struct warp *w = &s->cta[sm]->warps[warp];
    while (!warp_is_deferred(w) && warp_peek(w))
        if (!stepper_step(s, sm, warp, now))
            fail_msg("%s", s->part[sm].fault.msg);
}

static void done(void *ctx, size_t place, struct warp *w, const struct step *step)
{
    struct stepper *s = ctx;
    assert_ptr_equal(w->cta, s->cta[place]);
    s->done[place] = *step;
    s->order[s->norder++] = (unsigned)place;
}

bool stepper_meet(struct stepper *s)
{
    return effects_apply(s->fx, STEPPER_SMS, done, s, &s->at_fault);
}
