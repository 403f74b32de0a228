/* A circuit that encodes or decodes blocks: a pipe, or several units side by side, that takes a
 * block every so often and gives it back after its latency. */
#ifndef TECH_ENGINE_H
#define TECH_ENGINE_H

#include "base/common.h"

struct engine_cfg {
    uint32_t latency; /* cycles; 0: it is not there and costs nothing */
    double interval;  /* cycles from one block to the next, all units together */
};

struct engine {
    struct engine_cfg cfg;
    uint64_t step, free; /* in 1/1024 cycles */
    uint64_t blocks, waited;
};

void engine_init(struct engine *e, const struct engine_cfg *cfg);
/* A block enters at `now` or when the engine has room; cycles until it is done. */
uint32_t engine_use(struct engine *e, cycle_t now);
/* The same, and counts it and the cycles it waited; nothing where the engine is not there. */
uint32_t engine_use_counted(struct engine *e, cycle_t now, uint64_t *blocks, uint64_t *waits);

#endif
