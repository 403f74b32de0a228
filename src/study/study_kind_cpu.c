/* AxMemo's programs on a core: `parsim cpu run`, and `parsim cpu profile`.
 *
 * A workload is a program's name (study_ax.def), a design its build, NAME[@KEY=VALUE...]: plain,
 * memo, exact, software, fair or atm with settings of the machine, or profile[@OPTION[=VALUE]...].
 * The executables are those that `tools/a64/ax_build build/ax` makes. Beside the run's JSON a
 * result has "quality": the output beside that of the plain build. */
#include "study/study_ax.h"
#include "study/study_child.h"
#include "study/study_kind.h"
#include "study/study_words.h"

#include <json-c/json.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static const char *const builds[] = {"plain", "memo", "exact", "software", "fair", "atm"};

/* Of the data: not the one with which the programs were made. */
static const char seed[] = "2019";

static bool is_profile(const char *design)
{
    return !strncmp(design, "profile", strlen("profile"));
}

static bool is_plain(const char *design)
{
    return is_profile(design) || !strcmp(design, "plain");
}

/* --- checks --- */

static bool cpu_check(const struct study_job *j, struct err *err)
{
    const size_t len = strcspn(j->design, "@");
    for (unsigned i = 0; i < ARRAY_LEN(builds); i++)
        if (strlen(builds[i]) == len && !strncmp(builds[i], j->design, len))
            return true;
    return is_profile(j->design) ||
           err_set(err,
                   "design '%s': no build of AxMemo's programs; there are: plain, memo, exact, "
                   "software, fair, atm, and profile",
                   j->design);
}

static bool cpu_check_workload(const char *name, struct err *err)
{
    if (!study_ax_find(name, err))
        return false;
    char *program = study_ax_program(name, "plain");
    const bool is_there = !access(program, R_OK) ||
                          err_set(err,
                                  "%s is not there: tools/a64/ax_build build/ax makes it (with "
                                  "Debian's gcc-aarch64-linux-gnu)",
                                  program);
    free(program);
    return is_there;
}

/* --- command lines --- */

/* The programs have two sizes. */
static const char *size_of(const struct study_setup *s)
{
    if (!strcmp(s->size, "small"))
        return "small";
    if (!strcmp(s->size, "paper"))
        return "full";
    fprintf(stderr, "--size %s: AxMemo's programs have small and paper\n", s->size);
    _exit(2);
}

static void add_program(struct study_words *w, const struct study_setup *s,
                        const struct study_job *j, const char *build)
{
    study_words_add(w, "--");
    study_words_take(w, study_ax_program(j->workload, build));
    study_words_add(w, size_of(s));
    study_words_add(w, seed);
}

static void add_command(struct study_words *w, const char *command)
{
    study_words_parsim(w, "cpu");
    study_words_add(w, command);
    study_words_add(w, "--quiet");
}

static NORETURN void become_profile(const struct study_setup *s, const struct study_job *j,
                                    const char *json)
{
    struct study_words w = {0};
    char *save = NULL;
    add_command(&w, "profile");
    strtok_r(xstrdup(j->design), "@", &save);
    for (char *t; (t = strtok_r(NULL, "@", &save));)
        study_words_take(&w, xasprintf("--%s", t));
    study_words_add(&w, "--json");
    study_words_add(&w, json);
    add_program(&w, s, j, "plain");
    study_words_exec(&w);
}

static NORETURN void become_run(const struct study_setup *s, const struct study_job *j,
                                const char *json)
{
    struct study_words w = {0};
    char *save = NULL, *build = strtok_r(xstrdup(j->design), "@", &save);
    struct err err = {0};
    add_command(&w, "run");
    study_words_add(&w, "--cpu");
    study_words_add(&w, j->gpu);
    study_words_add(&w, "--set");
    study_words_take(&w, xasprintf("memo.data_bytes=%u", study_ax_find(j->workload, &err)->bytes));
    for (char *t; (t = strtok_r(NULL, "@", &save));) {
        study_words_add(&w, "--set");
        study_words_add(&w, t);
    }
    study_words_add(&w, "--json");
    study_words_add(&w, json);
    add_program(&w, s, j, build);
    study_words_exec(&w);
}

/* --- runs --- */

static char *cpu_maker(const struct study_job *j, struct study_job *maker)
{
    if (is_plain(j->design))
        return NULL;
    char *text = xstrdup("output");
    *maker = *j;
    maker->kind = STUDY_CPU_OUTPUT;
    maker->design = text;
    return text;
}

/* In a process of its own, whose standard output is the file `out`. */
static int run_to_file(const struct study_setup *s, const struct study_job *j, const char *json,
                       const char *out)
{
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        study_to_file(out, STDOUT_FILENO);
        become_run(s, j, json);
    }
    return pid < 0 ? 1 : study_words_wait(pid);
}

static bool add_quality(const struct study_job *j, const char *json, const char *plain,
                        const char *out)
{
    struct err err = {0};
    const struct study_ax *ax = study_ax_find(j->workload, &err);
    struct json_object *o = json_object_from_file(json);
    struct json_object *quality = o ? study_ax_quality(ax, plain, out, &err) : NULL;
    const bool is_added = quality && !json_object_object_add(o, "quality", quality) &&
                          !json_object_to_file_ext(json, o, JSON_C_TO_STRING_PLAIN);
    if (!is_added)
        fprintf(stderr, "%s\n", err.msg[0] ? err.msg : "the result cannot be written");
    json_object_put(o);
    return is_added;
}

static NORETURN void cpu_child(const struct study_setup *s, const struct study_job *j,
                               const char *json, const char *part)
{
    (void)part;
    if (is_profile(j->design))
        become_profile(s, j, json);
    char *plain = study_needs(s, j), *out = xasprintf("%s.output", json);
    int code = run_to_file(s, j, json, out);
    if (!code && plain)
        code = !add_quality(j, json, plain, out);
    unlink(out);
    _exit(code);
}

const struct study_kind_ops study_kind_cpu = {.has_machine = true,
                                              .has_result = true,
                                              .check = cpu_check,
                                              .check_workload = cpu_check_workload,
                                              .maker = cpu_maker,
                                              .child = cpu_child};

/* --- what the plain build writes --- */

static char *output_gives(const struct study_setup *s, const struct study_job *j)
{
    return study_file_of(s, j, ".out");
}

static NORETURN void output_child(const struct study_setup *s, const struct study_job *j,
                                  const char *json, const char *part)
{
    struct study_words w = {0};
    (void)json;
    study_to_file(part, STDOUT_FILENO);
    add_command(&w, "run");
    study_words_add(&w, "--functional");
    add_program(&w, s, j, "plain");
    study_words_exec(&w);
}

const struct study_kind_ops study_kind_cpu_output = {.gives = output_gives, .child = output_child};
