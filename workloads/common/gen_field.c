/* Smooth fields, permutations and bases. Integers only. */
#include "gen.h"

static uint32_t mix(uint64_t seed, uint32_t x, uint32_t y)
{
    uint64_t h = (seed ^ ((uint64_t)x << 32 | y)) * 0xff51afd7ed558ccdu;
    h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53u;
    return (uint32_t)(h >> 40) & 0xffff;
}

/* The lattice's noise at (x, y), in +-2^15, between the four points around it. */
static int32_t lattice(uint64_t seed, unsigned x, unsigned y, unsigned cell)
{
    unsigned ix = x / cell, iy = y / cell;
    int64_t fx = (int64_t)(x % cell) * 1024 / cell, fy = (int64_t)(y % cell) * 1024 / cell;
    fx = fx * fx * (3072 - 2 * fx) >> 20; /* smooth at the lattice points */
    fy = fy * fy * (3072 - 2 * fy) >> 20;
    int64_t a = mix(seed, ix, iy), b = mix(seed, ix + 1, iy);
    int64_t c = mix(seed, ix, iy + 1), d = mix(seed, ix + 1, iy + 1);
    int64_t top = a * (1024 - fx) + b * fx, bottom = c * (1024 - fx) + d * fx;
    return (int32_t)((top * (1024 - fy) + bottom * fy) >> 20) - 32768;
}

void gen_fractal(struct rng *rng, int32_t *out, unsigned width, unsigned height, unsigned cell,
                 unsigned roughness)
{
    uint64_t amplitude = 1 << 17;
    for (size_t i = 0; i < (size_t)width * height; i++)
        out[i] = 0;
    for (; cell && amplitude; cell /= 2, amplitude = amplitude * roughness >> 16) {
        uint64_t seed = rng_u64(rng);
        for (unsigned y = 0; y < height; y++)
            for (unsigned x = 0; x < width; x++)
                out[(size_t)y * width + x] +=
                    (int32_t)((int64_t)lattice(seed, x, y, cell) * (int64_t)amplitude / 65536);
    }
}

void gen_permutation(struct rng *rng, uint32_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = rng_below(rng, i + 1);
        out[i] = out[j];
        out[j] = i;
    }
}

/* One base that no copy gives. */
static uint8_t fresh_base(struct rng *rng)
{
    static const uint8_t bases[10] = {0, 0, 0, 1, 1, 2, 2, 3, 3, 3};
    return bases[rng_below(rng, 10)];
}

void gen_dna(struct rng *rng, uint8_t *out, size_t n)
{
    size_t at = 0;
    while (at < n) {
        size_t len = 20 + rng_below(rng, rng_below(rng, 4) ? 180 : 1980);
        bool copy = at > len && rng_below(rng, 2), reverse = rng_below(rng, 10) == 0;
        size_t from = copy ? rng_u64(rng) % (at - len) : 0;
        for (size_t i = 0; i < len && at < n; i++, at++) {
            if (!copy || rng_below(rng, 50) == 0)
                out[at] = fresh_base(rng);
            else
                out[at] = reverse ? 3 - out[from + len - 1 - i] : out[from + i];
        }
    }
}
