/* Code that changes: written, protected, executed, written again, moved; and exclusive accesses. */
#include "small.h"

static void sync(const void *at)
{
    __asm__ volatile("dc cvau, %0\n dsb ish\n ic ivau, %0\n dsb ish\n isb" ::"r"(at) : "memory");
}

/* mov w0, #v; ret */
static void write_function(uint32_t *at, unsigned v)
{
    at[0] = 0x52800000 | v << 5;
    at[1] = 0xd65f03c0;
    sync(at);
}

static long add_one(long *at)
{
    long old, new, failed;
    do
        __asm__ volatile("ldaxr %0, [%3]\n add %1, %0, #1\n stlxr %w2, %1, [%3]"
                         : "=&r"(old), "=&r"(new), "=&r"(failed)
                         : "r"(at)
                         : "memory");
    while (failed & 1);
    return old;
}

static long disturbed(long *at)
{
    long old, failed;
    __asm__ volatile("ldxr %0, [%2]\n add %0, %0, #5\n str %0, [%2]\n stxr %w1, %0, [%2]"
                     : "=&r"(old), "=&r"(failed)
                     : "r"(at)
                     : "memory");
    return failed & 1;
}

static long pair(long *at)
{
    long a, b, failed;
    __asm__ volatile("ldaxp %0, %1, [%3]\n stlxp %w2, %1, %0, [%3]"
                     : "=&r"(a), "=&r"(b), "=&r"(failed)
                     : "r"(at)
                     : "memory");
    return failed & 1;
}

int program(int argc, char **argv, char **env)
{
    (void)argc, (void)argv, (void)env;
    uint32_t *code = (uint32_t *)call(SYS_mmap, 0, 8192, 7, 0x22, -1, 0);
    int (*fn)(void) = (int (*)(void))code;
    for (unsigned i = 0; i < 3; i++) {
        write_function(code, 100 + i);
        say_number("function", fn());
    }
    write_function(code + 1023, 7); /* across two pages */
    say_number("across", ((int (*)(void))(code + 1023))());
    CALL3(SYS_mprotect, code, 8192, 3);
    write_function(code, 55);
    CALL3(SYS_mprotect, code, 8192, 5);
    say_number("protected", fn());
    /* what lies behind it is taken, so that it has to move */
    call(SYS_mmap, (long)code + 8192, 4096, 3, 0x32, -1, 0);
    code = (uint32_t *)call(SYS_mremap, (long)code, 8192, 65536, 1, 0, 0);
    say_number("moved", ((int (*)(void))code)());
    static long counter[2] __attribute__((aligned(16))) = {10, 20};
    add_one(counter);
    say_number("counter", counter[0] + add_one(counter));
    say_number("disturbed", disturbed(counter));
    say_number("pair", pair(counter) + counter[0]);
    long thread = 0x1234;
    __asm__ volatile("msr tpidr_el0, %1\n mrs %0, tpidr_el0" : "=r"(thread) : "r"(thread));
    say_number("thread", thread);
    return 0;
}
