/* Functions that are pure on the paths that a window of `paths.elf` takes. With an argument the
 * others are taken as well: what is remembered of a function that stores or reads elsewhere there
 * is then wrong. */
#include "small.h"

static volatile long counted, offset = 3;

#define APART __attribute__((noinline, noclone))

static inline unsigned long stir(unsigned long x)
{
    for (int k = 0; k < 40; k++)
        x = (x ^ x >> 7) * 0x9e3779b97f4a7c15ul;
    return x;
}

APART unsigned long pure(unsigned long x)
{
    return stir(x);
}

APART unsigned long counts(unsigned long x)
{
    if (x > 100)
        counted++;
    return stir(x) + 1;
}

APART unsigned long reads(unsigned long x)
{
    return x > 100 ? stir(x) + (unsigned long)offset : stir(x) + 2;
}

/* The second argument is read on one path only. */
APART unsigned long second(unsigned long x, unsigned long y)
{
    return x > 100 ? stir(x) ^ y : stir(x) + 3;
}

APART unsigned long through(unsigned long x, unsigned long (*f)(unsigned long))
{
    return x > 100 ? f(x) : stir(x) + 4;
}

int program(int argc, char **argv, char **env)
{
    (void)argv, (void)env;
    unsigned long sum = 0;
    for (unsigned long k = 0; k < 600; k++) {
        const unsigned long x = k % 16;
        sum += pure(x) + counts(x) + reads(x) + second(x, k) + through(x, pure);
    }
    for (unsigned long k = 0; argc > 1 && k < 64; k++) {
        const unsigned long x = 101 + k % 4;
        sum += pure(x) + counts(x) + reads(x) + second(x, k) + through(x, k & 1 ? pure : counts);
        offset = (long)k;
    }
    say_number("sum", (unsigned)(sum ^ sum >> 32));
    say_number("counted", (unsigned)counted);
    return 0;
}
