/* Regions: for each store that fits, the longest stretch that ends behind it, has one way in and
 * one out, and begins behind a load whose values reach the store. */
#include "tech/lnl/lnl_propose.h"

#include "ptx/region.h"
#include "tech/lnl/lnl_history.h"
#include "tech/lnl/lnl_slices.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As the thesis' programs at most; a region gives up a tenth of itself to check more than one load;
 * and START_APPROX and the interpolation cost two slots, so that less is no gain. */
enum { MOST_LOADS = 3, GIVEN_UP = 10, LEAST = 4 };

struct hunt {
    struct lnl_slices s;
    struct lnl_proposal *p;
    uint32_t *next_bad; /* by instruction: the next one that can be in no region */
    uint8_t *entry;     /* by load of the slices: of the history table + 1; 0: not checked */
    uint8_t uses[LNL_SLICE_LOADS];
    unsigned nentries;
};

/* --- stores --- */

static bool is_output(const struct ptx_inst *i)
{
    const enum ptx_space s = ptx_inst_space(i);
    return i->op == PTX_OP_ST && (s == PTX_SPACE_GLOBAL || s == PTX_SPACE_GENERIC);
}

static const struct lnl_slice_load *first_of(const struct lnl_slices *s, uint64_t set)
{
    for (unsigned k = 0; k < s->nloads; k++)
        if (set >> k & 1)
            return &s->loads[k];
    return NULL;
}

static bool refuse(struct hunt *h, const char *format, ...)
{
    if (*h->p->why)
        return false;
    va_list args;
    va_start(args, format);
    vsnprintf(h->p->why, sizeof h->p->why, format, args);
    va_end(args);
    return false;
}

static bool refuse_unfit(struct hunt *h, uint32_t line, uint64_t set)
{
    static const char *const what[] = {
        [LNL_DECIDES_NOTHING] = "", /* the loads beyond those that are told apart */
        [LNL_DECIDES_ADDRESS] = "is an address",
        [LNL_DECIDES_CONTROL] = "decides whether something is stored, or who waits,",
        [LNL_DECIDES_LANES] = "is exchanged between lanes, or goes into an atomic or a call,"};
    const struct lnl_slice_load *l = first_of(&h->s, set);
    if (!l || !l->decides)
        return refuse(h, "the store of line %u follows from more than %d loads", line,
                      LNL_SLICE_LOADS - 1);
    return refuse(h, "the store of line %u follows from the load of line %u, which %s in line %u",
                  line, h->s.f->insts[l->pc].line, what[l->decides], l->line);
}

/* Whether what the instruction stores could be interpolated; if not, the first reason is kept. */
static bool is_fit(struct hunt *h, uint32_t pc)
{
    const struct ptx_inst *i = &h->s.f->insts[pc];
    bool is_computed;
    const uint64_t data = lnl_slices_data(&h->s, pc, &is_computed);
    const uint64_t place = lnl_slices_place(&h->s, pc);
    if (!data)
        return false;
    if (place)
        return refuse_unfit(h, i->line, place);
    if (data & h->s.unfit)
        return refuse_unfit(h, i->line, data & h->s.unfit);
    if (!is_computed)
        return refuse(h, "the store of line %u moves what line %u loads, and computes nothing",
                      i->line, h->s.f->insts[first_of(&h->s, data)->pc].line);
    const char *why = lnl_why_not(i);
    if (!why && ptx_inst_vec(i) == 1 && i->types[0] == PTX_S8)
        why = "signed bytes cannot be interpolated";
    return !why || refuse(h, "the store of line %u: %s", i->line, why);
}

/* --- regions --- */

static bool overlaps(const struct hunt *h, uint32_t begin, uint32_t end)
{
    for (size_t i = 0; i < h->p->regions.len; i++)
        if (begin < h->p->regions.data[i].end && h->p->regions.data[i].begin < end)
            return true;
    return false;
}

static bool is_valid(const struct hunt *h, uint32_t begin, uint32_t end)
{
    bool leaves;
    return h->next_bad[begin] >= end && !overlaps(h, begin, end) &&
           !ptx_region_breach(h->s.f, begin, end, &leaves);
}

