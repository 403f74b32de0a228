/* parsim inspect: what is in a PTX file, or in a program with device code. */
#include "base/file.h"
#include "base/utf8.h"
#include "cli.h"
#include "cmd.h"
#include "cuda/elf_modules.h"
#include "gpu/machine.h"
#include "inspect.h"
#include "out/json.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: parsim inspect FILE [--kernel NAME] [--gpu NAME] [--json FILE] [--ptx|--code]\n"
    "\n"
    "FILE is PTX ('-' = standard input), a fatbin, or a CUDA executable, library or object file, "
    "of\n"
    "which every embedded module is shown, with its architecture and compression.\n"
    "\n"
    "Lists the kernels of a PTX file with their parameters, registers a\n"
    "thread (by liveness, 32-bit each, as many as the GPU gives), shared and local memory,\n"
    "instruction mix by execution unit, and the instructions that this version cannot run.\n"
    "Functions that a kernel calls by name are counted with it. A '+' after the shared memory: "
    "the\n"
    "launch can add to it.\n"
    "\n"
    "  --kernel NAME  only this kernel, with its parameters and every instruction\n"
    "                 and pragma it has (also what a file with one kernel shows)\n"
    "  --gpu NAME     the machine whose registers it gets (default h200): a name of 'parsim gpus' "
    "or\n"
    "                 FILE.yaml\n"
    "  --code         the code of each kernel shown as that machine runs it (docs/h200.md): order, "
    "how\n"
    "                 many instructions each of PTX stands for and why, unit, latency and cycles "
    "that\n"
    "                 the unit is taken\n"
    "  --ptx          only the text of the modules, as it is\n"
    "  --json FILE    everything, of all kernels shown, as JSON ('-' = standard output)\n";

struct options {
    const char *file, *kernel, *gpu, *json;
    bool is_ptx;     /* only the modules' text */
    bool wants_code; /* as the machine runs it */
};

/* One module; machine code has no `module`. */
struct report {
    struct ptx_module *module;
    VEC(struct inspect_kernel) kernels;
    char *name;          /* for messages and headings */
    const char *packing; /* embedded modules: how it was compressed; else NULL */
    unsigned arch;
    size_t packed_bytes;
};

struct reports {
    VEC(struct report) all;
    const struct options *options;
    const struct machine *machine;
    struct ptx_reg_limits limits; /* of it */
    struct err *err;
    bool failed;
};

/* Returns false for bad usage, after saying so. */
static bool parse_options(int argc, char **argv, struct options *o)
{
    for (int i = 1; i < argc; i++) {
        const char **value = !strcmp(argv[i], "--kernel") ? &o->kernel
                             : !strcmp(argv[i], "--gpu")  ? &o->gpu
                             : !strcmp(argv[i], "--json") ? &o->json
                                                          : NULL;
        if (value && i + 1 < argc) {
            *value = argv[++i];
        } else if (value) {
            cli_fail("inspect", "%s needs a value", argv[i]);
            return false;
        } else if (!strcmp(argv[i], "--ptx")) {
            o->is_ptx = true;
        } else if (!strcmp(argv[i], "--code")) {
            o->wants_code = true;
        } else if (argv[i][0] == '-' && argv[i][1]) {
            cli_fail("inspect", "no option '%s'; 'parsim inspect --help' lists them", argv[i]);
            return false;
        } else if (o->file) {
            cli_fail("inspect", "one file at a time, not '%s' as well", argv[i]);
            return false;
        } else {
            o->file = argv[i];
        }
    }
    if (o->is_ptx && o->wants_code)
        cli_fail("inspect", "--ptx and --code: one of them");
    else if (!o->file)
        cli_fail("inspect", "which file? 'parsim inspect --help' tells more");
    return o->file && !(o->is_ptx && o->wants_code);
}

