/* From executed instructions to records. */
#include "a64/tracer.h"

#include "a64/operands.h"
#include "base/interrupt.h"

#include <string.h>

enum { CHECK_EVERY = 1 << 20, LOAD_WEIGHT = 2, ISSUED = 2, REGISTERS = A64_USED };

_Static_assert((int)REGISTERS <= (int)DDDG_REGS, "a register has no number");

struct tracer {
    struct a64_process *p;
    const struct a64_window *w;
    struct dddg_trace *t;
    struct a64_ops ops;
    VEC(uint64_t) entries;     /* of functions that are recorded */
    bool follows_roi;          /* nobody has named functions */
    bool is_in, is_roi;        /* recording; because of the region of interest */
    uint64_t link, sp;         /* of the function that is recorded: where it ends */
    uint64_t skipped, arrived; /* instructions left out; times that it was entered */
    uint64_t known[DDDG_REGS]; /* registers behind the last record */
};

/* --- values --- */

static uint64_t value_of(const struct a64_cpu *c, unsigned reg)
{
    if (reg < A64_XREGS)
        return c->x[reg];
    if (reg == A64_FLAGS)
        return c->nzcv;
    const union a64_vec *v = &c->v[reg - A64_V0];
    return v->d[0] ^ v->d[1] * UINT64_C(0x9e3779b97f4a7c15);
}

static uint8_t bytes_of(const struct a64_cpu *c, unsigned reg)
{
    if (reg >= A64_V0 && reg < A64_USED && c->v[reg - A64_V0].d[1])
        return 16;
    return value_of(c, reg) >> 32 ? 8 : 4;
}

/* --- records --- */

static void push(struct tracer *r, const struct dddg_inst *d)
{
    vec_push(&r->t->all, *d);
}

static void add_reads(struct dddg_inst *d, const struct a64_uses *u)
{
    d->nreads = u->nreads;
    memcpy(d->reads, u->reads, sizeof d->reads);
}

/* The registers that make an address; what is stored is apart from them. */
static void add_address(struct dddg_inst *d, const struct a64_uses *u, const struct a64_inst *i)
{
    const uint8_t makers[] = {i->rn, i->rm};
    for (unsigned k = 0; k < u->nreads; k++)
        if (u->reads[k] == makers[0] || (u->mode == A64_INDEX && u->reads[k] == makers[1]))
            d->reads[d->nreads++] = u->reads[k];
}

/* What an access is, before it is executed. */
struct access {
    uint64_t addr;
    unsigned values, bytes; /* registers moved, bytes of each */
    uint64_t stored[4];
    uint8_t data[4];
    bool is_table, is_stack;
};

static struct access access_of(const struct tracer *r, const struct a64_inst *i,
                               const struct a64_op *op)
{
    const struct a64_cpu *c = &r->p->cpu;
    const struct a64_uses *u = &op->uses;
    struct access a = {.addr = a64_address(c, i, (enum a64_mode)u->mode), .values = 1};
    const struct a64_row *rows;
    a64_rows(&rows);
    const struct a64_row *row = &rows[i->row];
    const bool is_simd = bits(i->word, 26, 26) && row->class != A64_SYSTEM;
    const bool is_pair = row->operands == op_mem_pair;
    const bool is_structure = row->operands == op_mem_list || row->operands == op_mem_list_post ||
                              row->operands == op_mem_lane || row->operands == op_mem_lane_post;
    a.values = is_pair ? 2 : is_structure && i->ra && i->ra <= 4 ? i->ra : 1;
    a.bytes = u->bytes / a.values;
    for (unsigned k = 0; k < a.values && u->is_store; k++) {
        const unsigned reg = u->mode == A64_LINE ? A64_ZERO
                             : is_pair && k      ? i->ra
                                                 : (i->rd + (is_structure ? k : 0)) % 64;
        a.data[k] = (uint8_t)(reg + (is_simd ? (unsigned)A64_V0 : 0));
        a.stored[k] = value_of(c, a.data[k]);
    }
    unsigned prot = IMAGE_W;
    a.is_table = !u->is_store &&
                 image_prot(r->p->image, a.addr & -(uint64_t)IMAGE_PAGE, IMAGE_PAGE, &prot) &&
                 !(prot & IMAGE_W);
    a.is_stack = a.addr >> 47 == 0 && a.addr >= (UINT64_C(1) << 47) - (8 << 20);
    return a;
}

