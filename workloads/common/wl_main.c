/* parsim-workloads: the programs of the papers, our own code, on the CUDA driver API. */
#include "base/option_word.h"
#include "wl_int.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: parsim-workloads NAME [OPTIONS]\n"
    "       parsim-workloads --list [--json]\n"
    "\n"
    "Generates the input, runs the kernels on the GPU that libcuda offers, compares the outputs\n"
    "with a CPU reference, prints the arrays and the hash of the output bytes. Exit code: 0 "
    "right,\n"
    "1 wrong or failed, 2 bad usage.\n"
    "\n"
    "  --size S      tiny (default), small, medium, large or paper\n"
    "  --seed N      of the input generators (default 1)\n"
    "  --variant V   other device code, where a workload has it (--list --json says so)\n"
    "  --check       compare also at the larger sizes (tiny and small always are)\n"
    "  --no-check    do not compare\n"
    "  --inputs      generate and print the inputs only; needs no GPU\n"
    "  --dump DIR    write every array as a file: NAME.ARRAY.in.bin, .out.bin, of what the "
    "kernels\n"
    "                keep between themselves .left.bin, and, where outputs were judged, "
    ".precise.bin\n"
    "  --outputs F   write the outputs' bytes, one behind the other, to a file\n"
    "  --json        print JSON\n"
    "  --list        the workloads; with --json also what they do\n";

enum {
    OPT_SIZE = 256,
    OPT_SEED,
    OPT_VARIANT,
    OPT_CHECK,
    OPT_NO_CHECK,
    OPT_INPUTS,
    OPT_DUMP,
    OPT_OUTPUTS,
    OPT_JSON,
    OPT_LIST
};

