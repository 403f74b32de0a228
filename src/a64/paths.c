/* A walk over code with what is known of its registers: addresses in the function's own part of the
 * stack, in the thread's memory, and constants. Where paths meet, what they agree on is left. */
#include "a64/paths.h"

#include "a64/callers.h"
#include "a64/operands.h"
#include "a64/width.h"
#include "base/u64map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NESTED = 16, INSTS_MOST = 20000, KNOWN = A64_SP + 1, FIRST_V = 8, ARGUMENTS = 0xffff };

enum kind { ANYTHING, STACK, THREAD, CONSTANT, ERROR };

/* Of a register: a place of that kind; `at`: beside the stack pointer at the function's begin, or
 * the address, if it is exact. ERROR: a value that libm sets errno to. */
struct value {
    enum kind kind;
    bool is_exact;
    uint64_t at;
};

struct state {
    struct value x[KNOWN];
    uint64_t written[2]; /* on all paths to here; registers by number, a bit each */
    uint32_t unread; /* arguments' registers, written on all paths and not read since: results */
    uint32_t wide;   /* those that got more than 8 bytes on some path */
};

/* Of a function that was walked: bits of arguments' registers. */
struct summary {
    uint16_t inputs, unread, wide; /* as above */
    uint16_t written;              /* on all paths */
};

struct place {
    uint64_t pc;
    struct state in;
    bool is_waiting;
};

struct walk {
    const struct a64_process *p;
    struct a64_ops *ops;
    struct paths *out;
    struct u64map *done; /* functions that were walked, by entry: their summaries */
    unsigned depth;
    struct summary sum; /* of this one */
    struct u64map by_pc;
    VEC(struct place) places;
    VEC(size_t) waiting;
};

static void blame(struct walk *w, uint64_t pc, enum pure_fault fault)
{
    if (!w->out->fault) {
        w->out->fault = fault;
        w->out->at = pc;
    }
}

/* --- what is known --- */

static bool is_same(const struct value *a, const struct value *b)
{
    const bool has_place = a->is_exact || a->kind == CONSTANT;
    return a->kind == b->kind && a->is_exact == b->is_exact && (!has_place || a->at == b->at);
}

static struct value meet_values(struct value a, struct value b)
{
    if (is_same(&a, &b))
        return a;
    return (struct value){.kind = a.kind == b.kind && a.kind != CONSTANT ? a.kind : ANYTHING};
}

/* What both know; whether that is less than `to` knew. */
static bool meet(struct state *to, const struct state *from)
{
    bool is_less = false;
    for (unsigned r = 0; r < KNOWN; r++) {
        const struct value v = meet_values(to->x[r], from->x[r]);
        is_less |= !is_same(&v, &to->x[r]);
        to->x[r] = v;
    }
    for (unsigned k = 0; k < 2; k++) {
        is_less |= (to->written[k] & ~from->written[k]) != 0;
        to->written[k] &= from->written[k];
    }
    is_less |= (to->unread & ~from->unread) || (from->wide & ~to->wide);
    to->unread &= from->unread;
    to->wide |= from->wide;
    return is_less;
}

static void reach(struct walk *w, uint64_t pc, const struct state *s)
{
    const uint64_t *known = u64map_get(&w->by_pc, pc);
    if (known && !meet(&w->places.data[*known].in, s))
        return;
    const size_t at = known ? (size_t)*known : w->places.len;
    if (!known) {
        u64map_put(&w->by_pc, pc, at);
        const struct place new = {.pc = pc, .in = *s};
        vec_push(&w->places, new);
    }
    if (!w->places.data[at].is_waiting) {
        w->places.data[at].is_waiting = true;
        vec_push(&w->waiting, at);
    }
}

/* --- an instruction --- */

static struct value moved(struct value v, uint64_t by, bool is_exact)
{
    if (v.kind == ERROR)
        return (struct value){0};
    v.at += by;
    v.is_exact &= is_exact;
    return v;
}

static bool is_read_only(const struct walk *w, uint64_t addr)
{
    unsigned prot;
    return image_prot(w->p->image, addr & -(uint64_t)IMAGE_PAGE, IMAGE_PAGE, &prot) &&
           !(prot & IMAGE_W);
}

