/* `parsim workloads`: the programs that come with Parsim, and what they are on a machine. */
#include "cli.h"
#include "cmd.h"
#include "out/json.h"
#include "setup_options.h"
#include "study/study_survey.h"

#include <getopt.h>
#include <stdlib.h>

static const char help[] =
    "usage: parsim workloads [WORKLOAD...] [--json | --csv]\n"
    "       parsim workloads --table [WORKLOAD...] [OPTIONS]\n"
    "\n"
    "Lists the programs that come with Parsim: name, origin, domain, data type, and what is\n"
    "expected to bound it. `parsim run workload:NAME [--size tiny|small|medium|large|paper]\n"
    "[--seed N]` runs one; docs/workloads.md describes them.\n"
    "\n"
    "  --json        as JSON, on standard output\n"
    "  --csv         as CSV, on standard output\n"
    "  --table       what they are on a machine: footprint, launches and blocks, SMs busy, L2 "
    "hits,\n"
    "                DRAM bytes a warp instruction, share of special functions, what twice the "
    "DRAM\n"
    "                bandwidth gains. Runs each twice, as child processes; results are kept in\n"
    "                DIR/results.db, with those of `parsim figure`: what is there is not run "
    "again\n"
    "\n"
    "with --table:\n"
    "  --size S      tiny (means little), small (default), medium, large or paper\n"
    "  --gpu G       the machine (default gtx480)\n"
    "  --jobs N      runs at once (default 1)\n"
    "  --threads N   host threads of a run at most (default 1; 0: as the host has processors);\n"
    "                results do not depend on it\n"
    "  --limit S     seconds after which a run is stopped (default 3600; 0: never)\n"
    "  --out DIR     where results are kept (default results)\n"
    "  --quiet       no progress on stderr\n"
    "\n"
    "exit code: 0 done, 1 a run failed, 2 bad usage or input, 130 and 143 interrupted\n";

enum { O_TABLE = 256, O_JSON, O_CSV, O_GPU };

static const struct option longopts[] = {
    {"table", no_argument, NULL, O_TABLE},
    {"json", no_argument, NULL, O_JSON},
    {"csv", no_argument, NULL, O_CSV},
    {"gpu", required_argument, NULL, O_GPU},
    SETUP_OPTIONS,
    SETUP_OPTIONS_KEPT,
    {"help", no_argument, NULL, 'h'},
    {0},
};

struct options {
    struct study_survey survey;
    bool table;
    const char *needs_table; /* an option that means nothing without it; NULL: none */
};

static bool take_output(struct study_survey *o, enum study_output output, struct err *err)
{
    if (o->output != STUDY_TEXT && o->output != output)
        return err_set(err, "--json and --csv: only one of them goes to standard output");
    o->output = output;
    return true;
}

static bool take_option(struct options *o, int c, int index, struct err *err)
{
    switch (c) {
    case O_TABLE:
        return o->table = true;
    case O_JSON:
        return take_output(&o->survey, STUDY_JSON, err);
    case O_CSV:
        return take_output(&o->survey, STUDY_CSV, err);
    default:
        o->needs_table = longopts[index].name;
        if (c >= SETUP_OPTION_FIRST)
            return setup_options_take(&o->survey.setup, c, optarg, err);
        o->survey.gpu = optarg;
        return true;
    }
}

/* Those of the line, or all. */
static bool take_workloads(struct study_survey *o, char **names, struct err *err)
{
    size_t all = 0;
    while (cli_workloads[all].name)
        all++;
    for (o->n = 0; names[o->n]; o->n++)
        if (!cli_check_workload(names[o->n], err))
            return false;
    const char **at = xcalloc(o->n + all, sizeof *at);
    for (size_t i = 0; i < o->n; i++)
        at[i] = names[i];
    for (size_t i = 0; i < all && !names[0]; i++)
        at[o->n++] = cli_workloads[i].name;
    o->workloads = at;
    return true;
}

/* --- the list --- */

static void list_json(const struct study_survey *o)
{
    struct err err = {0};
    json *list = json_object_new_array();
    for (size_t i = 0; i < o->n; i++) {
        const struct cli_workload *w = cli_find_workload(o->workloads[i], &err);
        json *row = json_object_new_object();
        json_add_text(row, "name", w->name);
        json_add_text(row, "origin", w->origin);
        json_add_text(row, "domain", w->domain);
        json_add_text(row, "type", w->type);
        json_add_text(row, "bound", w->bound);
        json_object_array_add(list, row);
    }
    json_write(list, stdout);
    json_object_put(list);
}

static void list(const struct study_survey *o)
{
    struct err err = {0};
    if (o->output == STUDY_JSON) {
        list_json(o);
        return;
    }
    if (o->output == STUDY_CSV)
        puts("name,origin,domain,type,bound");
    for (size_t i = 0; i < o->n; i++) {
        const struct cli_workload *w = cli_find_workload(o->workloads[i], &err);
        printf(o->output == STUDY_CSV ? "%s,%s,\"%s\",%s,%s\n" : "%-20s %-12s %-24s %-8s %s\n",
               w->name, w->origin, w->domain, w->type, w->bound);
    }
}

static int run(struct options *o, char **names)
{
    struct err err = {0};
    int code = EXIT_DONE;
    if (o->needs_table && !o->table)
        return cli_fail("workloads", "--%s is for --table", o->needs_table);
    if (!take_workloads(&o->survey, names, &err))
        return cli_fail("workloads", "%s", err.msg);
    if (o->table)
        code = cli_exit_code(study_survey(&o->survey, stdout, &err));
    else
        list(&o->survey);
    free((void *)o->survey.workloads);
    if (code != EXIT_DONE)
        cli_fail("workloads", "%s", err.msg);
    return code;
}

int cmd_workloads(int argc, char **argv)
{
    struct options o = {
        .survey = {
            .setup = {.size = "small", .jobs = 1, .threads = 1, .limit = 3600, .folder = "results"},
            .gpu = "gtx480"}};
    struct err err = {0};
    int c, index = 0;
    opterr = 0;
    optind = 1;
    while ((c = getopt_long(argc, argv, "h", longopts, &index)) != -1) {
        if (c == 'h') {
            fputs(help, stdout);
            return EXIT_DONE;
        }
        if (c == '?' ? !cli_refuse_option(argv, &err) : !take_option(&o, c, index, &err))
            return cli_fail("workloads", "%s", err.msg);
    }
    return run(&o, argv + optind);
}
