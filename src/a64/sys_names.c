/* Names of files, and system calls that take them. A guest sees the host's files and cannot change
 * them, or with a root folder those below it, which are its own; symbolic links are not followed
 * there. The process file system, which leads into the simulator, is not there. */
#define _GNU_SOURCE
#include "a64/sys_names.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#define SYS(name) int64_t sys_##name(struct a64_process *p, const uint64_t *a)

enum { PATH_BYTES = SYS_NAME_BYTES / 2, GUEST_AT_CWD = -100 };

/* --- names --- */

/* Without "." and "..", from "/" on: `to` has room for both and a slash. */
static void clean(char *to, const char *folder, const char *name)
{
    char whole[SYS_NAME_BYTES], *save, *end = to;
    snprintf(whole, sizeof whole, "%s/%s", name[0] == '/' ? "" : folder, name);
    *to = 0;
    for (char *part = strtok_r(whole, "/", &save); part; part = strtok_r(NULL, "/", &save)) {
        if (!strcmp(part, "."))
            continue;
        if (!strcmp(part, "..")) {
            while (end > to && *--end != '/')
                ;
            *end = 0;
            continue;
        }
        end = stpcpy(stpcpy(end, "/"), part);
    }
    if (end == to)
        strcpy(to, "/");
}

/* The folder that the guest is in. */
static bool name_folder(const struct a64_process *p, char *to, size_t size)
{
    if (p->folder || p->root >= 0)
        snprintf(to, size, "%s", p->folder ? p->folder : "/");
    return p->folder || p->root >= 0 || getcwd(to, size);
}

/* The guest's name of a file in a folder of the guest: from "/" on with a root, else the host's. */
int64_t sys_full_name(struct a64_process *p, uint64_t folder, uint64_t addr, char *to)
{
    char name[PATH_BYTES], here[PATH_BYTES] = "";
    const int64_t r = sys_text(p, addr, name, sizeof name);
    if (r)
        return r;
    if (!*name)
        return -ENOENT;
    if ((int)folder != GUEST_AT_CWD && name[0] != '/') {
        if (sys_file(p, folder) < 0)
            return -EBADF;
        if (!p->files[folder].path)
            return -ENOTDIR;
        snprintf(here, sizeof here, "%s", p->files[folder].path);
    } else if (!name_folder(p, here, sizeof here)) {
        return -errno;
    }
    clean(to, here, name);
    return strlen(to) < PATH_BYTES ? 0 : -ENAMETOOLONG;
}

