/* What has been measured goes to adapt_rules, what they say to SMs and channels. */
#include "tech/caba/adapt.h"

#include "base/vec.h"
#include "sm/sm.h"
#include "tech/caba/adapt_rules.h"
#include "tech/caba/caba_place.h"

#include <stdlib.h>
#include <string.h>

enum { REGION_UNKNOWN = 0, REGION_RAW = 0xff }; /* else the algorithm's number from 1 */

/* What was moved, as if all of it had been raw. */
struct moved {
    uint64_t cycles, thread_inst;
    uint64_t bursts, reply_bytes, request_bytes;
};

/* What is known of a kernel, from all its launches. */
struct known {
    char *name;
    bool is_on;
    uint8_t place;  /* enum adapt_place: of blocks that begin */
    uint64_t since; /* cycles: those that began before may have another */
    struct adapt_room room;
    uint32_t hold;    /* windows for which a lost trial keeps it off */
    uint32_t lost;    /* trials */
    uint32_t tried;   /* windows since it was switched on */
    uint32_t check;   /* windows off that are left of those that decide, */
    uint32_t again;   /* and windows on behind them */
    double need;      /* mean of windows, later ones weigh more */
    double without;   /* such a mean, of windows that were off */
    struct moved sum; /* of this window */
    struct moved on;  /* of the windows of the trial */
    /* thread-instructions a cycle, of latest windows; of those on before a check */
    struct adapt_series with, off, before;
    struct moved all; /* of this launch, and of short ones before it */
    uint64_t look;    /* that its last launch came before */
};

struct gate {
    struct adapt *a;
    struct codec_engine engine;
    uint64_t stores, fills; /* while compression was off */
};

struct adapt {
    struct tech_machine m;
    const struct caba_cfg *cfg;
    const struct line_codecs *codec;
    struct adapt_sources from;
    bool is_on;
    bool is_checking;      /* off, but only for some windows */
    bool is_fresh;         /* since the last look a kernel was launched */
    bool is_idle;          /* blocks run that must do without compression */
    bool is_bare;          /* some that run have no registers for assist warps, or all */
    bool has_spares;       /* instances may use registers that no block can have */
    bool is_raw_only;      /* nobody who runs can decode */
    struct assist *assist; /* or NULL */
    uint32_t region_shift, cost[LINE_CODECS], registers;
    uint8_t *regions;
    struct gate *gates; /* by SM */
    VEC(struct known) kernels;
    size_t running, launched; /* kernels: of the time since the last look; now */
    uint64_t looks;
    struct moved last;
    struct adapt_stats stats;
};

const struct stat_row adapt_stat_rows[] = {
#define ROWS_FILE   "tech/caba/adapt_stats.def"
#define ROWS_STRUCT adapt_stats
#include "parsim/rows_entries.h"
};

const size_t adapt_nstat_rows = ARRAY_LEN(adapt_stat_rows);

struct adapt *adapt_new(const struct tech_machine *m, const struct caba_cfg *cfg,
                        const struct line_codecs *codec)
{
    struct adapt *a = xcalloc(1, sizeof *a);
    a->m = *m;
    a->cfg = cfg;
    a->codec = codec;
    a->region_shift = (uint32_t)__builtin_ctzll((uint64_t)cfg->region);
    a->regions = xcalloc((m->memory_range >> a->region_shift) + 2, 1);
    a->gates = xcalloc(m->sms, sizeof *a->gates);
    vec_push(&a->kernels, ((struct known){.name = xstrdup("")})); /* before the first */
    return a;
}

void adapt_free(struct adapt *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->kernels.len; i++)
        free(a->kernels.data[i].name);
    vec_free(&a->kernels);
    free(a->regions);
    free(a->gates);
    free(a);
}

void adapt_bind_sources(struct adapt *a, const struct adapt_sources *from)
{
    a->from = *from;
}

const bool *adapt_switch(const struct adapt *a)
{
    return &a->is_on;
}

