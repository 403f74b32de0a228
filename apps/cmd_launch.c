/* parsim launch: one kernel of a PTX file, with its arguments on the command line. */
#include "base/file.h"
#include "base/interrupt.h"
#include "base/outfile.h"
#include "base/vec.h"
#include "cli.h"
#include "cmd.h"
#include "exec/grid.h"
#include "gpu/launch_progress.h"
#include "gpu/report.h"
#include "gpu/selection.h"
#include "out/json.h"
#include "run_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: parsim launch FILE.ptx KERNEL --grid X[,Y[,Z]] --block X[,Y[,Z]] [OPTIONS] ARG...\n"
    "\n"
    "Runs one kernel and writes what it computed.\n"
    "\n"
    "  --grid X,Y,Z     blocks in the grid\n"
    "  --block X,Y,Z    threads in a block\n"
    "  --shared BYTES   dynamic shared memory of a block (default 0)\n"
    "  --max-inst N     stop a kernel after N warp instructions and say where it was\n"
    "  --quiet          no report on stderr\n"
    "\n"
    "ARG, one for each parameter of the kernel, in order:\n"
    "  in:FILE          a buffer with the file's contents\n"
    "  out:BYTES[:FILE] a zeroed buffer, written to FILE afterwards (hexadecimal to standard\n"
    "                   output without FILE)\n"
    "  inout:FILE[:TO]  a buffer with the file's contents, written back to TO (or FILE)\n"
    "  zero:BYTES       a zeroed buffer\n"
    "  i32:V u32:V i64:V u64:V f32:V f64:V   a number\n"
    "Sizes take K, M and G.\n"
    "\n"
    "The machine and the outputs (docs/run-output.md):\n";

enum arg_kind { ARG_BUFFER, ARG_NUMBER };

struct arg {
    enum arg_kind kind;
    unsigned bytes; /* of a number */
    uint64_t value; /* a number's bits, or a buffer's device address */
    uint64_t size;
    const char *in;
    const char *out; /* file to write afterwards; "" = print */
};

struct options {
    const char *file, *kernel;
    uint32_t grid[3], block[3];
    uint64_t shared, max_inst;
    bool quiet;
    struct run_options run;
    struct session *session;
    VEC(struct arg) args;
    VEC(char *) strings; /* pieces of split arguments */
};

/* --- arguments --- */

static bool parse_number(const char *text, const char *type, struct arg *a, struct err *err)
{
    char *end = NULL;
    bool is_float = type[0] == 'f';
    errno = 0;
    a->kind = ARG_NUMBER;
    a->bytes = type[1] == '6' ? 8 : 4;
    if (is_float) {
        double d = strtod(text, &end);
        float f = (float)d;
        a->value = 0;
        memcpy(&a->value, a->bytes == 8 ? (void *)&d : (void *)&f, a->bytes);
    } else if (type[0] == 'i') {
        a->value = (uint64_t)strtoll(text, &end, 0);
    } else {
        a->value = strtoull(text, &end, 0);
    }
    bool range_error = errno == ERANGE && !is_float;
    if (a->bytes == 4 && type[0] == 'i')
        range_error |= (int64_t)a->value != (int32_t)a->value;
    if (a->bytes == 4 && type[0] == 'u')
        range_error |= text[0] == '-' || a->value > UINT32_MAX;
    if (!*text || *end || range_error)
        return err_set(err, "'%s:%s' is not a number of that type", type, text);
    return true;
}

static char *keep(struct options *o, const char *from, size_t len)
{
    char *s = xmalloc(len + 1);
    memcpy(s, from, len);
    s[len] = 0;
    vec_push(&o->strings, s);
    return s;
}