static bool is_block_start(const struct hunt *h, uint32_t pc)
{
    return h->s.cfg->blocks[h->s.cfg->block_of[pc]].first == pc;
}

static bool is_barrier(const struct hunt *h, uint32_t pc)
{
    return ptx_inst_unit(&h->s.f->insts[pc]) == PTX_UNIT_BAR;
}

/* A place where a region for the store may begin: behind one of its loads or a barrier, or where
 * ways meet. */
static bool may_begin(const struct hunt *h, uint64_t data, uint32_t pc)
{
    for (unsigned k = 0; k < h->s.nloads; k++)
        if ((data >> k & 1) && h->s.loads[k].pc + 1 == pc)
            return true;
    return is_block_start(h, pc) || (pc && is_barrier(h, pc - 1));
}

static unsigned loads_before(const struct hunt *h, uint64_t data, uint32_t pc)
{
    unsigned n = 0;
    for (unsigned k = 0; k < h->s.nloads; k++)
        n += (data >> k & 1) && h->s.loads[k].pc < pc;
    return n;
}

/* The shortest region from `begin` with the store; 0: there is none. */
static uint32_t end_of(const struct hunt *h, uint32_t begin, uint32_t store)
{
    for (uint32_t end = store + 1; end < h->s.f->ninsts && end <= h->next_bad[begin]; end++)
        if ((end == store + 1 || is_block_start(h, end)) && is_valid(h, begin, end))
            return end;
    return 0;
}

/* Later begins with more loads before them, as long as most of the region stays. */
static uint32_t later_begin(const struct hunt *h, uint64_t data, uint32_t begin, uint32_t end)
{
    uint32_t best = begin;
    for (uint32_t b = begin + 1; b < end && (b - begin) * GIVEN_UP <= end - begin; b++)
        if (may_begin(h, data, b) && loads_before(h, data, b) <= MOST_LOADS &&
            loads_before(h, data, b) > loads_before(h, data, best) && is_valid(h, b, end))
            best = b;
    return best;
}

static bool find_region(const struct hunt *h, uint32_t store, uint64_t data,
                        struct lnl_proposed_region *r)
{
    uint32_t b = first_of(&h->s, data)->pc + 1, end = 0;
    for (; b <= store; b++)
        if (may_begin(h, data, b) && (end = end_of(h, b, store)))
            break;
    if (!end)
        return false;
    b = later_begin(h, data, b, end);
    while (b < store && is_barrier(h, b))
        b++;
    *r = (struct lnl_proposed_region){.begin = b, .end = end};
    return true;
}

/* --- loads --- */

static bool is_in(const struct lnl_proposed_region *r, uint32_t pc)
{
    return pc >= r->begin && pc < r->end;
}

/* Of the loads before the region that reach the store, MOST_LOADS at most: the first, the last, and
 * what lies evenly between. False: no entries are left. */
static bool choose_loads(struct hunt *h, uint64_t data, struct lnl_proposed_region *r)
{
    unsigned at[LNL_SLICE_LOADS], n = 0;
    for (unsigned k = 0; k < h->s.nloads; k++)
        if ((data >> k & 1) && h->s.loads[k].pc < r->begin)
            at[n++] = k;
    const unsigned take = n < MOST_LOADS ? n : MOST_LOADS;
    for (unsigned i = 0; i < take; i++) {
        const unsigned k = at[take == 1 ? 0 : i * (n - 1) / (take - 1)];
        if (!h->entry[k] && h->nentries == LNL_ENTRIES)
            return false;
        if (!h->entry[k])
            h->entry[k] = (uint8_t)++h->nentries;
        if (h->uses[k] == LNL_MOST_USES)
            return false;
        h->uses[k]++;
        r->loads |= 1u << (h->entry[k] - 1);
    }
    return true;
}

/* --- formats --- */

static const struct ptx_inst *definition_of(const struct lnl_slices *s, uint32_t reg)
{
    for (uint32_t i = s->live.first_access[reg]; i < s->live.first_access[reg + 1]; i++)
        if (s->live.accesses[i].is_def)
            return &s->f->insts[s->live.accesses[i].pc];
    return NULL;
}

