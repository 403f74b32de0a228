/* The JSON of a run; docs/run-output.md describes it. */
#include "gpu/report_int.h"

#include "base/interrupt.h"
#include "exec/oob.h"
#include "gpu/sample.h"
#include "gpu/selection.h"
#include "out/json.h"

static void add_rate(json *o, const char *key, const struct fact_rate *r)
{
    json_object_object_add(o, key, r->reads > 0 ? json_object_new_double(r->hit) : NULL);
}

static json *limit_of(const struct report_limit *l)
{
    json *o = json_object_new_object(), *settings = json_object_new_array();
    json_add_text(o, "resource", l->key);
    json_add_real(o, "time_share", l->time_share);
    json_add_real(o, "utilisation", l->used);
    json_object_object_add(o, "expected_gain",
                           l->gain > 0 ? json_object_new_double(l->gain) : NULL);
    for (size_t i = 0; i < l->ndoubled; i++)
        json_object_array_add(settings, json_object_new_string(l->doubled[i]));
    json_object_object_add(o, "double", settings);
    return o;
}

static json *summary_of(const struct report_facts *f)
{
    json *o = json_object_new_object();
    json_add_text(o, "bottleneck", f->bottleneck);
    json_object_object_add(o, "limit", limit_of(&f->limit));
    json_add_real(o, "simulated_seconds", f->seconds);
    for (unsigned i = 0; i < FACT_SLOTS; i++)
        json_add_real(json_child(o, "issue_slots"), fact_slot_keys[i], f->slots[i]);
    json_add_real(o, "busy_share", f->busy);
    json_add_real(o, "occupancy_warps", f->occupancy_warps);
    json_add_real(o, "unallocated_registers", f->unallocated);
    json *hits = json_child(o, "hit_rates");
    add_rate(hits, "l1", &f->l1);
    add_rate(hits, "l2", &f->l2);
    add_rate(hits, "constant", &f->konst);
    add_rate(hits, "texture", &f->tex);
    add_rate(hits, "instruction", &f->inst);
    json_add_real(o, "dram_bytes", f->dram_bytes);
    json_add_real(o, "dram_bytes_per_second", f->dram_rate);
    json_add_real(o, "dram_peak_bytes_per_second", f->dram_peak);
    json_add_real(o, "dram_share", stat_ratio(f->dram_rate, f->dram_peak));
    json_add_real(o, "row_hit_rate", f->row_hits);
    json_add_real(o, "load_latency", f->load_latency);
    json_add_real(o, "miss_latency", f->miss_latency);
    for (unsigned i = 0; i < FACT_STAGES; i++)
        json_add_real(json_child(o, "miss_stages"), fact_stage_keys[i], f->stages[i]);
    return o;
}

static json *energy_of(const struct energy_summary *e)
{
    json *o = json_object_new_object();
    json_add_real(o, "total_joules", e->total_j);
    json_add_real(o, "average_watts", e->average_w);
    json_add_real(o, "edp_joule_seconds", e->edp_js);
    for (size_t i = 0; i < e->table->n; i++)
        json_add_real(json_child(o, "joules"), e->table->names[i], e->joules[i]);
    return o;
}

/* --- kernels --- */

static void add_counts(json *o, uint64_t launches, uint64_t blocks, uint64_t warp_inst,
                       uint64_t thread_inst)
{
    json_add_count(o, "launches", launches);
    json_add_count(o, "blocks", blocks);
    json_add_count(o, "warp_instructions", warp_inst);
    json_add_count(o, "thread_instructions", thread_inst);
}

/* The kernels that ran at the same time, as numbers in the list. */
static json *others_of(const struct gpu_kernel *k, size_t self)
{
    json *a = json_object_new_array();
    for (size_t i = k->first; i < k->first + k->together; i++)
        if (i != self)
            json_object_array_add(a, json_object_new_uint64(i));
    return a;
}

static void add_kernel_stats(json *o, const struct session *s, const struct gpu_kernel *k,
                             const struct stats *st)
{
    struct report_facts f;
    report_facts(&f, session_machine(s), st, k->together_cycles);
    if (k->together > 1)
        json_add_count(o, "cycles", k->together_cycles);
    json_object_object_add(o, "summary", summary_of(&f));
    json_object_object_add(o, "energy", energy_of(&f.energy));
    json_object_object_add(o, "stats", json_stats(st, false));
}

