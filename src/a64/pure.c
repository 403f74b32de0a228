/* Calls as they happen: what each reads, writes and leaves. */
#include "a64/pure.h"

#include "a64/callers.h"
#include "base/u64map.h"

#include <errno.h>
#include <string.h>

enum { DEPTH = 64, WATCHES = 8, WATCHED = 256, LOOKUP_COST = 9, FIRST_V = 8 };

/* A call that has not returned. */
struct frame {
    size_t function;
    uint64_t sp, link, inst, weight;
    uint32_t written[4]; /* registers by number, a bit each */
    uint32_t wide;       /* arguments' registers whose upper half is not zero */
    struct pure_call call;
};

/* Registers that a function has left, until somebody reads or writes them. */
struct watch {
    size_t function;
    uint32_t open; /* bits of arguments' registers */
    unsigned left; /* instructions that are looked at */
};

struct pure_finder {
    struct a64_process *p;
    struct a64_ops ops;
    struct u64map by_entry;
    VEC(struct pure_function) all;
    struct frame frames[DEPTH];
    unsigned depth;
    struct watch watches[WATCHES];
    unsigned next_watch;
    uint64_t call_link; /* the last instruction was a call that returns there; 0: it was none */
};

struct pure_finder *pure_new(struct a64_process *p, const struct a64_timing_cfg *timing)
{
    struct pure_finder *f = xcalloc(1, sizeof *f);
    f->p = p;
    f->ops.timing = *timing;
    return f;
}

void pure_free(struct pure_finder *f)
{
    if (!f)
        return;
    for (size_t k = 0; k < f->all.len; k++)
        vec_free(&f->all.data[k].calls);
    vec_free(&f->all);
    u64map_free(&f->by_entry);
    a64_ops_free(&f->ops);
    free(f);
}

size_t pure_functions(const struct pure_finder *f, const struct pure_function **all)
{
    *all = f->all.data;
    return f->all.len;
}

/* --- registers --- */

static bool is_written(const struct frame *f, unsigned reg)
{
    return f->written[reg / 32] >> reg % 32 & 1;
}

static void blame(struct pure_finder *f, size_t function, enum pure_fault fault)
{
    if (!f->all.data[function].fault)
        f->all.data[function].fault = fault;
}

/* --- calls and returns --- */

static void enter(struct pure_finder *f, const struct a64_cpu *c)
{
    const uint64_t *known = u64map_get(&f->by_entry, c->pc);
    const size_t at = known ? (size_t)*known : f->all.len;
    if (!known) {
        u64map_put(&f->by_entry, c->pc, at);
        vec_push(&f->all, (struct pure_function){.entry = c->pc});
    }
    if (f->depth == DEPTH) { /* the outermost is not followed any more */
        blame(f, f->frames[0].function, PURE_UNENDED);
        memmove(f->frames, f->frames + 1, (DEPTH - 1) * sizeof *f->frames);
        f->depth--;
    }
    struct frame *frame = &f->frames[f->depth++];
    *frame = (struct frame){.function = at, .sp = c->x[A64_SP], .link = c->x[30]};
    for (unsigned k = 0; k < 8; k++) {
        frame->call.at[k] = c->x[k];
        frame->call.at[FIRST_V + k] = c->v[k].d[0];
        frame->wide |= c->v[k].d[1] ? 1u << (FIRST_V + k) : 0;
    }
}

static void leave(struct pure_finder *f, const struct a64_cpu *c)
{
    struct frame *frame = &f->frames[f->depth - 1];
    struct pure_function *fn = &f->all.data[frame->function];
    uint32_t open = 0;
    for (unsigned reg = 0; reg < A64_V0 + 8; reg++)
        if (is_written(frame, reg))
            open |= callers_bit(reg);
    for (unsigned v = 0; v < 8; v++)
        if (open >> (FIRST_V + v) & 1 && c->v[v].d[1])
            fn->outputs |= 3u << 30; /* wider than an entry: no output that can be kept */
    fn->returned++;
    fn->inst += frame->inst;
    fn->weight += frame->weight;
    if (fn->calls.len < PURE_CALLS_MOST)
        vec_push(&fn->calls, frame->call);
    f->watches[f->next_watch++ % WATCHES] =
        (struct watch){.function = frame->function, .open = open, .left = WATCHED};
    f->depth--;
}

/* Frames that the program is back from; those that it has jumped out of are to blame. */
static void leave_ended(struct pure_finder *f, const struct a64_cpu *c)
{
    const uint64_t sp = c->x[A64_SP];
    while (f->depth && sp >= f->frames[f->depth - 1].sp) {
        const struct frame *frame = &f->frames[f->depth - 1];
        if (c->pc == frame->link && sp == frame->sp) {
            leave(f, c);
        } else if (sp > frame->sp) {
            blame(f, frame->function, PURE_UNENDED);
            f->depth--;
        } else {
            return;
        }
    }
}

/* --- what an instruction does to those who are open --- */

/* EDOM or ERANGE into the thread's memory: a function of libm's errors. Other variables of the
 * thread are effects. */
static bool is_errno(const struct a64_cpu *c, const struct a64_inst *i, const struct a64_op *op)
{
    return op->uses.bytes == 4 && pure_stores_core(i->word) &&
           ((uint32_t)c->x[i->rd] == EDOM || (uint32_t)c->x[i->rd] == ERANGE);
}

