/* One track has the function that is executed, from its first instruction to the first of another;
 * one the regions of interest; one the lookups of the memoization unit. */
#include "cpu_trace.h"

#include "out/timeline.h"

#include <stdlib.h>

enum { LIMIT = 2000000, FLUSH_EVERY = 4096, FUNCTIONS = 0, REGIONS = 1, LOOKUPS = 2 };

struct cpu_trace {
    struct timeline *timeline;
    struct timeline_source *source;
    const struct elf_program *program;
    const struct elf_symbol *symbol; /* that is executed */
    bool has_symbol, is_full;
    uint64_t ps; /* of a cycle */
    cycle_t since, region;
    unsigned unwritten;
};

static void put(struct cpu_trace *t, const struct timeline_event *e)
{
    if (t->is_full)
        return;
    timeline_put(t->source, e);
    if (++t->unwritten == FLUSH_EVERY) {
        t->is_full = !timeline_flush(t->timeline);
        t->unwritten = 0;
    }
}

static void put_span(struct cpu_trace *t, const char *name, unsigned track, cycle_t from,
                     cycle_t to)
{
    const struct timeline_event e = {.ps = from * t->ps,
                                     .dur = (to - from) * t->ps,
                                     .name = name,
                                     .form = TIMELINE_PLAIN,
                                     .tid = track,
                                     .ph = 'X'};
    put(t, &e);
}

/* Names become text of the file as they are. */
static bool is_plain(const char *name)
{
    for (; *name; name++)
        if (*name < ' ' || *name == '"' || *name == '\\' || *name > '~')
            return false;
    return true;
}

static void put_function(struct cpu_trace *t, cycle_t now)
{
    if (t->has_symbol && now > t->since)
        put_span(t, t->symbol && is_plain(t->symbol->name) ? t->symbol->name : "code", FUNCTIONS,
                 t->since, now);
}

static void observe(void *ctx, uint64_t pc, cycle_t issue, const struct a64_op *op)
{
    struct cpu_trace *t = ctx;
    if (op->special == A64_LOOKUP)
        put_span(t, "lookup", LOOKUPS, issue, issue + 1);
    const struct elf_symbol *s = elf_symbol_of(t->program, pc);
    if (t->has_symbol && s == t->symbol)
        return;
    put_function(t, issue);
    t->symbol = s;
    t->has_symbol = true;
    t->since = issue;
}

struct cpu_trace *cpu_trace_new(const char *path, struct cpu *cpu, const struct a64_process *p,
                                const struct cpu_cfg *cfg, struct err *err)
{
    struct timeline *timeline = timeline_new(path, LIMIT, err);
    if (!timeline)
        return NULL;
    struct cpu_trace *t = xcalloc(1, sizeof *t);
    t->timeline = timeline;
    t->program = &p->program;
    t->ps = 1000000 / (uint64_t)cfg->core.mhz;
    timeline_name_process(timeline, 0, "core", 0);
    t->source = timeline_add_source(timeline, 0, NULL);
    a64_core_observe(cpu_core(cpu), observe, t);
    return t;
}

void cpu_trace_free(struct cpu_trace *t)
{
    if (!t)
        return;
    timeline_free(t->timeline);
    free(t);
}

void cpu_trace_region(struct cpu_trace *t, bool is_begin, cycle_t now)
{
    if (!is_begin)
        put_span(t, "region of interest", REGIONS, t->region, now);
    t->region = now;
}

bool cpu_trace_close(struct cpu_trace *t, int interrupted, struct err *err)
{
    put_function(t, t->since + 1);
    timeline_flush(t->timeline);
    return timeline_close(t->timeline, interrupted, err);
}