const bool *adapt_raw_only(const struct adapt *a)
{
    return &a->is_raw_only;
}

uint64_t adapt_region_bytes(const struct adapt *a)
{
    return UINT64_C(1) << a->region_shift;
}

/* --- regions --- */

static uint8_t *region_at(const struct adapt *a, addr_t addr)
{
    return &a->regions[(addr - a->m.memory_base) >> a->region_shift];
}

static void sample_line(const struct adapt *a, addr_t line, struct adapt_sample *s)
{
    const uint32_t burst = a->codec->burst_bytes, raw = a->codec->block_bytes / burst;
    s->lines++;
    for (uint32_t k = 0; k < a->codec->n; k++) {
        const struct line_form f = line_codecs_form_as(a->codec, k, line);
        s->coded[k] += f.bytes != 0;
        s->saved[k] += f.bytes ? raw - (f.bytes + burst - 1) / burst : 0;
    }
}

int adapt_measure(struct adapt *a, addr_t addr, uint64_t bytes)
{
    const addr_t step = a->codec->block_bytes;
    struct adapt_sample s = {0};
    for (addr_t line = addr - addr % step; line < addr + bytes; line += step)
        sample_line(a, line, &s);
    const int k =
        adapt_algorithm(&s, a->codec->n, a->cost, (uint32_t)a->cfg->burst_worth,
                        a->cfg->least_saving, a->codec->block_bytes / a->codec->burst_bytes);
    uint64_t *const pieces[] = {&a->stats.pieces_bdi, &a->stats.pieces_fpc, &a->stats.pieces_cpack};
    ++*(k == ADAPT_RAW ? &a->stats.pieces_raw : pieces[k]);
    uint8_t *region = region_at(a, addr);
    if (*region == REGION_UNKNOWN || bytes >= adapt_region_bytes(a) / 2)
        *region = k == ADAPT_RAW ? REGION_RAW : (uint8_t)(k + 1);
    return k;
}

/* --- stores --- */

static enum codec_answer gate_submit(void *self, cycle_t now, struct codec_job *job)
{
    struct gate *g = self;
    const struct adapt *a = g->a;
    if (job->kind == CODEC_STORE) {
        const bool is_device =
            job->line >= a->m.memory_base && job->line < a->m.memory_base + a->m.memory_range;
        const uint8_t region = is_device ? *region_at(a, job->line) : REGION_RAW;
        if (!a->is_on || region == REGION_RAW) {
            g->stores++;
            job->is_left = region != REGION_RAW;
            return CODEC_REFUSED;
        }
        job->algorithm = region == REGION_UNKNOWN ? 0 : (uint8_t)(region - 1);
    } else {
        g->fills += !a->is_on;
        job->is_unwanted = !a->is_on && !a->is_checking;
    }
    return g->engine.submit(g->engine.self, now, job);
}

static bool gate_done(void *self, cycle_t now, struct codec_job *job)
{
    struct gate *g = self;
    return g->engine.done(g->engine.self, now, job);
}

static cycle_t gate_next(const void *self, cycle_t now)
{
    const struct gate *g = self;
    return g->engine.next(g->engine.self, now);
}

static void gate_join(void *self, const struct codec_client *client)
{
    struct gate *g = self;
    g->engine.join(g->engine.self, client);
}

struct codec_engine adapt_gate(struct adapt *a, uint32_t sm, struct codec_engine engine)
{
    a->gates[sm] = (struct gate){.a = a, .engine = engine};
    return (struct codec_engine){gate_submit, gate_done, gate_next, &a->gates[sm], gate_join};
}

/* --- the switch --- */

/* With a flit for each packet's header; packets without data do not count. */
static uint64_t packet_bytes(const struct adapt *a, const struct wire *w)
{
    const struct wire_stats *s = wire_stats(w);
    return s->payload_bytes + s->packets * a->m.flit_bytes;
}

