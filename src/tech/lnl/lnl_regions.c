/* Marks of a function: loads, regions, formats, with their errors. */
#include "tech/lnl/lnl_regions.h"

#include "ptx/isa.h"
#include "ptx/marks.h"
#include "ptx/region.h"

#include <stdlib.h>
#include <string.h>

struct reading {
    struct lnl_marks *m;
    const struct ptx_pragma *at;
    bool is_open;
    struct err *err;
};

static bool wrong(const struct reading *r, uint32_t line, const char *what)
{
    return err_set(r->err, "%s:%u: lnl: %s", r->m->f->module->file, line, what);
}

/* --- what marks are about --- */

bool lnl_is_checkable(const struct ptx_inst *i)
{
    const enum ptx_space s = ptx_inst_space(i);
    return i->op == PTX_OP_TEX ||
           ((i->op == PTX_OP_LD || i->op == PTX_OP_LDU) &&
            (s == PTX_SPACE_GLOBAL || s == PTX_SPACE_CONST || s == PTX_SPACE_GENERIC));
}

static bool is_store(const struct ptx_inst *i)
{
    return i->op == PTX_OP_ST;
}

/* The next such instruction before the flow of control can change; PTX_NO_PC: none. */
static uint32_t next_of(const struct reading *r, bool (*is_it)(const struct ptx_inst *))
{
    const struct ptx_func *f = r->m->f;
    for (uint32_t pc = r->at->pc; pc < f->ninsts; pc++) {
        if (is_it(&f->insts[pc]))
            return pc;
        if (ptx_inst_unit(&f->insts[pc]) == PTX_UNIT_CTRL)
            break;
    }
    return PTX_NO_PC;
}

/* Why the comparison unit cannot take such values, or NULL. */
static const char *why_not_compared(enum ptx_type t, bool is_absolute)
{
    if (ptx_type_bits(t) > 32 || (ptx_type_is_float(t) && t != PTX_F32))
        return "only f32 and integers of up to 32 bits can be compared";
    return is_absolute || t == PTX_F32 || t == PTX_B32
               ? NULL
               : "a relative difference is of f32 values; integers are compared with \"abs\"";
}

static bool read_load(struct reading *r, const struct ptx_mark *mark)
{
    struct lnl_marks *m = r->m;
    const uint32_t pc = next_of(r, lnl_is_checkable);
    const bool is_absolute = mark->items[2].is_given;
    if (pc == PTX_NO_PC)
        return wrong(r, r->at->line, "no load of global or constant memory or texture follows");
    const struct ptx_inst *i = &m->f->insts[pc];
    const enum ptx_type type = i->ntypes ? (enum ptx_type)i->types[0] : PTX_B32;
    const char *why = why_not_compared(type, is_absolute);
    if (why)
        return wrong(r, i->line, why);
    m->loads = xrealloc(m->loads, (m->nloads + 1) * sizeof *m->loads);
    m->loads[m->nloads++] =
        (struct lnl_load){pc, (uint8_t)mark->items[0].value, (uint8_t)mark->items[1].value,
                          is_absolute, (uint8_t)type};
    return true;
}

static bool read_begin(struct reading *r, const struct ptx_mark *mark)
{
    struct lnl_marks *m = r->m;
    if (r->is_open)
        return wrong(r, r->at->line, "a region begins inside another");
    r->is_open = true;
    m->regions = xrealloc(m->regions, (m->nregions + 1) * sizeof *m->regions);
    m->regions[m->nregions++] =
        (struct lnl_region){.begin = r->at->pc, .loads = mark->items[0].value, .line = r->at->line};
    return true;
}

static bool read_end(struct reading *r, const struct ptx_mark *mark)
{
    (void)mark;
    if (!r->is_open)
        return wrong(r, r->at->line, "\"lnl end\" without \"lnl begin\"");
    r->is_open = false;
    r->m->regions[r->m->nregions - 1].end = r->at->pc;
    return true;
}

static bool read_precise(struct reading *r, const struct ptx_mark *mark)
{
    (void)mark;
    if (!r->is_open || r->at->pc >= r->m->f->ninsts)
        return wrong(r, r->at->line, "only an instruction of a region can be precise");
    r->m->is_precise[r->at->pc] = true;
    return true;
}

/* Bits of a store's element. */
static unsigned store_bits(const struct ptx_inst *i)
{
    return i->ntypes ? ptx_type_bits((enum ptx_type)i->types[0]) : 0;
}

static bool read_store(struct reading *r, const struct ptx_mark *mark)
{
    const uint32_t pc = next_of(r, is_store);
    const enum lnl_format format = (enum lnl_format)mark->items[0].value;
    if (pc == PTX_NO_PC || !r->is_open)
        return wrong(r, r->at->line, "no store of a region follows");
    if (store_bits(&r->m->f->insts[pc]) != (format == LNL_U8 ? 8 : 32))
        return wrong(r, r->at->line, "the store has not the width of this format");
    r->m->formats[pc] = (uint8_t)format;
    return true;
}

