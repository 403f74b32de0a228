/* The module's face: runs to an LLVM module, the module to host code. */
#include "jit/emit.h"

#include <llvm-c/ErrorHandling.h>
#include <llvm-c/ExecutionEngine.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>

#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>

const struct translator *parsim_translator(void);

#define X(family) emit_rows_##family,
static const struct emit_row *const families[] = {EMIT_FAMILIES(X)};
#undef X

static bool row_fits(const struct emit_row *row, const struct run_op *op)
{
    return row->op == op->op && row->types >> op->type & 1 && !(op->variant & ~row->variants) &&
           (!row->fits || row->fits(op));
}

const struct emit_row *emit_find(const struct run_op *op)
{
    if (op->type2 != PTX_NOTYPE && op->op != PTX_OP_CVT)
        return NULL;
    for (size_t f = 0; f < ARRAY_LEN(families); f++)
        for (const struct emit_row *row = families[f]; row->emit; row++)
            if (op->in_mode == (families[f] == emit_rows_round) && row_fits(row, op))
                return row;
    return NULL;
}

/* Operands lie where the run says registers, constants and special registers do, and are of sizes
 * that vectors have. */
static bool is_placed(const struct run_op *op)
{
    const struct lane_op *lane = op->lane;
    const struct lane_ref *refs[] = {&lane->d,      &lane->d2,     &lane->src[0],
                                     &lane->src[1], &lane->src[2], &lane->src[3]};
    for (size_t i = 0; i < ARRAY_LEN(refs); i++)
        if (!refs[i]->none && (refs[i]->sel >= LANE_BASES || refs[i]->bytes > 8))
            return false;
    return true;
}

static bool knows(const struct run_op *op)
{
    return op->kind == RUN_LANE   ? is_placed(op) && emit_find(op)
           : op->kind == RUN_LOAD ? load_is_known(op)
                                  : move_is_known(op);
}

static bool ref_is_within(const struct run_text *run, const struct lane_ref *r)
{
    const uint32_t bytes = r->bytes ? r->bytes * WARP_LANES : 4u;
    return r->none || r->sel != LANE_REGS ||
           (bytes <= run->frame_bytes && r->off <= run->frame_bytes - bytes);
}

static bool result_is_within(const struct run_text *run, const struct lane_ref *r)
{
    return (r->none || r->sel == LANE_REGS) && ref_is_within(run, r);
}

static bool lane_is_within(const struct run_text *run, const struct lane_op *lane)
{
    bool ok = result_is_within(run, &lane->d) && result_is_within(run, &lane->d2) &&
              ref_is_within(run, &lane->cc);
    for (unsigned k = 0; k < ARRAY_LEN(lane->src); k++)
        ok &= ref_is_within(run, &lane->src[k]);
    return ok;
}

static bool load_is_within(const struct run_text *run, const struct xmem *m)
{
    bool ok = ref_is_within(run, &m->addr);
    for (unsigned k = 0; k < m->nregs; k++)
        ok &= result_is_within(run, &m->regs[k]);
    return ok;
}

static bool move_is_within(const struct run_text *run, const struct run_op *op)
{
    const unsigned nresults = op->kind == RUN_UNPACK ? op->move->nrefs - 1u : 1;
    bool ok = true;
    for (unsigned k = 0; k < op->move->nrefs; k++)
        ok &= k < nresults ? result_is_within(run, &op->move->refs[k])
                           : ref_is_within(run, &op->move->refs[k]);
    return ok;
}

/* Every register lies within the frame, and only registers are written: a mistake elsewhere must
 * not become a wild access here. */
static bool is_within(const struct run_text *run)
{
    bool ok = true;
    for (uint32_t i = 0; i < run->nops; i++) {
        const struct run_op *op = &run->ops[i];
        const struct lane_ref guard = {.off = op->guard_off, .none = !op->has_guard};
        ok &= ref_is_within(run, &guard);
        ok &= op->kind == RUN_LANE   ? lane_is_within(run, op->lane)
              : op->kind == RUN_LOAD ? load_is_within(run, op->mem)
                                     : move_is_within(run, op);
    }
    return ok;
}