static bool build_report(struct report *r, const struct reports *rs)
{
    const struct options *o = rs->options;
    struct u64map known = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < r->module->nfuncs; i++) {
        const struct ptx_func *f = r->module->funcs[i];
        if (!f->is_entry || f->is_decl || f->def || (o->kernel && strcmp(o->kernel, f->name)))
            continue;
        struct inspect_kernel k;
        inspect_kernel_init(&k, f, &rs->limits, &known);
        ok = !o->wants_code || inspect_code_find(&k.code, r->module, f->name, rs->machine, rs->err);
        vec_push(&r->kernels, k);
    }
    u64map_free(&known);
    return ok;
}

static bool add_text(struct reports *rs, struct report r, const char *text, size_t len)
{
    r.module = ptx_parse(r.name, text, len, rs->err);
    const bool ok = r.module && build_report(&r, rs);
    vec_push(&rs->all, r);
    return ok;
}

static bool add_entry(const struct fatbin_entry *e, void *arg)
{
    struct reports *rs = arg;
    size_t len;
    struct report r = {
        .name = xasprintf("%s, module %zu", rs->options->file, rs->all.len + 1),
        .packing = fatbin_packing_name(e->packing),
        .arch = e->arch,
        .packed_bytes = e->packed_bytes,
    };
    if (e->kind != FATBIN_PTX) {
        vec_push(&rs->all, r);
        return true;
    }
    char *text = fatbin_unpack(e, &len, rs->err);
    rs->failed = !text || !add_text(rs, r, text, strnlen(text, len));
    if (!text)
        free(r.name);
    free(text);
    return !rs->failed;
}

/* The one place that knows what kinds of file there are. */
static bool load_file(struct reports *rs)
{
    const char *path = rs->options->file;
    size_t len;
    char *data = file_read(path, &len, rs->err);
    bool ok;
    if (!data)
        return false;
    if (len >= 4 && !memcmp(data, "\177ELF", 4))
        ok = elf_each_module_in(path, data, len, add_entry, rs, rs->err);
    else if (len >= FATBIN_HEADER && fatbin_bytes(data))
        ok = fatbin_each(data, len, add_entry, rs, rs->err);
    else
        ok = add_text(rs, (struct report){.name = xstrdup(path)}, data, len);
    free(data);
    if (ok && !rs->failed && !rs->all.len)
        ok = err_set(rs->err, "%s holds no device code", path);
    return ok && !rs->failed;
}

static bool has_kernel(const struct reports *rs)
{
    for (size_t i = 0; i < rs->all.len; i++)
        if (rs->all.data[i].kernels.len)
            return true;
    return !rs->options->kernel ||
           err_set(rs->err, "%s has no kernel '%s'", rs->options->file, rs->options->kernel);
}

static unsigned count_functions(const struct ptx_module *m)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < m->nfuncs; i++)
        n += !m->funcs[i]->is_entry && !m->funcs[i]->is_decl;
    return n;
}

static void print_table(const struct report *r)
{
    int width = 6;
    for (size_t i = 0; i < r->kernels.len; i++) {
        int len = (int)strlen(r->kernels.data[i].func->name);
        width = len > width ? len : width;
    }
    width = width < 48 ? width : 48;
    printf("%-*s  line params bytes regs shared  local  insts", width, "kernel");
    for (unsigned u = 0; u < INSPECT_UNITS; u++)
        printf(" %6s", inspect_unit_name(u));
    printf("  unsupported\n");
    for (size_t i = 0; i < r->kernels.len; i++) {
        const struct inspect_kernel *k = &r->kernels.data[i];
        const struct ptx_func *f = k->func;
        if ((int)strlen(f->name) > width)
            printf("%s\n%*s", f->name, width, "");
        else
            printf("%-*s", width, f->name);
        printf("  %4u %6u %5u %4u %6llu%s %5llu %6llu", f->line, f->nparams, f->param_bytes,
               k->regs, (unsigned long long)k->shared_bytes, k->has_dynamic_shared ? "+" : " ",
               (unsigned long long)k->local_bytes, (unsigned long long)k->ninsts);
        for (unsigned u = 0; u < INSPECT_UNITS; u++)
            printf(" %6llu", (unsigned long long)k->by_unit[u]);
        if (k->gaps.len)
            printf("  %zu\n", k->gaps.len);
        else
            printf("  none\n");
    }
}

