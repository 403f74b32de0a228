/* A list that signal handlers use too: it is changed only with signals held back. */
#include "base/tempfile.h"

#include "base/vec.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* One list a process, as there is one file system. */
static struct {
    atomic_flag busy;
    pid_t owner;
    VEC(char *) paths;
} list = {.busy = ATOMIC_FLAG_INIT};

/* Signals wait while this thread changes the list, so that a handler never waits for itself. */
static void list_lock(sigset_t *old)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, old);
    while (atomic_flag_test_and_set(&list.busy))
        sched_yield();
}

static void list_unlock(const sigset_t *old)
{
    atomic_flag_clear(&list.busy);
    pthread_sigmask(SIG_SETMASK, old, NULL);
}

void tempfile_add(const char *path)
{
    sigset_t old;
    char *copy = xstrdup(path);
    list_lock(&old);
    if (list.owner != getpid()) {
        list.owner = getpid();
        list.paths.len = 0; /* the parent's */
    }
    vec_push(&list.paths, copy);
    list_unlock(&old);
}

void tempfile_forget(const char *path)
{
    sigset_t old;
    char *found = NULL;
    list_lock(&old);
    for (size_t i = list.paths.len; i-- > 0 && !found;)
        if (!strcmp(list.paths.data[i], path)) {
            found = list.paths.data[i];
            memmove(&list.paths.data[i], &list.paths.data[i + 1],
                    (--list.paths.len - i) * sizeof found);
        }
    if (!list.paths.len)
        vec_free(&list.paths);
    list_unlock(&old);
    free(found);
}

/* With system calls alone, for handlers of signals. */
void tempfile_remove_folder(const char *folder)
{
    struct entry { /* of getdents64(2) */
        uint64_t ino;
        int64_t off;
        uint16_t reclen;
        uint8_t type;
        char name[];
    };
    _Alignas(8) char buf[4096];
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (long n; fd >= 0 && (n = syscall(SYS_getdents64, fd, buf, sizeof buf)) > 0;)
        for (long at = 0; at < n;) {
            const struct entry *e = (const struct entry *)(const void *)(buf + at);
            unlinkat(fd, e->name, 0); /* "." and ".." stay */
            at += e->reclen;
        }
    if (fd >= 0)
        close(fd);
    rmdir(folder);
}

void tempfile_remove_all(void)
{
    while (atomic_flag_test_and_set(&list.busy)) /* another thread's: it is short */
        ;
    for (size_t i = list.owner == getpid() ? list.paths.len : 0; i-- > 0;)
        if (unlink(list.paths.data[i]))
            tempfile_remove_folder(list.paths.data[i]);
    atomic_flag_clear(&list.busy);
}
