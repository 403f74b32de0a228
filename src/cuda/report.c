#include "cuda/ctx.h"

#include <stdio.h>
#include <string.h>

struct totals {
    uint64_t launches, warp_inst, thread_inst;
    double seconds;
};

static struct totals sum(const struct ctx *c)
{
    struct totals t = {0};
    for (size_t i = 0; i < c->stats.len; i++) {
        const struct kernel_stats *s = &c->stats.data[i];
        t.launches += s->launches;
        t.warp_inst += s->warp_inst;
        t.thread_inst += s->thread_inst;
        t.seconds += s->seconds;
    }
    return t;
}

void report_fault(struct ctx *c, const char *msg)
{
    vec_push(&c->faults, xstrdup(msg));
    ctx_say("%s", msg);
}

void report_finding(const char *msg, void *ctx)
{
    struct ctx *c = ctx;
    vec_push(&c->findings, xstrdup(msg));
    ctx_say("check: %s", msg);
}

static bool report_leak(const struct mem_alloc *a, void *arg)
{
    static const char *const kinds[] = {
        [MEM_DEVICE] = "device memory", [MEM_MANAGED] = "managed memory",
        [MEM_HOST] = "pinned memory",   [MEM_HEAP] = "device heap",
        [MEM_ARRAY] = "array",
    };
    char msg[160];
    if (a->kind >= ARRAY_LEN(kinds) || !kinds[a->kind] || a->name)
        return true;
    snprintf(msg, sizeof msg, "never freed: allocation #%llu, %llu bytes of %s at 0x%llx",
             (unsigned long long)a->serial, (unsigned long long)a->bytes, kinds[a->kind],
             (unsigned long long)a->base);
    report_finding(msg, arg);
    return true;
}

void report_leaks(struct ctx *c)
{
    if (c->checks_memory && c->dev)
        devmem_each(c->dev->mem, report_leak, c);
}

static void print_report(const struct ctx *c)
{
    struct totals t = sum(c);
    ctx_say("%s, functional: %zu kernels, %llu launches, %llu warp-instructions, %llu "
            "thread-instructions, %.3f s%s",
            c->machine ? c->machine->gpu.name : "no GPU used", c->stats.len,
            (unsigned long long)t.launches, (unsigned long long)t.warp_inst,
            (unsigned long long)t.thread_inst, t.seconds,
            c->faults.len ? "; a kernel was stopped by a fault" : "");
    if (c->checks_memory || c->checks_race)
        ctx_say("check: %zu findings", c->findings.len);
}

static void put_string(FILE *f, const char *s)
{
    fputc('"', f);
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            fprintf(f, "\\%c", *s);
        else if ((unsigned char)*s < 0x20)
            fprintf(f, "\\u%04x", (unsigned char)*s);
        else
            fputc(*s, f);
    }
    fputc('"', f);
}

static void put_counts(FILE *f, uint64_t launches, uint64_t warp_inst, uint64_t thread_inst,
                       double seconds)
{
    fprintf(f,
            "\"launches\": %llu, \"warp_instructions\": %llu, \"thread_instructions\": %llu, "
            "\"wall_seconds\": %.6f",
            (unsigned long long)launches, (unsigned long long)warp_inst,
            (unsigned long long)thread_inst, seconds);
}

static void write_json(const struct ctx *c, FILE *f)
{
    struct totals t = sum(c);
    fprintf(f, "{\n  \"schema\": \"parsim-run-1\",\n  \"mode\": \"functional\",\n  \"gpu\": ");
    if (c->machine)
        put_string(f, c->machine->gpu.name);
    else
        fputs("null", f);
    fputs(",\n  ", f);
    put_counts(f, t.launches, t.warp_inst, t.thread_inst, t.seconds);
    fputs(",\n  \"kernels\": [", f);
    for (size_t i = 0; i < c->stats.len; i++) {
        const struct kernel_stats *s = &c->stats.data[i];
        fprintf(f, "%s\n    {\"name\": ", i ? "," : "");
        put_string(f, s->name);
        fprintf(f, ", \"blocks\": %llu, ", (unsigned long long)s->blocks);
        put_counts(f, s->launches, s->warp_inst, s->thread_inst, s->seconds);
        fputc('}', f);
    }
    fputs("],\n  \"faults\": [", f);
    for (size_t i = 0; i < c->faults.len; i++) {
        fputs(i ? ", " : "", f);
        put_string(f, c->faults.data[i]);
    }
    fputs("],\n  \"findings\": [", f);
    for (size_t i = 0; i < c->findings.len; i++) {
        fputs(i ? ", " : "", f);
        put_string(f, c->findings.data[i]);
    }
    fputs("]\n}\n", f);
}

void report_write(struct ctx *c)
{
    report_leaks(c);
    const char *report = getenv("PARSIM_REPORT"), *json = getenv("PARSIM_JSON");
    if (report && *report && strcmp(report, "0"))
        print_report(c);
    if (!json || !*json)
        return;
    FILE *f = fopen(json, "w");
    if (!f) {
        ctx_say("cannot write %s", json);
        return;
    }
    write_json(c, f);
    fclose(f);
}
