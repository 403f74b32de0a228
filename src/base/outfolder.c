#include "base/outfolder.h"

#include "base/outfile.h"
#include "base/tempfile.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct outfolder {
    char *folder, *temp;
};

static bool cannot(const struct outfolder *f, struct err *err)
{
    return err_set(err, "cannot write in %s: %s", f->folder, strerror(errno));
}

static void outfolder_free(struct outfolder *f)
{
    tempfile_remove_folder(f->temp);
    tempfile_forget(f->temp);
    free(f->folder);
    free(f->temp);
    free(f);
}

struct outfolder *outfolder_open(const char *folder, struct err *err)
{
    if (!outfile_probe_folder(folder, err))
        return NULL;
    struct outfolder *f = xcalloc(1, sizeof *f);
    f->folder = xstrdup(folder);
    f->temp = xasprintf("%s/.plot.%d.parsim-tmp", folder, (int)getpid());
    tempfile_add(f->temp);
    tempfile_remove_folder(f->temp); /* of a process that had our number */
    if (!mkdir(f->temp, 0777))
        return f;
    cannot(f, err);
    outfolder_free(f);
    return NULL;
}

FILE *outfolder_begin(struct outfolder *f, const char *name, const char *ext, struct err *err)
{
    char *path = xasprintf("%s/%s.%s", f->temp, name, ext);
    FILE *file = fopen(path, "w");
    if (!file)
        cannot(f, err);
    free(path);
    return file;
}

bool outfolder_end(struct outfolder *f, FILE *file, struct err *err)
{
    bool ok = !fflush(file) && !ferror(file) && !fsync(fileno(file));
    int why = errno;
    if (!fclose(file) && ok)
        return true;
    errno = ok ? errno : why;
    return cannot(f, err);
}

bool outfolder_plot(struct outfolder *f, const char *name, struct err *err)
{
    char *script = xasprintf("%s.gp", name);
    int status = 0;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        /* what `parsim run` has set is for the program */
        unsetenv("LD_PRELOAD");
        unsetenv("LD_LIBRARY_PATH");
        if (chdir(f->temp))
            _exit(126);
        execlp("gnuplot", "gnuplot", script, (char *)NULL);
        _exit(127);
    }
    free(script);
    while (pid > 0 && waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return err_set(err, "cannot wait for gnuplot: %s", strerror(errno));
    if (pid < 0)
        return err_set(err, "cannot start gnuplot: %s", strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return err_set(err, "gnuplot is not installed; its scripts and data are in %s", f->folder);
    return !status || err_set(err, "gnuplot failed on %s/%s.gp", f->folder, name);
}

/* How files of the kind end that gnuplot makes; NULL: not one of them. */
static const char *picture_end(const char *name)
{
    const char *dot = strrchr(name, '.');
    return !dot ? NULL : !strcmp(dot, ".svg") ? "</svg>" : !strcmp(dot, ".pdf") ? "%%EOF" : NULL;
}

/* gnuplot does not say when a disk is full. */
static bool is_whole(const char *path, const char *end)
{
    char tail[65] = "";
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    if (fseek(file, -64, SEEK_END))
        rewind(file);
    tail[fread(tail, 1, sizeof tail - 1, file)] = 0;
    fclose(file);
    return strstr(tail, end) || (errno = ENOSPC, false);
}

static bool move_out(const struct outfolder *f, const char *name)
{
    char *from = xasprintf("%s/%s", f->temp, name), *to = xasprintf("%s/%s", f->folder, name);
    const char *end = picture_end(name);
    bool ok = (!end || is_whole(from, end)) && !rename(from, to);
    free(from);
    free(to);
    return ok;
}

bool outfolder_close(struct outfolder *f, bool ok, struct err *err)
{
    DIR *d = opendir(f->temp);
    bool moved = d != NULL;
    for (struct dirent *e; moved && (e = readdir(d));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && (ok || !picture_end(e->d_name)))
            moved = move_out(f, e->d_name);
    if (ok && !moved)
        ok = cannot(f, err);
    if (d)
        closedir(d);
    outfolder_free(f);
    return ok;
}
