/* Microbenchmarks beside the GPU's: tools/microbench, which a CUDA compiler makes a program of. Its
 * launches are compared in their order. */
#include "validate/measured_int.h"

#include "out/json.h"
#include "study/study.h"

#include <stdlib.h>
#include <string.h>

/* Those of which workloads/MACHINE_micro.csv has what the GPU counted, in that order. */
#define GROUPS                                                                                \
    "instructions", "tensor", "shared", "constant", "texture", "atomics", "barriers", "code", \
        "turns", "in_flight"

/* Whether our kernel, whose name is as compilers write it, can be the measured one: "chain.Op_imad
 * .1.32x1" and "_Z5chainI7Op_imadLi1EEv...". */
static bool is_same_kernel(const char *measured, const char *ours)
{
    char first[64];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(measured, "."), measured);
    return strstr(ours, first) != NULL;
}

static bool take_launches(struct measured *m, const struct json_object *result, struct err *err)
{
    json *kernels = NULL;
    json_object_object_get_ex(result, "kernels", &kernels);
    const size_t n = kernels ? json_object_array_length(kernels) : 0;
    if (n != m->at.len)
        return err_set(err, "%zu launches, but the GPU's were %zu: another program", n, m->at.len);
    for (size_t i = 0; i < n; i++) {
        const json *launch = json_object_array_get_idx(kernels, i);
        const char *name = json_object_get_string(json_object_object_get(launch, "name"));
        if (!is_same_kernel(m->at.data[i].name, name))
            return err_set(err, "launch %zu is %s, but the GPU's was %s: another program", i, name,
                           m->at.data[i].name);
        measured_take_launch(&m->at.data[i], launch, result);
    }
    return true;
}

static bool run_program(struct measured *m, const struct measured_options *o, struct err *err)
{
    char *program[] = {xstrdup(o->micro), "/dev/null", "--short", GROUPS, NULL};
    struct study_job j = {.kind = STUDY_RUN,
                          .gpu = o->machine,
                          .program = program,
                          .design = "base@gpu.flush_l2=true",
                          .keeps_kernels = true};
    const struct study_setup setup = {.size = "short", .threads = 1, .jobs = 1, .quiet = true};
    bool ok = study_run(&setup, &j, 1, NULL, err) &&
              (j.result ? take_launches(m, j.result, err)
                        : err_set(err, "%s gave nothing: %s", o->micro, j.error));
    study_jobs_free(&j, 1);
    free(program[0]);
    return ok;
}

bool measured_micro(const struct measured_options *o, FILE *out, struct err *err)
{
    char *file = xasprintf("%s_micro.csv", o->machine);
    struct measured m = {0};
    bool ok = reference_load(&m.table, o->data, file, err);
    for (size_t i = 0; ok && i < m.table.nrows; i++)
        vec_push(&m.at, measured_kernel_of(&m.table, i, "chosen"));
    ok = ok && run_program(&m, o, err);
    if (ok)
        measured_print_micro(&m, out);
    measured_free(&m);
    free(file);
    return ok;
}
