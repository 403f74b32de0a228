/* `parsim report`: one page, in one file, of a run or of designs side by side. */
#include "base/outfile.h"
#include "base/tempfile.h"
#include "cli.h"
#include "cmd.h"
#include "out/json.h"
#include "report_page.h"
#include "study/study_file.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char help[] =
    "usage: parsim report RUN.json... [--out FILE.html]\n"
    "       parsim report [OPTIONS] -- PROGRAM [ARGUMENTS]\n"
    "       parsim report [OPTIONS] workload:NAME [--size S]\n"
    "\n"
    "Writes one HTML page that needs nothing but a browser: summary, kernels, issue slots, "
    "roofline,\n"
    "traffic between the levels of memory, time series with the kernels marked, hot lines beside\n"
    "their source, energy; of several runs the designs side by side (the first is the base). "
    "RUN.json\n"
    "is what `parsim run --gpu NAME --json FILE` writes, best with --per-kernel --hot --interval "
    "N;\n"
    "the other forms run the program so, once for each design.\n"
    "\n"
    "  --out FILE       the page (default report.html)\n"
    "  --gpu G          the machine (default gtx480)\n"
    "  --designs LIST   comma-separated, as of `parsim compare` (default base)\n"
    "  --interval N     cycles between two points of the series (default 1000)\n"
    "  --threads N      host threads of a run at most (default 1; 0: as the host has processors)\n"
    "\n"
    "exit code: 0 done, 1 the program failed, 2 bad usage or input, or an output that cannot be "
    "written\n";

enum { O_OUT = 256, O_GPU, O_DESIGNS, O_INTERVAL, O_THREADS };

static const struct option longopts[] = {
    {"out", required_argument, NULL, O_OUT},
    {"gpu", required_argument, NULL, O_GPU},
    {"designs", required_argument, NULL, O_DESIGNS},
    {"interval", required_argument, NULL, O_INTERVAL},
    {"threads", required_argument, NULL, O_THREADS},
    {"help", no_argument, NULL, 'h'},
    {0},
};

struct options {
    const char *out, *gpu, *designs, *interval, *threads;
};

/* --- runs --- */

/* `parsim run` with a design's techniques and fields; the words are pieces of `design`. */
static NORETURN void become_run(const struct options *o, char *design, const char *file,
                                char **program)
{
    const char *words[128];
    size_t n = 0;
    char *save = NULL, *sets = strchr(design, '@'), *self = study_beside("parsim");
    const char *const first[] = {self,         "run",       "--quiet", "--hot", "--per-kernel",
                                 "--interval", o->interval, "--gpu",   o->gpu,  "--json",
                                 file,         "--threads", o->threads};
    for (size_t i = 0; i < ARRAY_LEN(first); i++)
        words[n++] = first[i];
    if (sets)
        *sets++ = 0;
    for (char *t = strtok_r(design, "+", &save); t && n < 60; t = strtok_r(NULL, "+", &save))
        if (strcmp(t, "base")) {
            words[n++] = "--with";
            words[n++] = t;
        }
    for (char *t = sets ? strtok_r(sets, "@", &save) : NULL; t && n < 90;
         t = strtok_r(NULL, "@", &save)) {
        words[n++] = "--set";
        words[n++] = t;
    }
    for (; *program && n < ARRAY_LEN(words) - 1; program++)
        words[n++] = *program;
    words[n] = NULL;
    execv(self, (char *const *)words);
    _exit(127);
}

static bool run_design(const struct options *o, const char *design, const char *file,
                       char **program, struct err *err)
{
    int status = 0;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* no run outlives the command */
        become_run(o, xstrdup(design), file, program);
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        return err_set(err, "%s cannot be started", program[0]);
    return (WIFEXITED(status) && !WEXITSTATUS(status)) ||
           err_set(err, "the program has failed with design %s", design);
}

static bool check_designs(const struct options *o, const struct study_list *designs,
                          struct err *err)
{
    for (size_t i = 0; i < designs->n; i++) {
        const struct study_job j = {.kind = STUDY_RUN, .gpu = o->gpu, .design = designs->at[i]};
        if (!study_check_design(&j, err))
            return false;
    }
    return designs->n || err_set(err, "--designs: the list is empty");
}