static struct moved moved_until(const struct adapt *a, const struct tech_look *at)
{
    struct moved n = {.cycles = at->cycles, .thread_inst = at->thread_inst};
    for (uint32_t i = 0; i < a->m.channels; i++) {
        const struct cmem_stats *s = cmem_stats(a->from.memory[i]);
        n.bursts += s->read_bursts_raw + s->write_bursts_raw + s->raw_bursts;
    }
    for (uint32_t i = 0; i < a->m.slices; i++)
        n.reply_bytes += packet_bytes(a, a->from.slices[i]);
    for (uint32_t i = 0; i < a->m.sms; i++)
        n.request_bytes += packet_bytes(a, a->from.sms[i]);
    return n;
}

static void moved_add(struct moved *sum, const struct moved *to, const struct moved *from)
{
    sum->cycles += to->cycles - from->cycles;
    sum->thread_inst += to->thread_inst - from->thread_inst;
    sum->bursts += to->bursts - from->bursts;
    sum->reply_bytes += to->reply_bytes - from->reply_bytes;
    sum->request_bytes += to->request_bytes - from->request_bytes;
}

/* Slices have fewer ports than SMs, or as many: they bound both directions. */
static struct adapt_need need_of(const struct adapt *a, const struct moved *n)
{
    const double us = (double)n->cycles / a->m.core_mhz;
    const double net = us * a->m.noc_mhz * a->m.slices * a->m.flit_bytes;
    return (struct adapt_need){.dram = (double)n->bursts * a->codec->burst_bytes /
                                       (us * a->m.dram_bandwidth * 1e-6),
                               .replies = (double)n->reply_bytes / net,
                               .requests = (double)n->request_bytes / net};
}

static void turn(struct adapt *a, struct known *k, bool is_on)
{
    if (is_on == k->is_on)
        return;
    ++*(is_on ? &a->stats.switched_on : &a->stats.switched_off);
    k->is_on = is_on;
    k->tried = k->again = 0;
    k->on = (struct moved){0};
    k->with = (struct adapt_series){0};
}

/* A trial that was lost keeps it off, twice as long every time. */
static void lose(struct adapt *a, struct known *k)
{
    turn(a, k, false);
    a->stats.trials_lost++;
    k->hold = (uint32_t)a->cfg->hold_windows << (k->lost < 16 ? k->lost : 16);
    k->lost++;
}

static double inst_per_cycle(const struct known *k)
{
    return (double)k->sum.thread_inst / (double)k->sum.cycles;
}

/* A window on behind a check. */
static void judge_again(struct adapt *a, struct known *k)
{
    if (k->again-- > (uint32_t)a->cfg->trial_windows) /* it still has what was under way */
        return;
    adapt_note(&k->with, inst_per_cycle(k));
    if (k->again)
        return;
    if (adapt_is_lost(&k->before, &k->off, &k->with))
        lose(a, k);
    k->with = (struct adapt_series){0};
}

/* Raw data that moves faster is not all: lines that are encoded move more of it, and a kernel that
 * has just begun does more in every window. So where windows on do fewer instructions than those
 * off did, as many are off again, and decide, with those on behind them. */
static void look_at_instructions(struct adapt *a, struct known *k)
{
    if (k->again) {
        judge_again(a, k);
        return;
    }
    adapt_note(&k->with, inst_per_cycle(k));
    if (k->with.n < a->cfg->trial_windows)
        return;
    if (adapt_is_slower(&k->with, &k->off)) {
        k->is_on = false;
        k->check = (uint32_t)a->cfg->trial_windows + 1;
        k->off = (struct adapt_series){0};
        a->stats.checks++;
    } else {
        k->with = (struct adapt_series){0};
    }
}

/* A window on. */
static void judge_trial(struct adapt *a, struct known *k)
{
    const uint32_t trial = (uint32_t)a->cfg->trial_windows;
    if (!trial)
        return;
    if (k->tried < trial) {
        k->tried++;
        moved_add(&k->on, &k->sum, &(struct moved){0});
        const struct adapt_need need = need_of(a, &k->on);
        if (k->tried == trial &&
            !adapt_gains(k->without, adapt_need_most(&need), a->cfg->trial_gain)) {
            lose(a, k);
            return;
        }
    }
    look_at_instructions(a, k);
}

