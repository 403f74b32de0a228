/* List scheduling of stretches of a basic block that have nothing in them which must stay. */
#include "ptx/schedule.h"

#include "base/vec.h"
#include "ptx/cfg.h"
#include "ptx/liveness.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_INSTS = 2048,   /* of a stretch; a longer one is cut */
    SPARE_WORDS = 32,    /* registers beyond those of the given order that may become live */
    MOST_WORDS = 120,    /* but no more than these, unless the given order has them */
    GLOBAL_CYCLES = 300, /* about how long results take */
    SHARED_CYCLES = 28,
    SLOW_CYCLES = 24,
    TEST_CYCLES = 16, /* of a comparison, until a branch can read it */
    PLAIN_CYCLES = 4
};

enum mobility { STAYS, MOVES, LOADS, STORES };

struct node {
    uint32_t height; /* cycles from its issue to the end of the stretch */
    uint32_t npreds; /* not placed yet */
    uint32_t earliest;
    VEC(uint32_t) succs;
    uint8_t mobility;
    bool is_placed;
};

struct reg_state {
    uint32_t writer; /* + 1, in the stretch so far; 0: none */
    uint32_t uses;   /* left in the stretch */
    bool is_live, is_live_out;
    VEC(uint32_t) readers; /* since then */
};

struct scheduler {
    struct ptx_func *f;
    struct ptx_live live;
    struct reg_state *regs;
    struct node *nodes;
    uint32_t first, n; /* the stretch */
    VEC(uint32_t) touched;
    VEC(uint32_t) order;
    uint32_t words, bound; /* live; allowed */
};

/* --- what may move --- */

static bool reads_clock(const struct ptx_inst *i)
{
    for (unsigned k = 0; k < i->nops; k++)
        if (i->ops[k].kind == PTX_OPND_SREG)
            switch (i->ops[k].sreg) {
            case PTX_SREG_CLOCK:
            case PTX_SREG_CLOCK_HI:
            case PTX_SREG_CLOCK64:
            case PTX_SREG_GLOBALTIMER:
            case PTX_SREG_GLOBALTIMER_LO:
            case PTX_SREG_GLOBALTIMER_HI:
                return true;
            default:
                break;
            }
    return false;
}

static bool is_ordered(const struct ptx_inst *i)
{
    return ptx_inst_has(i, PTX_M_VOLATILE) || ptx_inst_has(i, PTX_M_RELAXED) ||
           ptx_inst_has(i, PTX_M_ACQUIRE) || ptx_inst_has(i, PTX_M_RELEASE) ||
           ptx_inst_has(i, PTX_M_MMIO) || ptx_inst_has(i, PTX_M_CV);
}

static enum mobility mobility_of(const struct ptx_inst *i)
{
    if (i->bad || ptx_inst_has(i, PTX_M_CC))
        return STAYS;
    switch (i->op) {
    case PTX_OP_LD:
    case PTX_OP_LDU:
        return is_ordered(i) ? STAYS : LOADS;
    case PTX_OP_ST:
        return is_ordered(i) ? STAYS : STORES;
    case PTX_OP_TEX: /* of what the kernel does not write */
    case PTX_OP_TLD4:
        return MOVES;
    case PTX_OP_ADDC:
    case PTX_OP_SUBC:
    case PTX_OP_MADC:
    case PTX_OP_SHFL:
    case PTX_OP_VOTE:
    case PTX_OP_MATCH:
    case PTX_OP_REDUX:
    case PTX_OP_ELECT:
    case PTX_OP_ACTIVEMASK:
    case PTX_OP_MOVMATRIX:
    case PTX_OP_ALLOCA:
    case PTX_OP_STACKSAVE:
    case PTX_OP_STACKRESTORE:
    case PTX_OP_UNKNOWN:
        return STAYS;
    default:
        break;
    }
    switch (ptx_inst_unit(i)) {
    case PTX_UNIT_ALU:
    case PTX_UNIT_DP:
    case PTX_UNIT_SFU:
        return reads_clock(i) ? STAYS : MOVES;
    default:
        return STAYS;
    }
}

static uint32_t cycles_of(const struct ptx_inst *i)
{
    switch (i->op) {
    case PTX_OP_LD:
    case PTX_OP_LDU:
        switch (ptx_inst_space(i)) {
        case PTX_SPACE_SHARED:
        case PTX_SPACE_PARAM:
        case PTX_SPACE_CONST:
            return SHARED_CYCLES;
        default:
            return GLOBAL_CYCLES;
        }
    case PTX_OP_TEX:
    case PTX_OP_TLD4:
        return GLOBAL_CYCLES;
    case PTX_OP_DIV:
    case PTX_OP_REM:
        return 2 * SLOW_CYCLES;
    case PTX_OP_ST:
        return 1;
    case PTX_OP_SETP:
        return TEST_CYCLES;
    default:
        return ptx_inst_unit(i) == PTX_UNIT_SFU ? SLOW_CYCLES : PLAIN_CYCLES;
    }
}