static bool has_offset(const struct a64_inst *i)
{
    const struct a64_row *rows;
    a64_rows(&rows);
    a64_operands *const o = rows[i->row].operands;
    return o == op_mem_pair || o == op_mem_uimm || o == op_mem_simm;
}

/* Where an access goes: an index leaves the kind of its base. */
static struct value address_of(const struct state *s, const struct a64_inst *i,
                               const struct a64_op *op)
{
    const uint64_t word = i->word;
    if ((word & 0x3b000000) == 0x18000000) /* a literal */
        return (struct value){CONSTANT, true, i->imm};
    const struct value base = s->x[i->rn];
    return op->uses.mode == A64_OFFSET ? moved(base, i->imm, has_offset(i))
                                       : moved(base, 0, op->uses.mode == A64_BASE);
}

static bool is_error(const struct state *s, const struct a64_inst *i, const struct a64_op *op)
{
    return op->uses.bytes == 4 && pure_stores_core(i->word) && s->x[i->rd].kind == ERROR;
}

static void see_access(struct walk *w, uint64_t pc, const struct state *s, const struct a64_inst *i,
                       const struct a64_op *op, const struct value *at)
{
    const bool is_store = op->uses.is_store;
    if (at->kind == STACK && !(at->is_exact && (int64_t)at->at >= 0))
        return;
    if (at->kind == THREAD && is_store && is_error(s, i, op))
        w->out->sets_errno = true;
    else if (is_store)
        blame(w, pc, PURE_STORES);
    else if (at->kind != CONSTANT || !is_read_only(w, at->at))
        blame(w, pc, PURE_LOADS);
}

static bool is_written(const struct state *s, unsigned reg)
{
    return s->written[reg / 64] >> reg % 64 & 1;
}

/* The register of an argument. */
static unsigned argument(unsigned k)
{
    return k < FIRST_V ? k : A64_V0 + k - FIRST_V;
}

/* Neither a frame's registers nor, unless somebody looks at it, where it was called from. */
static bool is_frame(const struct a64_op *op, unsigned reg)
{
    return (reg >= 29 && reg <= A64_SP) && (reg != 30 || op->uses.is_store || op->branch);
}

static void see_reads(struct walk *w, uint64_t pc, struct state *s, const struct a64_op *op,
                      const struct a64_inst *i)
{
    const bool is_wide = a64_width_of(i->word).reads;
    for (unsigned k = 0; k < op->uses.nreads; k++) {
        const unsigned reg = op->uses.reads[k];
        s->unread &= ~callers_bit(reg);
        if (is_written(s, reg) || is_frame(op, reg))
            continue;
        w->sum.inputs |= (uint16_t)callers_bit(reg);
        if (callers_bit(reg) && reg >= A64_V0 && is_wide)
            blame(w, pc, PURE_WIDE);
        if (!callers_bit(reg) && (!op->uses.is_store || reg == i->rn))
            blame(w, pc, PURE_READS);
    }
}

/* What nobody reads is a result, but for bases that move and counters that set flags. */
static void see_results(struct state *s, const struct a64_op *op, const struct a64_inst *i)
{
    const bool is_wide = a64_width_of(i->word).writes;
    bool sets_flags = false;
    for (unsigned k = 0; k < op->uses.nwrites; k++)
        sets_flags |= op->uses.writes[k] == A64_FLAGS;
    for (unsigned k = 0; k < op->uses.nwrites; k++) {
        const uint32_t bit = callers_bit(op->uses.writes[k]);
        const bool is_result = !sets_flags && !(op->alu_writes >> k & 1);
        s->unread = is_result ? s->unread | bit : s->unread & ~bit;
        s->wide = is_wide && op->uses.writes[k] >= A64_V0 ? s->wide | bit : s->wide & ~bit;
    }
}

/* Of a load: what lies in memory that cannot change. */
static struct value loaded(const struct walk *w, const struct a64_op *op, const struct value *at)
{
    struct value v = {.kind = CONSTANT, .is_exact = true};
    const bool is_known = at->kind == CONSTANT && at->is_exact && op->uses.bytes == 8 &&
                          is_read_only(w, at->at) && image_peek(w->p->image, at->at, &v.at, 8);
    return is_known ? v : (struct value){0};
}

