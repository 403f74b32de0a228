/* What probes of SMs and DRAM channels fire, as events of a timeline: each is a source of its own.
 */
#include "gpu/trace.h"

#include "gpu/gpu_int.h"
#include "gpu/gpu_tech.h"
#include "out/timeline.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of the tracks, by process and thread as the format calls them. */
enum {
    PID_KERNELS = 0,
    PID_SM = 1,
    PID_DRAM = 1001,
    TID_BLOCKS = 1,
    TID_WARPS = 101,
    TID_EXTRA = 201,
    PID_SLICE = 2001,
    TID_MARKS = 301 /* of techniques */
};

enum text {
    TEXT_BLOCK,
    TEXT_WARP,
    TEXT_LOAD,
    TEXT_TO,
    TEXT_L2,
    TEXT_DRAM,
    TEXT_BACK,
    TEXT_ROW,
    TEXT_READ,
    TEXT_WRITE,
    TEXT_REFRESH,
    TEXT_EXTRA
};
/* Of TEXT_EXTRA the source of extra warps knows the name. */
static const struct {
    const char *name;
    enum timeline_name form;
} texts[] = {
    [TEXT_BLOCK] = {"block", TIMELINE_NUMBERED},  [TEXT_WARP] = {"warp", TIMELINE_NUMBERED},
    [TEXT_LOAD] = {"load", TIMELINE_ADDRESS},     [TEXT_TO] = {"to L2", TIMELINE_NUMBERED},
    [TEXT_L2] = {"L2", TIMELINE_NUMBERED},        [TEXT_DRAM] = {"DRAM", TIMELINE_PLAIN},
    [TEXT_BACK] = {"back", TIMELINE_NUMBERED},    [TEXT_ROW] = {"row", TIMELINE_NUMBERED},
    [TEXT_READ] = {"read", TIMELINE_NUMBERED},    [TEXT_WRITE] = {"write", TIMELINE_NUMBERED},
    [TEXT_REFRESH] = {"refresh", TIMELINE_PLAIN}, [TEXT_EXTRA] = {NULL, TIMELINE_PLAIN},
};

struct source {
    struct trace *trace;
    struct timeline_source *to;
    struct probe probe;
    double ps_cycle, ps_noc, ps_l2;
    uint64_t loads;
    bool open[256]; /* DRAM: banks with an open row */
    uint64_t burst_ps;
};

/* What techniques have to show, of one SM, slice or channel. */
struct marks {
    struct timeline_source *to;
    struct probe probe;
    double ps_cycle;
};

struct trace {
    struct gpu *gpu;
    struct timeline *line;
    struct source *sources;
    uint32_t nsources;
    struct marks *marks[PER_CHANNEL + 1]; /* NULL: the machine has no technique */
    bool is_off;
};

/* --- what lanes are --- */

static const char *sm_lane(uint32_t tid, uint32_t *number)
{
    static const struct {
        uint32_t first;
        const char *name;
    } lanes[] = {{TID_EXTRA, "extra warp"}, {TID_WARPS, "warp slot"}, {TID_BLOCKS, "block slot"}};
    unsigned i = 0;
    while (i + 1 < ARRAY_LEN(lanes) && tid < lanes[i].first)
        i++;
    *number = tid - lanes[i].first;
    return lanes[i].name;
}

static const char *dram_lane(uint32_t tid, uint32_t *number)
{
    *number = tid;
    return "bank";
}

static const char *mark_lane(uint32_t tid, uint32_t *number)
{
    (void)tid, (void)number;
    return "techniques";
}

/* --- what components fire --- */

static uint64_t ps_of(cycle_t cycle, double ps_cycle)
{
    return (uint64_t)((double)cycle * ps_cycle);
}

static const char *extra_name(const struct source *s, uint64_t number)
{
    const struct warp_source *extra = s->trace->gpu->tech->seams.warps; /* of any SM */
    return extra->name(extra->self, (uint32_t)number);
}

static void put_long(struct source *s, char ph, enum text text, uint64_t ps, uint64_t dur,
                     uint32_t tid, uint64_t number)
{
    const char *name = text == TEXT_EXTRA ? extra_name(s, number) : texts[text].name;
    timeline_put(s->to, &(struct timeline_event){.ps = ps,
                                                 .dur = dur,
                                                 .name = name,
                                                 .form = texts[text].form,
                                                 .number = number,
                                                 .id = s->loads,
                                                 .tid = tid,
                                                 .ph = ph});
}

static void put(struct source *s, char ph, enum text text, uint64_t ps, uint32_t tid,
                uint64_t number)
{
    put_long(s, ph, text, ps, 0, tid, number);
}