/* EXIT_DONE with the designs' runs, or what happened. */
static int run_all(const struct options *o, char **program, json *runs, struct err *err)
{
    char folder[] = "/tmp/parsim-report-XXXXXX";
    int code = EXIT_DONE;
    struct study_list designs = study_list_of(o->designs);
    bool ok = check_designs(o, &designs, err);
    if (ok && !mkdtemp(folder))
        ok = err_set(err, "cannot make a folder in /tmp: %s", strerror(errno));
    if (!ok) {
        study_list_free(&designs);
        return EXIT_USAGE;
    }
    tempfile_add(folder);
    for (size_t i = 0; i < designs.n && code == EXIT_DONE; i++) {
        char *path = xasprintf("%s/run.json", folder);
        json *run = NULL;
        if (!run_design(o, designs.at[i], path, program, err))
            code = EXIT_FAILED;
        else if (!(run = report_page_run(path, designs.at[i], program[0], err)))
            code = EXIT_USAGE;
        else
            json_object_array_add(runs, run);
        unlink(path);
        free(path);
    }
    tempfile_remove_folder(folder);
    tempfile_forget(folder);
    study_list_free(&designs);
    return code;
}

/* --- files --- */

static char *label_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *label = xstrdup(slash ? slash + 1 : path), *dot = strrchr(label, '.');
    if (dot && dot != label)
        *dot = 0;
    return label;
}

static int read_all(char **files, json *runs, struct err *err)
{
    for (; *files; files++) {
        char *label = label_of(*files);
        json *run = report_page_run(*files, label, NULL, err);
        free(label);
        if (!run)
            return EXIT_USAGE;
        json_object_array_add(runs, run);
    }
    return EXIT_DONE;
}

/* Of files, or of a program, NULL if there is none. */
static int report(const struct options *o, char **files, char **program, struct err *err)
{
    if (program && *files) {
        err_set(err, "either runs or a program, not '%s' as well", *files);
        return EXIT_USAGE;
    }
    if (!program && !*files) {
        err_set(err, "no run and no program given; see --help");
        return EXIT_USAGE;
    }
    if (!outfile_probe_all(&o->out, 1, err))
        return EXIT_USAGE;
    json *runs = json_object_new_array();
    int code = program ? run_all(o, program, runs, err) : read_all(files, runs, err);
    if (code == EXIT_DONE && !report_page_write(o->out, runs, err))
        code = EXIT_USAGE;
    json_object_put(runs);
    if (code == EXIT_DONE)
        fprintf(stderr, "parsim report: %s\n", o->out);
    return code;
}

int cmd_report(int argc, char **argv)
{
    struct options o = {"report.html", "gtx480", "base", "1000", "1"};
    const char **const texts[] = {&o.out, &o.gpu, &o.designs, &o.interval, &o.threads};
    struct err err = {0};
    char **files = xcalloc((size_t)argc + 1, sizeof *files), **program = NULL;
    size_t nfiles = 0;
    int c, code = -1;
    opterr = 0;
    optind = 1;
    /* '-': words that are no options come in their order; the first workload ends the line */
    while (code < 0 && !program && (c = getopt_long(argc, argv, "-h", longopts, NULL)) != -1) {
        if (c == 'h') {
            fputs(help, stdout);
            code = EXIT_DONE;
        } else if (c == '?') {
            cli_refuse_option(argv, &err);
            code = EXIT_USAGE;
        } else if (c == 1 && !strncmp(optarg, "workload:", strlen("workload:"))) {
            program = argv + optind - 1;
        } else if (c == 1) {
            files[nfiles++] = optarg;
        } else {
            *texts[c - O_OUT] = optarg;
        }
    }
    if (!program && optind < argc)
        program = argv + optind;
    if (code < 0)
        code = report(&o, files, program, &err);
    free(files);
    if (code != EXIT_DONE)
        cli_fail("report", "%s", err.msg);
    return code;
}