/* What the first register that it writes holds then. */
static struct value result_of(const struct walk *w, const struct state *s, const struct a64_inst *i,
                              const struct a64_op *op, const struct value *at)
{
    const uint32_t word = i->word;
    if (op->uses.mode)
        return op->uses.is_store ? (struct value){0} : loaded(w, op, at);
    if ((word & 0xff800000) == 0x91000000) /* add, of an immediate */
        return moved(s->x[i->rn], i->imm, true);
    if ((word & 0xff800000) == 0xd1000000)
        return moved(s->x[i->rn], -i->imm, true);
    if ((word & 0x7f800000) == 0x52800000 && (i->imm == EDOM || i->imm == ERANGE)) /* movz */
        return (struct value){.kind = ERROR};
    if ((word & 0xffe0ffe0) == 0xaa0003e0) /* mov */
        return s->x[i->rm];
    if ((word & 0x1f000000) == 0x10000000) /* adr, adrp */
        return (struct value){CONSTANT, true, i->imm};
    if (pure_reads_thread(word))
        return (struct value){.kind = THREAD};
    if ((word & 0xff000000) == 0x8b000000) /* add, of an index */
        return moved(s->x[i->rn], 0, false);
    return (struct value){0};
}

static void write_registers(const struct walk *w, struct state *s, const struct a64_inst *i,
                            const struct a64_op *op, const struct value *at)
{
    const struct value first = result_of(w, s, i, op, at);
    const struct value base = moved(s->x[i->rn < KNOWN ? i->rn : 0], i->imm, has_offset(i));
    for (unsigned k = 0; k < op->uses.nwrites; k++) {
        const unsigned reg = op->uses.writes[k];
        s->written[reg / 64] |= UINT64_C(1) << reg % 64;
        if (reg < KNOWN)
            s->x[reg] = op->alu_writes >> k & 1 ? base : k ? (struct value){0} : first;
    }
}

/* --- branches --- */

static struct summary walk_function(struct walk *w, uint64_t entry);

/* Registers that a call leaves to the one who is called are known no more; arguments that were made
 * here are none of the caller's, those that it leaves alone still are. */
static void call(struct walk *w, uint64_t pc, uint64_t to, struct state *s)
{
    struct walk inner = {
        .p = w->p, .ops = w->ops, .out = w->out, .done = w->done, .depth = w->depth + 1};
    struct summary sum = {0};
    if (inner.depth > NESTED)
        blame(w, pc, PURE_UNKNOWN);
    else
        sum = walk_function(&inner, to);
    for (unsigned k = 0; k < PURE_REGISTERS; k++) {
        const unsigned reg = argument(k);
        if (sum.inputs >> k & 1 && !is_written(s, reg))
            w->sum.inputs |= (uint16_t)(1u << k);
        if (sum.written >> k & 1)
            s->written[reg / 64] |= UINT64_C(1) << reg % 64;
    }
    s->unread = sum.unread;
    s->wide = sum.wide;
    for (unsigned r = 0; r < 19; r++)
        s->x[r] = (struct value){0};
    s->x[30] = (struct value){0};
    s->written[0] |= ((UINT64_C(1) << 19) - 1) & ~UINT64_C(0xff);
    for (unsigned r = 16; r < 32; r++)
        s->written[(A64_V0 + r) / 64] |= UINT64_C(1) << (A64_V0 + r) % 64;
}

static void see_return(struct walk *w, const struct state *s)
{
    w->sum.unread &= (uint16_t)s->unread;
    w->sum.wide |= (uint16_t)s->wide;
    for (unsigned k = 0; k < PURE_REGISTERS; k++)
        if (!is_written(s, argument(k)))
            w->sum.written &= (uint16_t) ~(1u << k);
}

static void follow(struct walk *w, uint64_t pc, const struct a64_inst *i, const struct a64_op *op,
                   struct state *s)
{
    const struct value to = s->x[i->rn < KNOWN ? i->rn : 0];
    const bool is_far = op->branch == A64_JUMP_TO || op->branch == A64_CALL_TO;
    const uint64_t target = is_far ? to.at : i->imm;
    if (op->branch == A64_RETURN) {
        see_return(w, s);
        return;
    }
    if (is_far && !(to.kind == CONSTANT && to.is_exact)) {
        blame(w, pc, PURE_UNKNOWN);
        return;
    }
    if (op->branch == A64_CALL || op->branch == A64_CALL_TO)
        call(w, pc, target, s);
    else if (op->branch)
        reach(w, target, s);
    if (op->branch != A64_JUMP && op->branch != A64_JUMP_TO)
        reach(w, pc + 4, s);
}