static json *timed_kernel(const struct session *s, size_t i)
{
    const struct gpu_kernel *k = gpu_kernel(session_gpu(s), i);
    const struct stats *st = session_kernel_stats(s, i);
    json *o = json_object_new_object();
    json_add_text(o, "name", k->name);
    json_object_object_add(o, "grid", json_triple(k->grid));
    json_object_object_add(o, "block", json_triple(k->block));
    json_add_count(o, "registers", k->registers);
    json_add_count(o, "shared_bytes", k->shared_bytes);
    json_add_count(o, "ctas_per_sm", k->ctas_per_sm);
    json_add_count(o, "start", k->start);
    json_add_count(o, "cycles", k->cycles);
    add_counts(o, 1, k->ctas, k->warp_inst, k->thread_inst);
    json_add_real(o, "ipc", stat_ratio((double)k->thread_inst, (double)k->cycles));
    json_add_real(o, "warp_ipc", stat_ratio((double)k->warp_inst, (double)k->cycles));
    json_add_real(o, "wall_seconds", k->wall_seconds);
    json_add_count(o, "memory_accesses", k->accesses);
    if (session_sample(s))
        json_add_count(o, "simulated_cycles", k->together_cycles - k->skipped_cycles);
    if (k->together > 1)
        json_object_object_add(o, "overlaps", others_of(k, i));
    if (st)
        add_kernel_stats(k->together > 1 ? json_child(o, "together") : o, s, k, st);
    return o;
}

static json *functional_kernel(const struct session_kernel *k)
{
    json *o = json_object_new_object();
    json_add_text(o, "name", k->name);
    add_counts(o, k->launches, k->blocks, k->warp_inst, k->thread_inst);
    json_add_real(o, "wall_seconds", k->seconds);
    return o;
}

static json *kernels_of(const struct session *s)
{
    const struct gpu *g = s ? session_gpu(s) : NULL;
    json *a = json_object_new_array();
    for (size_t i = 0; g && i < gpu_kernel_count(g); i++)
        json_object_array_add(a, timed_kernel(s, i));
    for (size_t i = 0; s && !g && i < session_kernel_count(s); i++)
        json_object_array_add(a, functional_kernel(session_kernel(s, i)));
    return a;
}

/* --- all --- */

/* What was not timed; null where all launches are. */
static json *selection_of(const struct session *s)
{
    const struct selection *sel = s ? session_selection(s) : NULL;
    if (!sel)
        return NULL;
    const struct selection_passed *p = selection_passed(sel);
    json *o = json_object_new_object(), *passed = json_child(o, "not_timed");
    json_add_text(o, "kernel", session_options(s)->kernel);
    json_add_count(o, "skip", session_options(s)->skip);
    json_add_count(o, "count", session_options(s)->count);
    json_add_text(o, "caches", session_options(s)->caches ? session_options(s)->caches : "warm");
    json_add_count(o, "timed_launches", selection_taken(sel));
    json_add_count(passed, "launches", p->launches);
    json_add_count(passed, "warp_instructions", p->warp_inst);
    json_add_count(passed, "thread_instructions", p->thread_inst);
    return o;
}

/* What was simulated, and which numbers follow from it; null where everything was. */
static json *sample_of(const struct session *s)
{
    static const char *const extrapolated[] = {"cycles", "ipc",     "warp_ipc", "kernels",
                                               "stats",  "summary", "energy"};
    struct sample *of = s ? session_sample(s) : NULL;
    if (!of)
        return NULL;
    const struct sample_stats *c = sample_counts(of);
    json *o = json_object_new_object(), *list = json_object_new_array();
    json_add_count(o, "simulated_cycles", c->simulated_cycles);
    json_add_count(o, "simulated_warp_instructions", c->simulated_warp_inst);
    json_add_count(o, "simulated_launches", c->launches);
    json_add_count(o, "launches_not_simulated", c->launches_not_simulated);
    json_add_count(o, "launches_that_wait", c->launches_that_wait);
    json_add_real(o, "estimated_error", stat_ratio((double)c->error_cycles, (double)c->cycles));
    for (unsigned i = 0; i < ARRAY_LEN(extrapolated); i++)
        json_object_array_add(list, json_object_new_string(extrapolated[i]));
    json_object_object_add(o, "extrapolated", list);
    return o;
}

