/* A walk from behind each call, until the registers are read or written. */
#include "a64/callers.h"

enum { LOOKED_AT = 256, NESTED = 4, FIRST_V = 8 };

uint32_t callers_bit(unsigned reg)
{
    if (reg < 8)
        return 1u << reg;
    return reg >= A64_V0 && reg < A64_V0 + 8 ? 1u << (reg - A64_V0 + FIRST_V) : 0;
}

struct place {
    uint64_t pc;
    uint32_t open; /* registers that were neither read nor written yet */
};

struct walk {
    const struct a64_process *p;
    struct a64_ops *ops;
    unsigned depth, left; /* instructions that may be looked at */
    VEC(struct place) waiting;
    struct u64map seen; /* by pc: registers that were open there */
};

static void reach(struct walk *w, uint64_t pc, uint32_t open)
{
    const uint64_t *known = u64map_get(&w->seen, pc);
    const uint32_t before = known ? (uint32_t)*known : 0;
    if (!(open & ~before))
        return;
    u64map_put(&w->seen, pc, open | before);
    const struct place new = {pc, open};
    vec_push(&w->waiting, new);
}

/* What is saved inside of another function is an argument that it may not have. */
static bool is_read(const struct walk *w, const struct a64_op *op, uint32_t open)
{
    uint32_t reads = 0;
    for (unsigned k = 0; k < op->uses.nreads; k++)
        reads |= callers_bit(op->uses.reads[k]);
    return (reads & open) && !(op->uses.is_store && w->depth);
}

static uint64_t walk_from(const struct walk *outer, uint64_t pc, uint32_t open);

/* Behind the instruction at p->pc: where a function that it calls reads, or 0. */
static uint64_t follow(struct walk *w, struct place p, const struct a64_inst *i,
                       const struct a64_op *op)
{
    for (unsigned k = 0; k < op->uses.nwrites; k++)
        p.open &= ~callers_bit(op->uses.writes[k]);
    if (!p.open)
        return 0;
    switch ((enum a64_branch)op->branch) {
    case A64_CALL: /* it may write what is open */
        return w->depth < NESTED ? walk_from(w, i->imm, p.open) : 0;
    case A64_IF:
        reach(w, i->imm, p.open);
        reach(w, p.pc + 4, p.open);
        return 0;
    case A64_JUMP:
        reach(w, i->imm, p.open);
        return 0;
    case A64_NO_BRANCH:
        reach(w, p.pc + 4, p.open);
        return 0;
    default:
        return 0;
    }
}

static uint64_t look_at(struct walk *w, struct place p)
{
    struct a64_inst i;
    uint32_t word;
    if (!image_peek(w->p->image, p.pc, &word, sizeof word) || !a64_decode(&i, word, p.pc))
        return 0;
    const struct a64_op *op = a64_op_of(w->ops, &i, p.pc);
    return is_read(w, op, p.open) ? p.pc : follow(w, p, &i, op);
}

static uint64_t walk_from(const struct walk *outer, uint64_t pc, uint32_t open)
{
    struct walk w = {
        .p = outer->p, .ops = outer->ops, .depth = outer->depth + 1, .left = LOOKED_AT};
    uint64_t at = 0;
    reach(&w, pc, open);
    while (w.waiting.len && w.left-- && !at)
        at = look_at(&w, w.waiting.data[--w.waiting.len]);
    vec_free(&w.waiting);
    u64map_free(&w.seen);
    return at;
}

/* Whether the word at pc calls the function. */
static bool is_call(uint32_t word, uint64_t pc, uint64_t entry)
{
    const uint64_t to = pc + (uint64_t)((int64_t)((uint64_t)word << 38) >> 36);
    return word >> 26 == 0x25 && to == entry;
}

uint64_t callers_read(const struct a64_process *p, struct a64_ops *ops, uint64_t entry,
                      uint32_t registers)
{
    const struct walk none = {.p = p, .ops = ops, .depth = (unsigned)-1};
    uint64_t at = 0;
    for (size_t m = 0; m < p->image->mappings.len; m++) {
        const struct image_mapping map = p->image->mappings.data[m];
        uint32_t word;
        for (uint64_t pc = map.start; map.prot & IMAGE_X && pc < map.end && !at; pc += 4)
            if (image_peek(p->image, pc, &word, sizeof word) && is_call(word, pc, entry))
                at = walk_from(&none, pc + 4, registers);
    }
    return at;
}
