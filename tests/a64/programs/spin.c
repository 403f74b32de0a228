/* A hundred million instructions, for tools/bench/bench_a64.c: loads, stores, branches, products.
 */
#include "small.h"

static unsigned table[4096];

static unsigned mix(unsigned v)
{
    v ^= v >> 16;
    v *= 0x45d9f3b;
    return v ^ v >> 15;
}

int program(int argc, char **argv, char **env)
{
    (void)argc, (void)argv, (void)env;
    unsigned sum = 1;
    for (unsigned round = 0; round < 1900; round++)
        for (unsigned i = 0; i < 4096; i++) {
            const unsigned v = table[i];
            if (v & 1)
                sum += mix(v);
            else
                sum ^= v + i;
            table[i] = sum * round + i;
        }
    say_number("sum", sum);
    return 0;
}
