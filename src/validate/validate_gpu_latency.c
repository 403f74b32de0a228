/* Latencies by hand: a loop over a chain of dependent instructions is run with two lengths of the
 * chain and two numbers of rounds; start, end, loop and cold instruction cache cancel out in the
 * differences, what is left is the time of one instruction, which must be what the configuration's
 * numbers add up to.
 *
 * From issue to the issue of what depends on it, an instruction with n register operands takes
 *   1          to a collector
 *   n          to read the operands, one a cycle
 *   1          to the entry of its pipe
 * and then, in an arithmetic pipe, 1 to enter, latency cycles, 2 to leave and be written back; in
 * the memory pipe, 1 to be taken apart, then until the data are there, 1 to be written back. */
#include "validate/validate_gpu_int.h"

#include <stdarg.h>
#include <string.h>

enum { SHORT = 20, LONG = 50, FEW = 2, MANY = 6 };

struct chain {
    const char *what;
    const char *before, *op, *after;
    double expect;
    uint32_t threads;
    const char *sets[8];
    size_t nsets;
    void (*fill)(void *buffer, uint64_t bytes);
};

static char *text_of(const struct chain *c, unsigned n, unsigned rounds)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    fprintf(f,
            ".version 3.2\n.target sm_20\n.address_size 64\n"
            ".visible .entry chain(.param .u64 p)\n{\n"
            ".reg .b32 %%r<9>;\n.reg .f32 %%f<4>;\n.reg .b64 %%rd<9>;\n.reg .pred %%p<3>;\n"
            ".shared .align 4 .b8 buf[8192];\n"
            "ld.param.u64 %%rd1, [p];\nmov.u32 %%r1, %%tid.x;\nmov.u32 %%r8, 0;\n%sround:\n",
            c->before);
    for (unsigned i = 0; i < n; i++)
        fputs(c->op, f);
    fprintf(f, "add.s32 %%r8, %%r8, 1;\nsetp.lt.s32 %%p1, %%r8, %u;\n@%%p1 bra round;\n%sret;\n}\n",
            rounds, c->after);
    fclose(f);
    return text;
}

static bool chain_cycles(const struct chain *c, unsigned n, unsigned rounds, double *cycles,
                         struct err *err)
{
    char *text = text_of(c, n, rounds);
    struct timed_kernel k = {.name = "chain",
                             .text = text,
                             .len = strlen(text),
                             .grid = {1, 1},
                             .block = {c->threads, 1},
                             .sets = c->sets,
                             .nsets = c->nsets,
                             .nbuffers = 1,
                             .buffer_bytes = 512 << 10,
                             .fill = c->fill};
    struct launch_result r;
    bool ok = timed_kernel_run(&k, &r, err);
    *cycles = (double)r.cycles;
    free(text);
    return ok;
}

static bool chain_check(struct checks *r, const struct chain *c, struct err *err)
{
    double at[2][2];
    for (unsigned i = 0; i < 4; i++)
        if (!chain_cycles(c, i & 1 ? LONG : SHORT, i & 2 ? MANY : FEW, &at[i >> 1][i & 1], err))
            return err_prefix(err, "%s", c->what);
    double of_long = at[1][1] - at[0][1], of_short = at[1][0] - at[0][0];
    checks_add(r, "hand", "cycles", (of_long - of_short) / ((LONG - SHORT) * (MANY - FEW)),
               c->expect, 0, "%s", c->what);
    return true;
}

/* A list whose element at p holds the address of the next: offset 0 points at itself. */
static void fill_self(void *buffer, uint64_t bytes)
{
    (void)bytes;
    uint64_t p = (uint64_t)(uintptr_t)buffer;
    memcpy(buffer, &p, 8);
}

static void fill_steps(void *buffer, uint64_t bytes, uint64_t step)
{
    for (uint64_t off = 0; off + 8 <= bytes; off += step) {
        uint64_t p = (uint64_t)(uintptr_t)buffer + (off + step < bytes ? off + step : 0);
        memcpy((char *)buffer + off, &p, 8);
    }
}

/* Each step is another line. */
static void fill_lines(void *buffer, uint64_t bytes)
{
    fill_steps(buffer, bytes, 128);
}

/* Each step is another line of the first channel: two of each sixth granule of 256 bytes. */
static void fill_channel(void *buffer, uint64_t bytes)
{
    uint64_t base = (uint64_t)(uintptr_t)buffer;
    for (uint64_t off = 0; off + 1536 + 128 <= bytes; off += 1536) {
        uint64_t second = base + off + 128, next = base + off + 1536;
        memcpy((char *)buffer + off, &second, 8);
        memcpy((char *)buffer + off + 128, &next, 8);
    }
}

