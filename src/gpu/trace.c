/* Every SM and every DRAM channel has a buffer of its own, so that partitions on different host
 * threads share nothing; where they meet, the buffers are merged by (time, source) and written. */
#include "gpu/trace.h"

#include "base/interrupt.h"
#include "base/outfile.h"
#include "gpu/gpu_int.h"
#include "gpu/gpu_tech.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of the tracks, by process and thread as the format calls them. */
enum {
    PID_KERNELS = 0,
    PID_SM = 1,
    PID_DRAM = 1001,
    TID_BLOCKS = 1,
    TID_WARPS = 101,
    TID_EXTRA = 201
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
static const char *const texts[] = {"block", "warp", "load", "to L2", "L2",      "DRAM",
                                    "back",  "row",  "read", "write", "refresh", "extra"};

struct event {
    uint64_t ps, dur; /* picoseconds */
    uint64_t number;  /* shown with the name */
    uint64_t id;      /* of an asynchronous event */
    uint32_t source, order, tid;
    uint8_t text;
    char ph; /* B, E, X, b, e */
};

struct source {
    struct trace *trace;
    struct probe probe;
    uint32_t index, pid;
    double ps_cycle, ps_noc, ps_l2;
    uint64_t loads;
    bool open[256]; /* DRAM: banks with an open row */
    uint64_t burst_ps;
    VEC(struct event) events;
};

struct trace {
    struct gpu *gpu;
    struct outfile *file; /* NULL: closed */
    FILE *out;            /* the same */
    uint64_t left;
    struct source *sources;
    uint32_t nsources;
    VEC(struct event) merged;
    bool is_first, is_off;
};

/* --- what components fire --- */

static uint64_t ps_of(cycle_t cycle, double ps_cycle)
{
    return (uint64_t)((double)cycle * ps_cycle);
}

static void put(struct source *s, char ph, enum text text, uint64_t ps, uint32_t tid,
                uint64_t number)
{
    struct event e = {.ps = ps,
                      .number = number,
                      .id = s->loads,
                      .source = s->index,
                      .order = (uint32_t)s->events.len,
                      .tid = tid,
                      .text = (uint8_t)text,
                      .ph = ph};
    vec_push(&s->events, e);
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
        put(s, 'X', event == DRAM_RD || event == DRAM_RDA ? TEXT_READ : TEXT_WRITE, ps,
            (uint32_t)bank, row);
        vec_last(&s->events).dur = s->burst_ps;
        if (event == DRAM_RDA || event == DRAM_WRA)
            close_row(s, ps + s->burst_ps, bank, row);
    }
}

/* --- the file --- */

static void begin_event(struct trace *t)
{
    fputs(t->is_first ? "\n" : ",\n", t->out);
    t->is_first = false;
}

static void write_us(FILE *f, const char *key, uint64_t ps)
{
    fprintf(f, ",\"%s\":%" PRIu64 ".%06" PRIu64, key, ps / 1000000, ps % 1000000);
}

/* Names of extra warps and kernels are identifiers: nothing in them needs quoting. */
static void write_name(const struct trace *t, const struct event *e)
{
    FILE *f = t->out;
    const struct warp_source *extra = t->gpu->tech->seams.warps; /* of any SM */
    if (e->text == TEXT_EXTRA)
        fprintf(f, "\"%s\"", extra->name(extra->self, (uint32_t)e->number));
    else if (e->text == TEXT_LOAD)
        fprintf(f, "\"load 0x%" PRIx64 "\"", e->number);
    else if (e->text == TEXT_DRAM || e->text == TEXT_REFRESH)
        fprintf(f, "\"%s\"", texts[e->text]);
    else
        fprintf(f, "\"%s %" PRIu64 "\"", texts[e->text], e->number);
}

static void write_event(struct trace *t, const struct event *e)
{
    const struct source *s = &t->sources[e->source];
    begin_event(t);
    fprintf(t->out, "{\"ph\":\"%c\",\"pid\":%u,\"tid\":%u,\"name\":", e->ph, s->pid, e->tid);
    write_name(t, e);
    write_us(t->out, "ts", e->ps);
    if (e->ph == 'X')
        write_us(t->out, "dur", e->dur);
    if (e->ph == 'b' || e->ph == 'e')
        fprintf(t->out, ",\"cat\":\"load\",\"id\":\"%u.%" PRIu64 "\"", e->source, e->id);
    fputc('}', t->out);
}

static void write_process(struct trace *t, uint32_t pid, const char *name, uint32_t number)
{
    begin_event(t);
    fprintf(t->out, "{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_name\",\"args\":{\"name\":\"%s",
            pid, name);
    if (pid != PID_KERNELS)
        fprintf(t->out, " %u", number);
    fprintf(t->out, "\"}}");
}