static void put_load(struct source *s, const struct mem_req *r)
{
    const double clock[MEM_STAGES] = {
        [MEM_AT_BORN] = s->ps_cycle,   [MEM_AT_NOC_IN] = s->ps_noc, [MEM_AT_L2_IN] = s->ps_l2,
        [MEM_AT_MC_IN] = s->ps_l2,     [MEM_AT_MC_OUT] = s->ps_l2,  [MEM_AT_L2_OUT] = s->ps_noc,
        [MEM_AT_NOC_OUT] = s->ps_cycle};
    uint64_t at[MEM_STAGES], before = 0;
    const bool dram = r->at[MEM_AT_MC_OUT] != 0;
    for (unsigned i = 0; i < MEM_STAGES; i++) {
        at[i] = ps_of(r->at[i], clock[i]);
        before = at[i] = at[i] > before ? at[i] : before;
    }
    s->loads++;
    put(s, 'b', TEXT_LOAD, at[MEM_AT_BORN], 0, r->addr);
    put(s, 'b', TEXT_TO, at[MEM_AT_NOC_IN], 0, r->dst);
    put(s, 'e', TEXT_TO, at[MEM_AT_L2_IN], 0, r->dst);
    put(s, 'b', TEXT_L2, at[MEM_AT_L2_IN], 0, r->dst);
    if (dram) {
        put(s, 'b', TEXT_DRAM, at[MEM_AT_MC_IN], 0, 0);
        put(s, 'e', TEXT_DRAM, at[MEM_AT_MC_OUT], 0, 0);
    }
    put(s, 'e', TEXT_L2, at[MEM_AT_L2_OUT], 0, r->dst);
    put(s, 'b', TEXT_BACK, at[MEM_AT_L2_OUT], 0, r->src);
    put(s, 'e', TEXT_BACK, at[MEM_AT_NOC_OUT], 0, r->src);
    put(s, 'e', TEXT_LOAD, at[MEM_AT_NOC_OUT], 0, r->addr);
}

static void sm_fired(void *ctx, cycle_t now, uint32_t event, uint64_t a, uint64_t b)
{
    struct source *s = ctx;
    uint64_t ps = ps_of(now, s->ps_cycle);
    switch ((enum sm_event)event) {
    case SM_BLOCK_BEGIN:
    case SM_BLOCK_END:
        put(s, event == SM_BLOCK_BEGIN ? 'B' : 'E', TEXT_BLOCK, ps, TID_BLOCKS + (uint32_t)b, a);
        break;
    case SM_WARP_BEGIN:
    case SM_WARP_END:
        put(s, event == SM_WARP_BEGIN ? 'B' : 'E', TEXT_WARP, ps, TID_WARPS + (uint32_t)b, a % 64);
        break;
    case SM_EXTRA_BEGIN:
    case SM_EXTRA_END:
        put(s, event == SM_EXTRA_BEGIN ? 'B' : 'E', TEXT_EXTRA, ps, TID_EXTRA + (uint32_t)b, a);
        break;
    case SM_REPLY:
        put_load(s, (const struct mem_req *)(uintptr_t)a);
        break;
    case SM_ACCESSED:
        break;
    }
}

static void close_row(struct source *s, uint64_t ps, uint64_t bank, uint64_t row)
{
    if (s->open[bank])
        put(s, 'E', TEXT_ROW, ps, (uint32_t)bank, row);
    s->open[bank] = false;
}

static void dram_fired(void *ctx, cycle_t now, uint32_t event, uint64_t bank, uint64_t row)
{
    struct source *s = ctx;
    uint64_t ps = ps_of(now, s->ps_cycle);
    switch ((enum dram_cmd)event) {
    case DRAM_ACT:
        close_row(s, ps, bank, row);
        put(s, 'B', TEXT_ROW, ps, (uint32_t)bank, row);
        s->open[bank] = true;
        break;
    case DRAM_PRE:
        close_row(s, ps, bank, row);
        break;
    case DRAM_REF:
        put(s, 'X', TEXT_REFRESH, ps, (uint32_t)bank, 0);
        break;
    default:
        put_long(s, 'X', event == DRAM_RD || event == DRAM_RDA ? TEXT_READ : TEXT_WRITE, ps,
                 s->burst_ps, (uint32_t)bank, row);
        if (event == DRAM_RDA || event == DRAM_WRA)
            close_row(s, ps + s->burst_ps, bank, row);
    }
}

/* --- what techniques show --- */

static void marked(void *ctx, cycle_t now, uint32_t event, uint64_t a, uint64_t b)
{
    const struct marks *m = ctx;
    const struct tech_mark *what = (const struct tech_mark *)(uintptr_t)a;
    const uint64_t ps = ps_of(now, m->ps_cycle);
    (void)event, (void)b;
    timeline_put(m->to,
                 &(struct timeline_event){.ps = ps,
                                          .dur = ps_of(what->end, m->ps_cycle) - ps,
                                          .name = conf_is_word(what->name) ? what->name : "mark",
                                          .form = TIMELINE_NUMBERED,
                                          .number = what->number,
                                          .tid = TID_MARKS,
                                          .ph = 'X'});
}

