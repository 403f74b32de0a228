/* The SM as a component: stages in reverse order, what has been slept through counted at the
 * end. */
#include "sm/sm_int.h"

#include <stdlib.h>
#include <string.h>

/* --- making one --- */

static void add_units(struct subcore *sub, enum unit kind, int64_t n)
{
    for (int64_t i = 0; i < n && sub->nunits < MAX_UNITS; i++)
        sub->unit_kind[sub->nunits++] = (uint8_t)kind;
}

static uint64_t range_mask(unsigned first, unsigned n)
{
    return (n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1) << first;
}

static void init_subcore(struct sm *sm, unsigned number)
{
    static const struct sched_ops *const ops[] = {&sched_gto_ops, &sched_lrr_ops, &sched_oldest_ops,
                                                  &sched_two_level_ops};
    const struct sm_cfg *cfg = sm->cfg;
    struct subcore *sub = &sm->sub[number];
    add_units(sub, UNIT_SP, cfg->sp_units);
    add_units(sub, UNIT_INT, cfg->int_units);
    sub->nsp = sub->nunits;
    add_units(sub, UNIT_SFU, cfg->sfu_units);
    add_units(sub, UNIT_DP, cfg->dp_units);
    add_units(sub, UNIT_TENSOR, cfg->tensor_units);
    unsigned sp = (unsigned)cfg->sp_collectors, sfu = (unsigned)cfg->sfu_collectors;
    sub->col_of[PIPE_SP] = range_mask(0, sp);
    sub->col_of[PIPE_SFU] = range_mask(sp, sfu);
    sub->col_of[PIPE_MEM] = range_mask(sp + sfu, (unsigned)cfg->mem_collectors);
    if (sm->npipes > PIPE_AUX)
        sub->col_of[PIPE_AUX] =
            range_mask(sp + sfu + (unsigned)cfg->mem_collectors, AUX_COLLECTORS);
    for (unsigned p = 0; p < ALL_PIPES; p++)
        for (uint64_t m = sub->col_of[p]; m; m &= m - 1)
            sub->pipe_of[first_of(m)] = (uint8_t)p;
    for (unsigned k = 0; k < (unsigned)cfg->schedulers; k++) {
        struct sched *s = &sub->sched[k];
        const unsigned at = number * (unsigned)cfg->schedulers + k;
        sm->scheds[at].sub = sub;
        sm->scheds[at].s = s;
        s->ops = ops[cfg->scheduler];
        s->stall = STALL_IDLE;
        for (unsigned w = number + k * (unsigned)cfg->subcores; w < (unsigned)cfg->warps;
             w += sm->nsched)
            s->mask |= UINT64_C(1) << w;
        sub->slots |= s->mask;
        s->last = s->last_in = first_of(s->mask);
    }
}

/* Of the caches for constants and textures: their lines travel as those of the data cache. */
static struct l1_seams read_only_seams(const struct l1_seams *data, const struct encoding_cfg *code)
{
    struct l1_seams s = l1_seams_null;
    s.breach = data->breach;
    s.sm_packets = data->sm_packets;
    s.codec_engines = data->codec_engines;
    s.encodings = code;
    return s;
}

/* What would be asked of the configuration for every instruction. */
static void tables_init(struct sm *sm)
{
    const struct sm_cfg *cfg = sm->cfg;
    const int64_t ports[ALL_PIPES] = {cfg->sp_ports, cfg->sfu_ports, cfg->mem_ports,
                                      cfg->mem_ports};
    for (unsigned p = 0; p < ALL_PIPES; p++)
        sm->ports[p] = (uint8_t)ports[p];
    for (unsigned w = 0; w < MAX_WARPS; w++)
        sm->subcore_of[w] = (uint8_t)(w % (unsigned)cfg->subcores);
    sm->bank_mask = cfg->banks & (cfg->banks - 1) ? 0 : (uint32_t)cfg->banks - 1;
}

