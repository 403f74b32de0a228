/* Branch prediction: a local and a global predictor and a choice between them, targets, return
 * addresses. Asked and told in program order. */
#ifndef A64_BPRED_H
#define A64_BPRED_H

#include "a64/ops.h"

struct bpred_cfg {
    unsigned local, global, btb, btb_tag, returns; /* entries, but the tag, which is bits */
};

struct bpred {
    struct bpred_cfg cfg;
    uint8_t *local, *global, *choice; /* counters of two bits */
    uint64_t *histories, history;     /* of a branch; of all */
    struct bpred_target {
        uint64_t tag, to;
        bool is_valid;
    } * targets;
    uint64_t *stack; /* return addresses; the newest at top - 1, modulo its size */
    unsigned top, depth;
};

void bpred_init(struct bpred *b, const struct bpred_cfg *cfg);
void bpred_free(struct bpred *b);
/* The branch at pc goes to `next`: whether that was predicted. */
bool bpred_branch(struct bpred *b, enum a64_branch kind, uint64_t pc, uint64_t next);

#endif