static bool parse_arg(struct options *o, const char *text, struct err *err)
{
    static const char *const numbers[] = {"i32", "u32", "i64", "u64", "f32", "f64"};
    struct arg a = {0};
    const char *colon = strchr(text, ':');
    size_t len = colon ? (size_t)(colon - text) : 0;
    if (!colon)
        return err_set(err, "'%s' is not an argument; write for example in:data.bin or i32:7",
                       text);
    const char *rest = colon + 1, *second = strchr(rest, ':');
    char *first = keep(o, rest, second ? (size_t)(second - rest) : strlen(rest));
    for (unsigned i = 0; i < ARRAY_LEN(numbers); i++)
        if (len == 3 && !strncmp(text, numbers[i], 3)) {
            if (!parse_number(rest, numbers[i], &a, err))
                return false;
            vec_push(&o->args, a);
            return true;
        }
    bool is_out = len == 3 && !strncmp(text, "out", 3),
         is_zero = len == 4 && !strncmp(text, "zero", 4);
    if (is_out || is_zero) {
        if (!cli_u64(first, &a.size) || !a.size)
            return err_set(err, "'%s': '%s' is not a size in bytes", text, first);
        a.out = is_out ? (second ? second + 1 : "") : NULL;
    } else if (len == 2 && !strncmp(text, "in", 2)) {
        a.in = rest;
    } else if (len == 5 && !strncmp(text, "inout", 5)) {
        a.in = first;
        a.out = second ? second + 1 : first;
    } else {
        return err_set(err,
                       "'%.*s' is not a kind of argument; there are in, out, inout, zero, "
                       "i32, u32, i64, u64, f32, f64",
                       (int)len, text);
    }
    vec_push(&o->args, a);
    return true;
}

static bool place_buffer(struct session *s, struct arg *a, struct err *err)
{
    struct device *d = session_device(s);
    char *data = NULL;
    size_t len = a->size;
    /* a plain file goes straight into device memory; a pipe has to be read first, and so have files
     * of the kernel, which say that they are empty */
    bool is_plain = a->in && file_size(a->in, &a->size) && a->size;
    if (is_plain)
        len = a->size;
    else if (a->in && !(data = file_read(a->in, &len, err)))
        return false;
    const struct mem_alloc *m = devmem_alloc(d->mem, len ? len : 1, 0, MEM_DEVICE, NULL);
    bool ok = m != NULL;
    if (!ok)
        err_set(err, "no device memory for a buffer of %zu bytes (the GPU has %llu MB)", len,
                (unsigned long long)(devmem_capacity(d->mem) >> 20));
    else if (is_plain)
        ok = file_read_into(a->in, devmem_ptr(m->base), len, err);
    else if (data)
        memcpy(devmem_ptr(m->base), data, len);
    free(data);
    if (ok) {
        a->size = len;
        a->value = m->base;
        if (!a->out || a->in) /* what only comes out was not copied in */
            session_copied(s, m->base, len);
    }
    return ok;
}

/* Old PTX does not declare the width of its addresses: the parameters for buffers tell. */
static unsigned pointer_bytes(const struct options *o, const struct ptx_func *f)
{
    for (uint32_t i = 0; i < f->nparams && i < o->args.len; i++)
        if (o->args.data[i].kind == ARG_BUFFER)
            return f->params[i]->bytes == 4 ? 4 : 8;
    return 8;
}

static bool place_args(struct options *o, const struct ptx_func *f, char *params, struct err *err)
{
    if (o->args.len != f->nparams)
        return err_set(err, "kernel %s has %u parameters, but %zu arguments are given", f->name,
                       f->nparams, o->args.len);
    for (uint32_t i = 0; i < f->nparams; i++) {
        struct arg *a = &o->args.data[i];
        const struct ptx_var *p = f->params[i];
        unsigned bytes = a->kind == ARG_NUMBER ? a->bytes : pointer_bytes(o, f);
        if (a->kind == ARG_BUFFER && !place_buffer(o->session, a, err))
            return false;
        if (bytes != p->bytes)
            return err_set(err, "parameter %u of %s (%s) has %llu bytes, but its argument has %u",
                           i + 1, f->name, p->name, (unsigned long long)p->bytes, bytes);
        memcpy(params + p->offset, &a->value, bytes);
    }
    return true;
}

static void print_hex(const struct arg *a)
{
    const unsigned char *p = devmem_ptr(a->value);
    for (uint64_t i = 0; i < a->size; i++)
        printf("%02x%s", p[i], i % 32 == 31 || i + 1 == a->size ? "\n" : i % 4 == 3 ? " " : "");
}

/* Before the run: what it gives must find a place, and not that of what it reads. A buffer may go
 * back to a file that another came from: that is said in its own words. */