struct sm *sm_new(const struct sm_parts *p)
{
    struct sm *sm = xalloc_aligned(64, sizeof *sm);
    memset(sm, 0, sizeof *sm);
    sm->cfg = p->cfg;
    sm->id = p->id;
    sm->node = p->node;
    sm->slice_nodes = p->slice_nodes;
    sm->il = *p->il;
    sm->seams = p->seams;
    sm->clocks = p->clocks;
    sm->notes = p->notes ? p->notes : &sm->own_notes;
    sm->probe = sm->inst_probe = &probe_null;
    sm->nsub = (uint32_t)p->cfg->subcores;
    sm->sub_end = sm->sub + sm->nsub;
    sm->nsched = (uint32_t)(p->cfg->subcores * p->cfg->schedulers);
    sm->npipes = sm->seams.warps->has_warps ? ALL_PIPES : PIPES;
    sm->has_source = sm->seams.warps->is_pending != warp_source_null.is_pending;
    tables_init(sm);
    sm->pending = xcalloc((size_t)p->cfg->warps, sizeof *sm->pending);
    sm->fl_free = NO_INFLIGHT;
    sm->lsu.entry = sm->lsu.aux = NO_INFLIGHT;
    sm->is_fixed = p->cfg->operands == OPERANDS_FIXED;
    sm->ends = sm->is_fixed ? -1 : 2; /* into the first stage, through all, out of the last */
    asked_init(sm);
    sm->sector = (uint32_t)p->data->sector_bytes;
    sm->sector_shift = (uint32_t)__builtin_ctz(sm->sector);
    sm->inst_line = (uint32_t)p->inst->line_bytes;
    sm->data_line = (uint32_t)p->data->line_bytes;
    sm->const_line = (uint32_t)p->konst->line_bytes;
    sm->tex_line = (uint32_t)p->tex->line_bytes;
    sm->regs_free = p->cfg->registers;
    sm->shared_free = p->cfg->shared_bytes;
    sm->threads_free = (uint64_t)p->cfg->threads;
    for (unsigned i = 0; i < (unsigned)p->cfg->subcores; i++)
        init_subcore(sm, i);
    /* who is told of cycles, or picks by what went before, sees each */
    sm->can_be_quiet = !sm->asked && !sm->seams.warps->events && !sm->sub[0].sched[0].ops->narrow;
    /* an engine that encodes lines wakes caches */
    sm->lsu.can_rest = sm->can_be_quiet && !sm->seams.warps->has_warps &&
                       p->seams.l1.encodings->mode == ENCODED_NONE;
    const struct encoding_cfg reader = encoding_cfg_of_reader(p->seams.l1.encodings);
    const struct l1_seams read_only = read_only_seams(&p->seams.l1, &reader);
    sm->data = l1_new(p->data, &sm->pool, p->node, &p->seams.l1);
    sm->konst = l1_new(p->konst, &sm->pool, p->node, &read_only);
    sm->tex = l1_new(p->tex, &sm->pool, p->node, &read_only);
    struct l1_seams code = l1_seams_null;
    code.breach = p->seams.l1.breach;
    sm->inst = l1_new(p->inst, &sm->pool, p->node, &code);
    sm->effects = effects_new();
    effects_tell(sm->effects, sm->notes, SM_NOTE_LOGGED);
    sm_extra_listen(sm);
    return sm;
}

void sm_free(struct sm *sm)
{
    if (!sm)
        return;
    for (unsigned i = 0; i < MAX_CTAS; i++)
        if (sm->ctas[i].cta)
            cta_free(sm->ctas[i].cta);
    sm_drop_launches(sm);
    l1_free(sm->data);
    l1_free(sm->konst);
    l1_free(sm->tex);
    l1_free(sm->inst);
    mem_req_pool_free(&sm->pool);
    effects_free(sm->effects);
    for (uint32_t i = 0; i < sm->nfl; i++)
        free(sm->fl[i].acc);
    free(sm->fl);
    free(sm->banks);
    sm_drop_moves(sm);
    free(sm->pending);
    free(sm);
}

void sm_bind(struct sm *sm, struct component *self, struct port *out, struct port *in)
{
    sm->component = self;
    sm->out = out;
    sm->in = in;
}

void sm_note(struct sm *sm, enum sm_note what)
{
    *sm->notes |= (uint8_t)what;
}

void sm_stop(struct sm *sm, struct warp *w)
{
    sm->faulted = w;
    sm_note(sm, SM_NOTE_FAULT);
}

/* --- counting --- */

/* Cycles of which no tick has told. */
static void count_slept(struct sm *sm, uint64_t cycles)
{
    sm_count_unissued(sm, cycles);
    if (sm->lsu.entry != NO_INFLIGHT)
        sm->stats.lsu_stall += cycles;
}