bool validate_gpu_latencies(struct checks *r, struct err *err)
{
    struct machine *m = machine_new("gtx480-gpgpusim", NULL, 0, err);
    if (!m)
        return false;
    const double arith = 1 + 1 + 1 + 1 + 2; /* one operand, beside the latency */
    const double memory = 1 + 1 + 1 + 1 + 1;
    const double port = (double)m->gpu.port_cycles;
    const double request = 5 + (double)noc_cfg_flits(&m->noc, 0) - 1;
    const double reply = 5 + (double)noc_cfg_flits(&m->noc, (uint32_t)m->l1.line_bytes) - 1;
    const double l1 = memory + (double)m->l1.latency;
    const double l2 = l1 + 4 * port + request + (double)m->l2.latency + reply;
    /* port, controller, port; the first burst from acceptance to its end, the second as much later
     * as one bank group allows; port, port */
    const double dram =
        l2 + 1 + (double)m->mc.latency_in + 1 +
        (1 + (double)m->dram_resolved.t_cl + (double)m->dram_resolved.burst_cycles) +
        (double)m->dram_resolved.t_ccd_l + 1 + 1;
    static const char chase[] = "ld.global.u64 %rd1, [%rd1];\n";
    const struct chain chains[] = {
        {"integer add, chained",
         "",
         "add.s32 %r1, %r1, 1;\n",
         "st.global.u32 [%rd1], %r1;\n",
         arith + (double)m->sm.iadd_latency,
         32,
         {0},
         0,
         NULL},
        {"integer add of two registers",
         "mov.u32 %r2, 1;\n",
         "add.s32 %r1, %r1, %r2;\n",
         "st.global.u32 [%rd1], %r1;\n",
         arith + 1 + (double)m->sm.iadd_latency,
         32,
         {0},
         0,
         NULL},
        {"float multiply-add of three registers",
         "mov.f32 %f1, 0f3F800000;\nmov.f32 %f2, %f1;\n",
         "fma.rn.f32 %f1, %f1, %f2, %f2;\n",
         "st.global.f32 [%rd1], %f1;\n",
         arith + 2 + (double)m->sm.fmad_latency,
         32,
         {0},
         0,
         NULL},
        {"special function, chained",
         "mov.f32 %f1, 0f3F800000;\n",
         "ex2.approx.f32 %f1, %f1;\n",
         "st.global.f32 [%rd1], %f1;\n",
         arith + (double)m->sm.sfu_latency,
         32,
         {0},
         0,
         NULL},
        {"shared memory, no conflict",
         "mov.u32 %r2, buf;\nst.shared.u32 [%r2], %r2;\n",
         "ld.shared.u32 %r2, [%r2];\n",
         "st.global.u32 [%rd1], %r2;\n",
         memory + (double)m->sm.shared_latency,
         32,
         {0},
         0,
         NULL},
        {"shared memory, 2 words of each bank",
         "mov.u32 %r2, buf;\nshl.b32 %r3, %r1, 3;\nadd.u32 %r2, %r2, %r3;\n"
         "st.shared.u32 [%r2], %r2;\n",
         "ld.shared.u32 %r2, [%r2];\n",
         "st.global.u32 [%rd1], %r2;\n",
         memory + (double)m->sm.shared_latency + 1,
         32,
         {0},
         0,
         NULL},
        {"shared memory, 32 words of one bank",
         "mov.u32 %r2, buf;\nshl.b32 %r3, %r1, 7;\nadd.u32 %r2, %r2, %r3;\n"
         "st.shared.u32 [%r2], %r2;\n",
         "ld.shared.u32 %r2, [%r2];\n",
         "st.global.u32 [%rd1], %r2;\n",
         memory + (double)m->sm.shared_latency + 31,
         32,
         {0},
         0,
         NULL},
        {"barrier of one warp: two instructions a fetch of 3 cycles",
         "",
         "bar.sync 0;\n",
         "",
         1.5,
         32,
         {0},
         0,
         NULL},
        {"barrier of two warps: their fetches take turns",
         "",
         "bar.sync 0;\n",
         "",
         2,
         64,
         {0},
         0,
         NULL},
        {"L1 hit",
         "ld.global.u64 %rd1, [%rd1];\n",
         chase,
         "st.global.u64 [%rd1+64], %rd1;\n",
         l1,
         32,
         {0},
         0,
         fill_self},
        {"L2 hit", "", chase, "st.global.u64 [%rd1+64], %rd1;\n", l2, 32, {0}, 0, fill_lines},
        {"DRAM row hit",
         "",
         chase,
         "st.global.u64 [%rd1+64], %rd1;\n",
         dram,
         32,
         {"gpu.copy_fills_l2=false", "gpu.dram_mhz=700", "dram.row_bytes=65536"},
         3,
         fill_channel},
    };
    bool ok = true;
    for (unsigned i = 0; ok && i < ARRAY_LEN(chains); i++)
        ok = chain_check(r, &chains[i], err);
    machine_free(m);
    return ok;
}
