/* An L1 whose lines come and leave encoded: an engine that is not there, and a memory whose answers
 * are encoded, or refuse what is written. */
#ifndef TESTS_MEM_SUPPORT_L1_ENGINE_H
#define TESTS_MEM_SUPPORT_L1_ENGINE_H

#include "support_l1_rig.h"

enum { JOBS = 32, CODE = 40 };

struct mock {
    cycle_t latency;    /* 0: done at once */
    cycle_t busy_until; /* answers CODEC_BUSY before; CYCLE_NEVER: until the test wakes the cache */
    uint32_t asked;     /* times */
    const struct codec_client *client;
    bool refuses;
    bool is_unwilling; /* does not want lines that come to stay encoded */
    cycle_t begins;    /* so long after it was asked, a store's bytes are read */
    uint32_t stored;   /* what a store becomes */
    struct codec_job jobs[JOBS];
    cycle_t due[JOBS];
    uint32_t n, head;
};

/* What memory answers. */
struct memory {
    struct mock mock;
    struct codec_engine engine;
    struct l1_rig *r;
    bool is_encoded;
    uint32_t refusals; /* so many writes and atomics are refused */
    uint8_t reads;     /* that answers tell of */
};

/* Lines are decoded when they come; four stores may wait to be encoded. */
extern const struct encoding_cfg decoded;

/* A cache with an engine of this latency. memory_free() checks that nothing is left in it. */
struct memory *memory_new(uint32_t latency, const struct encoding_cfg *cfg);
void memory_free(struct memory *m);
void memory_answer(void *ctx, const struct mem_req *reply);

void l1_rig_bind_engine(struct l1_rig *r, const struct codec_engine *engine,
                        const struct encoding_cfg *cfg);

/* Of a whole line; of whole sectors. */
struct l1_access read_of(addr_t addr, uint32_t token);
struct l1_access store_of(addr_t addr, uint16_t sectors, uint32_t token);
void submit_all(struct memory *m, const struct l1_access *a, const cycle_t *at, size_t n);

#endif