/* --- a function --- */

static void look_at(struct walk *w, uint64_t pc, struct state s)
{
    struct a64_inst i;
    uint32_t word;
    if (!image_peek(w->p->image, pc, &word, sizeof word) || !a64_decode(&i, word, pc)) {
        blame(w, pc, PURE_UNKNOWN);
        return;
    }
    const struct a64_op *op = a64_op_of(w->ops, &i, pc);
    if (pure_is_system(op, &i))
        blame(w, pc, PURE_SYSTEM);
    see_reads(w, pc, &s, op, &i);
    const struct value at = op->uses.mode ? address_of(&s, &i, op) : (struct value){0};
    if (op->uses.mode)
        see_access(w, pc, &s, &i, op, &at);
    struct state before = s; /* a call through a register reads it before it is written */
    write_registers(w, &s, &i, op, &at);
    see_results(&s, op, &i);
    s.x[A64_ZERO] = before.x[A64_ZERO];
    if (op->branch == A64_CALL_TO || op->branch == A64_JUMP_TO)
        s.x[i.rn] = before.x[i.rn];
    follow(w, pc, &i, op, &s);
}

static uint64_t pack(struct summary s)
{
    return s.inputs | (uint64_t)s.unread << 16 | (uint64_t)s.wide << 32 | (uint64_t)s.written << 48;
}

static struct summary unpack(uint64_t v)
{
    return (struct summary){(uint16_t)v, (uint16_t)(v >> 16), (uint16_t)(v >> 32),
                            (uint16_t)(v >> 48)};
}

/* One that is being walked, and calls itself, reads all arguments; its results are seen where it
 * returns. */
static struct summary walk_function(struct walk *w, uint64_t entry)
{
    struct state start = {.x = {[A64_SP] = {STACK, true, 0}, [A64_ZERO] = {CONSTANT, true, 0}}};
    const uint64_t *known = u64map_get(w->done, entry);
    if (known)
        return unpack(*known);
    w->sum.written = w->sum.unread = ARGUMENTS;
    u64map_put(w->done, entry, pack((struct summary){.inputs = ARGUMENTS, .written = ARGUMENTS}));
    reach(w, entry, &start);
    while (w->waiting.len && !w->out->fault) {
        struct place *p = &w->places.data[w->waiting.data[--w->waiting.len]];
        p->is_waiting = false;
        if (w->places.len > INSTS_MOST)
            blame(w, p->pc, PURE_UNKNOWN);
        else
            look_at(w, p->pc, p->in);
    }
    u64map_put(w->done, entry, pack(w->sum));
    vec_free(&w->places);
    vec_free(&w->waiting);
    u64map_free(&w->by_pc);
    return w->sum;
}

/* More than the result that is kept speaks against it. Results come in x0, v0, and those behind
 * them if there are more: what all paths leave there that none of them reads, or that a caller
 * reads. */
static void see_results_of(struct walk *w, uint64_t entry, uint32_t kept)
{
    const uint32_t others = (PURE_X0 | PURE_X0 << 1 | PURE_V0 | PURE_V0 << 1) & ~kept;
    if ((w->sum.unread & others) || (w->sum.wide & kept))
        blame(w, entry, PURE_OUTPUTS);
    const uint64_t at = w->out->fault ? 0 : callers_read(w->p, w->ops, entry, others);
    if (at)
        blame(w, at, PURE_OUTPUTS);
}

struct paths paths_look(const struct a64_process *p, const struct a64_timing_cfg *timing,
                        uint64_t entry, uint32_t outputs)
{
    struct paths out = {0};
    struct a64_ops ops = {.timing = *timing};
    struct u64map done = {0};
    struct walk w = {.p = p, .ops = &ops, .out = &out, .done = &done};
    out.inputs = walk_function(&w, entry).inputs;
    see_results_of(&w, entry, outputs);
    u64map_free(&done);
    a64_ops_free(&ops);
    return out;
}
