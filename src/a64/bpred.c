/* The tournament predictor of gem5's HPI core, by its published parameters. */
#include "a64/bpred.h"

#include <stdlib.h>
#include <string.h>

enum { MIDDLE = 2, MOST = 3 }; /* counters: taken from MIDDLE on */

void bpred_init(struct bpred *b, const struct bpred_cfg *cfg)
{
    *b = (struct bpred){.cfg = *cfg};
    b->local = xcalloc(cfg->local, 1);
    b->histories = xcalloc(cfg->local, sizeof *b->histories);
    b->global = xcalloc(cfg->global, 1);
    b->choice = xcalloc(cfg->global, 1);
    b->targets = xcalloc(cfg->btb, sizeof *b->targets);
    b->stack = xcalloc(cfg->returns, sizeof *b->stack);
}

void bpred_free(struct bpred *b)
{
    free(b->local);
    free(b->histories);
    free(b->global);
    free(b->choice);
    free(b->targets);
    free(b->stack);
}

static void count(uint8_t *counter, bool up)
{
    if (up)
        *counter += *counter < MOST;
    else
        *counter -= *counter > 0;
}

/* Whether a conditional branch is predicted taken; then it is told that. */
static bool predict_if(struct bpred *b, uint64_t pc, bool is_taken)
{
    uint64_t *history = &b->histories[pc / 4 & (b->cfg.local - 1)];
    uint8_t *local = &b->local[*history & (b->cfg.local - 1)];
    uint8_t *global = &b->global[b->history & (b->cfg.global - 1)];
    uint8_t *choice = &b->choice[b->history & (b->cfg.global - 1)];
    const bool by_local = *local >= MIDDLE, by_global = *global >= MIDDLE;
    const bool predicted = *choice >= MIDDLE ? by_global : by_local;
    if (by_local != by_global)
        count(choice, by_global == is_taken);
    count(local, is_taken);
    count(global, is_taken);
    *history = *history << 1 | is_taken;
    b->history = b->history << 1 | is_taken;
    return predicted;
}

static struct bpred_target *target_of(const struct bpred *b, uint64_t pc, uint64_t *tag)
{
    *tag = pc / 4 / b->cfg.btb & ((UINT64_C(1) << b->cfg.btb_tag) - 1);
    return &b->targets[pc / 4 & (b->cfg.btb - 1)];
}

/* Where the table says that it goes; 0: it does not know the branch. Told afterwards. */
static uint64_t predict_target(struct bpred *b, uint64_t pc, uint64_t next, bool is_taken)
{
    uint64_t tag;
    struct bpred_target *t = target_of(b, pc, &tag);
    const uint64_t predicted = t->is_valid && t->tag == tag ? t->to : 0;
    if (is_taken)
        *t = (struct bpred_target){tag, next, true};
    return predicted;
}

static void push_return(struct bpred *b, uint64_t to)
{
    b->stack[b->top] = to;
    b->top = (b->top + 1) % b->cfg.returns;
    b->depth += b->depth < b->cfg.returns;
}

static uint64_t pop_return(struct bpred *b)
{
    if (!b->depth)
        return 0;
    b->depth--;
    b->top = (b->top + b->cfg.returns - 1) % b->cfg.returns;
    return b->stack[b->top];
}

bool bpred_branch(struct bpred *b, enum a64_branch kind, uint64_t pc, uint64_t next)
{
    const bool is_taken = next != pc + 4 || kind != A64_IF;
    if (kind == A64_RETURN)
        return pop_return(b) == next;
    const bool says_taken = kind != A64_IF || predict_if(b, pc, is_taken);
    const uint64_t to = predict_target(b, pc, next, is_taken);
    if (kind == A64_CALL || kind == A64_CALL_TO)
        push_return(b, pc + 4);
    return (says_taken && to ? to : pc + 4) == next;
}
