/* Every row of parsim/seams.def, through a whole machine: a technique on that seam alone moves an
 * exact number of cycles, bytes or registers. */
#include "support_cases.h"

#include "gpu/gpu_tech.h"
#include "tech/tech_list_int.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* BEATS: cycles of the controller, 700 MHz, that are a whole number (66) of the DRAM's, 924 MHz. */
enum { LATER = 40, BEATS = 50, CODE = 32 };

/* --- what each seam does --- */

static uint16_t ask_first(const void *self, const struct line_view *v)
{
    (void)self;
    return v->missing & (uint16_t)-v->missing;
}

static uint32_t latency(void *self, const struct mem_req *r, cycle_t now)
{
    (void)self, (void)now;
    return r->kind == MEM_READ ? LATER : 0;
}

static uint32_t twice(void *self, const struct mem_req *r, bool reply, uint32_t payload)
{
    (void)self, (void)r, (void)reply;
    return 2 * payload;
}

static uint32_t all_bytes(void *self, addr_t line, const struct line_form *form)
{
    (void)self, (void)line, (void)form;
    return 128;
}

static uint32_t hit_latency(void *self, uint32_t bytes, cycle_t now)
{
    (void)self, (void)bytes, (void)now;
    return LATER;
}

static void placed(void *self, addr_t line, uint32_t bytes)
{
    (void)self, (void)line, (void)bytes;
}

/* An engine with room for one job. */
struct one_job {
    struct codec_job job;
    cycle_t due;
};

static enum codec_answer submit(void *self, cycle_t now, struct codec_job *job)
{
    struct one_job *e = self;
    e->job = *job;
    e->due = now + LATER;
    return CODEC_TAKEN;
}

static bool done(void *self, cycle_t now, struct codec_job *job)
{
    struct one_job *e = self;
    if (now < e->due)
        return false;
    *job = e->job;
    e->due = CYCLE_NEVER;
    return true;
}

static cycle_t next(const void *self, cycle_t now)
{
    (void)now;
    return ((const struct one_job *)self)->due;
}

static struct line_form look_encoded(const void *self, addr_t line, bool is_here,
                                     enum mem_kind kind)
{
    (void)is_here;
    return (struct line_form){.bytes =
                                  kind == MEM_READ && line >= *(const addr_t *)self ? CODE : 0};
}

static uint32_t many_registers(const void *self, const struct kernel *k)
{
    (void)self, (void)k;
    return 1000;
}

static void cycles_more(void *self, const struct rf_event *e, struct rf_cost *cost)
{
    (void)self;
    cost->hold += e->d->flags & DINST_LOAD ? LATER : 0;
}

static uint32_t longer(void *self, const struct rf_event *e, uint32_t initiation)
{
    (void)self, (void)e;
    return initiation + LATER;
}

/* The parameter, a pointer, is half a line further. */
static void half_a_line_on(void *self, struct sm *sm, unsigned slot, struct warp *w,
                           const struct dinst *d, uint32_t mask)
{
    uint64_t values[WARP_LANES];
    (void)self, (void)sm, (void)slot;
    if (!(d->flags & DINST_CONST))
        return;
    assert_int_equal(tech_api.read(w, d, 0, values), 64);
    for (unsigned l = 0; l < WARP_LANES; l++)
        values[l] += 64;
    assert_int_equal(tech_api.write(w, d, 0, mask, values), 64);
}

/* Holds every launch's first instruction back. */
static uint64_t not_yet(void *self, struct sm *sm, unsigned sched, uint64_t can)
{
    uint32_t *left = self;
    (void)sm, (void)sched;
    return *left && (*left)-- ? 0 : can;
}

static uint32_t done_later(void *self, cycle_t now, const struct mem_req *r,
                           const struct storage_form *f)
{
    (void)self, (void)now, (void)r, (void)f;
    return BEATS;
}

static int64_t fit_at_once; /* blocks, of all launches */

static uint64_t last_first(void *self, const struct block_grid *g, uint64_t i)
{
    (void)self;
    fit_at_once += (int64_t)g->at_once;
    return g->blocks - 1 - i;
}

/* --- the technique: a design a seam --- */

struct all {
    addr_t data; /* code is below */
    struct one_job engine;
    uint32_t held; /* cycles, of the launch's first instruction */
};

static bool launch(void *self, const struct sm_kernel *k, struct err *err)
{
    (void)k, (void)err;
    ((struct all *)self)->held = LATER;
    return true;
}

static void encode_data(const struct tech_site *at, struct all *all)
{
    for (uint32_t i = 0; i < at->machine->channels; i++) {
        at->seams->forms[i].look = look_encoded;
        at->seams->forms[i].self = &all->data;
    }
}