static void record_access(struct tracer *r, const struct a64_inst *i, const struct a64_op *op,
                          const struct access *a, uint64_t pc)
{
    const struct a64_cpu *c = &r->p->cpu;
    const struct a64_uses *u = &op->uses;
    for (unsigned k = 0; k < a->values; k++) {
        struct dddg_inst d = {.pc = pc,
                              .addr = a->addr + k * a->bytes,
                              .weight = k ? 0 : LOAD_WEIGHT,
                              .bytes = (uint8_t)a->bytes,
                              .is_stack = a->is_stack};
        add_address(&d, u, i);
        if (u->is_store) {
            d.kind = DDDG_STORE;
            d.weight = k ? 0 : 1;
            d.data = a->data[k];
            d.value = a->stored[k];
        } else {
            d.kind = a->is_table ? DDDG_TABLE : DDDG_LOAD;
            if (k < u->nwrites) {
                d.nwrites = 1;
                d.writes[0] = u->writes[k];
                d.value = value_of(c, u->writes[k]);
            }
        }
        if (d.bytes)
            push(r, &d);
    }
    for (unsigned k = u->is_store ? 0 : a->values; k < u->nwrites; k++) { /* a base that moves */
        struct dddg_inst d = {.pc = pc, .kind = DDDG_OP, .bytes = 8, .nreads = 1, .nwrites = 1};
        d.reads[0] = d.writes[0] = u->writes[k];
        d.value = value_of(c, u->writes[k]);
        push(r, &d);
    }
}

static void record_plain(struct tracer *r, const struct a64_op *op, uint64_t pc)
{
    const struct a64_cpu *c = &r->p->cpu;
    struct dddg_inst d = {.pc = pc,
                          .kind = op->class == A64_BRANCH || op->class == A64_SYSTEM ||
                                          op->class == A64_MEMO
                                      ? DDDG_CONTROL
                                      : DDDG_OP,
                          .weight = (uint8_t)(op->latency > ISSUED ? op->latency - ISSUED : 1)};
    if (op->class != A64_MEMO) { /* those say nothing of the program itself */
        add_reads(&d, &op->uses);
        d.nwrites = op->uses.nwrites < DDDG_WRITES ? op->uses.nwrites : DDDG_WRITES;
        memcpy(d.writes, op->uses.writes, d.nwrites);
    }
    if (d.nwrites) {
        d.value = value_of(c, d.writes[0]);
        d.bytes = bytes_of(c, d.writes[0]);
    }
    push(r, &d);
}

/* Registers that have changed without a record: as leaves that come from nowhere. */
static void record_changes(struct tracer *r, uint64_t pc)
{
    const struct a64_cpu *c = &r->p->cpu;
    r->arrived++;
    for (unsigned reg = 0; reg < REGISTERS; reg++) {
        if (reg == A64_NOWHERE || (reg > A64_FLAGS && reg < A64_V0))
            continue;
        const uint64_t value = value_of(c, reg);
        if (value == r->known[reg])
            continue;
        struct dddg_inst d = {.pc = pc, .kind = DDDG_LOAD, .bytes = 8, .nwrites = 1};
        d.addr = (UINT64_C(1) << 63) + (r->arrived << 16) + reg * 16;
        d.writes[0] = (uint8_t)reg;
        d.value = value;
        push(r, &d);
    }
}

static void keep_known(struct tracer *r)
{
    for (unsigned reg = 0; reg < REGISTERS; reg++)
        if (reg < A64_XREGS || reg == A64_FLAGS || reg >= A64_V0)
            r->known[reg] = value_of(&r->p->cpu, reg);
}

/* --- when --- */

static void begin(struct tracer *r)
{
    r->is_in = true;
    r->link = r->p->cpu.x[30];
    r->sp = r->p->cpu.x[A64_SP];
    if (r->t->all.len)
        record_changes(r, r->p->cpu.pc);
    else
        for (unsigned reg = 0; reg < REGISTERS; reg++)
            if (reg < A64_XREGS || reg == A64_FLAGS || reg >= A64_V0)
                r->t->first[reg] = value_of(&r->p->cpu, reg);
}

static bool is_entry(const struct tracer *r, uint64_t pc)
{
    for (size_t k = 0; k < r->entries.len; k++)
        if (r->entries.data[k] == pc)
            return true;
    return false;
}