/* Whether a word is put together from bytes: shifted by 8, 16 or 24 and joined. */
static bool is_packed(const struct lnl_slices *s, const struct ptx_operand *o, unsigned depth)
{
    const struct ptx_inst *i = o->kind == PTX_OPND_REG && depth ? definition_of(s, o->reg) : NULL;
    if (!i)
        return false;
    if (i->op == PTX_OP_BFI || i->op == PTX_OP_PRMT)
        return true;
    if (i->op == PTX_OP_SHL)
        return i->ops[2].kind == PTX_OPND_IMM && i->ops[2].imm && i->ops[2].imm % 8 == 0;
    bool found = false;
    for (unsigned k = 1; (i->op == PTX_OP_OR || i->op == PTX_OP_MOV) && k < i->nops; k++)
        found |= is_packed(s, &i->ops[k], depth - 1);
    return found;
}

static enum lnl_format format_of(const struct lnl_slices *s, const struct ptx_inst *i)
{
    const struct ptx_operand *o = i->nops > 1 ? &i->ops[1] : NULL;
    const enum lnl_format plain = lnl_format_of(i);
    if (!o || o->kind != PTX_OPND_REG || plain == LNL_U8)
        return plain;
    if (s->f->regs[o->reg].type == PTX_F32)
        return LNL_F32;
    if (is_packed(s, o, 8))
        return LNL_U8X4;
    const struct ptx_inst *by = definition_of(s, o->reg);
    return by && by->ntypes && ptx_type_is_signed((enum ptx_type)by->types[0]) ? LNL_S32 : plain;
}

/* --- marks --- */

static void add_mark(struct lnl_proposal *p, uint32_t pc, const char *format, ...)
{
    struct lnl_proposed_mark m = {.pc = pc};
    va_list args;
    va_start(args, format);
    vsnprintf(m.text, sizeof m.text, format, args);
    va_end(args);
    vec_push(&p->marks, m);
}

static void mark_loads(struct hunt *h)
{
    for (unsigned k = 0; k < h->s.nloads; k++) {
        const struct ptx_inst *i = &h->s.f->insts[h->s.loads[k].pc];
        const enum ptx_type t = i->ntypes ? (enum ptx_type)i->types[0] : PTX_B32;
        const uint32_t to = h->s.writes.first[h->s.loads[k].pc];
        const bool is_float =
            t == PTX_F32 || (t == PTX_B32 && h->s.f->regs[h->s.writes.regs[to]].type == PTX_F32);
        if (h->uses[k])
            add_mark(h->p, h->s.loads[k].pc, "lnl load H=%u uses=%u%s", h->entry[k] - 1u,
                     h->uses[k], is_float ? "" : " abs");
    }
}

static void mark_stores(struct hunt *h, const struct lnl_proposed_region *r)
{
    static const char *const names[] = {"f32", "u8", "s32", "u32", "u8x4"};
    for (uint32_t pc = r->begin; pc < r->end; pc++) {
        const struct ptx_inst *i = &h->s.f->insts[pc];
        if (i->op != PTX_OP_ST)
            continue;
        const enum lnl_format format = format_of(&h->s, i);
        char kept[sizeof h->p->why];
        memcpy(kept, h->p->why, sizeof kept); /* such a store is no reason against the kernel */
        if (!is_fit(h, pc))
            add_mark(h->p, pc, "lnl precise");
        else if (format != lnl_format_of(i))
            add_mark(h->p, pc, "lnl store %s", names[format]);
        memcpy(h->p->why, kept, sizeof kept);
    }
}

static void mark_region(struct hunt *h, const struct lnl_proposed_region *r)
{
    char list[16] = "";
    for (unsigned e = 0, n = 0; e < LNL_ENTRIES; e++)
        if (r->loads >> e & 1)
            n += (unsigned)snprintf(list + n, sizeof list - n, "%s%u", n ? "," : "", e);
    add_mark(h->p, r->begin, "lnl begin loads=%s", list);
    mark_stores(h, r);
    add_mark(h->p, r->end, "lnl end");
}

/* --- what it is worth --- */

