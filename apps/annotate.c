/* Proposals for the kernels of a program, tried one kernel at a time: with loads that are a little
 * off, stores must stay where they are and values close to what they were. */
#include "annotate.h"

#include "base/file.h"
#include "base/outfile.h"
#include "base/tempfile.h"
#include "study/study_child.h"
#include "study/study_words.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- children --- */

struct run {
    const struct annotate_options *o;
    const char *save, *ptx, *watch; /* folders and a file, or NULL */
    double perturb;                 /* with `watch` */
    const char *log;
};

static void add_option(struct study_words *w, const char *name, const char *value)
{
    study_words_add(w, name);
    study_words_add(w, value);
}

static void add_words(struct study_words *w, const struct run *r)
{
    study_words_parsim(w, "run");
    study_words_add(w, "--quiet");
    if (r->save)
        add_option(w, "--save-ptx", r->save);
    if (r->ptx)
        add_option(w, "--ptx", r->ptx);
    if (!r->watch) {
        study_words_add(w, "--functional");
    } else {
        add_option(w, "--gpu", r->o->gpu);
        add_option(w, "--with", "lnl-perturb");
        study_words_add(w, "--set");
        study_words_take(w, xasprintf("lnl.perturb=%.17g", r->perturb));
        study_words_add(w, "--set");
        study_words_take(w, xasprintf("lnl.watch=%s", r->watch));
    }
    for (char **word = r->o->program; *word; word++)
        study_words_add(w, *word);
}

/* Its exit code. */
static int run_child(const struct run *r)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        struct study_words w = {0};
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        study_to_file(r->log, STDERR_FILENO);
        study_to_file("/dev/null", STDOUT_FILENO);
        add_words(&w, r);
        study_words_exec(&w);
    }
    return pid < 0 ? 128 : study_words_wait(pid);
}

/* --- modules --- */

static char *place(const struct annotation *a, const char *name)
{
    return xasprintf("%s/%s", a->folder, name);
}

static bool add_module(struct annotation *a, const char *path, const char *name, struct err *err)
{
    struct annotate_module m = {.name = xstrdup(name)};
    m.text = file_read(path, &m.len, err);
    if (m.text)
        m.ptx = ptx_parse(path, m.text, m.len, err);
    vec_push(&a->modules, m);
    return m.ptx;
}

static int is_ptx(const struct dirent *e)
{
    const size_t len = strlen(e->d_name);
    return len > 4 && !strcmp(e->d_name + len - 4, ".ptx");
}

static bool load_folder(struct annotation *a, const char *folder, struct err *err)
{
    struct dirent **names = NULL;
    const int n = scandir(folder, &names, is_ptx, alphasort);
    bool ok = n > 0 || err_set(err, "the program loads no device code");
    for (int i = 0; i < n; i++) {
        char *path = xasprintf("%s/%s", folder, names[i]->d_name);
        ok = ok && add_module(a, path, names[i]->d_name, err);
        free(path);
        free(names[i]);
    }
    free(names);
    return ok;
}

/* What the program loads, of a functional run. */
static bool load_program(const struct annotate_options *o, struct annotation *a, struct err *err)
{
    char *code = place(a, "code"), *log = place(a, "log");
    const int exit_code = run_child(&(struct run){.o = o, .save = code, .log = log});
    bool ok = exit_code == 0;
    if (!ok) {
        char *words = study_last_words(log);
        err_set(err, "the program failed (exit code %d): %s", exit_code, words);
        free(words);
    }
    ok = ok && load_folder(a, code, err);
    free(code);
    free(log);
    return ok;
}

static bool propose_all(struct annotation *a, struct err *err)
{
    for (size_t i = 0; i < a->modules.len; i++) {
        struct annotate_module *m = &a->modules.data[i];
        for (uint32_t k = 0; k < m->ptx->nfuncs; k++) {
            const struct ptx_func *f = m->ptx->funcs[k];
            struct annotate_kernel kernel = {0};
            if (!f->is_entry || f->is_decl)
                continue;
            const bool ok = lnl_propose(f, &kernel.proposal, err);
            snprintf(kernel.why, sizeof kernel.why, "%s", kernel.proposal.why);
            vec_push(&m->kernels, kernel);
            if (!ok)
                return false;
        }
    }
    return true;
}

/* --- trying --- */

/* The module with the marks of kernels [first, first + n) to a file. */
static bool write_module(const struct annotate_module *m, size_t first, size_t n, bool only_taken,
                         const char *path, struct err *err)
{
    struct lnl_proposal *p = xcalloc(n + 1, sizeof *p);
    size_t count = 0;
    for (size_t i = first; i < first + n; i++)
        if (m->kernels.data[i].is_taken || !only_taken)
            p[count++] = m->kernels.data[i].proposal;
    char *text = lnl_annotate(m->text, m->len, p, count, err);
    const bool ok = text && file_write(path, text, strlen(text), err);
    free(text);
    free(p);
    return ok;
}

static void judge(const struct annotate_options *o, struct annotate_kernel *k, bool has_run)
{
    const struct lnl_tolerance *t = &k->tolerance;
    const double off = 100 * o->perturb;
    if (!has_run)
        snprintf(k->why, sizeof k->why, "nothing that it stores was seen: it was not run");
    else if (t->missing)
        snprintf(k->why, sizeof k->why,
                 "with loads that are off by %g%% %llu stores of the program are others", off,
                 (unsigned long long)t->missing);
    else if (t->moved)
        snprintf(k->why, sizeof k->why,
                 "with loads that are off by %g%% %llu of %llu stores of the program go elsewhere",
                 off, (unsigned long long)t->moved, (unsigned long long)t->stores);
    else if (!(t->error <= o->max_error))
        snprintf(k->why, sizeof k->why,
                 "with loads that are off by %g%% what the program stores is off by %.1f%%, more "
                 "than %g%%",
                 off, 100 * t->error, 100 * o->max_error);
    else
        k->is_taken = true;
}