static int by_time(const void *pa, const void *pb)
{
    const struct event *a = pa, *b = pb;
    if (a->ps != b->ps)
        return a->ps < b->ps ? -1 : 1;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static void stop_observing(struct trace *t)
{
    for (uint32_t i = 0; i < t->gpu->nsms; i++)
        sm_drop_probe(t->gpu->sms[i], &t->sources[i].probe);
    for (uint32_t i = 0; i < t->gpu->nchannels; i++)
        dram_drop_probe(t->gpu->dram[i], &t->sources[t->gpu->nsms + i].probe);
    t->is_off = true;
}

static void flush(void *ctx, uint64_t time)
{
    struct trace *t = ctx;
    (void)time;
    if (t->is_off)
        return;
    t->merged.len = 0;
    for (uint32_t i = 0; i < t->nsources; i++) {
        struct source *s = &t->sources[i];
        for (size_t k = 0; k < s->events.len; k++)
            vec_push(&t->merged, s->events.data[k]);
        s->events.len = 0;
    }
    if (!t->merged.len)
        return;
    qsort(t->merged.data, t->merged.len, sizeof *t->merged.data, by_time);
    for (size_t i = 0; i < t->merged.len && t->left; i++, t->left--)
        write_event(t, &t->merged.data[i]);
    if (!t->left)
        stop_observing(t);
}

/* --- start and end --- */

static struct source *add_source(struct trace *t, uint32_t pid, double mhz,
                                 void (*fire)(void *, cycle_t, uint32_t, uint64_t, uint64_t))
{
    const struct gpu_cfg *c = &t->gpu->m->gpu;
    struct source *s = &t->sources[t->nsources];
    *s = (struct source){.trace = t,
                         .index = t->nsources++,
                         .pid = pid,
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
    write_process(t, PID_KERNELS, "kernels", 0);
    for (uint32_t i = 0; i < g->nsms; i++) {
        sm_add_probe(g->sms[i], &add_source(t, PID_SM + i, g->m->gpu.core_mhz, sm_fired)->probe);
        write_process(t, PID_SM + i, "SM", i);
    }
    for (uint32_t i = 0; i < g->nchannels; i++) {
        struct source *s = add_source(t, PID_DRAM + i, dram_mhz, dram_fired);
        s->burst_ps = ps_of((cycle_t)d->burst_cycles, s->ps_cycle);
        dram_add_probe(g->dram[i], &s->probe);
        write_process(t, PID_DRAM + i, "DRAM", i);
    }
    sim_at_sync(g->sim, flush, t);
}

struct trace *trace_new(struct gpu *g, const char *path, uint64_t limit, struct err *err)
{
    struct outfile *file = outfile_open(path, err);
    if (!file)
        return NULL;
    struct trace *t = xcalloc(1, sizeof *t);
    t->gpu = g;
    t->file = file;
    t->out = outfile_stream(file);
    t->left = limit ? limit : TRACE_LIMIT;
    t->is_first = true;
    t->sources = xcalloc(g->nsms + g->nchannels, sizeof *t->sources);
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", t->out);
    observe(t);
    return t;
}

static void write_kernels(struct trace *t)
{
    const double ps = 1e6 / t->gpu->m->gpu.core_mhz;
    for (size_t i = 0; i < t->gpu->kernels.len; i++) {
        const struct gpu_kernel *k = &t->gpu->kernels.data[i];
        begin_event(t);
        fprintf(t->out, "{\"ph\":\"X\",\"pid\":%d,\"tid\":0,\"name\":\"%s\"", PID_KERNELS, k->name);
        write_us(t->out, "ts", ps_of(k->began, ps));
        write_us(t->out, "dur", ps_of(k->cycles, ps));
        fputc('}', t->out);
    }
}

bool trace_close(struct trace *t, int interrupted, struct err *err)
{
    struct outfile *file = t->file;
    flush(t, 0);
    stop_observing(t);
    write_kernels(t);
    fputs("\n]", t->out);
    if (interrupted)
        fprintf(t->out, ",\"otherData\":{\"interrupted\":\"%s\"}", interrupt_name(interrupted));
    fputs("}\n", t->out);
    t->file = NULL;
    return outfile_close(file, err);
}

void trace_free(struct trace *t)
{
    if (!t)
        return;
    outfile_discard(t->file);
    for (uint32_t i = 0; i < t->nsources; i++)
        vec_free(&t->sources[i].events);
    vec_free(&t->merged);
    free(t->sources);
    free(t);
}
