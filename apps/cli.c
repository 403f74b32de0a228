/* Reading what subcommands are given, and refusing it with one sentence. */
#include "cli.h"

#include "base/cpu.h"
#include "base/option_word.h"
#include "cmd.h"
#include "gpu/machine.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool cli_refuse_option(char **argv, struct err *err)
{
    return err_set(err, "option '%s' is not known or lacks its value; see --help",
                   option_word(argv));
}

bool cli_u64(const char *s, uint64_t *v)
{
    char *end;
    if (!isdigit((unsigned char)*s))
        return false;
    errno = 0;
    unsigned long long n = strtoull(s, &end, 0);
    unsigned shift = 0;
    if (*end == 'K' || *end == 'k')
        shift = 10;
    else if (*end == 'M' || *end == 'm')
        shift = 20;
    else if (*end == 'G' || *end == 'g')
        shift = 30;
    if (shift)
        end++;
    if (errno || *end || (n << shift) >> shift != n)
        return false;
    *v = (uint64_t)n << shift;
    return true;
}

bool cli_count(const char *name, const char *text, uint64_t *v, struct err *err)
{
    return (cli_u64(text, v) && *v >= 1 && *v <= 256) ||
           err_set(err, "--%s %s: must be 1 to 256", name, text);
}

bool cli_threads(const char *text, uint64_t *v, struct err *err)
{
    if (!cli_u64(text, v) || *v > 256)
        return err_set(err, "--threads %s: must be 0 (as the host has processors) to 256", text);
    if (!*v)
        *v = cpu_count() < 256 ? cpu_count() : 256;
    return true;
}

bool cli_seconds(const char *name, const char *text, uint64_t *v, struct err *err)
{
    return cli_u64(text, v) || err_set(err, "--%s %s: is no number of seconds", name, text);
}

bool cli_dims(const char *s, uint32_t dims[3])
{
    dims[0] = dims[1] = dims[2] = 1;
    for (unsigned i = 0; i < 3; i++) {
        char *end;
        errno = 0;
        unsigned long v = isdigit((unsigned char)*s) ? strtoul(s, &end, 0) : 0;
        if (!v || errno || v > UINT32_MAX)
            return false;
        dims[i] = (uint32_t)v;
        if (!*end)
            return true;
        if (*end != ',' && *end != 'x')
            return false;
        s = end + 1;
    }
    return false;
}

const struct cli_workload cli_workloads[] = {
#define X(symbol, ...) {__VA_ARGS__},
#include "../workloads/workloads.def"
#undef X
    {0}};

const struct cli_workload *cli_find_workload(const char *name, struct err *err)
{
    static const struct cli_workload program = {"", "", "", "", ""};
    if (study_is_program(name)) {
        char *file = study_program_file(name, err);
        const bool ok = file && cli_check_program(file, err);
        free(file);
        return ok ? &program : NULL;
    }
    /* behind it a variant and a seed, of which the workload itself knows */
    const size_t len = strcspn(name, ":#");
    for (const struct cli_workload *w = cli_workloads; w->name; w++)
        if (strlen(w->name) == len && !strncmp(w->name, name, len))
            return w;
    err_set(err, "no workload '%s'; 'parsim workloads' lists them", name);
    return NULL;
}

bool cli_check_workload(const char *name, struct err *err)
{
    const char *seed = study_is_program(name) ? NULL : strchr(name, '#');
    uint64_t n;
    if (seed && !cli_u64(seed + 1, &n))
        return err_set(err, "%s: the seed is no number", name);
    return cli_find_workload(name, err);
}

bool cli_check_size(const char *name, struct err *err)
{
    static const char *const sizes[] = {
#define X(symbol, size, before) size,
#include "../workloads/sizes.def"
#undef X
    };
    static const char list[] =
#define X(symbol, size, before) before size
#include "../workloads/sizes.def"
#undef X
        ;
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
        if (!strcmp(sizes[i], name))
            return true;
    return err_set(err, "--size %s: there are %s", name, list);
}

bool cli_check_program(const char *name, struct err *err)
{
    struct stat st;
    char *file = study_find_program(name);
    errno = 0;
    bool ok = !access(file, X_OK) && !stat(file, &st);
    if (ok && S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        ok = false;
    }
    free(file);
    return ok || err_set(err, "cannot run %s: %s", name, strerror(errno));
}

bool cli_programs(struct study_matrix *m, int argc, char **argv, struct err *err)
{
    const bool is_program = optind < argc && !strcmp(argv[optind - 1], "--");
    const size_t n = is_program ? 1 : (size_t)(argc - optind);
    if (optind == argc && !m->nprograms)
        return err_set(err, "no program given; see --help");
    m->programs = xrealloc(m->programs, (m->nprograms + n + 1) * sizeof *m->programs);
    for (size_t i = 0; i < n && optind < argc; i++) {
        char **at = argv + optind + i;
        m->programs[m->nprograms++] =
            (struct study_program){.name = *at, .program = is_program ? at : NULL};
        if (!(is_program ? cli_check_program(*at, err) : cli_check_workload(*at, err)))
            return false;
    }
    return true;
}

int cli_exit_code(enum study_end end)
{
    static const int codes[] = {
        [STUDY_DONE] = EXIT_DONE, [STUDY_INCOMPLETE] = EXIT_FAILED, [STUDY_REFUSED] = EXIT_USAGE};
    return codes[end];
}

int cli_fail(const char *command, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fflush(stdout);
    fprintf(stderr, "parsim %s: ", command);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    return EXIT_USAGE;
}

bool cli_add_plugin(char **list, const char *file, struct err *err)
{
    char *path = realpath(file, NULL);
    if (!path)
        return err_set(err, "--plugin %s: there is no such file", file);
    if (strchr(path, ',')) {
        free(path);
        return err_set(err, "--plugin %s: no comma can be in its name", file);
    }
    char *more = *list ? xasprintf("%s,%s", *list, path) : xstrdup(path);
    free(path);
    free(*list);
    *list = more;
    return true;
}

struct machine *cli_machine(const char *plugins, struct err *err)
{
    char *set = xasprintf("gpu.plugin=%s", plugins ? plugins : "");
    struct machine *m = machine_new(MACHINE_DEFAULT, (const char *const *)&set, 1, err);
    free(set);
    return m;
}