/* Instructions that anchors alone would execute, as the machine will see it. */
static uint32_t approximable_in(struct hunt *h, const struct lnl_proposed_region *r)
{
    const struct ptx_func *f = h->s.f;
    struct lnl_region region = {.begin = r->begin, .end = r->end};
    struct lnl_marks m = {.f = f, .is_precise = xcalloc(f->ninsts + 1, 1)};
    for (uint32_t pc = r->begin; pc < r->end; pc++) {
        bool ignored;
        m.is_precise[pc] = f->insts[pc].op == PTX_OP_ST && !lnl_slices_data(&h->s, pc, &ignored);
    }
    lnl_find_precise(&m, &region);
    uint32_t n = 0;
    for (uint32_t pc = r->begin; pc < r->end; pc++)
        n += !m.is_precise[pc] && f->insts[pc].op != PTX_OP_ST &&
             ptx_inst_unit(&f->insts[pc]) != PTX_UNIT_CTRL && !is_barrier(h, pc);
    free(m.is_precise);
    free(region.outs);
    return n;
}

/* --- a function --- */

static void propose_store(struct hunt *h, uint32_t pc)
{
    const uint32_t line = h->s.f->insts[pc].line;
    struct lnl_proposed_region r;
    bool is_computed;
    const uint64_t data = lnl_slices_data(&h->s, pc, &is_computed);
    if (overlaps(h, pc, pc + 1))
        return;
    if (!find_region(h, pc, data, &r)) {
        refuse(h,
               "no region with one way in and one out lies between the store of line %u and a "
               "load that it follows from",
               line);
        return;
    }
    r.approximable = approximable_in(h, &r);
    if (r.approximable < LEAST)
        refuse(h, "before the store of line %u only %u instructions could be left to anchors", line,
               r.approximable);
    else if (!choose_loads(h, data, &r))
        refuse(h, "the %d entries of the history table are taken", LNL_ENTRIES);
    else
        vec_push(&h->p->regions, r);
}

/* The last store first: a region for it may have those before it inside. */
static void propose_all(struct hunt *h)
{
    const struct ptx_func *f = h->s.f;
    bool has_store = false;
    for (uint32_t pc = f->ninsts; pc-- > 0;) {
        if (!is_output(&f->insts[pc]))
            continue;
        has_store = true;
        if (is_fit(h, pc))
            propose_store(h, pc);
    }
    if (!h->p->regions.len)
        refuse(h, has_store ? "what it stores follows from no load" : "it stores nothing");
    mark_loads(h);
    for (size_t i = 0; i < h->p->regions.len; i++)
        mark_region(h, &h->p->regions.data[i]);
}

/* Beside the marks that it has. */
static bool compare_marks(struct lnl_proposal *p, struct err *err)
{
    struct lnl_marks m;
    const bool ok = lnl_marks_read(p->f, &m, err);
    for (uint32_t i = 0; ok && i < m.nregions; i++)
        for (uint32_t pc = m.regions[i].begin; pc < m.regions[i].end; pc++) {
            p->marked++;
            for (size_t k = 0; k < p->regions.len; k++)
                p->covered += is_in(&p->regions.data[k], pc);
        }
    lnl_marks_free(&m);
    return ok;
}

bool lnl_propose(const struct ptx_func *f, struct lnl_proposal *p, struct err *err)
{
    struct hunt h = {.p = p};
    *p = (struct lnl_proposal){.f = f};
    lnl_slices_find(f, &h.s);
    h.next_bad = xmalloc((f->ninsts + 1) * sizeof *h.next_bad);
    h.next_bad[f->ninsts] = f->ninsts;
    for (uint32_t pc = f->ninsts; pc-- > 0;)
        h.next_bad[pc] = lnl_why_not(&f->insts[pc]) ? pc : h.next_bad[pc + 1];
    h.entry = xcalloc(LNL_SLICE_LOADS, 1);
    propose_all(&h);
    free(h.next_bad);
    free(h.entry);
    lnl_slices_free(&h.s);
    return compare_marks(p, err);
}

void lnl_proposal_free(struct lnl_proposal *p)
{
    vec_free(&p->regions);
    vec_free(&p->marks);
}