void sm_count_to(struct sm *sm, cycle_t now)
{
    const uint64_t n = now - sm->counted, resident = sm->live | sm->ending;
    sm->counted = now;
    if (!resident)
        return;
    sm->stats.busy_cycles += n;
    sm->stats.warp_cycles += n * (unsigned)__builtin_popcountll(resident);
    sm->stats.register_cycles += n * sm->regs_used;
}

void sm_begin(struct sm *sm, cycle_t now)
{
    sm->began = sm->counted = sm->slots_done = now;
    sm->is_quiet = false;
    sm->lsu.due = sm->lsu.look_at = 0;
    sm->issue_turn = 0;  /* not wherever ticks behind the last kernel's end have left it */
    if (!sm_is_idle(sm)) /* dirty lines that the last kernel's end has left to write back */
        component_wake(sm->component, now);
}

void sm_settle(struct sm *sm, cycle_t now)
{
    load_stages_count(&sm->stages, &sm->answers);
    sm_count_to(sm, now);
    if (now > sm->slots_done)
        count_slept(sm, now - sm->slots_done);
    else /* ticks between the machine's end, known only later, and the meeting point: no warps */
        sm->stats.issue_idle -= (sm->slots_done - now) * sm->nsched;
    sm->slots_done = now;
    sm->stats.cycles += now - sm->began;
    sm->began = now;
}

void sm_end(struct sm *sm, cycle_t now)
{
    sm_settle(sm, now);
    sm_drop_launches(sm);
    sm_drop_moves(sm);
    sm->lsu.due = 0;
    l1_flush(sm->data, now);
    l1_flush(sm->konst, now);
    l1_flush(sm->tex, now);
    l1_flush(sm->inst, now);
}

/* --- a cycle --- */

/* Whether an instruction between issue and pipe can move in the next cycle. What waits for the
 * memory pipe waits for an event there. */
static bool subcore_moves(const struct sm *sm, const struct subcore *sub)
{
    if (sub->col_reading | sub->col_delayed | sub->nlate | sub->nentry[PIPE_SP] |
        sub->nentry[PIPE_SFU])
        return true;
    if (!sub->col_used && !sm_any(sub->nport) && !sm_any(sub->nentry))
        return false;
    if (sub->nentry[PIPE_MEM] && sm->lsu.entry == NO_INFLIGHT)
        return true;
    if (UNLIKELY(sm->asked & WANT_COST) && sub->col_used) /* may enter the delay line */
        return true;
    if (sub->nentry[PIPE_AUX] && sm->lsu.aux == NO_INFLIGHT)
        return true;
    for (unsigned p = 0; p < ALL_PIPES; p++) { /* one that is not there has no collectors */
        bool has_ready = (sub->col_used & sub->col_of[p]) != 0;
        bool has_free = (sub->col_of[p] & ~sub->col_used) != 0;
        if ((has_ready && sub->nentry[p] < sm->ports[p]) || (has_free && sub->nport[p]))
            return true;
    }
    return false;
}

/* What is true most often is looked at first. */
static bool must_stay_awake(struct sm *sm)
{
    FOR_SUBCORES(sub, sm)
    {
        if (subcore_moves(sm, sub))
            return true;
    }
    if (sm->hazard | sm->deferred | (sm->live & ~(sm->fetching | sm->has_buffer | sm->follows)))
        return true;
    const uint64_t can = sm->has_inst & sm->ready &
                         ~(sm->barrier | sm->deferred | sm->fenced | sm->blocked | sm->held);
    FOR_SUBCORES(sub, sm)
    {
        if (can && (can & sub->slots & sm_with_room(sm, sub)))
            return true;
    }
    return sm_has_extra(sm);
}

/* Whether a scheduler still issues the rest of an instruction that stands for several. */
static bool has_more_parts(const struct sm *sm, cycle_t now)
{
    for (unsigned j = 0; j < sm->nsched; j++)
        if (sm->scheds[j].s->free_at > now + 1)
            return true;
    return false;
}

/* The load/store unit's cycle. True: it moved nothing that the other stages would see. */
static bool lsu_tick_alone(struct sm *sm, cycle_t now)
{
    const uint16_t entry = sm->lsu.entry, aux = sm->lsu.aux;
    const uint32_t in_flight = sm->fl_used;
    const bool was_blocked = sm->lsu.is_blocked;
    lsu_tick(sm, now);
    if (sm->lsu.entry != entry || sm->lsu.aux != aux || sm->fl_used != in_flight || sm->fetching ||
        sm_has_extra(sm))
        return false;
    if (sm->lsu.is_blocked != was_blocked)
        sm_note_stalls(sm);
    sm_count_unissued(sm, 1);
    return true;
}

