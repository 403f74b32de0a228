/* What the test programs have instead of a library: system calls, text, numbers. */
#ifndef TESTS_A64_PROGRAMS_SMALL_H
#define TESTS_A64_PROGRAMS_SMALL_H

#include "svc.h"

#include <stddef.h>
#include <stdint.h>

enum {
    SYS_getcwd = 17,
    SYS_mkdirat = 34,
    SYS_renameat = 38,
    SYS_chdir = 49,
    SYS_openat = 56,
    SYS_close = 57,
    SYS_pipe2 = 59,
    SYS_lseek = 62,
    SYS_read = 63,
    SYS_write = 64,
    SYS_writev = 66,
    SYS_fstat = 80,
    SYS_exit_group = 94,
    SYS_kill = 129,
    SYS_getpid = 172,
    SYS_brk = 214,
    SYS_munmap = 215,
    SYS_mremap = 216,
    SYS_mmap = 222,
    SYS_mprotect = 226,
};

#define CALL1(n, a)       call(n, (long)(a), 0, 0, 0, 0, 0)
#define CALL2(n, a, b)    call(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define CALL3(n, a, b, c) call(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)

static inline size_t length(const char *s)
{
    size_t n = 0;
    while (s[n])
        n++;
    return n;
}

static inline int is_same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

static inline void say(const char *s)
{
    CALL3(SYS_write, 1, s, length(s));
}

static inline void say_number(const char *name, long v)
{
    char text[24], *at = text + sizeof text - 1;
    unsigned long left = v < 0 ? -(unsigned long)v : (unsigned long)v;
    *at = 0;
    do
        *--at = (char)('0' + left % 10);
    while (left /= 10);
    if (v < 0)
        *--at = '-';
    say(name);
    say(" ");
    say(at);
    say("\n");
}

int program(int argc, char **argv, char **env);

/* The stack as the kernel leaves it: argc, the arguments, 0, the environment. */
__attribute__((used)) static void begin(long *stack)
{
    const int argc = (int)stack[0];
    char **argv = (char **)(stack + 1);
    CALL1(SYS_exit_group, program(argc, argv, argv + argc + 1));
}

__asm__(".globl _start\n_start: mov x29, #0\n mov x30, #0\n mov x0, sp\n b begin\n");

#endif
