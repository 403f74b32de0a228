/* What QEMU runs to make test vectors: reads requests (word, seed, kind) from standard input, puts
 * each word into a page, executes it in the state that its seed gives, writes the digest of what
 * came out. Freestanding: it has all registers for itself. tools/a64/vectors builds it. */
#include "programs/svc.h"
#include "vector_state.h"

struct request {
    uint32_t word, kind;
    uint64_t seed;
};

struct vector_state state_in, state_out;
uint64_t kept_sp;
void run_vector(void);

#define ALL_32 \
    "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"

/* Everything into the registers, the instruction, everything out of them. Behind it are two
 * branches: where it goes on, and where a branch leads. */
__asm__(".globl run_vector, landed, jumped\n"
        "run_vector:\n"
        "  stp x29, x30, [sp, #-96]!\n  stp x19, x20, [sp, #16]\n  stp x21, x22, [sp, #32]\n"
        "  stp x23, x24, [sp, #48]\n  stp x25, x26, [sp, #64]\n  stp x27, x28, [sp, #80]\n"
        "  adrp x0, kept_sp\n  add x0, x0, :lo12:kept_sp\n  mov x1, sp\n  str x1, [x0]\n"
        "  adrp x0, state_in\n  add x0, x0, :lo12:state_in\n  clrex\n"
        "  add x1, x0, #256\n"
        "  .irp r," ALL_32 "\n  ldr q\\r, [x1], #16\n  .endr\n"
        "  ldr x1, [x0, #768]\n  msr nzcv, x1\n  ldr x1, [x0, #776]\n  msr fpcr, x1\n"
        "  ldr x1, [x0, #784]\n  msr fpsr, x1\n  ldr x1, [x0, #248]\n  mov sp, x1\n"
        "  ldp x1, x2, [x0, #8]\n  ldp x3, x4, [x0, #24]\n  ldp x5, x6, [x0, #40]\n"
        "  ldp x7, x8, [x0, #56]\n  ldp x9, x10, [x0, #72]\n  ldp x11, x12, [x0, #88]\n"
        "  ldp x13, x14, [x0, #104]\n  ldp x15, x16, [x0, #120]\n  ldp x17, x18, [x0, #136]\n"
        "  ldp x19, x20, [x0, #152]\n  ldp x21, x22, [x0, #168]\n  ldp x23, x24, [x0, #184]\n"
        "  ldp x25, x26, [x0, #200]\n  ldp x27, x28, [x0, #216]\n  ldp x29, x30, [x0, #232]\n"
        "  ldr x0, [x0]\n  b slot\n"
        ".macro SAVE step\n"
        "  msr tpidr_el0, x0\n  adrp x0, state_out\n  add x0, x0, :lo12:state_out\n"
        "  stp x1, x2, [x0, #8]\n  mov x1, #\\step\n  str x1, [x0, #792]\n  b save\n"
        ".endm\n"
        "landed: SAVE 4\n"
        "jumped: SAVE 8\n"
        "save:\n"
        "  stp x3, x4, [x0, #24]\n  stp x5, x6, [x0, #40]\n"
        "  stp x7, x8, [x0, #56]\n  stp x9, x10, [x0, #72]\n  stp x11, x12, [x0, #88]\n"
        "  stp x13, x14, [x0, #104]\n  stp x15, x16, [x0, #120]\n  stp x17, x18, [x0, #136]\n"
        "  stp x19, x20, [x0, #152]\n  stp x21, x22, [x0, #168]\n  stp x23, x24, [x0, #184]\n"
        "  stp x25, x26, [x0, #200]\n  stp x27, x28, [x0, #216]\n  stp x29, x30, [x0, #232]\n"
        "  mrs x1, tpidr_el0\n  str x1, [x0]\n  mov x1, sp\n  str x1, [x0, #248]\n"
        "  mrs x1, nzcv\n  str x1, [x0, #768]\n  mrs x1, fpcr\n  str x1, [x0, #776]\n"
        "  mrs x1, fpsr\n  str x1, [x0, #784]\n"
        "  add x1, x0, #256\n"
        "  .irp r," ALL_32 "\n  str q\\r, [x1], #16\n  .endr\n"
        "  msr fpcr, xzr\n"
        "  adrp x0, kept_sp\n  add x0, x0, :lo12:kept_sp\n  ldr x1, [x0]\n  mov sp, x1\n"
        "  ldp x19, x20, [sp, #16]\n  ldp x21, x22, [sp, #32]\n  ldp x23, x24, [sp, #48]\n"
        "  ldp x25, x26, [sp, #64]\n  ldp x27, x28, [sp, #80]\n  ldp x29, x30, [sp], #96\n  ret\n");

void landed(void);
void jumped(void);

static void branch_at(uint32_t *at, void (*to)(void))
{
    const int64_t words = ((int64_t)to - (int64_t)at) / 4;
    *at = 0x14000000 | ((uint32_t)words & 0x3ffffff);
}

static void prepare(const struct request *r)
{
    uint32_t *slot = (uint32_t *)VECTOR_PC;
    uint64_t *memory = (uint64_t *)VECTOR_SCRATCH;
    uint64_t s = 1;
    for (unsigned i = 0; i < VECTOR_PAGE / 8; i++)
        memory[i] = vector_next(&s);
    *slot = r->word;
    branch_at(slot + 1, landed);
    branch_at(slot + 2, jumped);
    __asm__ volatile("dc cvau, %0\n dsb ish\n ic ivau, %0\n dsb ish\n isb" ::"r"(slot) : "memory");
    vector_make(&state_in, r->word, r->seed, r->kind);
}

void start(void)
{
    enum { READ = 63, WRITE = 64, EXIT = 94, MMAP = 222, RWX = 7, PRIVATE_FIXED_ANON = 0x32 };
    struct request r;
    call(MMAP, (long)VECTOR_CODE, VECTOR_PAGE, RWX, PRIVATE_FIXED_ANON, -1, 0);
    call(MMAP, (long)VECTOR_SCRATCH, VECTOR_PAGE, RWX, PRIVATE_FIXED_ANON, -1, 0);
    for (unsigned i = 0; i < VECTOR_WORDS; i++)
        ((uint32_t *)VECTOR_CODE)[i] = vector_word(i);
    while (call(READ, 0, (long)&r, sizeof r, 0, 0, 0) == sizeof r) {
        prepare(&r);
        run_vector();
        const uint32_t digest = vector_digest(&state_out, (const uint64_t *)VECTOR_SCRATCH);
        call(WRITE, 1, (long)&digest, sizeof digest, 0, 0, 0);
        if (r.kind & VECTOR_SHOW)
            call(WRITE, 1, (long)&state_out, sizeof state_out, 0, 0, 0);
    }
    call(EXIT, 0, 0, 0, 0, 0, 0);
}

__asm__(".globl _start\n_start:\n  b start\n");
