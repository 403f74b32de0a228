/* Where an output really goes (a file, a link's target, a device, an open descriptor), and how
 * it gets there whole. */
#include "base/outfile.h"

#include "base/tempfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct outfile {
    FILE *f;
    char *path; /* as given, for messages */
    char *real; /* where it goes: links are followed */
    char *temp; /* NULL: written in place */
};

enum { READER_WAIT_MS = 1000, READER_LOOK_MS = 10 };
enum target { TARGET_NEW, TARGET_FILE, TARGET_IN_PLACE, TARGET_BAD };

static bool cannot(const char *path, struct err *err)
{
    return err_set(err, "cannot write %s: %s", path, strerror(errno));
}

enum { MAX_LINKS = 8 };

/* The number behind "/dev/fd/3" and the like; -1: it is none. */
static int number_of_descriptor(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
        const char *digits = path + strlen(folders[i]);
        if (strncmp(path, folders[i], strlen(folders[i])) != 0 || !*digits)
            continue;
        if (strspn(digits, "0123456789") == strlen(digits) && strlen(digits) < 9)
            return atoi(digits);
    }
    return -1;
}

/* The open descriptor that the name stands for, also by links ("/dev/stderr"); -1: none. Opened
 * once more by its name, one that is a plain file would lose what is in it. */
static int find_descriptor(const char *path)
{
    char at[PATH_MAX], next[PATH_MAX];
    if (!strcmp(path, "-"))
        return STDOUT_FILENO;
    snprintf(at, sizeof at, "%s", path);
    for (unsigned links = 0; links < MAX_LINKS; links++) {
        int fd = number_of_descriptor(at);
        ssize_t n = fd < 0 ? readlink(at, next, sizeof next - 1) : -1;
        if (n <= 0)
            return fd;
        next[n] = 0;
        char *slash = next[0] == '/' ? NULL : strrchr(at, '/');
        snprintf(slash ? slash + 1 : at, slash ? sizeof at - (size_t)(slash + 1 - at) : sizeof at,
                 "%s", next);
    }
    return -1;
}

bool outfile_is_stream(const char *path)
{
    return find_descriptor(path) >= 0;
}

/* Whether it is open, for writing. */
static bool check_descriptor(const char *path, int fd, struct err *err)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY) {
        errno = EBADF;
        flags = -1;
    }
    return flags >= 0 || cannot(path, err);
}

/* What is at `path`, and the name behind links; *mode of a plain file. */
static enum target find_target(const char *path, char **real, mode_t *mode, struct err *err)
{
    struct stat st;
    *real = NULL;
    if (!stat(path, &st)) {
        if (S_ISDIR(st.st_mode))
            return err_set(err, "cannot write %s: it is a folder", path), TARGET_BAD;
        if (access(path, W_OK))
            return cannot(path, err), TARGET_BAD;
        if (!S_ISREG(st.st_mode))
            return *real = xstrdup(path), TARGET_IN_PLACE;
        *mode = st.st_mode & 07777;
        *real = realpath(path, NULL);
        return *real ? TARGET_FILE : (cannot(path, err), TARGET_BAD);
    }
    if (errno != ENOENT)
        return cannot(path, err), TARGET_BAD;
    if (!lstat(path, &st))
        return err_set(err, "cannot write %s: it is a link to nothing", path), TARGET_BAD;
    if (!*path || path[strlen(path) - 1] == '/')
        return err_set(err, "cannot write '%s': that is no name of a file", path), TARGET_BAD;
    *real = xstrdup(path);
    return TARGET_NEW;
}