/* At an instruction that comes next: whether recording begins or ends. */
static void look(struct tracer *r, uint64_t pc, const struct a64_op *op)
{
    if (r->follows_roi && op->special == A64_BEGIN && !r->is_roi) {
        r->is_roi = true;
        begin(r);
    } else if (!r->is_in && is_entry(r, pc)) {
        begin(r);
    } else if (r->is_in && !r->is_roi && r->entries.len && pc == r->link &&
               r->p->cpu.x[A64_SP] >= r->sp) {
        r->is_in = false;
        keep_known(r);
    }
}

static void record(struct tracer *r, const struct a64_inst *i, const struct a64_op *op, uint64_t pc)
{
    const bool is_access = op->uses.mode != A64_NO_ACCESS;
    const struct access a = is_access ? access_of(r, i, op) : (struct access){0};
    struct a64_cpu *c = &r->p->cpu;
    if (r->w->observe)
        r->w->observe(r->w->ctx, c, i);
    a64_execute(c, i);
    const bool is_call = c->stop.kind == A64_SVC || c->stop.kind == A64_CLOCK;
    if (is_call)
        keep_known(r);
    if (c->stop.kind && !is_call)
        return;
    if (is_access)
        record_access(r, i, op, &a, pc);
    else
        record_plain(r, op, pc);
    if (is_call) { /* what the kernel gives comes from nowhere */
        a64_process_serve(r->p);
        record_changes(r, pc);
    }
}

/* One instruction; false: it was the last. */
static bool step(struct tracer *r)
{
    struct a64_cpu *c = &r->p->cpu;
    const struct a64_inst *i = a64_next(c);
    if (!i)
        return false;
    const uint64_t pc = c->pc;
    const struct a64_op *op = a64_op_of(&r->ops, i, pc);
    if (r->is_roi && op->special == A64_END)
        return false;
    look(r, pc, op);
    if (r->is_in && r->skipped >= r->w->skip) {
        record(r, i, op, pc);
    } else {
        r->skipped += r->is_in;
        a64_execute(c, i);
        a64_process_serve(r->p);
        if (r->is_in && r->skipped == r->w->skip)
            begin(r);
    }
    return !c->stop.kind;
}

/* Whether its code has the hint with which a region of interest begins. */
static bool marks_roi(const struct tracer *r)
{
    const struct image *m = r->p->image;
    for (size_t k = 0; k < m->mappings.len; k++)
        for (uint64_t at = m->mappings.data[k].start;
             (m->mappings.data[k].prot & IMAGE_X) && at < m->mappings.data[k].end;
             at += IMAGE_PAGE) {
            uint32_t words[A64_PAGE_INSTS];
            if (!image_peek(r->p->image, at, words, sizeof words))
                break;
            for (unsigned w = 0; w < A64_PAGE_INSTS; w++)
                if (words[w] == A64_BEGIN_WORD)
                    return true;
        }
    return false;
}

static bool find_functions(struct tracer *r, struct err *err)
{
    const struct elf_program *e = &r->p->program;
    static char *const names[] = {"main"};
    char *const *wanted = r->w->nfunctions ? r->w->functions : names;
    const size_t n = r->w->nfunctions ? r->w->nfunctions : r->follows_roi ? 0 : 1;
    for (size_t k = 0; k < n; k++) {
        const size_t before = r->entries.len;
        for (size_t s = 0; s < e->symbols.len; s++)
            if (!strcmp(e->symbols.data[s].name, wanted[k]))
                vec_push(&r->entries, e->symbols.data[s].addr);
        if (r->w->nfunctions && r->entries.len == before)
            return err_set(err, "--function %s: %s has no such symbol", wanted[k], r->p->o.path);
    }
    return true;
}

bool a64_trace(struct a64_process *p, const struct a64_window *w,
               const struct a64_timing_cfg *timing, struct dddg_trace *t, struct err *err)
{
    struct tracer r = {.p = p, .w = w, .t = t, .ops.timing = *timing};
    r.follows_roi = !w->nfunctions && marks_roi(&r);
    const bool is_ok = find_functions(&r, err);
    t->zero = A64_ZERO;
    if (is_ok && !r.entries.len && !r.follows_roi) /* without symbols: all of it */
        begin(&r);
    while (is_ok && t->all.len < w->most && (!w->max_inst || p->cpu.inst < w->max_inst) &&
           ((p->cpu.inst & (CHECK_EVERY - 1)) || !interrupt_signal()) && step(&r))
        ;
    a64_ops_free(&r.ops);
    vec_free(&r.entries);
    return is_ok;
}
