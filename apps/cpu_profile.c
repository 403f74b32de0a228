/* A window of a program's run, as a list or as ranked regions. */
#include "cpu_profile.h"

#include "base/interrupt.h"
#include "base/outfile.h"
#include "cli.h"
#include "cmd.h"
#include "cpu_apply.h"
#include "out/json.h"
#include "out/stats_files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct profile {
    const struct cpu_profile_options *o;
    struct a64_process *p;
    struct dddg_trace trace;
    struct dddg_graph *g;
    struct dddg_found *found;
    struct pure_finder *pure;
};

/* --- words for addresses, inputs, outputs --- */

static const char *function_of(const struct profile *f, uint64_t addr)
{
    const struct elf_symbol *s = elf_symbol_of(&f->p->program, addr);
    return s ? s->name : "(no symbol)";
}

static char *register_name(unsigned reg)
{
    return reg == A64_SP      ? xstrdup("sp")
           : reg == A64_FLAGS ? xstrdup("flags")
           : reg >= A64_V0    ? xasprintf("v%u", reg - (unsigned)A64_V0)
                              : xasprintf("x%u", reg);
}

/* What an input is: a register, a load, or what an instruction makes. */
static char *input_name(const struct profile *f, const struct dddg_input *in)
{
    if (in->is_register)
        return register_name(in->at);
    return a64_process_place(f->p, f->g->addresses.data[in->at]);
}

static uint64_t address_of(const struct profile *f, const struct dddg_region *r, bool is_last)
{
    uint64_t best = is_last ? 0 : UINT64_MAX;
    const char *home = function_of(f, f->g->addresses.data[r->outputs.data[0]]);
    for (size_t k = 0; k < r->sites.len; k++) {
        const uint64_t at = f->g->addresses.data[r->sites.data[k]];
        if (!strcmp(function_of(f, at), home) && (is_last ? at > best : at < best))
            best = at;
    }
    return best;
}

static unsigned input_bytes(const struct dddg_region *r)
{
    unsigned bytes = 0;
    for (size_t k = 0; k < r->inputs.len; k++)
        bytes += r->inputs.data[k].bytes;
    return bytes;
}

/* Functions other than its own that it has instructions of; to be freed. */
static char *callees(const struct profile *f, const struct dddg_region *r)
{
    const char *home = function_of(f, f->g->addresses.data[r->outputs.data[0]]), *last = home;
    char *all = xstrdup("");
    for (size_t k = 0; k < r->sites.len; k++) {
        const char *name = function_of(f, f->g->addresses.data[r->sites.data[k]]);
        char *probe = xasprintf("%s ", name);
        if (strcmp(name, home) && strcmp(name, last) && !strstr(all, probe)) {
            char *more = xasprintf("%s%s ", all, name);
            free(all);
            all = more;
        }
        last = name;
        free(probe);
    }
    return all;
}

/* --- text --- */

static void print_inputs(const struct profile *f, const struct dddg_region *r)
{
    printf("    inputs:");
    for (size_t k = 0; k < r->inputs.len; k++) {
        char *name = input_name(f, &r->inputs.data[k]);
        printf("%s %s, %u bytes", k ? ";" : "", name, r->inputs.data[k].bytes);
        free(name);
    }
    printf("\n    outputs:");
    for (size_t k = 0; k < r->outputs.len; k++) {
        char *name = a64_process_place(f->p, f->g->addresses.data[r->outputs.data[k]]);
        printf("%s %s, %u bytes", k ? ";" : "", name, f->g->bytes.data[r->outputs.data[k]]);
        free(name);
    }
    putchar('\n');
}

/* How a programmer would mark it (parsim/axmemo.h). */
static void print_marks(const struct profile *f, const struct dddg_region *r)
{
    const bool is_8 = f->g->bytes.data[r->outputs.data[0]] > 4 || r->outputs.len > 1;
    printf("    in C:");
    for (size_t k = 0; k < r->inputs.len; k++)
        printf(" ax_input_%s(0, n, input%zu);", r->inputs.data[k].bytes > 4 ? "f64" : "f32", k + 1);
    printf(" if (!ax_lookup_%s(0, &r)) { ...; ax_update_%s(0, r); }\n", is_8 ? "f64" : "f32",
           is_8 ? "f64" : "f32");
}

