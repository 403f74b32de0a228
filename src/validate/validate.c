/* One subject: its data, its checks, its files. */
#include "validate/validate_int.h"

#include "base/outfile.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef bool subject_fn(const struct validate_run *o, struct checks *r, struct err *err);

static subject_fn *find_subject(const char *name)
{
    static const struct {
        const char *name;
        subject_fn *run;
    } subjects[] = {{"noc", validate_noc}, {"dram", validate_dram}, {"gpu", validate_gpu}};
    for (size_t i = 0; i < ARRAY_LEN(subjects); i++)
        if (!strcmp(name, subjects[i].name))
            return subjects[i].run;
    return NULL;
}

bool validate_knows(const char *subject)
{
    return find_subject(subject);
}

char *data_find(const char *sub)
{
    char exe[4096];
    if (!access(sub, R_OK))
        return xstrdup(sub);
    ssize_t len = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[len > 0 ? len : 0] = '\0';
    for (int up = 0; up < 4; up++) {
        char *slash = strrchr(exe, '/');
        if (!slash)
            break;
        *slash = '\0';
        char *path = xasprintf("%s/%s", exe, sub);
        if (!access(path, R_OK))
            return path;
        free(path);
    }
    return xstrdup(sub);
}

bool validate(const char *subject, const struct validate_options *o, FILE *out,
              struct validate_count *count, struct err *err)
{
    char *found = o->data ? NULL : data_find("tests/data/reference");
    struct validate_run run = {.data = found ? found : o->data, .quick = o->quick};
    struct checks r = {.out = out};
    bool ok = (!o->json || outfile_probe(o->json, err)) &&
              (!o->plot || (run.pictures = outfolder_open(o->plot, err)));
    ok = ok && find_subject(subject)(&run, &r, err);
    if (run.pictures)
        ok = outfolder_close(run.pictures, ok, err);
    ok = ok && (!o->json || checks_write_json(&r, o->json, err));
    *count = (struct validate_count){r.passed, r.failed};
    checks_free(&r);
    free(found);
    return ok;
}
