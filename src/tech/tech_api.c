/* What plug-ins call: parsim/tech.h on top of the machine's own headers. */
#include "conf/conf.h"
#include "exec/warp.h"
#include "mem/packets.h"
#include "sm/decode.h"
#include "sm/sm_policy.h"
#include "stats/stats.h"
#include "tech/tech.h"

#include <string.h>

static uint32_t count(const struct tech_machine *m, enum tech_per per)
{
    const uint32_t n[] = {m->sms, m->slices, m->channels, 1};
    return (unsigned)per <= PER_GPU ? n[per] : 0;
}

static bool setting(const struct tech_machine *m, const char *key, char *buf, size_t size)
{
    return conf_get(m->conf, key, buf, size);
}

static const void *bytes_at(const struct tech_machine *m, addr_t addr, uint32_t bytes)
{
    return m->image.at(m->image.self, addr, bytes);
}

/* A group of its own: NAME or NAME_..., so that it is none of the machine's. */
static bool is_own_group(const struct technique *t, const char *group)
{
    const size_t len = strlen(t->name);
    return conf_is_word(group) && !strncmp(group, t->name, len) &&
           (!group[len] || group[len] == '_');
}

static bool is_whole(const struct stat_row *r)
{
    return conf_is_word(r->name) && strcmp(r->name, "instances") &&
           (unsigned)r->kind <= STAT_FORMULA && conf_is_text(r->unit) && !strpbrk(r->unit, ",\"") &&
           conf_is_text(r->help) && (r->kind != STAT_FORMULA || r->formula);
}

/* What is wrong with them; NULL = nothing. */
static const char *rows_fault(const struct tech_seams *s, const char *group,
                              const struct stat_row *rows, size_t n, const void *values)
{
    if (!is_own_group(s->binding, group))
        return "statistics of a group that is not its own: NAME or NAME_...";
    if (!rows || !n || !values)
        return "statistics without rows or values";
    if (!stats_fits(s->stats, group, rows, n))
        return "statistics of a group that is the machine's, or has other rows already";
    for (size_t i = 0; i < n; i++) {
        if (!is_whole(&rows[i]))
            return "statistics with a row that lacks its name, kind, unit, help text or formula";
        for (size_t k = 0; k < i; k++)
            if (!strcmp(rows[k].name, rows[i].name))
                return "statistics with two rows of one name";
    }
    return NULL;
}

static void add_stats(struct tech_seams *s, const char *group, const struct stat_row *rows,
                      size_t n, const void *values)
{
    const char *fault = rows_fault(s, group, rows, n, values);
    if (fault)
        s->stats_refused = fault;
    else
        stats_add(s->stats, group, rows, n, values);
}

static struct tech_request request(const struct mem_req *r)
{
    return (struct tech_request){.addr = r->addr,
                                 .bytes = r->bytes,
                                 .wire_bytes = r->wire_bytes,
                                 .kind = (enum mem_kind)r->kind,
                                 .space = (enum mem_space)r->space,
                                 .sectors = r->sectors,
                                 .full = r->full,
                                 .src = r->src,
                                 .dst = r->dst,
                                 .encoded_bytes = r->form.bytes,
                                 .slot = r->slot,
                                 .meta = r->meta,
                                 .owner = r->owner};
}

static struct tech_access access_of(const struct l1_access *a)
{
    return (struct tech_access){.addr = a->addr,
                                .bytes = a->bytes,
                                .sectors = a->sectors,
                                .full = a->full,
                                .kind = (enum mem_kind)a->kind,
                                .space = (enum mem_space)a->space,
                                .is_prefetch = a->is_prefetch};
}