/* Whether two accesses may be to the same bytes, as far as spaces tell. */
static bool may_meet(const struct ptx_inst *a, const struct ptx_inst *b)
{
    const enum ptx_space x = ptx_inst_space(a), y = ptx_inst_space(b);
    return x == y || x == PTX_SPACE_GENERIC || y == PTX_SPACE_GENERIC;
}

/* --- who needs whom --- */

static void add_edge(struct scheduler *s, uint32_t from, uint32_t to)
{
    if (from == to)
        return;
    vec_push(&s->nodes[from].succs, to);
    s->nodes[to].npreds++;
}

struct visiting {
    struct scheduler *s;
    uint32_t node;
};

static struct reg_state *touch(struct scheduler *s, uint32_t reg)
{
    struct reg_state *r = &s->regs[reg];
    if (!r->writer && !r->readers.len)
        vec_push(&s->touched, reg);
    return r;
}

static void read_reg(struct scheduler *s, uint32_t node, uint32_t reg)
{
    struct reg_state *r = touch(s, reg);
    if (r->writer)
        add_edge(s, r->writer - 1, node);
    vec_push(&r->readers, node);
    r->uses++;
}

static void write_reg(struct scheduler *s, uint32_t node, uint32_t reg)
{
    struct reg_state *r = touch(s, reg);
    if (r->writer)
        add_edge(s, r->writer - 1, node);
    for (size_t k = 0; k < r->readers.len; k++)
        add_edge(s, r->readers.data[k], node);
    r->readers.len = 0;
    r->writer = node + 1;
}

static void visit(void *ctx, uint32_t reg, bool is_def)
{
    const struct visiting *v = ctx;
    if (is_def)
        write_reg(v->s, v->node, reg);
    else
        read_reg(v->s, v->node, reg);
}

static void link_memory(struct scheduler *s, uint32_t node)
{
    const struct ptx_inst *i = &s->f->insts[s->first + node];
    const uint8_t mine = s->nodes[node].mobility;
    if (mine != LOADS && mine != STORES)
        return;
    for (uint32_t k = 0; k < node; k++) {
        const uint8_t its = s->nodes[k].mobility;
        if ((mine == STORES && (its == STORES || its == LOADS)) || (mine == LOADS && its == STORES))
            if (may_meet(i, &s->f->insts[s->first + k]))
                add_edge(s, k, node);
    }
}

static void link_nodes(struct scheduler *s)
{
    for (uint32_t k = 0; k < s->n; k++) {
        const struct ptx_inst *i = &s->f->insts[s->first + k];
        struct visiting v = {s, k};
        s->nodes[k] = (struct node){.mobility = (uint8_t)mobility_of(i)};
        if (i->guard != PTX_NO_REG)
            read_reg(s, k, i->guard);
        ptx_visit_regs(i, visit, &v);
        link_memory(s, k);
    }
    for (uint32_t k = s->n; k-- > 0;) {
        struct node *node = &s->nodes[k];
        const uint32_t own = cycles_of(&s->f->insts[s->first + k]);
        for (size_t e = 0; e < node->succs.len; e++) {
            const uint32_t next = s->nodes[node->succs.data[e]].height + own;
            node->height = next > node->height ? next : node->height;
        }
        node->height = node->height ? node->height : own;
    }
}

/* --- registers --- */

static bool is_live_at(const struct ptx_live *l, uint32_t reg, uint32_t point)
{
    for (uint32_t k = l->first_range[reg]; k < l->first_range[reg + 1]; k++)
        if (l->ranges[k].from <= point && point <= l->ranges[k].to)
            return true;
    return false;
}

struct effect {
    struct scheduler *s;
    int64_t words;
    bool is_done; /* it is placed: states change */
};

static void effect_of(void *ctx, uint32_t reg, bool is_def)
{
    struct effect *e = ctx;
    struct reg_state *r = &e->s->regs[reg];
    const int64_t words = ptx_reg_words(e->s->f, reg);
    if (is_def && !r->is_live)
        e->words += words;
    if (!is_def && r->uses == 1 && !r->is_live_out && r->is_live)
        e->words -= words;
    if (!e->is_done)
        return;
    r->uses -= !is_def;
    r->is_live = is_def || r->uses || r->is_live_out;
}

static int64_t place_effect(struct scheduler *s, uint32_t node, bool is_done)
{
    struct effect e = {.s = s, .is_done = is_done};
    ptx_visit_regs(&s->f->insts[s->first + node], effect_of, &e);
    return e.words;
}

static void start_registers(struct scheduler *s)
{
    s->words = 0;
    for (size_t k = 0; k < s->touched.len; k++) {
        const uint32_t reg = s->touched.data[k];
        struct reg_state *r = &s->regs[reg];
        r->is_live = is_live_at(&s->live, reg, 2 * s->first);
        r->is_live_out = is_live_at(&s->live, reg, 2 * (s->first + s->n - 1) + 1);
        s->words += r->is_live ? ptx_reg_words(s->f, reg) : 0;
    }
}

