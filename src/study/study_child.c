/* The process of one job. */
#include "study/study_child.h"

#include "base/file.h"
#include "base/tempfile.h"
#include "study/study_kind.h"

#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

char *study_beside(const char *name)
{
    char self[PATH_MAX] = "";
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    return xasprintf("%s/%s", n > 0 ? dirname(self) : ".", name);
}

void study_to_file(const char *path, int fd)
{
    int f = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (f < 0 || dup2(f, fd) < 0)
        _exit(126);
    close(f);
}

_Noreturn void study_child(const struct study_setup *s, const struct study_job *j, const char *json,
                           const char *log, const char *part)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* no run outlives the command */
    study_to_file("/dev/null", STDOUT_FILENO);
    study_to_file(log, STDERR_FILENO);
    study_kind(j)->child(s, j, json, part);
}

char *study_last_words(const char *log)
{
    struct err err = {0};
    size_t len = 0;
    char *text = file_read(log, &len, &err);
    while (text && len && (text[len - 1] == '\n' || text[len - 1] == ' '))
        text[--len] = 0;
    const char *line = text ? strrchr(text, '\n') : NULL;
    char *last = xstrdup(!text || !len ? "no message" : line ? line + 1 : text);
    free(text);
    return last;
}

/* --- files for others --- */

char *study_part_new(const char *gives)
{
    char *part = xasprintf("%s.%d.parsim-tmp", gives, (int)getpid());
    char *folder = xasprintf("%s.d", part);
    tempfile_add(part);
    tempfile_add(folder);
    free(folder);
    return part;
}

void study_part_drop(char *part)
{
    char *folder = xasprintf("%s.d", part);
    unlink(part);
    tempfile_remove_folder(folder);
    tempfile_forget(part);
    tempfile_forget(folder);
    free(folder);
    free(part);
}