/* The load/store unit's cycle beside that of other stages, if it has something to do. */
static void lsu_turn(struct sm *sm, cycle_t now)
{
    struct lsu *u = &sm->lsu;
    if (now >= u->due || lsu_next_answer(sm, now) <= now) {
        u->due = 0;
        lsu_tick(sm, now);
    } else if (u->entry != NO_INFLIGHT) {
        sm->stats.lsu_stall++;
    }
}

/* When it has something to do again, of what is known at the end of the SM's cycle. */
static cycle_t lsu_due(struct sm *sm, cycle_t now)
{
    struct lsu *u = &sm->lsu;
    if (u->due <= now) {
        const cycle_t next = lsu_next(sm, now);
        u->due = u->can_rest ? next : 0;
        return next;
    }
    const cycle_t answer = lsu_next_answer(sm, now);
    return answer >= u->due ? u->due : answer > now ? answer : now + 1;
}

/* When something will happen to an SM that need not stay awake. */
static cycle_t next_event(const struct sm *sm, cycle_t mem, cycle_t now)
{
    cycle_t next = sm_next_result(sm, now), block = sm_next_block(sm);
    next = mem < next ? mem : next;
    if (UNLIKELY(sm->held) && sm_next_hold(sm) < next)
        next = sm_next_hold(sm);
    return block < next ? block : next;
}

/* Issue and what is before it. */
static cycle_t front_tick(struct sm *sm, cycle_t now)
{
    sm_issue(sm, now);
    sm_decode(sm, now);
    sm_fetch(sm, now);
    /* one that never rests need not say when it will have something to do while the SM is awake */
    cycle_t mem = sm->lsu.can_rest ? lsu_due(sm, now) : 0;
    sm->is_quiet = false;
    if (must_stay_awake(sm) || (sm->cfg->code == CODE_MACHINE && has_more_parts(sm, now)))
        return now + 1;
    if (!sm->lsu.can_rest)
        mem = lsu_due(sm, now);
    sm->is_quiet = sm->can_be_quiet && !sm->faulted;
    sm_note_stalls(sm);
    return next_event(sm, mem, now);
}

static cycle_t sm_tick(void *self, cycle_t now)
{
    struct sm *sm = self;
    if (UNLIKELY(sm->unmade))
        sm_make_blocks(sm);
    if (now > sm->slots_done)
        count_slept(sm, now - sm->slots_done);
    sm->slots_done = now + 1;
    if (sm->is_quiet && !(sm->coming | sm->held) && !sm_has_result(sm, now)) {
        sm->lsu.due = 0;
        if (lsu_tick_alone(sm, now))
            return next_event(sm, lsu_due(sm, now), now);
    } else {
        if (UNLIKELY(sm->coming))
            sm_start_blocks(sm, now);
        if (UNLIKELY(sm->held))
            sm_end_holds(sm, now);
        sm_write_back(sm, now);
        sm_pipes(sm, now);
        lsu_turn(sm, now);
    }
    sm_collect(sm, now);
    lsu_take(sm, now);
    if (sm->faulted)
        return CYCLE_NEVER;
    return front_tick(sm, now);
}

/* --- deferred instructions, state --- */

struct effects *sm_effects(struct sm *sm)
{
    return sm->effects;
}

void sm_resume(struct sm *sm, struct warp *w, const struct step *s)
{
    for (uint64_t m = sm->deferred; m; m &= m - 1) {
        unsigned slot = first_of(m);
        struct warp_slot *ws = &sm->slot[slot];
        if (ws->w != w)
            continue;
        sm->deferred &= ~(UINT64_C(1) << slot);
        if (ws->deferred != NO_INFLIGHT) {
            asked_resumed(sm, slot, sm->fl[ws->deferred].d, s->mask);
            lsu_resolve(sm, ws->deferred, s);
        }
        sm_look_at_warp(sm, slot);
        return;
    }
}

const struct fault *sm_fault(const struct sm *sm)
{
    return sm->faulted ? &sm->faulted->grid->fault : NULL;
}

