/* An array job of Slurm: each task is this command once more, for one run (--task N), whose result
 * it puts into the folder that all share. */
#include "study/study_sweep.h"

#include "base/outfile.h"
#include "study/study_words.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "3,5,7" */
static void write_missing(const struct study_matrix *m, FILE *f)
{
    const char *between = "";
    for (size_t i = 0; i < m->n; i++)
        if (!m->jobs[i].result) {
            fprintf(f, "%s%zu", between, i);
            between = ",";
        }
}

/* Where a task's words go, for sbatch: within double quotes, '%' doubled. */
static void write_log(const char *folder, FILE *f)
{
    fputs("\n#SBATCH --output=\"", f);
    for (const char *p = folder; *p; p++) {
        if (*p == '%')
            fputc('%', f);
        else if (*p == '"' || *p == '\\')
            fputc('\\', f);
        fputc(*p, f);
    }
    fputs("/slurm-%a.log\"\n", f);
}

static bool write_script(const struct study_sweep *s, const char *path, struct err *err)
{
    char cwd[PATH_MAX];
    if (!getcwd(cwd, sizeof cwd))
        return err_set(err, "the current directory has no name");
    struct outfile *o = outfile_open(path, err);
    if (!o)
        return false;
    FILE *f = outfile_stream(o);
    fprintf(f, "#!/bin/sh\n#SBATCH --job-name=parsim-sweep\n#SBATCH --array=");
    write_missing(&s->matrix, f);
    fprintf(f, "\n#SBATCH --ntasks=1 --cpus-per-task=%llu",
            (unsigned long long)s->matrix.setup.threads);
    write_log(s->matrix.setup.folder, f);
    char *self = study_beside("parsim");
    fputs("cd ", f);
    study_words_quote(f, cwd);
    fputs(" || exit 1\nexec ", f);
    study_words_quote(f, self);
    fprintf(f, " sweep --task \"$SLURM_ARRAY_TASK_ID\"%s\n", s->slurm);
    free(self);
    return outfile_close(o, err);
}

bool study_slurm_submit(const struct study_sweep *s, FILE *out, struct err *err)
{
    char *script = xasprintf("%s/slurm.sh", s->matrix.setup.folder);
    bool ok = write_script(s, script, err);
    if (ok) {
        fflush(NULL);
        const pid_t pid = fork();
        if (pid == 0) {
            execlp("sbatch", "sbatch", script, (char *)NULL);
            _exit(127);
        }
        const int code = pid < 0 ? 127 : study_words_wait(pid);
        ok = !code ||
             err_set(err,
                     code == 127 ? "sbatch cannot be run; the job is %s" : "sbatch has refused %s",
                     script);
    }
    if (ok)
        fprintf(out,
                "%zu of %zu runs are submitted (%s); the same command with --collect shows what "
                "is there\n",
                study_matrix_missing(&s->matrix), s->matrix.n, script);
    free(script);
    return ok;
}