/* The folder that has the last part of a name; with a root no step follows a link. */
int sys_open_folder(const struct a64_process *p, const char *name, const char **last)
{
    const char *slash = strrchr(name, '/');
    *last = slash[1] ? slash + 1 : ".";
    if (p->root < 0) {
        char folder[PATH_BYTES * 2];
        snprintf(folder, sizeof folder, "%.*s/", (int)(slash - name), name);
        return open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    }
    int at = fcntl(p->root, F_DUPFD_CLOEXEC, 0);
    for (const char *part = name + 1; at >= 0 && part < slash;) {
        char step[PATH_BYTES];
        const size_t len = strcspn(part, "/");
        snprintf(step, sizeof step, "%.*s", (int)len, part);
        const int next = openat(at, step, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        close(at);
        at = next;
        part += len + 1;
    }
    return at;
}

bool sys_is_process_fs(int host)
{
    struct statfs s;
    return fstatfs(host, &s) || s.f_type == PROC_SUPER_MAGIC;
}

/* --- what files are --- */

struct guest_stat {
    uint64_t dev, ino;
    uint32_t mode, nlink, uid, gid;
    uint64_t rdev, pad;
    int64_t size;
    int32_t blksize, pad2;
    int64_t blocks;
    int64_t times[6];
    uint32_t unused[2];
};

static int64_t give_stat(struct a64_process *p, uint64_t addr, const struct stat *s)
{
    const struct guest_stat g = {.dev = s->st_dev,
                                 .ino = s->st_ino,
                                 .mode = s->st_mode,
                                 .nlink = (uint32_t)s->st_nlink,
                                 .uid = s->st_uid,
                                 .gid = s->st_gid,
                                 .rdev = s->st_rdev,
                                 .size = s->st_size,
                                 .blksize = (int32_t)s->st_blksize,
                                 .blocks = s->st_blocks,
                                 .times = {s->st_atim.tv_sec, s->st_atim.tv_nsec, s->st_mtim.tv_sec,
                                           s->st_mtim.tv_nsec, s->st_ctim.tv_sec,
                                           s->st_ctim.tv_nsec}};
    return sys_give(p, addr, &g, sizeof g);
}

SYS(fstat)
{
    struct stat s;
    const int host = sys_file(p, a[0]);
    return host < 0 ? -EBADF : fstat(host, &s) ? -errno : give_stat(p, a[1], &s);
}

/* Calls fn with the folder and the last part of a guest's name. */
static int64_t with_name(struct a64_process *p, const uint64_t *a,
                         int (*fn)(int folder, const char *last, const uint64_t *a, void *arg),
                         void *arg)
{
    char name[SYS_NAME_BYTES];
    const char *last;
    const int64_t r = sys_full_name(p, a[0], a[1], name);
    if (r)
        return r;
    const int folder = sys_open_folder(p, name, &last);
    if (folder < 0)
        return -errno;
    const int64_t result = fn(folder, last, a, arg) < 0 ? -errno : 0;
    close(folder);
    return result;
}

static int stat_it(int folder, const char *last, const uint64_t *a, void *arg)
{
    return fstatat(folder, last, arg, a[3] & AT_SYMLINK_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0);
}

/* Links are not followed below a root. */
static int lstat_it(int folder, const char *last, const uint64_t *a, void *arg)
{
    (void)a;
    return fstatat(folder, last, arg, AT_SYMLINK_NOFOLLOW);
}

SYS(newfstatat)
{
    struct stat s;
    char first;
    const bool is_of_fd = a[3] & AT_EMPTY_PATH && image_read(p->image, a[1], &first, 1) && !first;
    if (is_of_fd && (int)a[0] != GUEST_AT_CWD) {
        const uint64_t args[] = {a[0], a[2]};
        return sys_fstat(p, args);
    }
    const int64_t r = with_name(p, a, p->root < 0 ? stat_it : lstat_it, &s);
    return r ? r : give_stat(p, a[2], &s);
}

static int access_it(int folder, const char *last, const uint64_t *a, void *arg)
{
    (void)arg;
    return faccessat(folder, last, (int)a[2] & 7, 0);
}

SYS(faccessat)
{
    struct stat s;
    if (p->root < 0 && a[2] & W_OK)
        return -EROFS;
    const int64_t r = p->root < 0 ? 0 : with_name(p, a, lstat_it, &s);
    if (!r && p->root >= 0 && S_ISLNK(s.st_mode))
        return -ELOOP;
    return r ? r : with_name(p, a, access_it, NULL);
}

static int make_folder(int folder, const char *last, const uint64_t *a, void *arg)
{
    (void)arg;
    return mkdirat(folder, last, (mode_t)(a[2] & 0777));
}

SYS(mkdirat)
{
    return p->root < 0 ? -EROFS : with_name(p, a, make_folder, NULL);
}

static int unlink_it(int folder, const char *last, const uint64_t *a, void *arg)
{
    (void)arg;
    return unlinkat(folder, last, a[2] & AT_REMOVEDIR ? AT_REMOVEDIR : 0);
}

SYS(unlinkat)
{
    return p->root < 0 ? -EROFS : with_name(p, a, unlink_it, NULL);
}

/* What a link leads to; that of the process file system to the program is made up. */
static int read_link(int folder, const char *last, const uint64_t *a, void *arg)
{
    (void)a;
    char *text = arg;
    const ssize_t n =
        sys_is_process_fs(folder) ? -1 : readlinkat(folder, last, text, PATH_BYTES - 1);
    if (n >= 0)
        text[n] = 0;
    return n < 0 ? -1 : 0;
}

SYS(readlinkat)
{
    char name[PATH_BYTES], text[PATH_BYTES];
    int64_t r = sys_text(p, a[1], name, sizeof name);
    if (r)
        return r;
    if (!strcmp(name, "/proc/self/exe"))
        r = realpath(p->o.path, text) ? 0 : -errno;
    else
        r = with_name(p, a, read_link, text);
    if (r)
        return r;
    const size_t len = strlen(text), n = len < a[3] ? len : a[3];
    r = sys_give(p, a[2], text, n);
    return r ? r : (int64_t)n;
}

SYS(getcwd)
{
    char here[PATH_BYTES];
    if (!name_folder(p, here, sizeof here))
        return -errno;
    const size_t n = strlen(here) + 1;
    if (n > a[1])
        return -ERANGE;
    const int64_t r = sys_give(p, a[0], here, n);
    return r ? r : (int64_t)n;
}

SYS(chdir)
{
    char name[SYS_NAME_BYTES];
    const char *last;
    struct stat s;
    const int64_t r = sys_full_name(p, (uint64_t)GUEST_AT_CWD, a[0], name);
    if (r)
        return r;
    const int folder = sys_open_folder(p, name, &last);
    if (folder < 0)
        return -errno;
    const int found = fstatat(folder, last, &s, p->root < 0 ? 0 : AT_SYMLINK_NOFOLLOW);
    close(folder);
    if (found < 0 || !S_ISDIR(s.st_mode))
        return found < 0 ? -errno : -ENOTDIR;
    free(p->folder);
    p->folder = xstrdup(name);
    return 0;
}

SYS(renameat)
{
    char from[SYS_NAME_BYTES], to[SYS_NAME_BYTES];
    const char *last_from, *last_to;
    if (p->root < 0)
        return -EROFS;
    int64_t r = sys_full_name(p, a[0], a[1], from);
    r = r ? r : sys_full_name(p, a[2], a[3], to);
    if (r)
        return r;
    const int old = sys_open_folder(p, from, &last_from), new = sys_open_folder(p, to, &last_to);
    r = old < 0 || new < 0 || renameat(old, last_from, new, last_to) ? -errno : 0;
    if (old >= 0)
        close(old);
    if (new >= 0)
        close(new);
    return r;
}

SYS(renameat2)
{
    return a[4] ? -EINVAL : sys_renameat(p, a);
}