/* Of kernels that do not get what they need. */
static void print_spills(const struct report *r, const char *gpu)
{
    for (size_t i = 0; i < r->kernels.len; i++) {
        const struct inspect_kernel *k = &r->kernels.data[i];
        if (k->regs < k->regs_needed)
            printf("%s needs %u registers a thread and gets %u on %s: %llu bytes are spilled\n",
                   k->func->name, k->regs_needed, k->regs, gpu, (unsigned long long)k->spill_bytes);
    }
}

static void print_limits(const struct ptx_func *f)
{
    if (f->maxntid[0])
        printf("  .maxntid %u, %u, %u\n", f->maxntid[0], f->maxntid[1], f->maxntid[2]);
    if (f->reqntid[0])
        printf("  .reqntid %u, %u, %u\n", f->reqntid[0], f->reqntid[1], f->reqntid[2]);
    if (f->minnctapersm)
        printf("  .minnctapersm %u\n", f->minnctapersm);
    if (f->maxnreg)
        printf("  .maxnreg %u\n", f->maxnreg);
}

/* The instruction behind a pragma. */
static const char *text_behind(const struct ptx_func *f, const struct ptx_pragma *p)
{
    return p->pc < f->ninsts ? f->insts[p->pc].text : "the end";
}

/* Of kernels of which no details are shown. */
static void print_pragma_counts(const struct report *r)
{
    for (size_t i = 0; i < r->kernels.len; i++) {
        const struct ptx_func *f = r->kernels.data[i].func;
        if (f->npragmas)
            printf("%s has %u pragma%s; --kernel %s shows %s\n", f->name, f->npragmas,
                   f->npragmas == 1 ? "" : "s", f->name, f->npragmas == 1 ? "it" : "them");
    }
}

static void print_details(const struct inspect_kernel *k)
{
    const struct ptx_func *f = k->func;
    printf("\n%s\n", f->name);
    print_limits(f);
    for (uint32_t i = 0; i < f->nparams; i++) {
        const struct ptx_var *v = f->params[i];
        printf("  parameter %-2u at byte %-4llu %5llu bytes  .%s %s\n", i,
               (unsigned long long)v->offset, (unsigned long long)v->bytes,
               ptx_type_name((enum ptx_type)v->type), v->name);
    }
    for (uint32_t i = 0; i < f->npragmas; i++)
        printf("  line %-5u before %-20s \"%s\"\n", f->pragmas[i].line,
               text_behind(f, &f->pragmas[i]), f->pragmas[i].text);
    for (size_t i = 0; i < k->mix.len; i++)
        printf("  %8llu  %s\n", (unsigned long long)k->mix.data[i].count, k->mix.data[i].text);
}

static void print_gaps(const struct report *r, const char *file)
{
    for (size_t i = 0; i < r->kernels.len; i++) {
        const struct inspect_kernel *k = &r->kernels.data[i];
        if (k->gaps.len)
            printf("\n%s cannot be launched by this version:\n", k->func->name);
        for (size_t n = 0; n < k->gaps.len; n++) {
            const struct inspect_gap *g = &k->gaps.data[n];
            printf("  %s:%u: %s: %s", file, g->inst->line, g->inst->text, g->why);
            if (g->count > 1)
                printf(" (%llu times)", (unsigned long long)g->count);
            printf("\n");
        }
    }
}

static void print_report(const struct report *r, const char *gpu)
{
    const struct ptx_module *m = r->module;
    if (!m) {
        printf("%s: machine code for sm_%u, %zu bytes (%s), which only a GPU runs\n", r->name,
               r->arch, r->packed_bytes, r->packing);
        return;
    }
    printf("%s: ", r->name);
    if (r->packing)
        printf("sm_%u, %zu bytes (%s): ", r->arch, r->packed_bytes, r->packing);
    printf("PTX %u.%u for %s, %u-bit addresses; %zu kernel%s shown, %u function%s, %u "
           "variable%s\n\n",
           m->version_major, m->version_minor, m->target[0] ? m->target : "no target",
           m->address_bytes * 8, r->kernels.len, r->kernels.len == 1 ? "" : "s", count_functions(m),
           count_functions(m) == 1 ? "" : "s", m->nvars, m->nvars == 1 ? "" : "s");
    if (!r->kernels.len)
        return;
    print_table(r);
    print_spills(r, gpu);
    if (r->kernels.len == 1)
        print_details(&r->kernels.data[0]);
    else
        print_pragma_counts(r);
    print_gaps(r, r->name);
    for (size_t i = 0; i < r->kernels.len; i++)
        inspect_code_print(&r->kernels.data[i].code);
}

