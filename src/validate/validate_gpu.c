/* parsim validate gpu: the whole machine beside GPGPU-Sim, and latencies beside hand calculation.
 */
#include "validate/validate_gpu_int.h"

#include "base/file.h"
#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

/* --- running a kernel --- */

static bool place_params(const struct timed_kernel *k, struct session *s, char *params,
                         struct err *err)
{
    struct rng rng = {1};
    for (unsigned i = 0; i < k->nbuffers; i++) {
        const struct mem_alloc *m =
            devmem_alloc(session_device(s)->mem, k->buffer_bytes, 0, MEM_DEVICE, NULL);
        if (!m)
            return err_set(err, "%s: no device memory", k->name);
        float *p = devmem_ptr(m->base);
        for (uint64_t j = 0; !k->fill && j < k->buffer_bytes / 4; j++)
            p[j] = (float)rng_unit(&rng);
        if (k->fill && !i)
            k->fill(p, k->buffer_bytes);
        session_copied(s, m->base, k->buffer_bytes);
        memcpy(params + 8 * i, &m->base, 8);
    }
    memcpy(params + 8 * k->nbuffers, k->numbers, 4 * k->nnumbers);
    return true;
}

bool timed_kernel_run(const struct timed_kernel *k, struct launch_result *r, struct err *err)
{
    struct ptx_module *m = ptx_parse(k->name, k->text, k->len, err);
    struct session_options o = {.gpu = "gtx480-gpgpusim",
                                .is_timed = true,
                                .regs = k->regs,
                                .sets = k->sets,
                                .nsets = k->nsets};
    struct session *s = m ? session_new(&o, err) : NULL;
    struct program *p = s ? program_load(session_device(s), &m, 1, err) : NULL;
    struct kernel *kernel = p ? program_kernel(p, k->name, err) : NULL;
    char params[64] = {0};
    struct launch l = {.kernel = kernel,
                       .grid = {k->grid[0], k->grid[1], 1},
                       .block = {k->block[0], k->block[1], 1},
                       .params = params};
    bool ok = kernel && place_params(k, s, params, err) && session_run(s, &l, r, err);
    program_unload(p);
    session_free(s);
    return ok;
}

/* --- GPGPU-Sim's four kernels --- */

enum { AS_IS, BURST_PER_SECTOR };

static bool run_row(const struct reference *t, size_t row, const char *dir, int how,
                    struct err *err, struct launch_result *r)
{
    /* A sector that is read costs GPGPU-Sim a whole burst, and nobody joins such reads. */
    static const char *const sets[] = {"mc.burst_per_sector=true", "dram.merge=false"};
    const char *name = reference_text(t, row, "kernel");
    char *path = xasprintf("%s/../gtx480/%s.ptx", dir, name);
    size_t len;
    char *text = file_read(path, &len, err);
    free(path);
    if (!text)
        return false;
    struct timed_kernel k = {
        .name = name,
        .text = text,
        .len = len,
        .grid = {(uint32_t)reference_number(t, row, "grid_x"),
                 (uint32_t)reference_number(t, row, "grid_y")},
        .block = {(uint32_t)reference_number(t, row, "block_x"),
                  (uint32_t)reference_number(t, row, "block_y")},
        .regs = (uint32_t)reference_number(t, row, "regs"),
        .sets = sets,
        .nsets = how == BURST_PER_SECTOR ? ARRAY_LEN(sets) : 0,
        .nbuffers = (unsigned)reference_number(t, row, "args_after"),
        .buffer_bytes = (uint64_t)reference_number(t, row, "buffer_bytes"),
        .numbers = {(int32_t)reference_number(t, row, "arg1"),
                    (int32_t)reference_number(t, row, "arg2")},
        .nnumbers = *reference_text(t, row, "arg2") ? 2 : 1,
    };
    bool ok = timed_kernel_run(&k, r, err);
    free(text);
    return ok;
}

/* The machine as it is moves two sectors in a burst, which GPGPU-Sim does not: where that matters
 * it is faster, and what is checked is the machine with GPGPU-Sim's charge. */
static bool validate_kernels(const struct validate_run *o, struct checks *r, struct err *err)
{
    static const char file[] = "gtx480_gpgpusim.csv";
    struct reference t;
    if (!reference_load(&t, o->data, file, err))
        return false;
    bool ok = true;
    for (size_t i = 0; ok && i < t.nrows; i++) {
        struct launch_result as_is, charged;
        const char *name = reference_text(&t, i, "kernel");
        if (o->quick && strcmp(name, "stencil"))
            continue;
        double theirs = reference_number(&t, i, "cycles"), bound = reference_number(&t, i, "bound");
        ok = run_row(&t, i, o->data, AS_IS, err, &as_is) &&
             run_row(&t, i, o->data, BURST_PER_SECTOR, err, &charged);
        if (!ok)
            break;
        checks_add(r, file, "warp inst", (double)as_is.warp_inst,
                   reference_number(&t, i, "warp_inst"), 0, "%s", name);
        fprintf(r->out, "note   %-58s %-16s ours %12.0f theirs %12.0f diff %+7.2f%%\n", name,
                "cycles, as it is", (double)as_is.cycles, theirs,
                100 * ((double)as_is.cycles / theirs - 1));
        checks_add(r, file, "cycles", (double)charged.cycles, theirs, bound,
                   "%s, a burst for each sector read", name);
    }
    reference_free(&t);
    return ok;
}

bool validate_gpu(const struct validate_run *o, struct checks *r, struct err *err)
{
    return validate_gpu_latencies(r, err) && validate_kernels(o, r, err);
}