static enum inst_space space_of(const struct dinst *d)
{
    static const uint8_t spaces[] = {
        [PTX_SPACE_GENERIC] = SPACE_GENERIC, [PTX_SPACE_REG] = SPACE_NONE,
        [PTX_SPACE_GLOBAL] = SPACE_GLOBAL,   [PTX_SPACE_SHARED] = SPACE_SHARED,
        [PTX_SPACE_LOCAL] = SPACE_LOCAL,     [PTX_SPACE_CONST] = SPACE_CONST,
        [PTX_SPACE_PARAM] = SPACE_PARAM};
    if (!(d->flags & (DINST_LOAD | DINST_STORE | DINST_ATOMIC | DINST_PREFETCH)))
        return SPACE_NONE;
    if (d->flags & DINST_SPILL)
        return SPACE_LOCAL;
    return ptx_inst_unit(d->x->src) == PTX_UNIT_TEX ? SPACE_TEXTURE
                                                    : (enum inst_space)spaces[d->x->space];
}

/* Where its function lies, and which instruction of it this is. */
static uint64_t addr_of(const struct dinst *d)
{
    return d->fn && d->x && !(d->flags & DINST_SPILL) ? d->fn->addr + (uint64_t)(d - d->fn->code)
                                                      : 0;
}

static uint32_t reg(const struct dinst *d, unsigned k)
{
    return k < d->nregs ? d->regs[k] : UINT32_MAX;
}

static struct tech_inst inst(const struct dinst *d)
{
    static const uint8_t units[UNITS] = {
        [UNIT_SP] = UNIT_LANES,      [UNIT_SFU] = UNIT_SPECIAL, [UNIT_DP] = UNIT_DOUBLE,
        [UNIT_TENSOR] = UNIT_MATRIX, [UNIT_MEM] = UNIT_MEMORY,  [UNIT_INT] = UNIT_LANES};
    return (struct tech_inst){.is_load = d->flags & DINST_LOAD,
                              .is_store = d->flags & DINST_STORE,
                              .is_atomic = d->flags & DINST_ATOMIC,
                              .is_control = d->flags & DINST_CONTROL,
                              .is_barrier = d->flags & DINST_BARRIER,
                              .is_guarded = d->x && d->x->has_guard,
                              .space = space_of(d),
                              .is_spill = d->flags & DINST_SPILL,
                              .by = d->by,
                              .unit = (enum inst_unit)units[d->unit],
                              .addr = addr_of(d),
                              .nwritten = d->ndst,
                              .nread = d->nsrc,
                              .latency = d->latency,
                              .initiation = d->initiation};
}

static void set_meta(struct mem_req *r, uint8_t meta)
{
    r->meta = meta;
}

static void mark(const struct tech_machine *m, enum tech_per per, uint32_t i,
                 const struct tech_mark *what)
{
    if ((unsigned)per <= PER_CHANNEL && i < count(m, per) && what->end >= what->begin)
        probe_fire(m->seams->marks[per][i], what->begin, 0, (uintptr_t)what, 0);
}

static struct tech_warp warp_of(const struct sm *sm, unsigned slot)
{
    const struct warp *w = sm_warp(sm, slot);
    if (!w)
        return (struct tech_warp){.is_there = false};
    return (struct tech_warp){.is_there = true,
                              .age = sm_warp_age(sm, slot),
                              .number = w->id,
                              .all = w->all,
                              .live = w->live,
                              .next = sm_warp_next(sm, slot)};
}

static void set_lanes(struct warp *w, uint32_t lanes)
{
    w->lanes = lanes;
}

const struct tech_api tech_api = {
    .version = PARSIM_TECH_VERSION,
    .fail = err_set,
    .count = count,
    .setting = setting,
    .bytes_at = bytes_at,
    .mark = mark,
    .take = tech_take,
    .add_stats = add_stats,
    .request = request,
    .access = access_of,
    .inst = inst,
    .set_meta = set_meta,
    .widen = packet_widen,
    .ride = packet_ride,
    .follow = packet_follow,
    .now = sm_now,
    .warp = warp_of,
    .read = sm_register_read,
    .write = sm_register_write,
    .reg = reg,
    .set_lanes = set_lanes,
    .move = sm_move,
    .hold = sm_hold,
    .let_go = sm_let_go,
    .look = sm_look,
};