/* ".NAME.PID-N.parsim-tmp" in the folder of `real`, which did not exist; its descriptor or -1. */
static int make_temporary(const char *real, char **name)
{
    const char *slash = strrchr(real, '/'), *base = slash ? slash + 1 : real;
    for (unsigned n = 0; n < 1000; n++) {
        *name = xasprintf("%.*s.%.200s.%d-%u.parsim-tmp", (int)(base - real), real, base,
                          (int)getpid(), n);
        tempfile_add(*name);
        int fd = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0)
            return fd;
        int why = errno;
        tempfile_forget(*name);
        free(*name);
        *name = NULL;
        errno = why;
        if (why != EEXIST)
            break;
    }
    return -1;
}

/* A pipe with a name waits for its reader, but not for ever, nor deaf to signals. */
static int open_in_place(const char *path)
{
    for (int waited = 0;; waited += READER_LOOK_MS) {
        int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        if (fd >= 0)
            fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
        if (fd >= 0 || errno != ENXIO || waited >= READER_WAIT_MS)
            return fd;
        poll(NULL, 0, READER_LOOK_MS);
    }
}

static void outfile_free(struct outfile *o)
{
    free(o->path);
    free(o->real);
    free(o->temp);
    free(o);
}

/* What is written goes on behind what others have written there. */
static bool open_descriptor(struct outfile *o, int fd, struct err *err)
{
    if (fd == STDOUT_FILENO) {
        o->f = stdout;
        return true;
    }
    if (!check_descriptor(o->path, fd, err))
        return false;
    o->real = xstrdup(o->path);
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    o->f = own < 0 ? NULL : fdopen(own, "w");
    if (!o->f && own >= 0)
        close(own);
    return o->f || cannot(o->path, err);
}

/* Opens what find_target() found. */
static bool open_target(struct outfile *o, enum target t, mode_t mode, struct err *err)
{
    int fd = t == TARGET_IN_PLACE ? open_in_place(o->real) : make_temporary(o->real, &o->temp);
    if (fd < 0 && t == TARGET_IN_PLACE && errno == ENXIO)
        return err_set(err, "cannot write %s: nobody reads from this pipe", o->path);
    if (fd < 0)
        return cannot(o->path, err);
    if (t == TARGET_FILE && fchmod(fd, mode) && errno != EPERM)
        return close(fd), cannot(o->path, err);
    o->f = fdopen(fd, "w");
    return o->f || (close(fd), cannot(o->path, err));
}

static void drop_temporary(struct outfile *o)
{
    if (!o->temp)
        return;
    unlink(o->temp);
    tempfile_forget(o->temp);
}

struct outfile *outfile_open(const char *path, struct err *err)
{
    struct outfile *o = xcalloc(1, sizeof *o);
    mode_t mode = 0;
    o->path = xstrdup(path);
    const int fd = find_descriptor(path);
    if (fd >= 0 && open_descriptor(o, fd, err))
        return o;
    enum target t = fd >= 0 ? TARGET_BAD : find_target(path, &o->real, &mode, err);
    if (t != TARGET_BAD && open_target(o, t, mode, err))
        return o;
    drop_temporary(o);
    outfile_free(o);
    return NULL;
}

FILE *outfile_stream(struct outfile *o)
{
    return o->f;
}

const char *outfile_name(const struct outfile *o)
{
    return o->temp ? o->temp : o->real;
}

/* All of it is on the disk, and the descriptor closed. */
static bool finish_writing(struct outfile *o)
{
    bool ok = !fflush(o->f) && !ferror(o->f);
    int why = errno;
    if (o->f == stdout)
        return ok;
    if (ok && o->temp && fsync(fileno(o->f))) {
        ok = false;
        why = errno;
    }
    if (fclose(o->f) && ok)
        return false;
    errno = why;
    return ok;
}

bool outfile_close(struct outfile *o, struct err *err)
{
    bool ok = finish_writing(o) && (!o->temp || !rename(o->temp, o->real));
    if (!ok) {
        cannot(o->f == stdout ? "standard output" : o->path, err);
        drop_temporary(o);
    } else if (o->temp) {
        tempfile_forget(o->temp);
    }
    outfile_free(o);
    return ok;
}

