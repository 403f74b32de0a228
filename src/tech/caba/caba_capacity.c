/* Sizes of lines as they lie, in whole segments. */
#include "tech/caba/caba_capacity.h"
#include "mem/bound.h"

static uint32_t line_bytes(void *self, addr_t line, const struct line_form *form)
{
    const struct caba_capacity *c = self;
    const struct line_form f = form ? *form : line_codecs_form(c->codec, line);
    return f.bytes ? (uint32_t)align_up(f.bytes, c->segment_bytes) : c->line_bytes;
}

/* Only SMs decode, by way of their codec_engine. */
static uint32_t hit_latency(void *self, uint32_t bytes, cycle_t now)
{
    (void)self, (void)bytes, (void)now;
    return 0;
}

struct capacity_policy caba_capacity_policy(struct caba_capacity *c, uint32_t tag_factor)
{
    return (struct capacity_policy){.tag_factor = tag_factor,
                                    .line_bytes = line_bytes,
                                    .hit_latency = hit_latency,
                                    .placed = capacity_policy_null.placed,
                                    .self = c};
}
