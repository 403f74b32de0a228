/* Run-time multi-versioning.
 *
 * A source file under src/ROOM/mv/ is compiled once per level below (see CMakeLists.txt), each time
 * with MV_LEVEL_NAME defined as the level's name; it wraps its external names in MV(name), which
 * appends the level. The room's dispatcher picks the table of `cpu_level()`. The code itself stays
 * portable C: loops of fixed length over lanes and GCC/Clang vector extensions. */
#ifndef BASE_CPU_H
#define BASE_CPU_H

#define CPU_LEVELS(X) X(base) X(avx2) X(avx512)

enum cpu_level {
#define X(name) CPU_##name,
    CPU_LEVELS(X)
#undef X
        CPU_LEVEL_COUNT
};

/* The best level this host can run; PARSIM_CPU=base|avx2|avx512 lowers it (for tests).
 * Found once a process. */
enum cpu_level cpu_level(void);
const char *cpu_level_name(enum cpu_level level);
/* Processors that this process may use. */
unsigned cpu_count(void);

#define MV_PASTE_(a, b) a##_##b
#define MV_PASTE(a, b)  MV_PASTE_(a, b)
#ifdef MV_LEVEL_NAME
#define MV(name) MV_PASTE(name, MV_LEVEL_NAME)
#endif

#endif