static const struct {
    const char *word;
    bool (*read)(struct reading *r, const struct ptx_mark *mark);
} readers[] = {{"load", read_load},
               {"begin", read_begin},
               {"end", read_end},
               {"precise", read_precise},
               {"store", read_store}};

/* --- what may be in a region --- */

const char *lnl_why_not(const struct ptx_inst *i)
{
    switch (i->op) {
    case PTX_OP_VOTE:
    case PTX_OP_SHFL:
    case PTX_OP_MATCH:
    case PTX_OP_REDUX:
    case PTX_OP_ACTIVEMASK:
    case PTX_OP_ELECT:
        return "lanes of an approximated warp do not all take part in it";
    case PTX_OP_LD:
    case PTX_OP_LDU:
    case PTX_OP_TEX:
    case PTX_OP_BRA:
    case PTX_OP_BRX:
        return NULL;
    case PTX_OP_ST:
        return store_bits(i) == 32 || store_bits(i) == 8
                   ? NULL
                   : "only data of 8 and 32 bits can be interpolated";
    case PTX_OP_BAR:
    case PTX_OP_BARRIER:
        return ptx_inst_ndst(i) ? "it has a result of all lanes" : NULL;
    default:
        break;
    }
    switch (ptx_inst_unit(i)) {
    case PTX_UNIT_ALU:
    case PTX_UNIT_DP:
    case PTX_UNIT_SFU:
        return NULL;
    default:
        return "atomics, fences, calls, returns and the like cannot be approximated";
    }
}

enum lnl_format lnl_format_of(const struct ptx_inst *i)
{
    const enum ptx_type t = (enum ptx_type)i->types[0];
    return ptx_type_is_float(t)    ? LNL_F32
           : ptx_type_bits(t) == 8 ? LNL_U8
           : ptx_type_is_signed(t) ? LNL_S32
                                   : LNL_U32;
}

static bool check_instructions(const struct reading *r, const struct lnl_region *region)
{
    struct lnl_marks *m = r->m;
    for (uint32_t pc = region->begin; pc < region->end; pc++) {
        const struct ptx_inst *i = &m->f->insts[pc];
        const char *why = lnl_why_not(i);
        if (why)
            return err_set(r->err, "%s:%u: lnl: %s in the region of line %u: %s",
                           m->f->module->file, i->line, i->text, region->line, why);
        if (is_store(i) && m->formats[pc] == UINT8_MAX)
            m->formats[pc] = (uint8_t)lnl_format_of(i);
    }
    return true;
}

static bool check_loads(const struct reading *r, const struct lnl_region *region)
{
    uint32_t filled = 0;
    for (uint32_t i = 0; i < r->m->nloads; i++)
        filled |= 1u << r->m->loads[i].entry;
    return !(region->loads & ~filled) ||
           wrong(r, region->line, "no \"lnl load\" of the function fills an entry of loads=");
}

static bool check_region(const struct reading *r, const struct lnl_region *region)
{
    bool leaves;
    if (region->begin >= region->end)
        return wrong(r, region->line, "the region is empty");
    if (!check_instructions(r, region) || !check_loads(r, region))
        return false;
    const struct ptx_inst *i = ptx_region_breach(r->m->f, region->begin, region->end, &leaves);
    return !i ||
           err_set(r->err, "%s:%u: lnl: %s %s the region of line %u by another way than its %s",
                   r->m->f->module->file, i->line, i->text, leaves ? "leaves" : "enters",
                   region->line, leaves ? "end" : "begin");
}

/* --- all --- */

static bool read_all(struct reading *r)
{
    const struct ptx_func *f = r->m->f;
    struct ptx_mark mark;
    struct ptx_mark_error e;
    for (uint32_t i = 0; i < f->npragmas; i++) {
        r->at = &f->pragmas[i];
        if (ptx_mark_read(r->at->text, &mark, &e) != PTX_MARK_GOOD)
            continue;
        for (size_t k = 0; k < ARRAY_LEN(readers); k++)
            if (ptx_mark_is(&mark, "lnl", readers[k].word) && !readers[k].read(r, &mark))
                return false;
    }
    return !r->is_open ||
           wrong(r, r->m->regions[r->m->nregions - 1].line, "the region has no \"lnl end\"");
}

bool lnl_marks_read(const struct ptx_func *f, struct lnl_marks *m, struct err *err)
{
    struct reading r = {.m = m, .err = err};
    *m = (struct lnl_marks){
        .f = f, .is_precise = xcalloc(f->ninsts + 1, 1), .formats = xmalloc(f->ninsts + 1)};
    memset(m->formats, UINT8_MAX, f->ninsts + 1);
    if (!read_all(&r))
        return false;
    for (uint32_t i = 0; i < m->nregions; i++)
        if (!check_region(&r, &m->regions[i]))
            return false;
    for (uint32_t i = 0; i < m->nregions; i++)
        lnl_find_precise(m, &m->regions[i]);
    return true;
}

void lnl_marks_free(struct lnl_marks *m)
{
    for (uint32_t i = 0; i < m->nregions; i++)
        free(m->regions[i].outs);
    free(m->loads);
    free(m->regions);
    free(m->is_precise);
    free(m->formats);
}