bool outfile_close_new(struct outfile *o, bool *exists, struct err *err)
{
    *exists = false;
    bool ok = finish_writing(o) && (!o->temp || !link(o->temp, o->real));
    if (!ok) {
        *exists = errno == EEXIST;
        cannot(o->path, err);
    }
    drop_temporary(o);
    outfile_free(o);
    return ok;
}

void outfile_discard(struct outfile *o)
{
    if (!o)
        return;
    if (o->f != stdout)
        fclose(o->f);
    drop_temporary(o);
    outfile_free(o);
}

bool outfile_probe(const char *path, struct err *err)
{
    mode_t mode;
    char *real, *temp = NULL;
    const int open_fd = find_descriptor(path);
    if (open_fd >= 0)
        return open_fd == STDOUT_FILENO || check_descriptor(path, open_fd, err);
    enum target t = find_target(path, &real, &mode, err);
    bool ok = t != TARGET_BAD;
    if (t == TARGET_NEW || t == TARGET_FILE) {
        int fd = make_temporary(real, &temp);
        ok = fd >= 0 || cannot(path, err);
        if (ok) {
            close(fd);
            unlink(temp);
            tempfile_forget(temp);
        }
        free(temp);
    }
    free(real);
    return ok;
}

/* Where a file goes, however it is spelled; NULL: a device or an open descriptor, which take all
 * that several write. */
static char *find_place(const char *path)
{
    struct err ignored = {0};
    mode_t mode;
    char *real = NULL;
    enum target t =
        outfile_is_stream(path) ? TARGET_IN_PLACE : find_target(path, &real, &mode, &ignored);
    if (t == TARGET_FILE)
        return real;
    char *place = NULL;
    if (t == TARGET_NEW) {
        const char *slash = strrchr(path, '/');
        char *given = slash ? xasprintf("%.*s/", (int)(slash - path), path) : xstrdup(".");
        char *folder = realpath(given, NULL);
        place = folder ? xasprintf("%s/%s", folder, slash ? slash + 1 : path) : NULL;
        free(folder);
        free(given);
    }
    free(real);
    return place;
}

bool outfile_probe_all(const char *const *paths, size_t n, struct err *err)
{
    char **places = xcalloc(n, sizeof *places);
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        ok = !paths[i] || outfile_probe(paths[i], err);
        places[i] = ok && paths[i] ? find_place(paths[i]) : NULL;
        for (size_t k = 0; ok && k < i; k++)
            if (places[i] && places[k] && !strcmp(places[i], places[k]))
                ok = err_set(err, "%s and %s are the same place: each output needs its own",
                             paths[k], paths[i]);
    }
    for (size_t i = 0; i < n; i++)
        free(places[i]);
    free(places);
    return ok;
}

bool outfile_check_inputs(const char *const *outputs, size_t n, const char *const *inputs, size_t m,
                          struct err *err)
{
    bool ok = true;
    for (size_t i = 0; i < m && ok; i++) {
        char *in = realpath(inputs[i], NULL);
        for (size_t k = 0; k < n && in && ok; k++) {
            char *place = outputs[k] ? find_place(outputs[k]) : NULL;
            if (place && !strcmp(place, in))
                ok = err_set(err, "%s is read: %s would take its place", inputs[i], outputs[k]);
            free(place);
        }
        free(in);
    }
    return ok;
}

bool outfile_probe_folder(const char *folder, struct err *err)
{
    if (mkdir(folder, 0777) && errno != EEXIST)
        return err_set(err, "cannot make the folder %s: %s", folder, strerror(errno));
    char *path = xasprintf("%s/probe", folder);
    bool ok = outfile_probe(path, err);
    free(path);
    return ok;
}

bool outfile_check_stdout(struct err *err)
{
    errno = 0;
    if (!fflush(stdout) && !ferror(stdout))
        return true;
    return err_set(err, "cannot write standard output%s%s", errno ? ": " : "",
                   errno ? strerror(errno) : "");
}
