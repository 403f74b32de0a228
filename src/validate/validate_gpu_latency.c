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

/* What an instruction's time begins with: of its pipe, or all the way to a memory. */
enum start { NOTHING, ARITH, MEMORY, TO_L1, TO_L2, TO_DRAM, STARTS };

struct chain {
    const char *what;
    const char *before, *op, *after;
    enum start start;
    size_t latency; /* the field of struct machine that comes to it; 0: none */
    double more;    /* and so many cycles */
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

static bool chain_check(struct checks *r, const struct chain *c, double expect, struct err *err)
{
    double at[2][2];
    for (unsigned i = 0; i < 4; i++)
        if (!chain_cycles(c, i & 1 ? LONG : SHORT, i & 2 ? MANY : FEW, &at[i >> 1][i & 1], err))
            return err_prefix(err, "%s", c->what);
    double of_long = at[1][1] - at[0][1], of_short = at[1][0] - at[0][0];
    checks_add(r, "hand", "cycles", (of_long - of_short) / ((LONG - SHORT) * (MANY - FEW)), expect,
               0, "%s", c->what);
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

/* --- what is expected --- */

#define SM(field) offsetof(struct machine, sm.field)
#define CHASE     "ld.global.u64 %rd1, [%rd1];\n"
#define PUT_U32   "st.global.u32 [%rd1], %r1;\n"
#define PUT_F32   "st.global.f32 [%rd1], %f1;\n"
#define PUT_R2    "st.global.u32 [%rd1], %r2;\n"
#define PUT_CHASE "st.global.u64 [%rd1+64], %rd1;\n"
#define FLOAT_ONE "mov.f32 %f1, 0f3F800000;\n"
#define LOAD_R2   "ld.shared.u32 %r2, [%r2];\n"
/* %r2 = an address in shared memory, `shift` apart from thread to thread, that holds itself */
#define SHARED_AT(shift)                           \
    "mov.u32 %r2, buf;\nshl.b32 %r3, %r1, " #shift \
    ";\nadd.u32 %r2, %r2, %r3;\nst.shared.u32 [%r2], %r2;\n"

/* clang-format off */
static const struct chain chains[] = {
    {"integer add, chained", "", "add.s32 %r1, %r1, 1;\n", PUT_U32, ARITH, SM(iadd_latency), 0, .threads = 32},
    {"integer add of two registers", "mov.u32 %r2, 1;\n", "add.s32 %r1, %r1, %r2;\n", PUT_U32,
     ARITH, SM(iadd_latency), 1, .threads = 32},
    {"float multiply-add of three registers", FLOAT_ONE "mov.f32 %f2, %f1;\n",
     "fma.rn.f32 %f1, %f1, %f2, %f2;\n", PUT_F32, ARITH, SM(fmad_latency), 2, .threads = 32},
    {"special function, chained", FLOAT_ONE, "ex2.approx.f32 %f1, %f1;\n", PUT_F32,
     ARITH, SM(sfu_latency), 0, .threads = 32},
    {"shared memory, no conflict", "mov.u32 %r2, buf;\nst.shared.u32 [%r2], %r2;\n", LOAD_R2, PUT_R2,
     MEMORY, SM(shared_latency), 0, .threads = 32},
    {"shared memory, 2 words of each bank", SHARED_AT(3), LOAD_R2, PUT_R2,
     MEMORY, SM(shared_latency), 1, .threads = 32},
    {"shared memory, 32 words of one bank", SHARED_AT(7), LOAD_R2, PUT_R2,
     MEMORY, SM(shared_latency), 31, .threads = 32},
    {"barrier of one warp: two instructions a fetch of 3 cycles", "", "bar.sync 0;\n", "",
     NOTHING, 0, 1.5, .threads = 32},
    {"barrier of two warps: their fetches take turns", "", "bar.sync 0;\n", "", NOTHING, 0, 2, .threads = 64},
    {"L1 hit", CHASE, CHASE, PUT_CHASE, TO_L1, 0, 0, .threads = 32, .fill = fill_self},
    {"L2 hit", "", CHASE, PUT_CHASE, TO_L2, 0, 0, .threads = 32, .fill = fill_lines},
    {"DRAM row hit", "", CHASE, PUT_CHASE, TO_DRAM, 0, 0, .threads = 32,
     .sets = {"gpu.copy_fills_l2=false", "gpu.dram_mhz=700", "dram.row_bytes=65536"}, .nsets = 3, .fill = fill_channel},
};
/* clang-format on */

static void fill_starts(const struct machine *m, double at[STARTS])
{
    const double port = (double)m->gpu.port_cycles;
    const double request = 5 + (double)noc_cfg_flits(&m->noc, 0) - 1;
    const double reply = 5 + (double)noc_cfg_flits(&m->noc, (uint32_t)m->l1.line_bytes) - 1;
    at[NOTHING] = 0;
    at[ARITH] = 1 + 1 + 1 + 1 + 2; /* with one operand */
    at[MEMORY] = 1 + 1 + 1 + 1 + 1;
    at[TO_L1] = at[MEMORY] + (double)m->l1.latency;
    at[TO_L2] = at[TO_L1] + 4 * port + request + (double)m->l2.latency + reply;
    /* port, controller, port; the first burst from acceptance to its end, the second as much later
     * as one bank group allows; port, port */
    at[TO_DRAM] = at[TO_L2] + 1 + (double)m->mc.latency_in + 1 +
                  (1 + (double)m->dram_resolved.t_cl + (double)m->dram_resolved.burst_cycles) +
                  (double)m->dram_resolved.t_ccd_l + 1 + 1;
}

bool validate_gpu_latencies(struct checks *r, struct err *err)
{
    double starts[STARTS];
    struct machine *m = machine_new("gtx480-gpgpusim", NULL, 0, err);
    bool ok = m;
    if (m)
        fill_starts(m, starts);
    for (unsigned i = 0; ok && i < ARRAY_LEN(chains); i++) {
        const struct chain *c = &chains[i];
        int64_t latency = 0;
        if (c->latency)
            memcpy(&latency, (const char *)m + c->latency, sizeof latency);
        ok = chain_check(r, c, starts[c->start] + (double)latency + c->more, err);
    }
    machine_free(m);
    return ok;
}