static void observe_techniques(struct trace *t)
{
    static const uint32_t pids[] = {
        [PER_SM] = PID_SM, [PER_SLICE] = PID_SLICE, [PER_CHANNEL] = PID_DRAM};
    const struct gpu_cfg *c = &t->gpu->m->gpu;
    struct tech_seams *s = &t->gpu->tech->seams;
    if (!techs_part(t->gpu->tech->techs, 0))
        return;
    for (uint32_t i = 0; i < s->n[PER_SLICE]; i++)
        timeline_name_process(t->line, PID_SLICE + i, "L2 slice", i);
    for (unsigned per = 0; per <= PER_CHANNEL; per++) {
        t->marks[per] = xcalloc(s->n[per], sizeof *t->marks[per]);
        for (uint32_t i = 0; i < s->n[per]; i++) {
            struct marks *m = &t->marks[per][i];
            m->to = timeline_add_source(t->line, pids[per] + i, mark_lane);
            m->ps_cycle = 1e6 / (per == PER_SM ? c->core_mhz : c->l2_mhz);
            m->probe = (struct probe){marked, m, NULL};
            probe_add(&s->marks[per][i], &m->probe);
        }
    }
}

static void ignore_techniques(struct trace *t)
{
    struct tech_seams *s = &t->gpu->tech->seams;
    for (unsigned per = 0; per <= PER_CHANNEL; per++)
        for (uint32_t i = 0; i < s->n[per] && t->marks[per] && !t->is_off; i++)
            probe_drop(&s->marks[per][i], &t->marks[per][i].probe);
}

/* --- start and end --- */

static void stop_observing(struct trace *t)
{
    for (uint32_t i = 0; i < t->gpu->nsms; i++)
        sm_drop_probe(t->gpu->sms[i], &t->sources[i].probe);
    for (uint32_t i = 0; i < t->gpu->nchannels; i++)
        dram_drop_probe(t->gpu->dram[i], &t->sources[t->gpu->nsms + i].probe);
    ignore_techniques(t);
    t->is_off = true;
}

static void flush(void *ctx, uint64_t time)
{
    struct trace *t = ctx;
    (void)time;
    if (!t->is_off && !timeline_flush(t->line))
        stop_observing(t);
}

static struct source *add_source(struct trace *t, uint32_t pid, double mhz,
                                 const char *(*lane_name)(uint32_t, uint32_t *),
                                 void (*fire)(void *, cycle_t, uint32_t, uint64_t, uint64_t))
{
    const struct gpu_cfg *c = &t->gpu->m->gpu;
    struct source *s = &t->sources[t->nsources++];
    *s = (struct source){.trace = t,
                         .to = timeline_add_source(t->line, pid, lane_name),
                         .ps_cycle = 1e6 / mhz,
                         .ps_noc = 1e6 / c->noc_mhz,
                         .ps_l2 = 1e6 / c->l2_mhz};
    s->probe = (struct probe){fire, s, NULL};
    return s;
}

static void observe(struct trace *t)
{
    struct gpu *g = t->gpu;
    const struct dram_cfg *d = &g->m->dram_resolved;
    const double dram_mhz = g->m->gpu.dram_mhz * d->bandwidth_scale;
    timeline_name_process(t->line, PID_KERNELS, "kernels", -1);
    for (uint32_t i = 0; i < g->nsms; i++) {
        sm_add_probe(g->sms[i],
                     &add_source(t, PID_SM + i, g->m->gpu.core_mhz, sm_lane, sm_fired)->probe);
        timeline_name_process(t->line, PID_SM + i, "SM", i);
    }
    for (uint32_t i = 0; i < g->nchannels; i++) {
        struct source *s = add_source(t, PID_DRAM + i, dram_mhz, dram_lane, dram_fired);
        s->burst_ps = ps_of((cycle_t)d->burst_cycles, s->ps_cycle);
        dram_add_probe(g->dram[i], &s->probe);
        timeline_name_process(t->line, PID_DRAM + i, "DRAM", i);
    }
    observe_techniques(t);
    sim_at_sync(g->sim, flush, t);
}

struct trace *trace_new(struct gpu *g, const char *path, uint64_t limit, struct err *err)
{
    struct timeline *line = timeline_new(path, limit ? limit : TRACE_LIMIT, err);
    if (!line)
        return NULL;
    struct trace *t = xcalloc(1, sizeof *t);
    t->gpu = g;
    t->line = line;
    t->sources = xcalloc(g->nsms + g->nchannels, sizeof *t->sources);
    observe(t);
    return t;
}

static void write_kernels(struct trace *t)
{
    const double ps = 1e6 / t->gpu->m->gpu.core_mhz;
    for (size_t i = 0; i < t->gpu->kernels.len; i++) {
        const struct gpu_kernel *k = &t->gpu->kernels.data[i];
        timeline_write(t->line, PID_KERNELS,
                       &(struct timeline_event){.ps = ps_of(k->began, ps),
                                                .dur = ps_of(k->cycles, ps),
                                                .name = k->name,
                                                .ph = 'X'});
    }
}

bool trace_close(struct trace *t, int interrupted, struct err *err)
{
    flush(t, 0);
    stop_observing(t);
    write_kernels(t);
    return timeline_close(t->line, interrupted, err);
}

void trace_free(struct trace *t)
{
    if (!t)
        return;
    timeline_free(t->line);
    for (unsigned per = 0; per <= PER_CHANNEL; per++)
        free(t->marks[per]);
    free(t->sources);
    free(t);
}
