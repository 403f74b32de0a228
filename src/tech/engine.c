/* When the engine is free again, in parts of a cycle, and how long a block waits for it. */
#include "tech/engine.h"

enum { FRACTION_BITS = 10 };

void engine_init(struct engine *e, const struct engine_cfg *cfg)
{
    *e = (struct engine){.cfg = *cfg,
                         .step = (uint64_t)(cfg->interval * (1 << FRACTION_BITS) + 0.5)};
}

uint32_t engine_use(struct engine *e, cycle_t now)
{
    if (!e->cfg.latency)
        return 0;
    uint64_t at = now << FRACTION_BITS, start = e->free > at ? e->free : at;
    uint64_t wait = (start - at + (1 << FRACTION_BITS) - 1) >> FRACTION_BITS;
    e->free = start + e->step;
    e->blocks++;
    e->waited += wait;
    return (uint32_t)wait + e->cfg.latency;
}

uint32_t engine_use_counted(struct engine *e, cycle_t now, uint64_t *blocks, uint64_t *waits)
{
    const uint64_t before = e->waited;
    const uint32_t cycles = engine_use(e, now);
    *blocks += cycles != 0;
    *waits += e->waited - before;
    return cycles;
}