static const struct option longopts[] = {
    {"size", required_argument, NULL, OPT_SIZE},
    {"seed", required_argument, NULL, OPT_SEED},
    {"variant", required_argument, NULL, OPT_VARIANT},
    {"check", no_argument, NULL, OPT_CHECK},
    {"no-check", no_argument, NULL, OPT_NO_CHECK},
    {"inputs", no_argument, NULL, OPT_INPUTS},
    {"dump", required_argument, NULL, OPT_DUMP},
    {"outputs", required_argument, NULL, OPT_OUTPUTS},
    {"json", no_argument, NULL, OPT_JSON},
    {"list", no_argument, NULL, OPT_LIST},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static const char *const size_names[] = {
#define X(symbol, name, before) name,
#include "../sizes.def"
#undef X
};
const char *wl_size_name(enum wl_size size)
{
    return size_names[size];
}

static const char size_list[] =
#define X(symbol, name, before) before name
#include "../sizes.def"
#undef X
    ;

struct options {
    struct wl w;
    const char *dump, *outputs;
    int check; /* -1: by size */
    bool inputs, json, list;
};

static bool set_size(struct options *o, const char *text)
{
    for (unsigned i = 0; i < WL_SIZES; i++)
        if (!strcmp(text, size_names[i])) {
            o->w.size = (enum wl_size)i;
            return true;
        }
    fprintf(stderr, "parsim-workloads: --size %s: there are %s\n", text, size_list);
    return false;
}

static bool set_seed(struct options *o, const char *text)
{
    char *end;
    o->w.seed = strtoull(text, &end, 0);
    if (*text >= '0' && *text <= '9' && !*end)
        return true;
    fprintf(stderr, "parsim-workloads: --seed %s: not a whole number\n", text);
    return false;
}

static bool set_option(struct options *o, int c, char **argv)
{
    switch (c) {
    case OPT_SIZE:
        return set_size(o, optarg);
    case OPT_SEED:
        return set_seed(o, optarg);
    case OPT_VARIANT:
        o->w.variant = optarg;
        return true;
    case OPT_CHECK:
    case OPT_NO_CHECK:
        o->check = c == OPT_CHECK;
        return true;
    case OPT_DUMP:
        o->dump = optarg;
        return true;
    case OPT_OUTPUTS:
        o->outputs = optarg;
        return true;
    case OPT_INPUTS:
        return o->inputs = true;
    case OPT_JSON:
        return o->json = true;
    case OPT_LIST:
        return o->list = true;
    default:
        fprintf(stderr,
                "parsim-workloads: option '%s' is not known or lacks its value; see --help\n",
                option_word(argv));
        return false;
    }
}

static void print_list(bool json)
{
    if (json)
        printf("[\n");
    for (size_t i = 0; i < wl_nrows; i++) {
        const struct wl_row *r = &wl_rows[i];
        if (!json) {
            printf("%-20s %-12s %-24s %-8s %s\n", r->name, r->origin, r->domain, r->type, r->bound);
            continue;
        }
        printf(
            " {\"name\": \"%s\", \"origin\": \"%s\", \"domain\": \"%s\", \"type\": \"%s\", "
            "\"bound\": \"%s\",\n  \"algorithm\": \"%s\",\n  \"input\": \"%s\",\n"
            "  \"imitates\": \"%s\",\n  \"idle\": \"%s\",\n"
            "  \"tolerance\": \"%s\", \"abs_tol\": %g, \"rel_tol\": %g, \"variant\": \"%s\"}%s\n",
            r->name, r->origin, r->domain, r->type, r->bound, r->workload->algorithm,
            r->workload->input, r->workload->imitates, r->workload->idle ? r->workload->idle : "",
            r->workload->tolerance, r->workload->abs_tol, r->workload->rel_tol,
            r->workload->variant ? r->workload->variant : "", i + 1 < wl_nrows ? "," : "");
    }
    if (json)
        printf("]\n");
}

static void print_array(const struct wl_array *a, enum wl_role role, const void *data, bool json,
                        bool first)
{
    uint64_t hash = wl_hash(WL_HASH_START, data, wl_bytes(a));
    const char *kind = role == WL_INPUT ? "in" : "out";
    char picture[64] = "null";
    if (a->picture.width)
        snprintf(picture, sizeof picture, "[%u, %u, %u]", a->picture.width, a->picture.height,
                 a->picture.channels);
    if (json)
        printf("%s\n  {\"name\": \"%s\", \"kind\": \"%s\", \"type\": \"%s\", \"count\": %zu, "
               "\"bytes\": %zu, \"picture\": %s, \"hash\": \"%016" PRIx64 "\"}",
               first ? "" : ",", a->name, kind, wl_type_name(a->type), a->count, wl_bytes(a),
               picture, hash);
    else
        printf("  %-3s  %-14s %-4s %10zu  %016" PRIx64 "\n", kind, a->name, wl_type_name(a->type),
               a->count, hash);
}

/* Returns the hash of all outputs. */
static uint64_t print_arrays(const struct options *o)
{
    const struct wl *w = &o->w;
    uint64_t hash = WL_HASH_START;
    bool first = true;
    for (unsigned i = 0; i < w->narrays; i++) {
        const struct wl_array *a = w->arrays[i];
        if (a->role & WL_INPUT) {
            print_array(a, WL_INPUT, a->initial ? a->initial : a->data, o->json, first);
            first = false;
        }
        if ((a->role & WL_OUTPUT) && !o->inputs) {
            print_array(a, WL_OUTPUT, a->data, o->json, first);
            hash = wl_hash(hash, a->data, wl_bytes(a));
            first = false;
        }
    }
    return hash;
}

/* As JSON has it: an error that is infinite is null. */
static void print_number(const char *key, double v)
{
    if (isfinite(v))
        printf(", \"%s\": %.3g", key, v);
    else
        printf(", \"%s\": null", key);
}

static void print_verdict_json(const struct wl_verdict *v)
{
    printf(", \"check\": \"%s\"", !v->ok         ? "wrong"
                                  : v->is_judged ? "judged"
                                  : v->is_equal  ? "equal"
                                                 : "within tolerance");
    print_number("max_abs", v->max_abs);
    print_number("max_rel", v->max_rel);
    printf(", \"wrong\": %zu", v->wrong);
}

static void print_verdict(const struct options *o, const struct wl_verdict *v)
{
    if (o->json)
        print_verdict_json(v);
    else if (v->is_judged && v->ok)
        printf("check        against the precise run: outputs judged %u, beyond a bound %u; others "
               "equal\n",
               v->njudged, v->nbeyond);
    else if (v->is_equal)
        printf("check        the same bits as the CPU reference\n");
    else if (v->ok)
        printf("check        within tolerance: largest error %.3g absolute, %.3g relative\n",
               v->max_abs, v->max_rel);
    if (!v->ok)
        fprintf(stderr, "parsim-workloads: %s: %zu elements are wrong; the first: %s\n",
                o->w.row->name, v->wrong, v->first);
}

/* Against the CPU, or, where a design may change values, against the precise run. */
static struct wl_verdict verdict_of(struct wl *w, bool is_judged)
{
    if (is_judged)
        return wl_judge_all(w);
    if (!w->check)
        return (struct wl_verdict){.ok = true};
    w->row->workload->reference(w, w->state);
    return wl_compare(w);
}

/* `v`: NULL where nothing was compared. */
static void report(struct options *o, const struct wl_verdict *v)
{
    struct wl *w = &o->w;
    if (o->json)
        printf("{\"name\": \"%s\", \"size\": \"%s\", \"seed\": %" PRIu64 ", \"launches\": %u,\n"
               " \"arrays\": [",
               w->row->name, size_names[w->size], w->seed, w->launches);
    else
        printf("%s %s, seed %" PRIu64 ", %u launches\n", w->row->name, size_names[w->size], w->seed,
               w->launches);
    uint64_t hash = print_arrays(o);
    if (o->json)
        printf("]");
    if (!o->inputs && o->json)
        printf(",\n \"output_hash\": \"%016" PRIx64 "\"", hash);
    else if (!o->inputs)
        printf("output hash  %016" PRIx64 "\n", hash);
    if (v)
        print_verdict(o, v);
    if (o->json)
        printf("}\n");
}

static int run(struct options *o)
{
    struct wl *w = &o->w;
    w->check = !o->inputs && (o->check >= 0 ? o->check : w->size <= WL_SMALL);
    wl_run_make(w);
    if (!o->inputs)
        wl_run_device(w);
    const bool is_judged = !o->inputs && o->check != 0 && wl_changes_values();
    const struct wl_verdict v = verdict_of(w, is_judged);
    if (o->dump)
        wl_dump(w, o->dump);
    if (o->outputs && !o->inputs)
        wl_write_outputs(w, o->outputs);
    report(o, is_judged || w->check ? &v : NULL);
    wl_free(w);
    return v.ok && !v.nbeyond ? 0 : 1;
}

/* `code`, unless what was printed has not arrived. */
static int end_output(int code)
{
    if (!fflush(stdout) && !ferror(stdout))
        return code;
    fprintf(stderr, "parsim-workloads: cannot write standard output: %s\n", strerror(errno));
    return 1;
}

int main(int argc, char **argv)
{
    struct options o = {.w = {.seed = 1}, .check = -1};
    int c;
    opterr = 0;
    while ((c = getopt_long(argc, argv, "h", longopts, NULL)) != -1) {
        if (c == 'h')
            return fputs(help, stdout), end_output(0);
        if (!set_option(&o, c, argv))
            return 2;
    }
    if (o.list)
        return print_list(o.json), end_output(0);
    if (optind + 1 != argc) {
        fprintf(stderr, "parsim-workloads: give one workload; --list lists them\n");
        return 2;
    }
    o.w.row = wl_find(argv[optind]);
    if (!o.w.row) {
        fprintf(stderr, "parsim-workloads: no workload '%s'; --list lists them\n", argv[optind]);
        return 2;
    }
    const char *variant = o.w.row->workload->variant;
    if (o.w.variant && (!variant || strcmp(variant, o.w.variant) != 0)) {
        fprintf(stderr, "parsim-workloads: %s has no variant '%s', %s%s\n", o.w.row->name,
                o.w.variant, variant ? "but " : "nor another", variant ? variant : "");
        return 2;
    }
    return end_output(run(&o));
}
