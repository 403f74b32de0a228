/* What QEMU runs to tell allocated words from others: executes the random words of vector_next(),
 * with registers that lead nowhere, and writes a bit for each: 0 if it was an illegal instruction.
 * Words that would leave for good (branches, exceptions) are skipped as allocated. Freestanding. */
#include "programs/svc.h"
#include "vector_state.h"

enum { WORDS = 1 << 20 };

uint64_t kept_sp;
int run_word(void);
void recover(void);

static uint8_t bits[WORDS / 8];
static uint64_t handler_stack[4096];

__asm__(
    ".globl run_word, recover\n"
    "run_word:\n"
    "  stp x29, x30, [sp, #-96]!\n  stp x19, x20, [sp, #16]\n  stp x21, x22, [sp, #32]\n"
    "  stp x23, x24, [sp, #48]\n  stp x25, x26, [sp, #64]\n  stp x27, x28, [sp, #80]\n"
    "  adrp x0, kept_sp\n  add x0, x0, :lo12:kept_sp\n  mov x1, sp\n  str x1, [x0]\n"
    "  mov x0, #0x7f0000000000\n"
    "  .irp r,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30\n"
    "  mov x\\r, x0\n  .endr\n"
    "  mov sp, x0\n  b slot\n"
    ".globl landed\nlanded: mov x0, #1\n"
    "recover:\n" /* x0: the answer */
    "  adrp x2, kept_sp\n  add x2, x2, :lo12:kept_sp\n  ldr x1, [x2]\n  mov sp, x1\n"
    "  ldp x19, x20, [sp, #16]\n  ldp x21, x22, [sp, #32]\n  ldp x23, x24, [sp, #48]\n"
    "  ldp x25, x26, [sp, #64]\n  ldp x27, x28, [sp, #80]\n  ldp x29, x30, [sp], #96\n  ret\n"
    ".globl on_illegal, on_other\n"
    "on_illegal: mov x0, #0\n  b recover\n"
    "on_other: mov x0, #1\n  b recover\n");
void landed(void);
void on_illegal(void);
void on_other(void);

static void catch (long sig, void (*fn)(void))
{
    const uint64_t action[4] = {(uint64_t)fn, 0x08000000 | 0x40000000 | 4}; /* ONSTACK NODEFER */
    call(134, sig, (long)action, 0, 8, 0, 0);
}

/* b, bl, conditional and test branches, exception generation. */
static int leaves(uint32_t w)
{
    return (w & 0x7c000000) == 0x14000000 || (w & 0xff000010) == 0x54000000 ||
           (w & 0x7c000000) == 0x34000000 || (w & 0xff000000) == 0xd4000000;
}

static int is_allocated(uint32_t w)
{
    uint32_t *slot = (uint32_t *)VECTOR_PC;
    *slot = w;
    __asm__ volatile("dc cvau, %0\n dsb ish\n ic ivau, %0\n dsb ish\n isb" ::"r"(slot) : "memory");
    return run_word();
}

void start(void)
{
    uint64_t s = 0;
    const uint64_t stack[3] = {(uint64_t)handler_stack, 0, sizeof handler_stack};
    call(222, (long)VECTOR_CODE, VECTOR_PAGE, 7, 0x32, -1, 0);
    call(132, (long)stack, 0, 0, 0, 0, 0);
    catch (4, on_illegal);
    catch (5, on_other);
    catch (7, on_other);
    catch (11, on_other);
    const int64_t words = ((int64_t)landed - (int64_t)(VECTOR_PC + 4)) / 4;
    ((uint32_t *)VECTOR_PC)[1] = 0x14000000 | ((uint32_t)words & 0x3ffffff);
    for (unsigned i = 0; i < WORDS; i++) {
        const uint32_t w = (uint32_t)vector_next(&s);
        if (leaves(w) || is_allocated(w))
            bits[i / 8] |= (uint8_t)(1u << i % 8);
    }
    for (long done = 0; done < (long)sizeof bits;)
        done += call(64, 1, (long)bits + done, (long)sizeof bits - done, 0, 0, 0);
    call(94, 0, 0, 0, 0, 0, 0);
}

__asm__(".globl _start\n_start:\n  b start\n");
