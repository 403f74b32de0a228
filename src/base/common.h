/* Small things every room may use. Depends on libc only. */
#ifndef BASE_COMMON_H
#define BASE_COMMON_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t cycle_t;
typedef uint64_t addr_t;

#define ARRAY_LEN(a)           (sizeof(a) / sizeof((a)[0]))
#define LIKELY(x)              __builtin_expect(!!(x), 1)
#define UNLIKELY(x)            __builtin_expect(!!(x), 0)
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define NORETURN               __attribute__((noreturn))
/* Called seldom, wherever it stands: the compiler moves what leads to it out of the way. */
#define COLD __attribute__((cold))

/* assert() of what is asked millions of times a second: builds with sanitizers look, which run the
 * same tests. */
#ifdef PARSIM_CHECKED
#define assert_often(x) assert(x)
#else
#define assert_often(x) ((void)sizeof((x) ? 1 : 0))
#endif

static inline uint64_t align_up(uint64_t v, uint64_t a)
{
    return (v + a - 1) / a * a;
}

static inline bool is_pow2(uint64_t v)
{
    return v && !(v & (v - 1));
}

/* A bug in the simulator itself: says where and stops. Never used for a user's bad input. */
COLD NORETURN void panic_at(const char *file, int line, const char *fmt, ...) PRINTF_LIKE(3, 4);
#define panic(...) panic_at(__FILE__, __LINE__, __VA_ARGS__)

/* Allocation that cannot fail from the caller's view: out of memory is a panic. */
COLD void *xmalloc(size_t bytes);
COLD void *xcalloc(size_t n, size_t bytes);
COLD void *xrealloc(void *p, size_t bytes);
char *xstrdup(const char *s);
char *xasprintf(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* `bytes` of zeroed memory aligned to `align` (a power of two); freed with free(). */
void *xalloc_aligned(size_t align, size_t bytes);

#endif
