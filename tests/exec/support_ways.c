/* Two runs of a kernel and what they may not differ in. */
#include "exec/support_ways.h"

struct outcome {
    char msg[1024];
    uint64_t warp_inst, thread_inst;
    char mem[WAYS_MEM_BYTES], out[WAYS_OUT_BYTES];
};

void say(struct text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    t->len += (size_t)vsnprintf(t->buf + t->len, sizeof t->buf - t->len, fmt, ap);
    va_end(ap);
    assert_true(t->len < sizeof t->buf);
}

static void ignore(const char *msg, void *arg)
{
    (void)msg;
    (void)arg;
}

void ways_open(struct ways *w, uint32_t blocks, uint32_t threads)
{
    struct err err = {0};
    *w = (struct ways){
        .dev = device_new(UINT64_C(1) << 30, &err), .blocks = blocks, .threads = threads};
    assert_non_null(w->dev);
    w->mem = devmem_alloc(w->dev->mem, WAYS_MEM_BYTES, 0, MEM_DEVICE, NULL);
    w->out = devmem_alloc(w->dev->mem, WAYS_OUT_BYTES, 0, MEM_DEVICE, NULL);
    w->check = checker_new(true, true, ignore, NULL);
}

void ways_close(struct ways *w)
{
    device_free(w->dev);
    checker_free(w->check);
}

static void run(struct ways *w, const struct text *t, bool is_checked, struct outcome *o)
{
    struct err err = {0};
    uint32_t *words = devmem_ptr(w->mem->base);
    for (unsigned i = 0; i < WAYS_MEM_BYTES / 4; i++)
        words[i] = i * 0x9e3779b9 + 0x81828384;
    memset(devmem_ptr(w->out->base), 0, WAYS_OUT_BYTES);
    struct ptx_module *m = ptx_parse("test.ptx", t->buf, t->len, &err);
    struct program *p = m ? program_load(w->dev, &m, 1, &err) : NULL;
    struct kernel *k = p ? program_kernel(p, "k", &err) : NULL;
    if (!k)
        fail_msg("%s in:\n%s", err.msg, t->buf);
    uint64_t params[] = {w->mem->base, w->out->base};
    struct launch l = {.kernel = k,
                       .grid = {w->blocks, 1, 1},
                       .block = {w->threads, 1, 1},
                       .params = params,
                       .max_inst = 100000};
    struct launch_result result;
    w->dev->check = is_checked ? w->check : NULL;
    const bool is_good = grid_run(w->dev, &l, &result, &err);
    snprintf(o->msg, sizeof o->msg, "%s", is_good ? "" : err.msg);
    o->warp_inst = result.warp_inst;
    o->thread_inst = result.thread_inst;
    memcpy(o->mem, words, sizeof o->mem);
    memcpy(o->out, devmem_ptr(w->out->base), sizeof o->out);
    program_unload(p);
}

void ways_compare(struct ways *w, const struct text *checked_text, const struct text *t)
{
    static struct outcome checked, brief;
    const bool is_same_text = checked_text == t;
    run(w, checked_text, true, &checked);
    run(w, t, false, &brief);
    if (is_same_text ? strcmp(checked.msg, brief.msg) : !*checked.msg != !*brief.msg)
        fail_msg("'%s', but the checked way says '%s' of:\n%s", brief.msg, checked.msg, t->buf);
    if (memcmp(checked.mem, brief.mem, sizeof brief.mem) ||
        memcmp(checked.out, brief.out, sizeof brief.out))
        fail_msg("another result than the checked way:\n%s", t->buf);
    if (is_same_text) {
        assert_int_equal(checked.warp_inst, brief.warp_inst);
        assert_int_equal(checked.thread_inst, brief.thread_inst);
    }
    w->good += !*brief.msg;
    w->bad += *brief.msg != 0;
}
