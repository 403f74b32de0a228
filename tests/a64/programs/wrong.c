/* Does what its argument says, all of it wrong. */
#include "small.h"

static void wild_jump(void)
{
    ((void (*)(void))0x123456789000)();
}

static void unaligned_atomic(void)
{
    static char room[16] __attribute__((aligned(16)));
    __asm__ volatile("ldxr x1, [%0]" ::"r"(room + 1) : "x1", "memory");
}

static void recurse(volatile char *above)
{
    volatile char room[4096];
    room[0] = above[0];
    recurse(room);
    above[0] = room[0];
}

static void write_code(void)
{
    *(volatile int *)(long)&wild_jump = 0;
}

static void take_memory(void)
{
    for (;;) {
        volatile char *p = (char *)call(SYS_mmap, 0, 1 << 20, 3, 0x22, -1, 0);
        for (int i = 0; i < 1 << 20; i += 4096)
            p[i] = 1;
    }
}

int program(int argc, char **argv, char **env)
{
    (void)env;
    const char *what = argc > 1 ? argv[1] : "";
    if (is_same(what, "read"))
        return *(volatile int *)0x40;
    if (is_same(what, "write"))
        *(volatile int *)0x7fff00000000 = 1;
    if (is_same(what, "code"))
        write_code();
    if (is_same(what, "jump"))
        wild_jump();
    if (is_same(what, "data")) {
        static int words[4] = {0x1234};
        ((void (*)(void))words)();
    }
    if (is_same(what, "odd"))
        __asm__ volatile("br %0" ::"r"((long)&wild_jump + 2));
    if (is_same(what, "atomic"))
        unaligned_atomic();
    if (is_same(what, "undefined"))
        __asm__ volatile(".inst 0x00c0ffee");
    if (is_same(what, "break"))
        __asm__ volatile("brk #7");
    if (is_same(what, "abort"))
        CALL2(SYS_kill, CALL1(SYS_getpid, 0), 6);
    if (is_same(what, "stack"))
        recurse(argv[1]);
    if (is_same(what, "memory"))
        take_memory();
    if (is_same(what, "syscall"))
        return (int)-CALL1(999, 0);
    if (is_same(what, "fault"))
        return (int)-CALL3(SYS_write, 1, 0x10, 5);
    if (is_same(what, "outside")) /* where the simulator's own memory may be */
        return (int)-CALL3(SYS_write, 1, 0x555555554000, 5);
    if (is_same(what, "hang"))
        for (;;)
            ;
    return 3;
}