static void add_top(json *o, const struct session *s)
{
    struct session_kernel all = {0};
    for (size_t i = 0; s && i < session_kernel_count(s); i++) {
        const struct session_kernel *k = session_kernel(s, i);
        all.launches += k->launches;
        all.blocks += k->blocks;
        all.warp_inst += k->warp_inst;
        all.thread_inst += k->thread_inst;
        all.seconds += k->seconds;
    }
    const struct gpu *g = s ? session_gpu(s) : NULL;
    json_add_text(o, "mode", g ? "timed" : "functional");
    json_add_text(o, "gpu", s ? session_machine(s)->gpu.name : NULL);
    json_object_object_add(o, "cycles", g ? json_object_new_uint64(gpu_cycles(g)) : NULL);
    add_counts(o, all.launches, all.blocks, all.warp_inst, all.thread_inst);
    if (g) {
        json_add_real(o, "ipc", stat_ratio((double)all.thread_inst, (double)gpu_cycles(g)));
        json_add_real(o, "warp_ipc", stat_ratio((double)all.warp_inst, (double)gpu_cycles(g)));
    } else {
        json_object_object_add(o, "ipc", NULL);
        json_object_object_add(o, "warp_ipc", NULL);
    }
    json_add_real(o, "wall_seconds", all.seconds);
    json_object_object_add(o, "memory_bytes",
                           s ? json_object_new_uint64(devmem_peak(session_device(s)->mem)) : NULL);
}

static void add_stats(json *o, const struct session *s)
{
    struct gpu *g = s ? session_gpu(s) : NULL;
    if (!g) {
        json_object_object_add(o, "stats", NULL);
        return;
    }
    struct report_facts f;
    report_facts(&f, session_machine(s), session_stats(s), gpu_cycles(g));
    json_object_object_add(o, "summary", summary_of(&f));
    json_object_object_add(o, "energy", energy_of(&f.energy));
    report_values_json(g, o);
    json_object_object_add(o, "stats",
                           json_stats(session_stats(s), session_options(s)->per_instance));
    if (session_options(s)->interval)
        json_object_object_add(o, "series",
                               json_series(session_stats(s), session_options(s)->interval));
}

/* What --oob warn let pass; null without it. */
static json *outside_of(const struct run_report *r)
{
    const struct oob *oob = r->session ? session_device(r->session)->oob : NULL;
    if (!oob)
        return NULL;
    json *o = json_object_new_object();
    json_add_count(o, "accesses", oob_accesses(oob));
    json_add_count(o, "places", oob_places(oob));
    return o;
}

struct json_object *run_report_to_json(const struct run_report *r)
{
    json *o = json_object_new_object(), *machine = NULL;
    json_add_text(o, "schema", REPORT_SCHEMA);
    json_add_text(o, "version", PARSIM_VERSION);
    add_top(o, r->session);
    if (r->extra) {
        json_object_object_foreach(r->extra, key, value)
        {
            json_object_object_add(o, key, json_object_get(value));
        }
    }
    if (r->session) {
        machine = json_conf(session_machine(r->session)->conf);
    }
    json_object_object_add(o, "machine", machine);
    json_object_object_add(o, "kernels", kernels_of(r->session));
    add_stats(o, r->session);
    json_object_object_add(o, "selection", selection_of(r->session));
    json_object_object_add(o, "sample", sample_of(r->session));
    json_object_object_add(o, "hot", report_hot_json(r->session));
    json_add_text(o, "interrupted", interrupt_name(r->interrupted));
    json_object_object_add(o, "out_of_bounds", outside_of(r));
    json_object_object_add(o, "quality", report_quality_json(r->session));
    json_object_object_add(o, "faults", json_strings(r->faults, r->nfaults));
    json_object_object_add(o, "findings", json_strings(r->findings, r->nfindings));
    return o;
}