static bool bind(const struct tech_site *at, struct tech_part *part, struct err *err)
{
    static struct all all;
    struct tech_seams *s = at->seams;
    all = (struct all){.data = at->machine->memory_base, .engine = {.due = CYCLE_NEVER}};
    part->self = &all;
    part->launch = launch;
    if (!tech_take(s, (enum tech_seam)at->design->variant, at->design->name, TAKE_WRAP, err))
        return false;
    switch ((enum tech_seam)at->design->variant) {
    case SEAM_requests:
        s->requests->ask = ask_first;
        break;
    case SEAM_sm_packets:
        s->sm_packets->send_latency = latency;
        break;
    case SEAM_l1_capacity:
        *s->l1_capacity = (struct capacity_policy){.tag_factor = 2,
                                                   .line_bytes = all_bytes,
                                                   .hit_latency = hit_latency,
                                                   .placed = placed,
                                                   .self = NULL};
        break;
    case SEAM_codec_engines:
        s->codec_engines->submit = submit;
        s->codec_engines->done = done;
        s->codec_engines->next = next;
        s->codec_engines->self = &all.engine;
        s->encodings->mode = ENCODED_DECODED;
        encode_data(at, &all);
        break;
    case SEAM_encodings:
        *s->encodings = (struct encoding_cfg){.mode = ENCODED_DIRECT, .direct_latency = LATER};
        encode_data(at, &all);
        break;
    case SEAM_warps:
        s->warps->extra_registers = many_registers;
        break;
    case SEAM_registers:
        s->registers->cost = cycles_more;
        s->registers->wants = WANT_COST;
        break;
    case SEAM_issue:
        s->issue->initiation = longer;
        s->issue->wants = WANT_INITIATION;
        break;
    case SEAM_values:
        s->values->loaded = half_a_line_on;
        s->values->wants = WANT_LOADED;
        break;
    case SEAM_schedulers:
        *s->schedulers = (struct sched_policy){WANT_PICK, not_yet, s->schedulers->pick, &all.held};
        break;
    case SEAM_l2_packets:
        for (uint32_t i = 0; i < at->machine->slices; i++)
            s->l2_packets[i].wire_bytes = twice;
        break;
    case SEAM_l2_capacity:
        for (uint32_t i = 0; i < at->machine->slices; i++)
            s->l2_capacity[i] = (struct capacity_policy){.tag_factor = 2,
                                                         .line_bytes = all_bytes,
                                                         .hit_latency = hit_latency,
                                                         .placed = placed,
                                                         .self = NULL};
        break;
    case SEAM_storage:
        for (uint32_t i = 0; i < at->machine->channels; i++)
            s->storage[i].dram_done = done_later;
        break;
    case SEAM_forms:
        s->encodings->mode = ENCODED_DECODED;
        encode_data(at, &all);
        break;
    case SEAM_blocks:
        s->blocks->block = last_first;
        break;
    case SEAMS:
        break;
    }
    return true;
}

static const struct tech_design designs[] = {
#define L1_SEAM(name, ...)      {#name, "", "", SEAM_##name, false},
#define SM_SEAM(name, ...)      {#name, "", "", SEAM_##name, false},
#define SLICE_SEAM(name, ...)   {#name, "", "", SEAM_##name, false},
#define CHANNEL_SEAM(name, ...) {#name, "", "", SEAM_##name, false},
#define GPU_SEAM(name, ...)     {#name, "", "", SEAM_##name, false},
#include "parsim/seams.def"
};

static const struct technique one_seam = {
    .name = "one_seam", .designs = designs, .ndesigns = SEAMS, .bind = bind};

/* --- one warp, a load that misses, one that hits the L1 --- */

static const char ptx[] = ".version 3.2\n.target sm_20\n.address_size 64\n"
                          ".visible .entry k(.param .u64 in)\n{\n"
                          ".reg .b32 %r<9>;\n.reg .b64 %rd<4>;\n"
                          "ld.param.u64 %rd1, [in];\n"
                          "mov.u32 %r1, %tid.x;\n"
                          "mul.wide.u32 %rd2, %r1, 4;\n"
                          "add.u64 %rd2, %rd1, %rd2;\n"
                          "ld.global.u32 %r2, [%rd2];\n"
                          "and.b32 %r3, %r2, 0;\n"
                          "cvt.u64.u32 %rd3, %r3;\n"
                          "add.u64 %rd2, %rd2, %rd3;\n"
                          "ld.global.u32 %r4, [%rd2];\n"
                          "add.u32 %r5, %r4, %r2;\n"
                          "add.u32 %r6, %r5, %r5;\n"
                          "ret;\n}\n";