/* What the given order has live at most, of the registers that the stretch touches. */
static void find_bound(struct scheduler *s)
{
    uint32_t *uses = xcalloc(s->touched.len + 1, sizeof *uses);
    for (size_t k = 0; k < s->touched.len; k++)
        uses[k] = s->regs[s->touched.data[k]].uses;
    start_registers(s);
    int64_t now = s->words, most = now;
    for (uint32_t k = 0; k < s->n; k++) {
        now += place_effect(s, k, true);
        most = now > most ? now : most;
    }
    for (size_t k = 0; k < s->touched.len; k++)
        s->regs[s->touched.data[k]].uses = uses[k];
    free(uses);
    const int64_t more = most + SPARE_WORDS;
    s->bound = (uint32_t)(more < MOST_WORDS ? more : most < MOST_WORDS ? MOST_WORDS : most);
    start_registers(s);
}

/* --- the order --- */

static bool is_better(const struct scheduler *s, uint32_t a, uint32_t b, uint32_t now)
{
    const struct node *x = &s->nodes[a], *y = &s->nodes[b];
    const bool x_waits = x->earliest > now, y_waits = y->earliest > now;
    if (x_waits != y_waits)
        return y_waits;
    if (x_waits && x->earliest != y->earliest)
        return x->earliest < y->earliest;
    return x->height != y->height ? x->height > y->height : a < b;
}

static uint32_t choose(struct scheduler *s, const uint32_t *ready, size_t n, uint32_t now)
{
    uint32_t best = UINT32_MAX, least = ready[0];
    int64_t least_words = INT64_MAX;
    for (size_t k = 0; k < n; k++) {
        const int64_t words = place_effect(s, ready[k], false);
        if (words < least_words || (words == least_words && ready[k] < least)) {
            least_words = words;
            least = ready[k];
        }
        if ((int64_t)s->words + words > (int64_t)s->bound && words > 0)
            continue;
        if (best == UINT32_MAX || is_better(s, ready[k], best, now))
            best = ready[k];
    }
    return best == UINT32_MAX ? least : best;
}

static void order_nodes(struct scheduler *s)
{
    VEC(uint32_t) ready = {0};
    uint32_t now = 0;
    s->order.len = 0;
    for (uint32_t k = 0; k < s->n; k++)
        if (!s->nodes[k].npreds)
            vec_push(&ready, k);
    while (ready.len) {
        const uint32_t k = choose(s, ready.data, ready.len, now);
        struct node *node = &s->nodes[k];
        vec_drop(&ready, k);
        s->words = (uint32_t)((int64_t)s->words + place_effect(s, k, true));
        now = node->earliest > now ? node->earliest : now;
        for (size_t e = 0; e < node->succs.len; e++) {
            struct node *next = &s->nodes[node->succs.data[e]];
            const uint32_t due = now + cycles_of(&s->f->insts[s->first + k]);
            next->earliest = due > next->earliest ? due : next->earliest;
            if (!--next->npreds)
                vec_push(&ready, node->succs.data[e]);
        }
        now++;
        vec_push(&s->order, k);
    }
    vec_free(&ready);
}

static void put_in_order(struct scheduler *s)
{
    struct ptx_inst *copy = xmalloc(s->n * sizeof *copy);
    memcpy(copy, &s->f->insts[s->first], s->n * sizeof *copy);
    for (uint32_t k = 0; k < s->n; k++)
        s->f->insts[s->first + k] = copy[s->order.data[k]];
    free(copy);
}

static void schedule_stretch(struct scheduler *s, uint32_t first, uint32_t n)
{
    if (n < 3)
        return;
    s->first = first;
    s->n = n;
    link_nodes(s);
    find_bound(s);
    order_nodes(s);
    put_in_order(s);
    for (uint32_t k = 0; k < n; k++)
        vec_free(&s->nodes[k].succs);
    for (size_t k = 0; k < s->touched.len; k++) {
        struct reg_state *r = &s->regs[s->touched.data[k]];
        vec_free(&r->readers);
        *r = (struct reg_state){0};
    }
    s->touched.len = 0;
}

static void schedule_block(struct scheduler *s, const struct ptx_block *b)
{
    uint32_t first = b->first;
    for (uint32_t pc = b->first; pc <= b->last + 1; pc++) {
        const bool ends = pc > b->last || mobility_of(&s->f->insts[pc]) == STAYS;
        if (!ends && pc - first < MOST_INSTS)
            continue;
        schedule_stretch(s, first, pc - first);
        first = ends ? pc + 1 : pc;
    }
}

void ptx_func_schedule(struct ptx_func *f)
{
    if (!f->ninsts || f->is_decl)
        return;
    struct scheduler s = {.f = f};
    struct ptx_cfg *cfg = ptx_cfg_build(f);
    ptx_live_find(f, &s.live);
    s.regs = xcalloc(f->nregs + 1, sizeof *s.regs);
    s.nodes = xcalloc(MOST_INSTS + 1, sizeof *s.nodes);
    for (uint32_t b = 0; b < cfg->nblocks; b++)
        schedule_block(&s, &cfg->blocks[b]);
    ptx_live_free(&s.live);
    ptx_cfg_free(cfg);
    vec_free(&s.touched);
    vec_free(&s.order);
    free(s.regs);
    free(s.nodes);
}