bool sm_is_idle(const struct sm *sm)
{
    return !sm->cta_set && !sm->fl_used && !sm_has_extra(sm) && l1_idle(sm->data) &&
           l1_idle(sm->konst) && l1_idle(sm->tex) && l1_idle(sm->inst);
}

const struct sm_stats *sm_stats(const struct sm *sm)
{
    return &sm->stats;
}

const struct load_stages *sm_load_stages(const struct sm *sm)
{
    return &sm->stages;
}

void sm_add_probe(struct sm *sm, struct probe *probe)
{
    probe_add(&sm->probe, probe);
}

void sm_drop_probe(struct sm *sm, struct probe *probe)
{
    probe_drop(&sm->probe, probe);
}

void sm_add_inst_probe(struct sm *sm, struct probe *probe)
{
    probe_add(&sm->inst_probe, probe);
}

void sm_add_miss_probe(struct sm *sm, struct probe *probe)
{
    l1_add_miss_probe(sm->data, probe);
}

void sm_add_l1_probe(struct sm *sm, struct probe *probe)
{
    l1_add_probe(sm->data, probe);
}

const struct l1_stats *sm_cache_stats(const struct sm *sm, enum sm_cache which)
{
    struct l1 *const caches[SM_CACHES] = {sm->data, sm->konst, sm->tex, sm->inst};
    return l1_stats(caches[which]);
}

/* --- the watchdog's account --- */

/* What is to be issued is not the warp's own. */
static bool comes_first(const struct sm *sm, unsigned slot)
{
    const struct warp_slot *ws = &sm->slot[slot];
    return (sm->asked & WANT_PRECEDE) && ws->next != ws->ib[ws->ib_at];
}

static bool has_room(const struct sm *sm, unsigned slot)
{
    return sm_with_room(sm, &sm->sub[sm_subcore_of(sm, slot)]) >> slot & 1;
}

static const char *why_waits(const struct sm *sm, unsigned slot)
{
    const uint64_t bit = UINT64_C(1) << slot;
    return sm->ending & bit                    ? "ended, waits for its stores and results"
           : (sm->barrier | sm->leaving) & bit ? "waits at a barrier"
           : sm->fenced & bit                  ? "waits at a fence for its stores"
           : sm->deferred & bit                ? "waits for a deferred instruction"
           : sm->blocked & bit                 ? "waits for an extra warp"
           : sm->held & bit                    ? "is held back by a technique"
           : sm->follows & bit                 ? "follows another warp"
           : sm->fetching & bit                ? "waits for the instruction cache"
           : !(sm->has_inst & bit)             ? "has no instruction"
           : comes_first(sm, slot)             ? "a technique puts instructions before its next"
           : !(sm->ready & bit)                ? "waits for a register"
           : !has_room(sm, slot)               ? "can issue, its pipe is full"
           : !(sm->asked & WANT_PICK)
               ? "can issue"
               : "can issue, but the scheduler's technique lets another go, or none";
}

static void sm_dump(const void *self, FILE *out)
{
    const struct sm *sm = self;
    for (uint64_t m = sm->live | sm->ending; m; m &= m - 1) {
        unsigned slot = first_of(m);
        const struct warp_slot *ws = &sm->slot[slot];
        const struct cta *c = sm->ctas[ws->cta].cta;
        fprintf(out, "  warp slot %u (block %llu, warp %u): %s; %u in flight, %u stores", slot,
                (unsigned long long)c->number, ws->w->id, why_waits(sm, slot), ws->inflight,
                ws->stores);
        if (ws->w->depth) {
            const struct split *s = warp_top(ws->w);
            const struct xinst *x = &s->frame->fn->code[s->pc];
            char text[96] = "end of function";
            if (x->src)
                ptx_inst_text(x->src, text, sizeof text);
            fprintf(out, "; next: line %u, %s", x->src ? x->src->line : 0, text);
        }
        fprintf(out, "\n");
    }
    if ((sm->asked & WANT_PRECEDE) && sm->live)
        fprintf(out, "  %llu instructions that are not the program's so far\n",
                (unsigned long long)sm->stats.extra_inst);
    l1_dump(sm->data, out);
    l1_dump(sm->konst, out);
    l1_dump(sm->tex, out);
    l1_dump(sm->inst, out);
}

const struct component_ops sm_component_ops = {sm_tick, sm_dump};