static void print_region(const struct profile *f, const struct dddg_region *r, size_t rank)
{
    char *first = a64_process_place(f->p, address_of(f, r, false)),
         *last = a64_process_place(f->p, address_of(f, r, true)), *with = callees(f, r);
    printf("\n%zu. %s to %s%s%s\n", rank, first, last, *with ? " with " : "", with);
    printf("    %zu addresses, weight %u, %llu times (%llu in all), %zu inputs of %u bytes\n",
           r->sites.len, r->weight, (unsigned long long)r->executed, (unsigned long long)r->sum,
           r->inputs.len, input_bytes(r));
    printf("    a table without end answers");
    for (unsigned c = 0; c < DDDG_CUTS; c++)
        printf("%s %.1f%% with %u bits cut (%+.0f cycles)", c ? "," : "", 100 * dddg_hit_rate(r, c),
               dddg_cuts[c], -dddg_saving(r, &f->o->limits, c));
    putchar('\n');
    print_inputs(f, r);
    print_marks(f, r);
    free(first);
    free(last);
    free(with);
}

static size_t shown(const struct profile *f)
{
    return f->found->regions.len < f->o->top ? f->found->regions.len : f->o->top;
}

static void print_report(const struct profile *f)
{
    printf("%u records, %zu addresses: %llu candidates, %llu unique, mean weight an input %.2f, "
           "%.1f%% of the weight; %zu regions\n",
           f->g->n, f->g->addresses.len, (unsigned long long)f->found->total,
           (unsigned long long)f->found->unique, f->found->mean_ci, 100 * f->found->coverage,
           f->found->regions.len);
    for (size_t k = 0; k < shown(f); k++)
        print_region(f, &f->found->regions.data[k], k + 1);
}

/* --- files --- */

static json *json_region(const struct profile *f, const struct dddg_region *r)
{
    json *o = json_object_new_object(), *sites = json_object_new_array(),
         *inputs = json_object_new_array(), *cuts = json_object_new_array();
    json_add_text(o, "function", function_of(f, f->g->addresses.data[r->outputs.data[0]]));
    for (size_t k = 0; k < r->sites.len; k++)
        json_object_array_add(
            sites, json_object_new_int64((int64_t)f->g->addresses.data[r->sites.data[k]]));
    json_object_object_add(o, "addresses", sites);
    for (size_t k = 0; k < r->inputs.len; k++) {
        json *in = json_object_new_object();
        char *name = input_name(f, &r->inputs.data[k]);
        json_add_text(in, "from", name);
        json_add_count(in, "bytes", r->inputs.data[k].bytes);
        json_object_array_add(inputs, in);
        free(name);
    }
    json_object_object_add(o, "inputs", inputs);
    json_add_count(o, "outputs", r->outputs.len);
    json_add_count(o, "weight", r->weight);
    json_add_count(o, "executed", r->executed);
    json_add_count(o, "sum", r->sum);
    for (unsigned c = 0; c < DDDG_CUTS; c++) {
        json *cut = json_object_new_object();
        json_add_count(cut, "bits", dddg_cuts[c]);
        json_add_count(cut, "distinct", r->distinct[c]);
        json_add_real(cut, "hit_rate", dddg_hit_rate(r, c));
        json_add_real(cut, "saved_cycles", dddg_saving(r, &f->o->limits, c));
        json_object_array_add(cuts, cut);
    }
    json_object_object_add(o, "cuts", cuts);
    return o;
}

static void write_json(FILE *out, const void *arg)
{
    const struct profile *f = arg;
    json *o = json_object_new_object(), *regions = json_object_new_array();
    json_add_text(o, "program", f->p->o.path);
    json_add_count(o, "records", f->g->n);
    json_add_count(o, "candidates", f->found->total);
    json_add_count(o, "unique", f->found->unique);
    json_add_real(o, "mean_ci", f->found->mean_ci);
    json_add_real(o, "coverage", f->found->coverage);
    for (size_t k = 0; k < shown(f); k++)
        json_object_array_add(regions, json_region(f, &f->found->regions.data[k]));
    json_object_object_add(o, "regions", regions);
    json_write(o, out);
    json_object_put(o);
}

static void write_csv(FILE *out, const void *arg)
{
    const struct profile *f = arg;
    fputs(
        "rank,function,first,last,addresses,weight,executed,sum,inputs,input_bytes,outputs,hits_0,"
        "hits_8,hits_16\n",
        out);
    for (size_t k = 0; k < shown(f); k++) {
        const struct dddg_region *r = &f->found->regions.data[k];
        fprintf(out, "%zu,%s,0x%llx,0x%llx,%zu,%u,%llu,%llu,%zu,%u,%zu,%.6f,%.6f,%.6f\n", k + 1,
                function_of(f, f->g->addresses.data[r->outputs.data[0]]),
                (unsigned long long)address_of(f, r, false),
                (unsigned long long)address_of(f, r, true), r->sites.len, r->weight,
                (unsigned long long)r->executed, (unsigned long long)r->sum, r->inputs.len,
                input_bytes(r), r->outputs.len, dddg_hit_rate(r, 0), dddg_hit_rate(r, 1),
                dddg_hit_rate(r, 2));
    }
}

