/* Jobs by their kind; what is done comes from either. */
#include "tech/caba/split_engine.h"

static enum codec_answer submit(void *self, cycle_t now, struct codec_job *job)
{
    const struct split_engine *s = self;
    const struct codec_engine *e = job->kind == CODEC_STORE ? &s->encodes : &s->decodes;
    return e->submit(e->self, now, job);
}

static bool done(void *self, cycle_t now, struct codec_job *job)
{
    const struct split_engine *s = self;
    return s->decodes.done(s->decodes.self, now, job) || s->encodes.done(s->encodes.self, now, job);
}

static cycle_t next(const void *self, cycle_t now)
{
    const struct split_engine *s = self;
    const cycle_t d = s->decodes.next(s->decodes.self, now);
    const cycle_t e = s->encodes.next(s->encodes.self, now);
    return d < e ? d : e;
}

static void join(void *self, const struct codec_client *client)
{
    const struct split_engine *s = self;
    s->decodes.join(s->decodes.self, client);
    s->encodes.join(s->encodes.self, client);
}

struct codec_engine split_engine_seam(struct split_engine *e)
{
    return (struct codec_engine){submit, done, next, e, join};
}
