/* Beyond the text: metadata that travels (gscalar.carry). A store of a whole line whose register is
 * of one value, or of a base and one or two bytes a lane, hands this encoding to the circuit that
 * compresses lines beside the L1, which then has nothing to do; and a load of a line that comes
 * encoded fills the metadata of its register, which then need not be compared.
 *
 * Instructions leave notes here when they issue; packets find them when they leave and when answers
 * come. A note that is overwritten before is lost: nothing is saved then. */
#include "exec/warp.h"
#include "mem/mem_req.h"
#include "tech/gscalar/gscalar_int.h"

enum { NOTES = 64, LINE_BYTES = 128, NARROW = 2 };

struct note {
    addr_t line;
    uint16_t slot;
    bool is_there;
};

struct gs_carry {
    struct packet_policy inner; /* parsim/wrap_mem.h wants it first */
    struct gs_sm *m;
    struct note stores[NOTES], loads[NOTES];
};

static struct note *place_of(struct note *notes, addr_t line)
{
    return &notes[line / LINE_BYTES % NOTES];
}

/* --- instructions --- */

/* The line that lanes read or write as a whole, a word each and in their order; 0: they do not. */
static addr_t whole_line(const struct gs_seen *s)
{
    const struct xmem *m = &s->e->d->x->mem;
    const addr_t first = (addr_t)m->imm + lane_u64(&m->addr, s->e->base, 0);
    if (m->bytes != 4 || m->nregs != 1 || first % LINE_BYTES || s->e->mask != UINT32_MAX)
        return 0;
    for (unsigned l = 1; l < WARP_LANES; l++)
        if ((addr_t)m->imm + lane_u64(&m->addr, s->e->base, l) != first + 4 * l)
            return 0;
    return first;
}

void gs_carry_note(struct gs_sm *m, const struct gs_seen *s)
{
    const struct xinst *x = s->e->d->x;
    const unsigned flags = s->e->d->flags & (DINST_LOAD | DINST_STORE);
    if (!flags || (s->e->d->flags & (DINST_CONST | DINST_TEXTURE | DINST_ATOMIC)) ||
        x->kind != X_OP || x->space != PTX_SPACE_GLOBAL || s->i->is_call)
        return;
    const addr_t line = whole_line(s);
    if (!line)
        return;
    const struct gs_operand *data =
        flags & DINST_LOAD ? &s->i->dst[0] : &s->i->src[s->i->nsrc - 1u];
    const struct gs_reg *r = &s->slot->regs[data->at];
    const bool is_ready = !(r->flags & GS_DIVERGENT) && r->same >= NARROW;
    *place_of(flags & DINST_LOAD ? m->carry->loads : m->carry->stores, line) =
        (struct note){line, (uint16_t)s->e->slot, flags & DINST_LOAD ? !s->is_one : is_ready};
}

/* --- packets --- */

static bool take_note(struct note *notes, const struct mem_req *r, bool is_load)
{
    const addr_t line = r->addr & ~(addr_t)(LINE_BYTES - 1);
    struct note *n = place_of(notes, line);
    if (!n->is_there || n->line != line || (!is_load && n->slot != r->slot))
        return false;
    n->is_there = false;
    return true;
}

/* The engine is asked only for what has no encoding yet. */
static uint32_t send_latency(void *self, const struct mem_req *r, cycle_t now)
{
    struct gs_carry *c = self;
    if (r->kind == MEM_WRITE && r->bytes == LINE_BYTES && take_note(c->stores, r, false)) {
        c->m->stats.carried_stores++;
        return 0;
    }
    return c->inner.send_latency(c->inner.self, r, now);
}

static uint32_t fill_latency(void *self, const struct mem_req *r, cycle_t now)
{
    struct gs_carry *c = self;
    const uint32_t cycles = c->inner.fill_latency(c->inner.self, r, now);
    if (r->kind == MEM_READ && take_note(c->loads, r, true))
        c->m->stats.carried_loads += cycles > 0;
    return cycles;
}

bool gs_carry_bind(struct gscalar *g, struct tech_seams *seams, struct err *err)
{
    struct packet_policy *packets = tech_take(seams, SEAM_sm_packets, g->name, TAKE_WRAP, err);
    if (!packets)
        return false;
    for (uint32_t i = 0; i < g->nsms; i++) {
        struct gs_carry *c = xcalloc(1, sizeof *c);
        c->inner = packets[i];
        c->m = &g->sms[i];
        packets[i] = packet_policy_wrap(&c->inner);
        packets[i].send_latency = send_latency;
        packets[i].fill_latency = fill_latency;
        g->sms[i].carry = c;
    }
    return true;
}
