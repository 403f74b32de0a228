/* parsim inspect: what is in a PTX file. */
#include "base/file.h"
#include "cli.h"
#include "cmd.h"
#include "inspect.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: parsim inspect FILE.ptx [--kernel NAME] [--json FILE]\n"
    "\n"
    "Lists the kernels of a PTX file ('-' = standard input) with their parameters, registers a\n"
    "thread (by liveness, 32-bit each), shared and local memory, instruction mix by execution "
    "unit,\n"
    "and the instructions that this version cannot run. Functions that a kernel calls by name are\n"
    "counted with it. A '+' after the shared memory: the launch can add to it.\n"
    "\n"
    "  --kernel NAME  only this kernel, with its parameters and every instruction it has\n"
    "                 (also what a file with one kernel shows)\n"
    "  --json FILE    everything, of all kernels shown, as JSON ('-' = standard output)\n";

struct options {
    const char *file, *kernel, *json;
};

struct report {
    struct ptx_module *module;
    VEC(struct inspect_kernel) kernels;
};

/* Returns false for bad usage, after saying so. */
static bool parse_options(int argc, char **argv, struct options *o)
{
    for (int i = 1; i < argc; i++) {
        const char **value = !strcmp(argv[i], "--kernel") ? &o->kernel
                             : !strcmp(argv[i], "--json") ? &o->json
                                                          : NULL;
        if (value && i + 1 < argc) {
            *value = argv[++i];
        } else if (value) {
            cli_fail("inspect", "%s needs a value", argv[i]);
            return false;
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
    if (!o->file)
        cli_fail("inspect", "which file? 'parsim inspect --help' tells more");
    return o->file != NULL;
}

/* The one place that knows what kinds of file there are. */
static struct ptx_module *load_module(const char *path, struct err *err)
{
    size_t len;
    char *text = file_read(path, &len, err);
    if (!text)
        return NULL;
    struct ptx_module *m = ptx_parse(path, text, len, err);
    free(text);
    return m;
}

static bool build_report(struct report *r, const struct options *o, struct err *err)
{
    struct u64map known = {0};
    for (uint32_t i = 0; i < r->module->nfuncs; i++) {
        const struct ptx_func *f = r->module->funcs[i];
        if (!f->is_entry || f->is_decl || f->def || (o->kernel && strcmp(o->kernel, f->name)))
            continue;
        struct inspect_kernel k;
        inspect_kernel_init(&k, f, &known);
        vec_push(&r->kernels, k);
    }
    u64map_free(&known);
    if (o->kernel && !r->kernels.len)
        return err_set(err, "%s has no kernel '%s'", o->file, o->kernel);
    return true;
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

static void print_report(const struct report *r, const struct options *o)
{
    const struct ptx_module *m = r->module;
    printf("%s: PTX %u.%u for %s, %u-bit addresses; %zu kernel%s shown, %u function%s, %u "
           "variable%s\n\n",
           o->file, m->version_major, m->version_minor, m->target[0] ? m->target : "no target",
           m->address_bytes * 8, r->kernels.len, r->kernels.len == 1 ? "" : "s", count_functions(m),
           count_functions(m) == 1 ? "" : "s", m->nvars, m->nvars == 1 ? "" : "s");
    if (!r->kernels.len)
        return;
    print_table(r);
    if (r->kernels.len == 1)
        print_details(&r->kernels.data[0]);
    print_gaps(r, o->file);
}

static void add_string(json_object *o, const char *key, const char *value)
{
    json_object_object_add(o, key, json_object_new_string(value));
}

static void add_number(json_object *o, const char *key, uint64_t value)
{
    json_object_object_add(o, key, json_object_new_uint64(value));
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
        add_string(p, "name", f->params[i]->name);
        add_string(p, "type", ptx_type_name((enum ptx_type)f->params[i]->type));
        add_number(p, "offset_bytes", f->params[i]->offset);
        add_number(p, "bytes", f->params[i]->bytes);
        add_number(p, "align_bytes", f->params[i]->align);
    }
}

static void json_mix(json_object *o, const struct inspect_kernel *k)
{
    json_object *units = json_object_new_object(), *mix = json_object_new_object();
    for (unsigned u = 0; u < INSPECT_UNITS; u++)
        add_number(units, inspect_unit_name(u), k->by_unit[u]);
    for (size_t i = 0; i < k->mix.len; i++)
        add_number(mix, k->mix.data[i].text, k->mix.data[i].count);
    json_object_object_add(o, "by_unit", units);
    json_object_object_add(o, "by_instruction", mix);
    json_object *gaps = add_array(o, "unsupported");
    for (size_t i = 0; i < k->gaps.len; i++) {
        json_object *g = add_item(gaps);
        add_string(g, "instruction", k->gaps.data[i].inst->text);
        add_string(g, "function", k->gaps.data[i].func->name);
        add_number(g, "line", k->gaps.data[i].inst->line);
        add_string(g, "why", k->gaps.data[i].why);
        add_number(g, "count", k->gaps.data[i].count);
    }
}

static void json_kernel(json_object *o, const struct inspect_kernel *k)
{
    const struct ptx_func *f = k->func;
    add_string(o, "name", f->name);
    add_number(o, "line", f->line);
    json_params(o, f);
    add_number(o, "parameter_bytes", f->param_bytes);
    add_number(o, "registers", k->regs);
    add_number(o, "shared_bytes", k->shared_bytes);
    json_object_object_add(o, "dynamic_shared", json_object_new_boolean(k->has_dynamic_shared));
    add_number(o, "local_bytes", k->local_bytes);
    json_sizes(o, "maxntid", f->maxntid);
    json_sizes(o, "reqntid", f->reqntid);
    if (f->minnctapersm)
        add_number(o, "minnctapersm", f->minnctapersm);
    if (f->maxnreg)
        add_number(o, "maxnreg", f->maxnreg);
    add_number(o, "called_functions", k->nfuncs);
    add_number(o, "instructions", k->ninsts);
    json_mix(o, k);
}

static bool write_json(const struct report *r, const struct options *o, struct err *err)
{
    json_object *root = json_object_new_object();
    char version[32];
    snprintf(version, sizeof version, "%u.%u", r->module->version_major, r->module->version_minor);
    add_string(root, "file", o->file);
    add_string(root, "ptx_version", version);
    add_string(root, "target", r->module->target);
    add_number(root, "address_bits", r->module->address_bytes * 8);
    json_object *kernels = add_array(root, "kernels");
    for (size_t i = 0; i < r->kernels.len; i++)
        json_kernel(add_item(kernels), &r->kernels.data[i]);
    size_t len;
    const char *text = json_object_to_json_string_length(
        root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE, &len);
    bool ok = true;
    if (!strcmp(o->json, "-"))
        printf("%s\n", text);
    else
        ok = file_write(o->json, text, len, err);
    json_object_put(root);
    return ok;
}

int cmd_inspect(int argc, char **argv)
{
    struct options o = {0};
    struct report r = {0};
    struct err err = {0};
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            fputs(help, stdout);
            return EXIT_DONE;
        }
    if (!parse_options(argc, argv, &o))
        return EXIT_USAGE;
    r.module = load_module(o.file, &err);
    bool ok = r.module && build_report(&r, &o, &err);
    bool json_only = o.json && !strcmp(o.json, "-");
    if (ok && !json_only)
        print_report(&r, &o);
    if (ok && o.json)
        ok = write_json(&r, &o, &err);
    for (size_t i = 0; i < r.kernels.len; i++)
        inspect_kernel_free(&r.kernels.data[i]);
    vec_free(&r.kernels);
    ptx_module_free(r.module);
    return ok ? EXIT_DONE : cli_fail("inspect", "%s", err.msg);
}