/* `precise`: the stores of the program as it is. */
static bool try_kernel(const struct annotate_options *o, const struct annotation *a,
                       struct annotate_module *m, size_t at, const struct lnl_watched *precise,
                       struct err *err)
{
    struct annotate_kernel *k = &m->kernels.data[at];
    char *folder = place(a, "try"), *watch = place(a, "off"), *log = place(a, "log");
    char *path = xasprintf("%s/%s", folder, m->name);
    struct lnl_watched off = {0};
    bool ok = (!mkdir(folder, 0777) || errno == EEXIST) && write_module(m, at, 1, false, path, err);
    unlink(watch);
    if (ok) {
        run_child(&(struct run){
            .o = o, .ptx = folder, .watch = watch, .perturb = o->perturb, .log = log});
        k->is_tried = true;
        if (access(watch, R_OK)) {
            char *words = study_last_words(log);
            snprintf(k->why, sizeof k->why, "with loads that are off by %g%% the program fails: %s",
                     100 * o->perturb, words);
            free(words);
        } else if ((ok = lnl_watched_read(&off, watch, err))) {
            k->tolerance = lnl_watched_compare(precise, &off);
            judge(o, k, lnl_watched_has(precise, k->proposal.f->name));
        }
    }
    unlink(path);
    lnl_watched_free(&off);
    free(path);
    free(folder);
    free(watch);
    free(log);
    return ok;
}

static bool watch_precise(const struct annotate_options *o, const struct annotation *a,
                          struct lnl_watched *w, struct err *err)
{
    char *watch = place(a, "precise"), *log = place(a, "log");
    const int exit_code = run_child(&(struct run){.o = o, .watch = watch, .log = log});
    bool ok = !exit_code;
    if (!ok) {
        char *words = study_last_words(log);
        err_set(err, "the program failed on %s (exit code %d): %s", o->gpu, exit_code, words);
        free(words);
    }
    ok = ok && lnl_watched_read(w, watch, err);
    free(watch);
    free(log);
    return ok;
}

static bool try_all(const struct annotate_options *o, struct annotation *a, struct err *err)
{
    struct lnl_watched precise = {0};
    bool ok = true, is_watched = false;
    for (size_t i = 0; i < a->modules.len; i++)
        for (size_t k = 0; k < a->modules.data[i].kernels.len && ok; k++) {
            if (!a->modules.data[i].kernels.data[k].proposal.regions.len)
                continue;
            if (!is_watched)
                ok = is_watched = watch_precise(o, a, &precise, err);
            ok = ok && try_kernel(o, a, &a->modules.data[i], k, &precise, err);
        }
    lnl_watched_free(&precise);
    return ok;
}

/* --- all --- */

static void count_kernels(const struct annotate_options *o, struct annotation *a)
{
    for (size_t i = 0; i < a->modules.len; i++)
        for (size_t k = 0; k < a->modules.data[i].kernels.len; k++) {
            struct annotate_kernel *kernel = &a->modules.data[i].kernels.data[k];
            if (!o->program)
                kernel->is_taken = kernel->proposal.regions.len;
            a->taken += kernel->is_taken;
            a->marked += kernel->proposal.marked;
            a->covered += kernel->is_taken ? kernel->proposal.covered : 0;
        }
}

bool annotate(const struct annotate_options *o, struct annotation *a, struct err *err)
{
    *a = (struct annotation){0};
    snprintf(a->folder, sizeof a->folder, "/tmp/parsim-annotate-XXXXXX");
    if (!mkdtemp(a->folder)) {
        *a->folder = 0;
        return err_set(err, "cannot write in /tmp: %s", strerror(errno));
    }
    bool ok = o->program ? load_program(o, a, err) : add_module(a, o->file, o->file, err);
    ok = ok && propose_all(a, err) && (!o->program || try_all(o, a, err));
    if (ok)
        count_kernels(o, a);
    return ok;
}

bool annotate_write(const struct annotate_options *o, const struct annotation *a, struct err *err)
{
    if (!o->program)
        return write_module(&a->modules.data[0], 0, a->modules.data[0].kernels.len, true, o->out,
                            err);
    bool ok = outfile_probe_folder(o->out, err);
    for (size_t i = 0; i < a->modules.len && ok; i++) {
        char *path = xasprintf("%s/%s", o->out, a->modules.data[i].name);
        ok = write_module(&a->modules.data[i], 0, a->modules.data[i].kernels.len, true, path, err);
        free(path);
    }
    return ok;
}

void annotate_free(struct annotation *a)
{
    for (size_t i = 0; i < a->modules.len; i++) {
        struct annotate_module *m = &a->modules.data[i];
        for (size_t k = 0; k < m->kernels.len; k++)
            lnl_proposal_free(&m->kernels.data[k].proposal);
        vec_free(&m->kernels);
        if (m->ptx)
            ptx_module_free(m->ptx);
        free(m->text);
        free(m->name);
    }
    vec_free(&a->modules);
    for (unsigned k = 0; k < 2 && *a->folder; k++) {
        char *inside = xasprintf("%s/%s", a->folder, k ? "try" : "code");
        tempfile_remove_folder(inside);
        free(inside);
    }
    if (*a->folder)
        tempfile_remove_folder(a->folder);
}
