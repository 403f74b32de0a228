/* Outputs on a machine with a design that may change values. They are judged against the precise
 * run: the same program once more, without time and so without techniques, in a process of its own.
 * Not against the CPU reference: where a program goes through approximate instructions, the two
 * differ already. (The precise run is compared with the CPU reference itself.) */
#define _GNU_SOURCE /* memfd_create */
#include "wl_int.h"

#include "parsim/program.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

const char *wl_changes_values(void)
{
    return parsim_changes_values ? parsim_changes_values() : NULL;
}

void wl_judge(struct wl_array *a, const char *measure)
{
    assert(a->role & WL_OUTPUT);
    a->measure = measure;
}

/* --- the precise run --- */

/* Of what the run was told, only what decides which GPU the program sees. */
static bool is_for_precise(const char *variable)
{
    static const char *const keep[] = {"PARSIM_GPU=", "PARSIM_SET=", "PARSIM_JIT=", "PARSIM_OOB="};
    if (strncmp(variable, "PARSIM_", 7) != 0)
        return true;
    for (size_t i = 0; i < ARRAY_LEN(keep); i++)
        if (!strncmp(variable, keep[i], strlen(keep[i])))
            return true;
    return false;
}

static char **precise_environment(struct wl *w)
{
    size_t n = 0, k = 0;
    while (environ[n])
        n++;
    char **env = wl_alloc(w, n + 2, sizeof *env);
    for (size_t i = 0; i < n; i++)
        if (is_for_precise(environ[i]))
            env[k++] = environ[i];
    env[k] = "PARSIM_FUNCTIONAL=1";
    return env;
}

static void run_precise(struct wl *w, const char *outputs)
{
    char seed[32], *const size = (char *)wl_size_name(w->size);
    snprintf(seed, sizeof seed, "%" PRIu64, w->seed);
    char *args[] = {"parsim-workloads",
                    (char *)w->row->name,
                    "--size",
                    size,
                    "--seed",
                    seed,
                    w->check ? "--check" : "--no-check",
                    "--outputs",
                    (char *)outputs,
                    w->variant ? "--variant" : NULL,
                    (char *)w->variant,
                    NULL};
    char **env = precise_environment(w);
    int status;
    fflush(NULL);
    const pid_t parent = getpid(), child = fork();
    if (child == 0) {
        const int null = open("/dev/null", O_WRONLY);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent && null >= 0 && dup2(null, STDOUT_FILENO) >= 0)
            execve("/proc/self/exe", args, env);
        _exit(127);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            wl_die(w, "the precise run is lost: %s", strerror(errno));
    if (child < 0 || status)
        wl_die(w, "the precise run failed");
}

static bool read_all(int fd, void *data, size_t bytes)
{
    char *p = data;
    while (bytes) {
        const ssize_t n = read(fd, p, bytes);
        if (n <= 0)
            return false;
        p += n;
        bytes -= (size_t)n;
    }
    return true;
}

static void read_precise(struct wl *w)
{
    char path[32];
    const int fd = memfd_create("precise", 0);
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    if (fd < 0)
        wl_die(w, "no room for the precise run: %s", strerror(errno));
    run_precise(w, path);
    lseek(fd, 0, SEEK_SET);
    for (unsigned i = 0; i < w->narrays; i++) {
        struct wl_array *a = w->arrays[i];
        if (!(a->role & WL_OUTPUT))
            continue;
        a->precise = wl_alloc(w, wl_bytes(a), 1);
        if (!read_all(fd, a->precise, wl_bytes(a)))
            wl_die(w, "the precise run has left too little of %s", a->name);
    }
    close(fd);
}

void wl_write_outputs(const struct wl *w, const char *path)
{
    FILE *f = fopen(path, "wb");
    bool ok = f != NULL;
    for (unsigned i = 0; i < w->narrays && ok; i++)
        if (w->arrays[i]->role & WL_OUTPUT)
            ok = fwrite(w->arrays[i]->data, 1, wl_bytes(w->arrays[i]), f) == wl_bytes(w->arrays[i]);
    if ((f && fclose(f)) || !ok)
        wl_die(w, "cannot write %s: %s", path, strerror(errno));
}

/* --- the verdict --- */

/* What is not judged must be as the precise run has it, bit by bit. */
static void compare_bits(const struct wl_array *a, struct wl_verdict *v)
{
    const size_t bytes = wl_bytes(a) / a->count;
    for (size_t i = 0; i < a->count; i++)
        if (memcmp((char *)a->data + i * bytes, (char *)a->precise + i * bytes, bytes) &&
            !v->wrong++)
            wl_describe_wrong(v, a, i, a->precise, "the precise run");
    v->ok = !v->wrong;
}

/* Tells of an output; false: beyond a bound. */
static bool is_within(const struct wl *w, const struct wl_array *a)
{
    const struct parsim_output o = {
        .name = a->name,
        .type = wl_type_name(a->type),
        .measure = a->measure ? a->measure : "wrong",
        .precise = a->precise,
        .got = a->data,
        .precise_count = a->count,
        .count = a->count,
    };
    const int verdict = parsim_judge(&o);
    if (verdict < 0)
        wl_die(w, "%s could not be judged", a->name);
    return verdict == 0;
}

struct wl_verdict wl_judge_all(struct wl *w)
{
    struct wl_verdict v = {.ok = true, .is_judged = true};
    read_precise(w);
    for (unsigned i = 0; i < w->narrays; i++) {
        const struct wl_array *a = w->arrays[i];
        if (!(a->role & WL_OUTPUT))
            continue;
        if (!a->measure)
            compare_bits(a, &v);
        v.njudged += a->measure != NULL;
        v.nbeyond += !is_within(w, a);
    }
    return v;
}