static bool probe_outputs(const struct options *o, struct err *err)
{
    VEC(const char *) outputs = {0}, inputs = {0};
    vec_push(&inputs, o->file);
    for (size_t i = 0; i < o->args.len; i++) {
        const struct arg *a = &o->args.data[i];
        if (a->kind == ARG_BUFFER && a->out && *a->out)
            vec_push(&outputs, a->out);
        if (a->kind == ARG_BUFFER && a->in)
            vec_push(&inputs, a->in);
    }
    bool ok =
        run_options_check_files(&o->run, outputs.data, outputs.len, inputs.data, inputs.len, err) &&
        outfile_check_inputs(outputs.data, outputs.len, inputs.data, 1, err);
    vec_free(&outputs);
    vec_free(&inputs);
    return ok;
}

static bool write_outputs(const struct options *o, struct err *err)
{
    for (size_t i = 0; i < o->args.len; i++) {
        const struct arg *a = &o->args.data[i];
        if (a->kind != ARG_BUFFER || !a->out)
            continue;
        if (!*a->out)
            print_hex(a);
        else if (!file_write(a->out, devmem_ptr(a->value), a->size, err))
            return false;
    }
    return true;
}

/* --- the run --- */

/* What the report does not know by itself. */
static struct json_object *launch_json(const struct options *o, const struct kernel *k,
                                       const struct launch_result *r)
{
    struct json_object *j = json_object_new_object();
    json_add_text(j, "file", o->file);
    json_add_text(j, "kernel", o->kernel);
    json_object_object_add(j, "grid", json_triple(o->grid));
    json_object_object_add(j, "block", json_triple(o->block));
    json_add_count(j, "dynamic_shared_bytes", o->shared);
    json_add_count(j, "static_shared_bytes", k->shared_bytes);
    json_add_count(j, "registers", k->regs);
    json_add_count(j, "blocks_done", r->ctas);
    json_add_count(j, "error_code", (uint64_t)r->fault.code);
    json_add_text(j, "error", r->fault.code ? r->fault.msg : NULL);
    return j;
}

static bool report_all(const struct options *o, const struct kernel *k, struct launch_result *r,
                       struct err *err)
{
    char *fault = r->fault.msg;
    const bool is_interrupted = r->fault.code == FAULT_INTERRUPTED;
    struct run_report report = {.session = o->session,
                                .faults = &fault,
                                .nfaults = r->fault.code ? 1 : 0,
                                .interrupted = is_interrupted ? interrupt_signal() : 0,
                                .extra = launch_json(o, k, r)};
    bool ok = run_report_write(&report, err);
    if (!o->quiet)
        run_report_print(&report, stderr);
    const struct selection *selection = session_selection(o->session);
    ok = ok && (!selection || is_interrupted || selection_holds(selection, err));
    json_object_put(report.extra);
    return ok;
}

static int run_kernel(struct options *o, struct program *p, struct err *err)
{
    struct kernel *k = program_kernel(p, o->kernel, err);
    if (!k)
        return EXIT_USAGE;
    char *params = xcalloc(1, k->src->param_bytes);
    int code = EXIT_USAGE;
    struct progress *progress = session_progress(o->session);
    progress_start(progress);
    struct launch l = {.kernel = k,
                       .dynamic_shared_bytes = (uint32_t)o->shared,
                       .params = params,
                       .max_inst = o->max_inst,
                       .progress = launch_progress,
                       .progress_arg = progress};
    memcpy(l.grid, o->grid, sizeof l.grid);
    memcpy(l.block, o->block, sizeof l.block);
    struct launch_result r = {0};
    if (place_args(o, k->src, params, err)) {
        interrupt_catch();
        bool ok = session_run(o->session, &l, &r, err);
        struct err io = {0};
        progress_end(progress);
        code = ok ? EXIT_DONE : r.fault.code ? EXIT_FAILED : EXIT_USAGE;
        if (ok && !write_outputs(o, err))
            code = EXIT_USAGE;
        if ((ok || r.fault.code) && !report_all(o, k, &r, &io) && code != EXIT_USAGE) {
            /* of two messages, the kernel's is the last */
            if (code == EXIT_FAILED)
                cli_fail("launch", "%s", io.msg);
            else
                *err = io;
            code = code == EXIT_FAILED ? code : EXIT_USAGE;
        }
    }
    free(params);
    return code;
}