static json_object *add_array(json_object *o, const char *key)
{
    json_object *a = json_object_new_array();
    json_object_object_add(o, key, a);
    return a;
}

static json_object *add_item(json_object *array)
{
    json_object *o = json_object_new_object();
    json_object_array_add(array, o);
    return o;
}

static void json_sizes(json_object *o, const char *key, const uint32_t n[3])
{
    if (!n[0])
        return;
    json_object *a = add_array(o, key);
    for (unsigned i = 0; i < 3; i++)
        json_object_array_add(a, json_object_new_uint64(n[i]));
}

static void json_params(json_object *o, const struct ptx_func *f)
{
    json_object *params = add_array(o, "parameters");
    for (uint32_t i = 0; i < f->nparams; i++) {
        json_object *p = add_item(params);
        json_add_text(p, "name", f->params[i]->name);
        json_add_text(p, "type", ptx_type_name((enum ptx_type)f->params[i]->type));
        json_add_count(p, "offset_bytes", f->params[i]->offset);
        json_add_count(p, "bytes", f->params[i]->bytes);
        json_add_count(p, "align_bytes", f->params[i]->align);
    }
}

static void json_pragmas(json_object *o, const struct ptx_func *f)
{
    json_object *pragmas = add_array(o, "pragmas");
    for (uint32_t i = 0; i < f->npragmas; i++) {
        const struct ptx_pragma *p = &f->pragmas[i];
        json_object *a = add_item(pragmas);
        json_add_text(a, "text", p->text);
        json_add_count(a, "line", p->line);
        json_add_count(a, "column", p->col);
        json_add_count(a, "before", p->pc);
        if (p->pc < f->ninsts)
            json_add_text(a, "instruction", f->insts[p->pc].text);
    }
}

static void json_mix(json_object *o, const struct inspect_kernel *k)
{
    json_object *units = json_object_new_object(), *mix = json_object_new_object();
    for (unsigned u = 0; u < INSPECT_UNITS; u++)
        json_add_count(units, inspect_unit_name(u), k->by_unit[u]);
    for (size_t i = 0; i < k->mix.len; i++)
        json_add_count(mix, k->mix.data[i].text, k->mix.data[i].count);
    json_object_object_add(o, "by_unit", units);
    json_object_object_add(o, "by_instruction", mix);
    json_object *gaps = add_array(o, "unsupported");
    for (size_t i = 0; i < k->gaps.len; i++) {
        json_object *g = add_item(gaps);
        json_add_text(g, "instruction", k->gaps.data[i].inst->text);
        json_add_text(g, "function", k->gaps.data[i].func->name);
        json_add_count(g, "line", k->gaps.data[i].inst->line);
        json_add_text(g, "why", k->gaps.data[i].why);
        json_add_count(g, "count", k->gaps.data[i].count);
    }
}

static void json_kernel(json_object *o, const struct inspect_kernel *k)
{
    const struct ptx_func *f = k->func;
    json_add_text(o, "name", f->name);
    json_add_count(o, "line", f->line);
    json_params(o, f);
    json_add_count(o, "parameter_bytes", f->param_bytes);
    json_add_count(o, "registers", k->regs);
    json_add_count(o, "registers_needed", k->regs_needed);
    json_add_count(o, "spill_bytes", k->spill_bytes);
    json_add_count(o, "shared_bytes", k->shared_bytes);
    json_object_object_add(o, "dynamic_shared", json_object_new_boolean(k->has_dynamic_shared));
    json_add_count(o, "local_bytes", k->local_bytes);
    json_sizes(o, "maxntid", f->maxntid);
    json_sizes(o, "reqntid", f->reqntid);
    if (f->minnctapersm)
        json_add_count(o, "minnctapersm", f->minnctapersm);
    if (f->maxnreg)
        json_add_count(o, "maxnreg", f->maxnreg);
    json_add_count(o, "called_functions", k->nfuncs);
    json_add_count(o, "instructions", k->ninsts);
    json_pragmas(o, f);
    json_mix(o, k);
    if (k->code.funcs.len)
        inspect_code_json(&k->code, o);
}