static const struct gpu_case one_warp = {.name = "one warp",
                                         .ptx = ptx,
                                         .entry = "k",
                                         .grid = {1, 1, 1},
                                         .block = {32, 1, 1},
                                         .npointers = 1};

/* It runs twice: the second time all is in the L2, and nothing in the L1. */
enum { FIRST, SECOND, BLOCKS, ORDER, KEYS };
static const char *const keys[] = {"l2.fetched_sectors", "noc_reply.bytes", "l1.coded_fills",
                                   "l2.coded_answers", "sm.accesses"};

struct measured {
    int64_t values[KEYS + ARRAY_LEN(keys)];
};

static struct measured measure(const char *design)
{
    static const char *const sets[] = {"gpu.sms=1"};
    struct case_run t;
    struct measured m;
    case_open(&t, &one_warp, "gtx480-gpgpusim", sets, 1, 0);
    tech_list_add(t.m->techs, &one_seam, NULL);
    t.m->gpu.with = design;
    case_start(&t, 1);
    case_run(&t);
    m.values[FIRST] = (int64_t)gpu_cycles(t.gpu);
    case_run(&t);
    m.values[SECOND] = (int64_t)gpu_cycles(t.gpu) - m.values[FIRST];
    m.values[BLOCKS] = gpu_kernel(t.gpu, 0)->ctas_per_sm;
    m.values[ORDER] = fit_at_once;
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        double v = 0;
        assert_true(stats_get(gpu_stats(t.gpu), keys[i], &v));
        m.values[KEYS + i] = (int64_t)v;
    }
    case_close(&t);
    return m;
}

/* Three misses of an SM in a row: code, the parameter, the line; then a hit of the line.
 *
 * issue: a unit of two is closed for 41 cycles. Where instructions depend on each other at once,
 * the third finds both closed, twice (before the first load it waits for the parameter longer). An
 * instruction that reads n registers enters n cycles later than one that reads none, and the next
 * that depends on it issues latency + 5 + n cycles behind it.
 *   and, cvt, add: latency 1, reads 1, then the add's 2 registers: its entry was 7 + 7 + 1 cycles
 *     behind the first's and is 41: 26 later.
 *   add, add, ret: the second add was issued 4 + 7 cycles behind the first, entered 11 behind it
 * and was written 4 + 2 later, at 17. The return, issued behind it, reads nothing, enters before it
 *     and takes the second unit; the add enters at 41 and is written at 47: 30 later. */
static const struct {
    size_t value;
    int64_t more;
} moved[SEAMS] = {
    [SEAM_requests] = {KEYS, -2},        /* each load asks for one of the line's four sectors */
    [SEAM_sm_packets] = {SECOND, 80},    /* parameter, line; code has no seam */
    [SEAM_l1_capacity] = {SECOND, 40},   /* one hit */
    [SEAM_codec_engines] = {SECOND, 40}, /* one line to decode */
    [SEAM_encodings] = {SECOND, 80},     /* both loads cut it out */
    [SEAM_warps] = {BLOCKS, -7},         /* 1000 registers a thread: one block for eight */
    [SEAM_registers] = {SECOND, 120},    /* three loads */
    [SEAM_issue] = {SECOND, 26 + 30},    /* see above */
    [SEAM_values] = {KEYS + 4, 4},       /* two loads in two runs: two lines each instead of one */
    [SEAM_schedulers] = {SECOND, 40},    /* nothing is on its way before the first instruction */
    [SEAM_l2_packets] = {KEYS + 1, 640}, /* twice the payload of five lines */
    [SEAM_l2_capacity] = {SECOND, 120},  /* three hits */
    [SEAM_storage] = {FIRST, 150},       /* three reads, one behind the other */
    [SEAM_forms] = {KEYS + 2, 2},        /* the line comes encoded, twice */
    [SEAM_blocks] = {ORDER, 16},         /* asked for one block, twice: eight fit on the SM */
};

static void each_seam_moves_what_it_decides(void **state)
{
    (void)state;
    const struct measured base = measure("base");
    for (size_t i = 0; i < SEAMS; i++) {
        const struct measured m = measure(designs[i].name);
        const int64_t more = m.values[moved[i].value] - base.values[moved[i].value];
        if (!moved[i].more || more != moved[i].more)
            fail_msg("%s: %lld, not %lld", designs[i].name, (long long)more,
                     (long long)moved[i].more);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_seam_moves_what_it_decides)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