static LLVMExecutionEngineRef new_engine(LLVMModuleRef mod)
{
    LLVMExecutionEngineRef engine = NULL;
    struct LLVMMCJITCompilerOptions options;
    char *error = NULL;
    LLVMInitializeMCJITCompilerOptions(&options, sizeof options);
    options.OptLevel = 1;
    if (LLVMCreateMCJITCompilerForModule(&engine, mod, &options, sizeof options, &error)) {
        LLVMDisposeMessage(error);
        LLVMDisposeModule(mod);
        return NULL;
    }
    return engine;
}

static void run_name(char *buf, size_t len, uint32_t i)
{
    snprintf(buf, len, "run%u", i);
}

struct code {
    LLVMContextRef ctx;
    LLVMExecutionEngineRef engine;
};

static void drop(void *p)
{
    struct code *c = p;
    if (c->engine)
        LLVMDisposeExecutionEngine(c->engine);
    LLVMContextDispose(c->ctx);
    free(c);
}

/* A function of its own: none of its values lives where give_up() returns to. */
__attribute__((noinline)) static void *compile(const struct run_text *runs, uint32_t n, run_fn *fn)
{
    struct code *c = xcalloc(1, sizeof *c);
    char name[16];
    c->ctx = LLVMContextCreate();
    struct emit e = {.ctx = c->ctx, .mod = LLVMModuleCreateWithNameInContext("runs", c->ctx)};
    e.b = LLVMCreateBuilderInContext(c->ctx);
    bool ok = true;
    for (uint32_t i = 0; ok && i < n; i++) {
        run_name(name, sizeof name, i);
        ok = is_within(&runs[i]);
        if (ok)
            emit_run(&e, &runs[i], name);
    }
    LLVMDisposeBuilder(e.b);
    c->engine = new_engine(e.mod);
    for (uint32_t i = 0; ok && c->engine && i < n; i++) {
        run_name(name, sizeof name, i);
        const uint64_t at = LLVMGetFunctionAddress(c->engine, name);
        fn[i] = (run_fn)(uintptr_t)at;
        ok = at != 0;
    }
    if (ok && c->engine)
        return c;
    drop(c);
    return NULL;
}

/* LLVM ends the process when it cannot go on. Here it only stops translating: what it has begun is
 * left as it is, and no run is translated any more. */
static _Thread_local jmp_buf *rescue;
static atomic_bool is_broken;

static void give_up(const char *reason)
{
    atomic_store(&is_broken, true);
    fprintf(stderr, "parsim: LLVM: %s; the rest of the program is not translated\n", reason);
    if (rescue)
        longjmp(*rescue, 1);
}

static void *translate(const struct run_text *runs, uint32_t n, run_fn *fn)
{
    jmp_buf here;
    if (atomic_load(&is_broken))
        return NULL;
    rescue = &here;
    void *code = setjmp(here) ? NULL : compile(runs, n, fn);
    rescue = NULL;
    return code;
}

/* The only loop of a run goes over the strips, from pointers that are ready. */
static void set_passes(void)
{
    static const char *const options[] = {"parsim", "-disable-lsr"};
    LLVMParseCommandLineOptions(ARRAY_LEN(options), options, "");
}

const struct translator *parsim_translator(void)
{
    static const struct translator translator = {RUN_ABI, knows, translate, drop};
    set_passes();
    LLVMInstallFatalErrorHandler(give_up);
    LLVMLinkInMCJIT();
    if (LLVMInitializeNativeTarget() || LLVMInitializeNativeAsmPrinter() ||
        LLVMInitializeNativeAsmParser())
        return NULL;
    return &translator;
}