static void json_module(json_object *root, const struct report *r)
{
    char version[32];
    if (r->packing) {
        json_add_text(root, "kind", r->module ? "ptx" : "machine code");
        json_add_count(root, "arch", r->arch);
        json_add_text(root, "compression", r->packing);
        json_add_count(root, "packed_bytes", r->packed_bytes);
    }
    if (!r->module)
        return;
    snprintf(version, sizeof version, "%u.%u", r->module->version_major, r->module->version_minor);
    json_add_text(root, "ptx_version", version);
    json_add_text(root, "target", r->module->target);
    json_add_count(root, "address_bits", r->module->address_bytes * 8);
    json_object *kernels = add_array(root, "kernels");
    for (size_t i = 0; i < r->kernels.len; i++)
        json_kernel(add_item(kernels), &r->kernels.data[i]);
}

static bool write_json(const struct reports *rs, struct err *err)
{
    json_object *root = json_object_new_object();
    const struct options *o = rs->options;
    json_add_text(root, "file", o->file);
    if (rs->all.data[0].packing) {
        json_object *modules = add_array(root, "modules");
        for (size_t i = 0; i < rs->all.len; i++)
            json_module(add_item(modules), &rs->all.data[i]);
    } else {
        json_module(root, &rs->all.data[0]);
    }
    char *text = utf8_repair(json_object_to_json_string_ext(
        root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
    bool ok = true;
    if (!strcmp(o->json, "-"))
        printf("%s\n", text);
    else
        ok = file_write(o->json, text, strlen(text), err);
    free(text);
    json_object_put(root);
    return ok;
}

/* One that came out of a program says which it is. */
static void print_text(const struct report *r)
{
    if (!r->module)
        return;
    if (r->packing)
        printf("// %s, sm_%u\n", r->name, r->arch);
    const size_t len = strlen(r->module->text);
    fputs(r->module->text, stdout);
    if (len && r->module->text[len - 1] != '\n')
        putchar('\n');
}

static void report_free(struct report *r)
{
    for (size_t i = 0; i < r->kernels.len; i++)
        inspect_kernel_free(&r->kernels.data[i]);
    vec_free(&r->kernels);
    if (r->module)
        ptx_module_free(r->module);
    free(r->name);
}

int cmd_inspect(int argc, char **argv)
{
    struct options o = {0};
    struct err err = {0};
    struct reports rs = {.options = &o, .err = &err};
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            fputs(help, stdout);
            return EXIT_DONE;
        }
    if (!parse_options(argc, argv, &o))
        return EXIT_USAGE;
    struct machine *machine = machine_new(o.gpu ? o.gpu : MACHINE_DEFAULT, NULL, 0, &err);
    rs.machine = machine;
    if (machine)
        rs.limits = machine_reg_limits(machine);
    bool ok = machine && load_file(&rs) && has_kernel(&rs);
    bool json_only = o.json && !strcmp(o.json, "-");
    for (size_t i = 0; ok && !json_only && i < rs.all.len; i++) {
        if (o.is_ptx) {
            print_text(&rs.all.data[i]);
            continue;
        }
        if (i)
            printf("\n");
        print_report(&rs.all.data[i], machine->gpu.name);
    }
    if (ok && o.json)
        ok = write_json(&rs, &err);
    for (size_t i = 0; i < rs.all.len; i++)
        report_free(&rs.all.data[i]);
    vec_free(&rs.all);
    machine_free(machine);
    return ok ? EXIT_DONE : cli_fail("inspect", "%s", err.msg);
}