/* --- the commands --- */

/* What the program prints goes nowhere: standard output is the report's. */
static bool start(struct profile *f, struct err *err)
{
    f->p = a64_process_new(&f->o->guest, err);
    if (!f->p)
        return false;
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0 && f->p->files[1].host >= 0) {
        close(f->p->files[1].host);
        f->p->files[1].host = nowhere;
    }
    interrupt_catch();
    return true;
}

static void end(struct profile *f)
{
    pure_free(f->pure);
    dddg_found_free(f->found);
    dddg_graph_free(f->g);
    dddg_trace_free(&f->trace);
    a64_process_free(f->p);
}

/* Whether the program's own end is a reason to fail: it faulted. */
static bool is_faulted(const struct profile *f)
{
    return f->p->cpu.stop.kind && f->p->cpu.stop.kind != A64_EXIT;
}

static int fail_fault(const struct profile *f)
{
    char *why = a64_process_why(f->p);
    const int code = cli_fail("cpu", "%s", why);
    free(why);
    return code;
}

/* The window, and which functions in it are pure, where that is asked for. */
static bool trace_window(struct profile *f, struct err *err)
{
    struct a64_window w = f->o->window;
    if (f->o->apply) {
        f->pure = pure_new(f->p, &f->o->machine->timing);
        w.observe = pure_observe;
        w.ctx = f->pure;
    }
    if (!a64_trace(f->p, &w, &f->o->machine->timing, &f->trace, err))
        return false;
    return f->trace.all.len || is_faulted(f) ||
           err_set(err, "%s executed nothing of what was asked for (--function, --skip)",
                   f->o->guest.path);
}

static bool report(struct profile *f, struct err *err)
{
    const struct cpu_profile_options *o = f->o;
    const struct cpu_apply_options apply = {.out = o->apply,
                                            .timing = &o->machine->timing,
                                            .cut = o->cut,
                                            .is_trusted = o->is_trusted,
                                            .is_quiet = o->is_quiet};
    f->g = dddg_graph_new(&f->trace);
    f->found = dddg_find(f->g, &o->limits);
    if (!o->is_quiet)
        print_report(f);
    return (!o->json || out_write_file(o->json, write_json, f, err)) &&
           (!o->csv || out_write_file(o->csv, write_csv, f, err)) &&
           (!o->apply || cpu_apply(f->p, f->pure, &apply, err));
}

int cpu_profile_program(const struct cpu_profile_options *o, struct err *err)
{
    struct profile f = {.o = o};
    int code = EXIT_DONE;
    if (!start(&f, err) || !trace_window(&f, err))
        code = cli_fail("cpu", "%s", err->msg);
    else if (is_faulted(&f))
        code = fail_fault(&f);
    else if (!report(&f, err))
        code = cli_fail("cpu", "%s", err->msg);
    end(&f);
    return code;
}

struct listing {
    const struct profile *f;
    const struct a64_row *rows;
    FILE *out;
};

static void list(void *ctx, const struct a64_cpu *c, const struct a64_inst *i)
{
    const struct listing *l = ctx;
    const struct a64_uses u = a64_uses_of(i);
    const struct elf_symbol *s = elf_symbol_of(&l->f->p->program, c->pc);
    fprintf(l->out, "0x%llx,%s,0x%llx,0x%08x,%s,", (unsigned long long)c->pc, s ? s->name : "",
            (unsigned long long)(s ? c->pc - s->addr : 0), i->word, l->rows[i->row].name);
    if (u.mode)
        fprintf(l->out, "%s,0x%llx,%u\n", u.is_store ? "store" : "load",
                (unsigned long long)a64_address(c, i, (enum a64_mode)u.mode), u.bytes);
    else
        fputs(",,\n", l->out);
}

static void write_trace(FILE *out, const void *arg)
{
    struct profile *f = (struct profile *)(uintptr_t)arg;
    struct listing l = {.f = f, .out = out};
    struct a64_window w = f->o->window;
    struct err err = {0};
    a64_rows(&l.rows);
    w.observe = list;
    w.ctx = &l;
    fputs("pc,function,offset,word,instruction,access,address,bytes\n", out);
    a64_trace(f->p, &w, &f->o->machine->timing, &f->trace, &err);
}

int cpu_trace_program(const struct cpu_profile_options *o, struct err *err)
{
    struct profile f = {.o = o};
    int code = EXIT_DONE;
    if (!start(&f, err) || !out_write_file(o->csv ? o->csv : "-", write_trace, &f, err))
        code = cli_fail("cpu", "%s", err->msg);
    else if (is_faulted(&f))
        code = fail_fault(&f);
    end(&f);
    return code;
}
