/* A routine of assist/ on one warp: its module, its windows with guards around them, its steps. */
#include "assist/support_routine.h"

#include "ptx/isa.h"
#include "tech/assist/lane_masks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Where the windows of a codec routine are, with bytes between that nobody may touch. */
/* One behind the other: a routine may take dst for src + LINE. */
enum { SRC = 512, DST = SRC + LINE, RESULT = 1024, WINDOWS = 1536, UNWRITTEN = 0xee };

/* --- modules --- */

char *assist_text(const char *file)
{
    const char *tests = getenv("PARSIM_TESTS");
    char path[4096];
    snprintf(path, sizeof path, "%s/../assist/%s", tests ? tests : "tests", file);
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("cannot open %s", path);
    char *text = test_calloc(1, 1 << 20);
    size_t n = fread(text, 1, (1 << 20) - 1, f);
    fclose(f);
    assert_in_range(n, 1, (1 << 20) - 2);
    return text;
}

char *assist_text_changed(const char *file, const char *where, const char *from, const char *to)
{
    char *text = assist_text(file), *at = strstr(text, where);
    if (!at || !(at = strstr(at, from)))
        fail_msg("'%s' after '%s' is not in %s", from, where, file);
    size_t nfrom = strlen(from), nto = strlen(to);
    memmove(at + nto, at + nfrom, strlen(at + nfrom) + 1);
    memcpy(at, to, nto);
    return text;
}

void assist_open(struct assist *a, const char *file, const char *text)
{
    struct err err = {0};
    a->dev = device_new(UINT64_C(1) << 30, &err);
    assert_non_null(a->dev);
    struct ptx_module *m = ptx_parse(file, text, strlen(text), &err);
    if (!m)
        fail_msg("%s", err.msg);
    a->prog = program_load(a->dev, &m, 1, &err);
    if (!a->prog)
        fail_msg("%s", err.msg);
    program_join_shared(a->prog);
    a->fx = effects_new();
}

void assist_close(struct assist *a)
{
    effects_free(a->fx);
    program_unload(a->prog);
    device_free(a->dev);
}

/* --- routines --- */

void routine_open(struct routine *r, struct assist *a, const char *name)
{
    struct err err = {0};
    memset(r, 0, sizeof *r);
    r->assist = a;
    r->launch = (struct launch){.kernel = program_kernel(a->prog, name, &err),
                                .grid = {1, 1, 1},
                                .block = {WARP_LANES, 1, 1},
                                .dynamic_shared_bytes = WINDOWS,
                                .params = r->params};
    if (!r->launch.kernel)
        fail_msg("%s", err.msg);
    assert_in_range(r->launch.kernel->src->param_bytes, 1, sizeof r->params);
    grid_init(&r->grid, a->dev, &r->launch);
    if (!routine_decl_parse(r->launch.kernel->src, &r->decl, &err))
        fail_msg("%s", err.msg);
    r->cta = cta_new(&r->grid);
    cta_start(r->cta, &r->grid, 0);
}

void routine_close(struct routine *r)
{
    cta_free(r->cta);
}

static bool set_if_there(struct routine *r, const char *name, const void *value, uint64_t most)
{
    const struct ptx_func *f = r->launch.kernel->src;
    for (uint32_t i = 0; i < f->nparams; i++)
        if (!strcmp(f->params[i]->name, name)) {
            assert_true(f->params[i]->bytes <= most);
            memcpy(r->params + f->params[i]->offset, value, f->params[i]->bytes);
            return true;
        }
    return false;
}

static void set_bytes(struct routine *r, const char *name, const void *value, uint64_t most)
{
    if (!set_if_there(r, name, value, most))
        fail_msg("%s has no parameter %s", r->launch.kernel->src->name, name);
}

void routine_set(struct routine *r, const char *name, uint64_t value)
{
    set_bytes(r, name, &value, sizeof value);
}

void routine_set_lanes(struct routine *r, const char *name, const uint64_t *values)
{
    set_bytes(r, name, values, WARP_LANES * sizeof *values);
}

void routine_run(struct routine *r)
{
    struct warp *w = &r->cta->warps[0];
    struct step s;
    warp_start(w, r->cta, 0, 0, WARP_LANES);
    r->cta->live_threads = WARP_LANES;
    w->live &= r->decl.mask;
    warp_top(w)->mask = w->live;
    if (r->decl.nlanes && r->decl.on == ON_FILL)
        lane_masks_set(w, r->launch.kernel->entry, &r->decl, r->mask);
    lane_steps_set(w, r->launch.kernel->entry, &r->decl, SRC);
    for (r->ninst = 0; warp_peek(w); r->ninst++) {
        if (r->decl.has_all && warp_peek(w)->src && warp_peek(w)->src->op == PTX_OP_RET)
            r->fits = lane_masks_get(w, r->launch.kernel->entry, &r->decl, &r->mask);
        if (!warp_step(w, r->assist->fx, r->ninst, &s))
            fail_msg("%s", r->grid.fault.msg);
        if (r->on_step)
            r->on_step(r->ctx, &s);
        assert_in_range(r->ninst, 0, 10000);
    }
    assert_int_equal(w->state, WARP_DONE);
}

uint32_t routine_windows(const struct routine *r)
{
    return r->cta->shared_bytes - WINDOWS;
}

uint32_t routine_code(struct routine *r, const uint8_t *in, uint8_t *out)
{
    uint8_t *shared = (uint8_t *)r->cta->shared;
    uint32_t result;
    memset(shared, UNWRITTEN, WINDOWS);
    memcpy(shared + SRC, in, LINE);
    set_if_there(r, "src", &(uint64_t){SRC}, 8);
    set_if_there(r, "dst", &(uint64_t){DST}, 8);
    set_if_there(r, "result", &(uint64_t){RESULT}, 8);
    routine_run(r);
    memcpy(out, shared + DST, LINE);
    memcpy(&result, shared + RESULT, 4);
    memset(shared + DST, UNWRITTEN, LINE);
    memset(shared + RESULT, UNWRITTEN, 4);
    assert_memory_equal(shared + SRC, in, LINE);
    memset(shared + SRC, UNWRITTEN, LINE);
    for (unsigned i = 0; i < WINDOWS; i++)
        if (shared[i] != UNWRITTEN)
            fail_msg("%s wrote outside its windows", r->launch.kernel->src->name);
    return result;
}
