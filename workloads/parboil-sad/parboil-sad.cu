// Sums of absolute differences for motion estimation: each 4x4 block of a frame against a window of a
// reference frame, three neighbouring positions at once, 18 a thread, collected in shared memory; then
// the sums of the larger blocks of a macroblock (16x16) from those of the smaller ones, two 16-bit sums
// in a word.
#include "device.h"

#define POSITIONS_A_THREAD 18
#define MOST_POSITIONS     1096

struct search {
    int mb_width, mb_height; // the frame in macroblocks
    int range;               // positions lie within +-range; 2 * range + 1 is a multiple of 3
    int positions, padded;   // (2 * range + 1)^2, and that to a multiple of 8
};

WL_FN int difference(int a, int b)
{
    return a > b ? a - b : b - a;
}

// A pixel of the reference frame; outside the nearest one, as a texture gives it.
WL_FN int pixel(const unsigned short *frame, int x, int y, int width, int height)
{
    return frame[min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)];
}

// sad[0..2]: of the 4x4 block `now` at (x, y), (x + 1, y), (x + 2, y) of the reference frame.
WL_FN void three_sads(const unsigned short *now, const unsigned short *reference, int x, int y,
                      int width, int height, unsigned short *sad)
{
    int sum[3] = {0, 0, 0};
    for (int row = 0; row < 4; row++)
#pragma unroll
        for (int column = 0; column < 6; column++) {
            int p = pixel(reference, x + column, y + row, width, height);
#pragma unroll
            for (int i = 0; i < 3; i++)
                if (column >= i && column < i + 4)
                    sum[i] += difference(p, now[row * 4 + column - i]);
        }
    for (int i = 0; i < 3; i++)
        sad[i] = (unsigned short)sum[i];
}

// A block of threads has a 4x4 block of the frame. Its sums go to the 16 of its macroblock, which lie
// after 25 of the larger blocks for each macroblock.
extern "C" __global__ void sad_4x4(const unsigned short *frame, const unsigned short *reference,
                                   unsigned short *out, struct search s)
{
    __shared__ unsigned short now[16];
    __shared__ __attribute__((aligned(8))) unsigned short sads[MOST_POSITIONS];
    int t = threadIdx.x, bx = blockIdx.x, by = blockIdx.y;
    int width = s.mb_width * 16, height = s.mb_height * 16, side = 2 * s.range + 1;
    if (t < 16)
        now[t] = frame[(by * 4 + t / 4) * width + bx * 4 + t % 4];
    if (t < s.padded - s.positions)
        sads[s.positions + t] = 0;
    __syncthreads();
    int first = t * POSITIONS_A_THREAD, end = min(first + POSITIONS_A_THREAD, s.positions);
    int y = by * 4 - s.range + first / side, column = first % side;
    for (int p = first; p < end; p += 3) {
        three_sads(now, reference, bx * 4 - s.range + column, y, width, height, &sads[p]);
        column += 3;
        if (column >= side) {
            column -= side;
            y++;
        }
    }
    __syncthreads();
    int macroblock = (by / 4) * s.mb_width + bx / 4, block = by % 4 * 4 + bx % 4;
    int at = (25 * s.mb_width * s.mb_height + macroblock * 16 + block) * s.padded;
    unsigned long long *to = (unsigned long long *)(out + at);
    for (int i = t; t < 32 && i < s.padded / 4; i += 32)
        to[i] = ((const unsigned long long *)sads)[i];
}

// The sums of four blocks that form a square (ways: 0 1 / 2 3) become those of the two halves side by
// side, of the two above each other, and of the whole.
struct ways {
    const unsigned *in[4];
    unsigned *beside[2], *above[2], *whole;
};

WL_FN void add_up(struct ways w, int words)
{
    for (int i = threadIdx.x; i < words; i += 32) {
        unsigned a = w.in[0][i], b = w.in[1][i], c = w.in[2][i], d = w.in[3][i];
        w.beside[0][i] = a + c;
        w.beside[1][i] = b + d;
        w.above[0][i] = a + b;
        w.above[1][i] = c + d;
        w.whole[i] = (a + b) + (c + d);
    }
}

// From 4x4 to 8 high and 4 wide, 4 high and 8 wide, 8x8: 32x4 threads, a row of them a quarter.
extern "C" __global__ void sad_8x8(unsigned short *sads, struct search s)
{
    int n = s.mb_width * s.mb_height, mb = blockIdx.y * s.mb_width + blockIdx.x;
    int qx = threadIdx.y % 2, qy = threadIdx.y / 2, words = s.padded / 2;
    unsigned *all = (unsigned *)sads;
    const unsigned *in = all + (25 * n + mb * 16 + qy * 8 + qx * 2) * words;
    unsigned *tall = all + (17 * n + mb * 8 + qy * 4 + qx * 2) * words;
    unsigned *wide = all + (9 * n + mb * 8 + qy * 4 + qx) * words;
    unsigned *whole = all + (5 * n + mb * 4 + qy * 2 + qx) * words;
    add_up({{in, in + words, in + 4 * words, in + 5 * words},
            {tall, tall + words},
            {wide, wide + 2 * words},
            whole},
           (s.positions + 1) / 2);
}

// From 8x8 to 16 high and 8 wide, 8 high and 16 wide, 16x16: 32 threads a macroblock.
extern "C" __global__ void sad_16x16(unsigned short *sads, struct search s)
{
    int n = s.mb_width * s.mb_height, mb = blockIdx.y * s.mb_width + blockIdx.x;
    int words = s.padded / 2;
    unsigned *all = (unsigned *)sads;
    const unsigned *in = all + (5 * n + mb * 4) * words;
    unsigned *tall = all + (3 * n + mb * 2) * words, *wide = all + (n + mb * 2) * words;
    add_up({{in, in + words, in + 2 * words, in + 3 * words},
            {tall, tall + words},
            {wide, wide + words},
            all + mb * words},
           (s.positions + 1) / 2);
}