static enum pure_fault access_fault(struct pure_finder *f, const struct frame *frame,
                                    const struct a64_op *op, const struct a64_inst *i,
                                    uint64_t addr)
{
    enum { STACK = 8 << 20, THREAD = 4096 };
    const bool is_own = addr < frame->sp && addr + STACK > frame->sp,
               is_thread = addr - f->p->cpu.tpidr < THREAD && is_errno(&f->p->cpu, i, op);
    if (is_own)
        return PURE_OK;
    if (op->uses.is_store) {
        f->all.data[frame->function].sets_errno |= is_thread;
        return is_thread ? PURE_OK : PURE_STORES;
    }
    unsigned prot;
    const bool is_constant =
        image_prot(f->p->image, addr & -(uint64_t)IMAGE_PAGE, IMAGE_PAGE, &prot) &&
        !(prot & IMAGE_W);
    return is_constant ? PURE_OK : PURE_LOADS;
}

bool pure_is_system(const struct a64_op *op, const struct a64_inst *i)
{
    enum { HINTS = 0xd503201f, HINT_MASK = 0xfffff01f };
    return op->class == A64_MEMO || op->special == A64_KERNEL || op->special == A64_BEGIN ||
           op->special == A64_END ||
           (op->class == A64_SYSTEM && (i->word & HINT_MASK) != (uint32_t)HINTS &&
            !pure_reads_thread(i->word));
}

/* Registers that it reads: arguments, or what a function may look at; one that only keeps another's
 * value on its stack reads nothing. */
static void see_reads(struct pure_finder *f, struct frame *frame, const struct a64_op *op,
                      const struct a64_inst *i)
{
    const bool is_spill = op->uses.is_store;
    for (unsigned k = 0; k < op->uses.nreads; k++) {
        const unsigned reg = op->uses.reads[k];
        if (is_written(frame, reg) || reg == A64_SP || reg == 29 || reg == 30)
            continue;
        const uint32_t bit = callers_bit(reg);
        if (bit & frame->wide)
            blame(f, frame->function, PURE_WIDE);
        if (bit)
            f->all.data[frame->function].inputs |= bit;
        else if (!is_spill || reg == i->rn)
            blame(f, frame->function, PURE_READS);
    }
}

static void see(struct pure_finder *f, struct frame *frame, const struct a64_op *op,
                const struct a64_inst *i, uint64_t addr)
{
    frame->inst++;
    frame->weight += op->latency > 3 ? op->latency - 2u : 1;
    if (pure_is_system(op, i))
        blame(f, frame->function, PURE_SYSTEM);
    if (op->uses.mode) {
        const enum pure_fault fault = access_fault(f, frame, op, i, addr);
        if (fault)
            blame(f, frame->function, fault);
    }
    see_reads(f, frame, op, i);
    for (unsigned k = 0; k < op->uses.nwrites; k++)
        frame->written[op->uses.writes[k] / 32] |= 1u << op->uses.writes[k] % 32;
}

static void watch(struct pure_finder *f, const struct a64_op *op)
{
    for (unsigned w = 0; w < WATCHES; w++) {
        struct watch *at = &f->watches[w];
        if (!at->open || !at->left--) {
            at->open = 0;
            continue;
        }
        for (unsigned k = 0; k < op->uses.nreads; k++)
            f->all.data[at->function].outputs |= callers_bit(op->uses.reads[k]) & at->open;
        for (unsigned k = 0; k < op->uses.nwrites; k++)
            at->open &= ~callers_bit(op->uses.writes[k]);
    }
}

void pure_observe(void *finder, const struct a64_cpu *c, const struct a64_inst *i)
{
    struct pure_finder *f = finder;
    const struct a64_op *op = a64_op_of(&f->ops, i, c->pc);
    leave_ended(f, c);
    if (f->call_link && c->x[30] == f->call_link)
        enter(f, c);
    watch(f, op);
    const uint64_t addr = op->uses.mode ? a64_address(c, i, (enum a64_mode)op->uses.mode) : 0;
    for (unsigned k = 0; k < f->depth; k++)
        see(f, &f->frames[k], op, i, addr);
    f->call_link = op->branch == A64_CALL || op->branch == A64_CALL_TO ? c->pc + 4 : 0;
}

/* --- what would be found again --- */

uint64_t pure_distinct(const struct pure_function *f, unsigned cut)
{
    struct u64map seen = {0};
    uint64_t n = 0;
    for (size_t k = 0; k < f->calls.len; k++) {
        uint64_t key = 1;
        for (unsigned r = 0; r < PURE_REGISTERS; r++)
            if (f->inputs >> r & 1) {
                key += f->calls.data[k].at[r] & ~((UINT64_C(1) << cut) - 1);
                key = (key ^ key >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
                key ^= key >> 32;
            }
        if (!u64map_get(&seen, key)) {
            u64map_put(&seen, key, 1);
            n++;
        }
    }
    u64map_free(&seen);
    return n;
}

double pure_saving(const struct pure_function *f, unsigned cut)
{
    if (!f->returned || !f->calls.len)
        return 0;
    const double weight = (double)f->weight / (double)f->returned,
                 hits = 1 - (double)pure_distinct(f, cut) / (double)f->calls.len;
    const double cost = LOOKUP_COST + 2.0 * __builtin_popcount(f->inputs);
    return (double)f->returned * (hits * weight - cost);
}
