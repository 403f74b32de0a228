/* Loads a routine, and gives every run of the rig a controller of its own. */
#include "tech/support_assist_rig.h"

#include <string.h>

/* --- the controller's seam, with a line given to it in between --- */

static bool issue_first(void *self, struct sm *sm, unsigned sched, cycle_t now)
{
    return awc_issue_first(((struct assist_rig *)self)->c, sm, sched, now);
}

static bool issue_idle(void *self, struct sm *sm, unsigned sched, cycle_t now)
{
    return awc_issue_idle(((struct assist_rig *)self)->c, sm, sched, now);
}

static bool is_pending(const void *self)
{
    const struct assist_rig *b = self;
    return !b->is_submitted || awc_source(b->c).is_pending(b->c);
}

static uint32_t no_registers(const void *self, const struct kernel *k)
{
    (void)self, (void)k;
    return 0;
}

static void deploy(void *self, struct sm *sm, cycle_t now)
{
    struct assist_rig *b = self;
    if (!b->is_submitted && now >= b->submit_at) {
        struct codec_job job = b->job;
        b->is_submitted = true;
        assert_int_equal(b->engine.submit(b->engine.self, now, &job), CODEC_TAKEN);
    }
    awc_source(b->c).deploy(b->c, sm, now);
}

static void retired(void *self, struct sm *sm, struct extra_warp *x, cycle_t now)
{
    struct assist_rig *b = self;
    awc_retired(b->c, sm, x, now);
    if (!b->engine.done(b->engine.self, now, &b->job))
        return;
    b->done = now;
    b->is_submitted = ++b->given > b->more;
    b->job.line += 128;
}

static struct warp_source with_a_line(struct assist_rig *b)
{
    const struct store_room room = {.lines = 16};
    b->engine = awc_engine(b->c, b->codec, &room, true);
    if (b->last)
        awc_area_at(b->c, awc_area_number(b->c, b->job.line))->forms[0] = *b->last;
    b->is_submitted = false;
    b->given = 0;
    return (struct warp_source){.issue_first = issue_first,
                                .issue_idle = issue_idle,
                                .is_pending = is_pending,
                                .extra_registers = no_registers,
                                .self = b,
                                .has_warps = true,
                                .deploy = deploy,
                                .retired = retired,
                                .name = awc_source(b->c).name};
}

void assist_rig_give_line(struct assist_rig *b, const struct line_codecs *codec,
                          const struct codec_job *job, cycle_t at)
{
    b->codec = codec;
    b->job = *job;
    b->submit_at = at;
}

static void new_controller(void *ctx)
{
    struct assist_rig *b = ctx;
    awc_free(b->c);
    b->c = awc_new(&b->aws, &b->cfg, 0);
    b->source = b->codec ? with_a_line(b) : awc_source(b->c);
}

void assist_rig_open(struct assist_rig *b, const char *kernel, const char *module)
{
    struct err err;
    *b = (struct assist_rig){.r = sm_rig_new(kernel, NULL)};
    conf_defaults(assist_technique.section.fields, assist_technique.section.nfields, &b->cfg);
    aws_init(&b->aws, b->r->f.dev, &b->r->cfg);
    b->aws.mshrs = (uint32_t)b->r->data.mshrs;
    b->aws.fair_replies = 1;
    for (const struct assist_text *t = assist_texts(); t->name; t++)
        if (!strcmp(t->name, module) && !aws_load(&b->aws, t->name, t->text, strlen(t->text), &err))
            fail_msg("%s", err.msg);
    b->r->extra = b->aws.routines[0].kernel;
    b->r->warps = &b->source;
    b->r->prepare = new_controller;
    b->r->prepare_ctx = b;
}

void assist_rig_close(struct assist_rig *b)
{
    awc_free(b->c);
    aws_free(&b->aws);
    sm_rig_free(b->r);
}
