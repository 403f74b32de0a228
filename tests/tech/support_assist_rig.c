/* Loads a routine, and gives every run of the rig a controller of its own. */
#include "tech/support_assist_rig.h"

#include <string.h>

static void new_controller(void *ctx)
{
    struct assist_rig *b = ctx;
    awc_free(b->c);
    b->c = awc_new(&b->aws, &b->cfg, 0);
    b->source = awc_source(b->c);
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
