/* Work for the integer core: sorting, primes, a checksum, 128-bit arithmetic, a heap. */
#include "small.h"

static uint64_t state = 88172645463325252u;

static uint64_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static void sort(long *v, long n)
{
    if (n < 2)
        return;
    const long middle = v[n / 2];
    long i = 0, k = n - 1;
    while (i <= k) {
        while (v[i] < middle)
            i++;
        while (v[k] > middle)
            k--;
        if (i <= k) {
            const long t = v[i];
            v[i++] = v[k];
            v[k--] = t;
        }
    }
    sort(v, k + 1);
    sort(v + i, n - i);
}

static void *grow(size_t bytes)
{
    const long old = CALL1(SYS_brk, 0);
    CALL1(SYS_brk, old + (long)bytes);
    return (void *)old;
}

static uint32_t checksum(const uint8_t *at, size_t n)
{
    uint32_t sum = ~0u;
    while (n--) {
        sum ^= *at++;
        for (int k = 0; k < 8; k++)
            sum = sum >> 1 ^ (0xedb88320u & -(sum & 1));
    }
    return ~sum;
}

static int primes_below(int n)
{
    uint8_t *composite = (uint8_t *)call(SYS_mmap, 0, n, 3, 0x22, -1, 0);
    int found = 0;
    for (int i = 2; i < n; i++) {
        found += !composite[i];
        for (int k = 2 * i; k < n; k += i)
            composite[k] = 1;
    }
    CALL2(SYS_munmap, composite, n);
    return found;
}

int program(int argc, char **argv, char **env)
{
    enum { N = 2000 };
    long *v = grow(N * sizeof *v), order = 0;
    for (int i = 0; i < N; i++)
        v[i] = (long)next() >> (next() & 31);
    sort(v, N);
    for (int i = 1; i < N; i++)
        order += v[i - 1] > v[i];
    say_number("out of order", order);
    say_number("checksum", checksum((uint8_t *)v, N * sizeof *v));
    say_number("primes", primes_below(30000));
    unsigned __int128 product = 1;
    for (int i = 2; i < 34; i++)
        product *= (unsigned)i;
    say_number("low", (long)(product % 1000000007));
    say_number("high", (long)(product >> 64));
    say_number("quotient", -7 / 2 + (long)(next() % 1000) / -3);
    say_number("arguments", argc);
    for (int i = 1; i < argc; i++)
        say(argv[i]), say("\n");
    for (; *env; env++)
        say(*env), say("\n");
    return 42;
}
