/* The arrays of a program as one file, for codecs. */
#include "study/study_kind.h"
#include "study/study_words.h"

#include "base/file.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static char *dump_gives(const struct study_setup *s, const struct study_job *j)
{
    return study_file_of(s, j, ".dump");
}

/* The arrays of a workload, whole blocks of each, one after another: its dump at `path`. */
static bool join_dump(const char *folder, const char *path)
{
    enum { BLOCK = 128 };
    struct dirent **names = NULL;
    struct err err = {0};
    int n = scandir(folder, &names, NULL, alphasort);
    FILE *out = n > 0 ? fopen(path, "wb") : NULL;
    bool ok = out != NULL;
    for (int i = 0; i < n; i++) {
        char *file = xasprintf("%s/%s", folder, names[i]->d_name);
        size_t len;
        char *data = names[i]->d_name[0] != '.' ? file_read(file, &len, &err) : NULL;
        if (data)
            ok = ok && fwrite(data, BLOCK, len / BLOCK, out) == len / BLOCK;
        if (names[i]->d_name[0] != '.')
            unlink(file);
        free(data);
        free(file);
        free(names[i]);
    }
    free(names);
    rmdir(folder);
    return (!out || !fclose(out)) && ok && !err.msg[0];
}

static NORETURN void dump_child(const struct study_setup *s, const struct study_job *j,
                                const char *json, const char *part)
{
    char *folder = xasprintf("%s.d", part);
    (void)json;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        struct study_words w = {0};
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        study_words_parsim(&w, "run");
        study_words_add(&w, "--quiet");
        study_words_workload(&w, s, j);
        study_words_add(&w, "--dump"); /* the program's own: arrays, not pages */
        study_words_add(&w, folder);
        study_words_exec(&w);
    }
    int code = pid < 0 ? 1 : study_words_wait(pid);
    _exit(code ? code : !join_dump(folder, part));
}

const struct study_kind_ops study_kind_dump = {.gives = dump_gives, .child = dump_child};