/* A window off; the first of a check still has what was under way. */
static void judge_check(struct adapt *a, struct known *k)
{
    if (k->check <= (uint32_t)a->cfg->trial_windows)
        adapt_note(&k->off, inst_per_cycle(k));
    if (--k->check)
        return;
    k->is_on = true;
    if (adapt_is_slower(&k->with, &k->off))
        k->again = (uint32_t)a->cfg->trial_windows + 1;
    k->before = k->with;
    k->with = (struct adapt_series){0};
}

static void note_off(struct adapt *a, struct known *k, double need)
{
    adapt_mean(&k->without, need, k->without ? a->cfg->weight : 1);
    if (!adapt_is_telling(false, k->all.cycles, (uint64_t)a->cfg->window))
        return;
    adapt_age(&k->off, 2.0 * a->cfg->trial_windows);
    adapt_note(&k->off, inst_per_cycle(k));
}

/* A window of kernel `k` has ended. */
static void decide(struct adapt *a, struct known *k)
{
    const struct adapt_need need = need_of(a, &k->sum);
    const bool was_on = k->is_on && !a->is_idle;
    ++*(was_on ? &a->stats.windows_on : &a->stats.windows_off);
    if (was_on)
        judge_trial(a, k);
    else if (k->check && !a->is_idle)
        judge_check(a, k);
    else
        note_off(a, k, adapt_need_most(&need));
    if (adapt_is_telling(k->is_on, k->all.cycles, (uint64_t)a->cfg->window))
        adapt_mean(&k->need, adapt_need_most(&need), a->cfg->weight);
    if (k->hold)
        k->hold--;
    else if (!k->check)
        turn(a, k, adapt_is_on(k->is_on, k->need, a->cfg->on_share, a->cfg->off_share));
    k->sum = (struct moved){0};
}

static void count_jobs(struct adapt *a)
{
    a->stats.stores_off = a->stats.fills_off = 0;
    for (uint32_t i = 0; i < a->m.sms; i++) {
        a->stats.stores_off += a->gates[i].stores;
        a->stats.fills_off += a->gates[i].fills;
    }
}

static void set_switch(struct adapt *a, const struct known *k)
{
    a->is_on = !a->is_idle && k->is_on;
    a->is_checking = !a->is_idle && k->check;
    a->is_raw_only = k->place == ADAPT_NOWHERE;
}

/* Whether an SM has encoded a line: memory has that in no other form. */
static bool has_codes(const struct adapt *a)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < a->m.channels; i++)
        n += caba_form_stats(a->from.forms[i])->stored_encoded;
    return n != 0;
}

static enum adapt_place place_of(const struct adapt *a, const struct known *k)
{
    return adapt_place(&k->room, (uint32_t)a->cfg->spare_instances, k->is_on || k->check,
                       has_codes(a));
}

static void set_bare(struct adapt *a, bool is_bare)
{
    if (is_bare == a->is_bare)
        return;
    a->is_bare = is_bare;
    if (a->assist)
        assist_set_bare(a->assist, is_bare && a->has_spares);
}

/* Blocks that begin from now on have the registers that the kernel wants now. Until all have them,
 * it does without compression. */
static void place_again(struct adapt *a, struct known *k, const struct tech_look *at)
{
    const enum adapt_place place = place_of(a, k);
    if (place != k->place) {
        k->place = (uint8_t)place;
        k->since = at->placed;
        a->stats.places_changed++;
    }
    const bool is_mixed = at->oldest_block < k->since;
    a->is_idle = place == ADAPT_NOWHERE || is_mixed;
    set_bare(a, place != ADAPT_WARPS || is_mixed);
}

