/* An image as JPEG has it: 8x8 cosine transform in integers, quantized, and decoded again to be
 * compared. Two regions, the odd halves of the transform's passes: four differences in, four int16
 * out. */
#include "../ax-common/ax.h"

#include <math.h>

enum {
    C1 = 1420,
    C3 = 1204,
    C5 = 805,
    C7 = 283,
    C2 = 1338,
    C6 = 554,
    C4 = 1024
}; /* scaled by 1024 */

static struct ax_shorts odd_of(int32_t a, int32_t b, int32_t c, int32_t d, int shift)
{
    return (struct ax_shorts){{(int16_t)((C1 * a + C3 * b + C5 * c + C7 * d) >> shift),
                               (int16_t)((C3 * a - C7 * b - C1 * c - C5 * d) >> shift),
                               (int16_t)((C5 * a - C1 * b + C7 * c + C3 * d) >> shift),
                               (int16_t)((C7 * a - C5 * b + C3 * c - C1 * d) >> shift)}};
}

#define ODD(table, cut, shift, a, b, c, d)                           \
    __extension__({                                                  \
        int64_t bits_;                                               \
        AX_INPUT_I32(table, cut, a);                                 \
        AX_INPUT_I32(table, cut, b);                                 \
        AX_INPUT_I32(table, cut, c);                                 \
        AX_INPUT_I32(table, cut, d);                                 \
        if (!AX_LOOKUP_I64(table, &bits_)) {                         \
            const struct ax_shorts odd_ = odd_of(a, b, c, d, shift); \
            bits_ = ax_bits(&odd_);                                  \
            AX_UPDATE_SHORTS(table, bits_);                          \
        }                                                            \
        ax_shorts_of(bits_);                                         \
    })

/* Eight values with `step` between them. */
static void even_half(int32_t *v, int step, int shift)
{
    const int32_t s0 = v[0] + v[7 * step], s1 = v[step] + v[6 * step],
                  s2 = v[2 * step] + v[5 * step], s3 = v[3 * step] + v[4 * step];
    v[0] = C4 * (s0 + s1 + s2 + s3) >> shift;
    v[4 * step] = C4 * (s0 - s1 - s2 + s3) >> shift;
    v[2 * step] = (C2 * (s0 - s3) + C6 * (s1 - s2)) >> shift;
    v[6 * step] = (C6 * (s0 - s3) - C2 * (s1 - s2)) >> shift;
}

static void put_odd(int32_t *v, int step, struct ax_shorts odd)
{
    v[step] = odd.at[0], v[3 * step] = odd.at[1], v[5 * step] = odd.at[2], v[7 * step] = odd.at[3];
}

static void transform(int32_t *v)
{
    for (int y = 0; y < 8; y++) {
        int32_t *r = v + 8 * y;
        const int32_t a = r[0] - r[7], b = r[1] - r[6], c = r[2] - r[5], d = r[3] - r[4];
        even_half(r, 1, 9);
        put_odd(r, 1, ODD(0, AX_CUT(2), 9, a, b, c, d));
    }
    for (int x = 0; x < 8; x++) {
        int32_t *r = v + x;
        const int32_t a = r[0] - r[56], b = r[8] - r[48], c = r[16] - r[40], d = r[24] - r[32];
        even_half(r, 8, 13);
        put_odd(r, 8, ODD(1, AX_CUT(7), 13, a, b, c, d));
    }
}

/* The table of the standard for luminance. */
static const uint8_t steps[64] = {16,  11,  10,  16,  24, 40, 51,  61,  12,  12,  14,  19,  26,
                                  58,  60,  55,  14,  13, 16, 24,  40,  57,  69,  56,  14,  17,
                                  22,  29,  51,  87,  80, 62, 18,  22,  37,  56,  68,  109, 103,
                                  77,  24,  35,  55,  64, 81, 104, 113, 92,  49,  64,  78,  87,
                                  103, 121, 120, 101, 72, 92, 95,  98,  112, 100, 103, 99};

static void quantize(const int32_t *v, int16_t *to)
{
    for (int i = 0; i < 64; i++) /* the transform gives eight times a coefficient */
        to[i] = (int16_t)((v[i] + (v[i] < 0 ? -4 : 4) * steps[i]) / (8 * steps[i]));
}

/* Bits of the code that a coefficient takes behind a run of zeros: its class and its value. */
static int code_bits(const int16_t *q)
{
    static const uint8_t order[64] = {
        0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
        41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
        30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};
    int bits = 0, zeros = 0;
    for (int i = 0; i < 64; i++) {
        const int v = q[order[i]];
        if (!v) {
            zeros++;
            continue;
        }
        const int class = 32 - __builtin_clz((unsigned)(v < 0 ? -v : v));
        bits += 4 + class + 7 * (zeros / 16) + zeros % 16 / 2;
        zeros = 0;
    }
    return bits + 4;
}

/* Outside of the region of interest: what a reader of the file would see. */
static void decode(const float cosines[8][8], const int16_t *q, float *to, int stride)
{
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++) {
            float sum = 0;
            for (int i = 0; i < 64; i++)
                if (q[i])
                    sum += (float)(q[i] * steps[i]) * cosines[x][i % 8] * cosines[y][i / 8];
            to[y * stride + x] = sum * 0.25f + 128;
        }
}

static void fill_cosines(float cosines[8][8])
{
    for (int x = 0; x < 8; x++)
        for (int u = 0; u < 8; u++)
            cosines[x][u] =
                (u ? 1 : 0.70710678f) * cosf((float)(2 * x + 1) * (float)u * 0.19634954f);
}

static int encode(const uint8_t *image, int16_t *q, int side)
{
    int bits = 0;
    for (int y = 0; y < side; y += 8)
        for (int x = 0; x < side; x += 8, q += 64) {
            int32_t v[64];
            for (int i = 0; i < 64; i++)
                v[i] = image[(y + i / 8) * side + x + i % 8] - 128;
            transform(v);
            quantize(v, q);
            bits += code_bits(q);
        }
    return bits;
}

int main(int argc, char **argv)
{
    struct ax_run run = ax_begin(argc, argv, true);
    const int side = run.is_full ? 512 : 128, n = side * side;
    uint8_t *image = ax_image(&run, side, side);
    int16_t *q = malloc((size_t)n * sizeof *q);
    float *to = malloc((size_t)n * sizeof *to);
    ax_roi_begin();
    const int bits = encode(image, q, side);
    ax_roi_end();
    float cosines[8][8];
    fill_cosines(cosines);
    for (int b = 0; b < n / 64; b++)
        decode(cosines, q + 64 * b, to + b / (side / 8) * 8 * side + b % (side / 8) * 8, side);
    fprintf(stderr, "%d bits\n", bits);
    return ax_end(to, (size_t)n * sizeof *to);
}
