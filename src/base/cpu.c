/* Which vector instructions this host has, and what PARSIM_CPU makes of that. */
#define _GNU_SOURCE /* sched_getaffinity() */
#include "base/cpu.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = {
#define X(name) #name,
    CPU_LEVELS(X)
#undef X
};

const char *cpu_level_name(enum cpu_level level)
{
    return names[level];
}

static enum cpu_level detect(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
        !__builtin_cpu_supports("bmi2"))
        return CPU_base;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl") ||
        !__builtin_cpu_supports("avx512cd"))
        return CPU_avx2;
    return CPU_avx512;
#else
    return CPU_base;
#endif
}

static enum cpu_level choose(void)
{
    enum cpu_level level = detect();
    const char *want = getenv("PARSIM_CPU");
    for (unsigned i = 0; want && i < level; i++)
        if (!strcmp(want, names[i]))
            return (enum cpu_level)i;
    return level;
}

enum cpu_level cpu_level(void)
{
    /* Asked within hot loops. It is the same for the whole process, so a race stores the same
     * value twice. */
    static atomic_int known = -1;
    int level = atomic_load_explicit(&known, memory_order_relaxed);
    if (level < 0) {
        level = (int)choose();
        atomic_store_explicit(&known, level, memory_order_relaxed);
    }
    return (enum cpu_level)level;
}

unsigned cpu_count(void)
{
    cpu_set_t set;
    if (!sched_getaffinity(0, sizeof set, &set))
        return (unsigned)CPU_COUNT(&set);
    const long n = sysconf(_SC_NPROCESSORS_ONLN); /* more than the set has room for */
    return n > 0 ? (unsigned)n : 1;
}