void adapt_look(struct adapt *a, const struct tech_look *at)
{
    const struct moved now = moved_until(a, at);
    struct known *k = &a->kernels.data[a->running];
    moved_add(&k->sum, &now, &a->last);
    moved_add(&k->all, &now, &a->last);
    a->last = now;
    if (k->sum.cycles >= (uint64_t)a->cfg->window)
        decide(a, k);
    if (a->running == a->launched && at->launches == 1)
        place_again(a, k, at);
    a->running = a->launched;
    a->is_fresh = false;
    a->looks++;
    set_switch(a, &a->kernels.data[a->running]);
    count_jobs(a);
}

/* --- launches --- */

static size_t known_at(const struct adapt *a, const char *name)
{
    size_t i = 0;
    while (i < a->kernels.len && strcmp(a->kernels.data[i].name, name))
        i++;
    return i;
}

/* A launch's last blocks need less than it did: the next one begins as all of it would. Short ones
 * count together. */
static void begin_as_needed(struct adapt *a, struct known *n)
{
    if (n->all.cycles < (uint64_t)a->cfg->window)
        return;
    const struct adapt_need need = need_of(a, &n->all);
    n->all = (struct moved){0};
    if (n->hold || n->check)
        return;
    n->need = adapt_need_most(&need);
    turn(a, n, adapt_is_on(n->is_on, n->need, a->cfg->on_share, a->cfg->off_share));
}

/* All blocks of the grid can run at once, and could not with more registers: they may wait for each
 * other. */
static bool must_fit(const struct adapt *a, const struct adapt_room *r, const struct launch *l)
{
    const uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    return blocks <= (uint64_t)r->blocks * a->m.sms && blocks > (uint64_t)r->blocks_with * a->m.sms;
}

void adapt_launch(struct adapt *a, const struct sm_kernel *k)
{
    const char *name = k->root->kernel->src->name;
    const size_t i = known_at(a, name);
    if (i == a->kernels.len)
        vec_push(&a->kernels, ((struct known){.name = xstrdup(name), .look = UINT64_MAX}));
    struct known *n = &a->kernels.data[i];
    begin_as_needed(a, n);
    n->room = caba_room(a->m.sm, k, a->registers, a->has_spares);
    n->room.must_fit = must_fit(a, &n->room, k->root->launch);
    /* Of launches that may run together none finds too little room. */
    const enum adapt_place place = place_of(a, n);
    n->place = n->look == a->looks && n->place < place ? n->place : (uint8_t)place;
    n->look = a->looks;
    n->since = 0;
    ++*(n->place == ADAPT_NOWHERE ? &a->stats.launches_without
        : n->place == ADAPT_SPARE ? &a->stats.launches_spare
                                  : &a->stats.launches_with);
    a->is_idle = n->place == ADAPT_NOWHERE || (a->is_fresh && a->is_idle);
    set_bare(a, n->place != ADAPT_WARPS && (!a->is_fresh || a->is_bare));
    a->is_fresh = true;
    a->launched = i;
    set_switch(a, n);
}

static uint32_t registers_of(const void *ctx, const struct kernel *k)
{
    const struct adapt *a = ctx;
    const size_t i = known_at(a, k->src->name);
    return i < a->kernels.len && a->kernels.data[i].place == ADAPT_WARPS ? a->registers : 0;
}

static uint32_t decode_cost(const struct aws *s, const struct codec *codec)
{
    const int encodings = codec_id(codec) == CODEC_BDI ? 8 : 1;
    uint32_t sum = 0;
    for (int e = 0; e < encodings; e++)
        sum += aws_codec(s, ON_FILL, codec_name(codec), e)->ninst;
    return sum / (uint32_t)encodings;
}

void adapt_bind_assist(struct adapt *a, struct assist *assist, bool has_spares)
{
    for (uint32_t k = 0; k < a->codec->n; k++)
        a->cost[k] = decode_cost(assist_store(assist), a->codec->codecs[k]);
    a->assist = assist;
    a->has_spares = has_spares;
    a->registers = assist_registers(assist);
    assist_bind_registers(assist, registers_of, a);
}

const struct adapt_stats *adapt_stats(const struct adapt *a)
{
    return &a->stats;
}
