/* Files of a folder, moved to their places when all are whole. */
#include "base/outfolder.h"

#include "base/outfile.h"
#include "base/tempfile.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

static bool move_out(const struct outfolder *f, const char *name)
{
    char *from = xasprintf("%s/%s", f->temp, name), *to = xasprintf("%s/%s", f->folder, name);
    bool ok = !rename(from, to);
    free(from);
    free(to);
    return ok;
}

bool outfolder_close(struct outfolder *f, bool ok, struct err *err)
{
    DIR *d = opendir(f->temp);
    bool moved = d != NULL && ok;
    for (struct dirent *e; moved && (e = readdir(d));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
            moved = move_out(f, e->d_name);
    if (ok && !moved)
        ok = cannot(f, err);
    if (d)
        closedir(d);
    outfolder_free(f);
    return ok;
}
