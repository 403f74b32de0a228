/* Jobs in a ring: all take as long, so they end in the order in which they came. */
#include "tech/caba/fixed_engine.h"

#include "sim/sim.h"

#include <stdlib.h>

struct fixed_job {
    struct codec_job job;
    cycle_t due;
};

/* In the order of submission, which is that of completion. */
struct fixed_engine {
    const struct line_codecs *codec;
    uint32_t latency;
    struct fixed_job *at;
    uint32_t head, len, cap;
};

struct fixed_engine *fixed_engine_new(const struct line_codecs *codec, uint32_t latency)
{
    struct fixed_engine *e = xcalloc(1, sizeof *e);
    e->codec = codec;
    e->latency = latency;
    return e;
}

void fixed_engine_free(struct fixed_engine *e)
{
    if (!e)
        return;
    free(e->at);
    free(e);
}

static void push(struct fixed_engine *e, const struct codec_job *job, cycle_t due)
{
    if (e->len == e->cap) {
        const uint32_t cap = e->cap ? 2 * e->cap : 16;
        struct fixed_job *big = xcalloc(cap, sizeof *big);
        for (uint32_t i = 0; i < e->len; i++)
            big[i] = e->at[(e->head + i) % e->cap];
        free(e->at);
        e->at = big;
        e->head = 0;
        e->cap = cap;
    }
    e->at[(e->head + e->len++) % e->cap] = (struct fixed_job){*job, due};
}

static enum codec_answer submit(void *self, cycle_t now, struct codec_job *job)
{
    struct fixed_engine *e = self;
    if (job->kind == CODEC_STORE) {
        const struct line_form f = line_codecs_store(e->codec, job);
        job->bytes = f.bytes ? f.bytes : job->bytes;
        job->algorithm = f.algorithm;
        job->began = now;
    }
    if (!e->latency)
        return CODEC_DONE;
    push(e, job, now + e->latency);
    return CODEC_TAKEN;
}

static bool done(void *self, cycle_t now, struct codec_job *job)
{
    struct fixed_engine *e = self;
    if (!e->len || e->at[e->head].due > now)
        return false;
    *job = e->at[e->head].job;
    e->head = (e->head + 1) % e->cap;
    e->len--;
    return true;
}

static cycle_t next(const void *self, cycle_t now)
{
    const struct fixed_engine *e = self;
    (void)now;
    return e->len ? e->at[e->head].due : CYCLE_NEVER;
}

struct codec_engine fixed_engine_seam(struct fixed_engine *e)
{
    return (struct codec_engine){submit, done, next, e, codec_engine_null.join};
}