static int launch(struct options *o, struct err *err)
{
    size_t len;
    char *text = file_read(o->file, &len, err);
    if (!text)
        return EXIT_USAGE;
    struct ptx_module *m = ptx_parse(o->file, text, len, err);
    free(text);
    if (!m)
        return EXIT_USAGE;
    const struct ptx_func *f = ptx_find_func(m, o->kernel);
    bool is_32 = f && f->is_entry && pointer_bytes(o, f) == 4;
    o->run.o.is_32bit = is_32;
    o->session = session_new(&o->run.o, err);
    if (!o->session) {
        ptx_module_free(m);
        return EXIT_USAGE;
    }
    struct program *p = program_load(session_device(o->session), &m, 1, err);
    int code = p ? run_kernel(o, p, err) : EXIT_USAGE;
    program_unload(p);
    session_free(o->session);
    return code;
}

/* --- the command line --- */

enum {
    OPT_GRID = 256,
    OPT_BLOCK,
    OPT_SHARED,
    OPT_MAX,
    OPT_QUIET,
};

static const struct option longopts[] = {
    {"grid", required_argument, NULL, OPT_GRID},
    {"block", required_argument, NULL, OPT_BLOCK},
    {"shared", required_argument, NULL, OPT_SHARED},
    {"max-inst", required_argument, NULL, OPT_MAX},
    {"quiet", no_argument, NULL, OPT_QUIET},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static bool parse_option(struct options *o, int c, struct err *err)
{
    bool is_shared, ok = run_options_take(&o->run, c, optarg, &is_shared, err);
    if (is_shared)
        return ok;
    switch (c) {
    case OPT_GRID:
    case OPT_BLOCK:
        return cli_dims(optarg, c == OPT_GRID ? o->grid : o->block) ||
               err_set(err, "'%s' is not a size; write X, X,Y or X,Y,Z", optarg);
    case OPT_SHARED:
        return (cli_u64(optarg, &o->shared) && o->shared <= UINT32_MAX) ||
               err_set(err, "--shared %s: not a size in bytes", optarg);
    case OPT_MAX:
        return (cli_u64(optarg, &o->max_inst) && o->max_inst) ||
               err_set(err, "--max-inst %s: not a number above 0", optarg);
    case OPT_QUIET:
        return o->quiet = true;
    default:
        return false;
    }
}

static int parse_line(struct options *o, int argc, char **argv, struct err *err)
{
    struct option all[RUN_OPTIONS_MAX];
    int c;
    run_options_table(all, longopts);
    opterr = 0;
    optind = 1;
    while ((c = getopt_long(argc, argv, "h", all, NULL)) != -1) {
        if (c == 'h') {
            fputs(help, stdout);
            run_options_help(stdout, false);
            return EXIT_DONE;
        }
        if (c == '?' ? !cli_refuse_option(argv, err) : !parse_option(o, c, err))
            return EXIT_USAGE;
    }
    if (argc - optind < 2 || !o->grid[0] || !o->block[0]) {
        err_set(err, "FILE.ptx, KERNEL, --grid and --block are needed; see --help");
        return EXIT_USAGE;
    }
    if (o->run.o.max_error) {
        err_set(err, "--max-error: no program judges the outputs of a kernel alone; see 'run'");
        return EXIT_USAGE;
    }
    o->file = argv[optind];
    o->kernel = argv[optind + 1];
    for (int i = optind + 2; i < argc; i++)
        if (!parse_arg(o, argv[i], err))
            return EXIT_USAGE;
    if (!run_options_finish(&o->run, err) || !probe_outputs(o, err))
        return EXIT_USAGE;
    return -1;
}

int cmd_launch(int argc, char **argv)
{
    struct options o = {0};
    struct err err = {0};
    int code = parse_line(&o, argc, argv, &err);
    if (code < 0)
        code = launch(&o, &err);
    if (code != EXIT_DONE)
        cli_fail("launch", "%s", err.msg);
    for (size_t i = 0; i < o.strings.len; i++)
        free(o.strings.data[i]);
    vec_free(&o.strings);
    vec_free(&o.args);
    run_options_free(&o.run);
    return code;
}
