/* Four pieces in the manner of AxMemo's programs, with a C library: options, a transform, a robot's
 * joints, pictures. Prints results with all their digits. Built with musl; see `build`. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t state = 12345;

static uint32_t next(void)
{
    return state = state * 1664525 + 1013904223;
}

static float uniform(float low, float high)
{
    return low + (high - low) * (float)(next() >> 8) / 16777216.0f;
}

/* --- options: the formula of Black and Scholes --- */

static float normal_share(float x)
{
    const float k = 1.0f / (1.0f + 0.2316419f * fabsf(x));
    const float p = expf(-0.5f * x * x) * 0.39894228f;
    const float sum =
        k * (0.31938153f +
             k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    return x < 0 ? p * sum : 1.0f - p * sum;
}

static float price(float s, float k, float r, float v, float t, int is_put)
{
    const float root = sqrtf(t), d1 = (logf(s / k) + (r + v * v * 0.5f) * t) / (v * root);
    const float d2 = d1 - v * root, later = k * expf(-r * t);
    if (is_put)
        return later * (1.0f - normal_share(d2)) - s * (1.0f - normal_share(d1));
    return s * normal_share(d1) - later * normal_share(d2);
}

static void options(void)
{
    double sum = 0;
    for (int i = 0; i < 2000; i++)
        sum += price(uniform(5, 100), uniform(5, 100), 0.1f, uniform(0.05f, 0.6f), uniform(0.1f, 2),
                     i & 1);
    printf("options %.9g, one %.9g\n", sum, price(42, 40, 0.1f, 0.2f, 0.5f, 0));
}

/* --- a transform --- */

enum { POINTS = 1024 };

static void transform(float *re, float *im, int n)
{
    for (int i = 1, k = 0; i < n; i++) {
        int bit = n >> 1;
        for (; k & bit; bit >>= 1)
            k ^= bit;
        k ^= bit;
        if (i < k) {
            const float r = re[i], m = im[i];
            re[i] = re[k], im[i] = im[k];
            re[k] = r, im[k] = m;
        }
    }
    for (int len = 2; len <= n; len *= 2)
        for (int i = 0; i < n; i += len)
            for (int k = 0; k < len / 2; k++) {
                const double turn = -2 * M_PI * k / len;
                const float c = (float)cos(turn), s = (float)sin(turn);
                const float r = re[i + k + len / 2], m = im[i + k + len / 2];
                const float x = r * c - m * s, y = r * s + m * c;
                re[i + k + len / 2] = re[i + k] - x, im[i + k + len / 2] = im[i + k] - y;
                re[i + k] += x, im[i + k] += y;
            }
}

static void fourier(void)
{
    static float re[POINTS], im[POINTS];
    double power = 0;
    for (int i = 0; i < POINTS; i++)
        re[i] = (float)i, im[i] = 0;
    transform(re, im, POINTS);
    for (int i = 0; i < POINTS; i++)
        power += (double)re[i] * re[i] + (double)im[i] * im[i];
    printf("fourier %.12g %a %a\n", power, (double)re[3], (double)im[3]);
}

/* --- joints of an arm --- */

static void joints(void)
{
    float a = 0, b = 0;
    for (int i = 0; i < 3000; i++) {
        const float x = uniform(0.1f, 0.7f), y = uniform(0.1f, 0.6f), l = 0.5f;
        const float c = (x * x + y * y - 2 * l * l) / (2 * l * l);
        const float second = acosf(c > 1 ? 1 : c < -1 ? -1 : c);
        const float first =
            asinf((y * (l + l * cosf(second)) - x * l * sinf(second)) / (x * x + y * y)) +
            atan2f(y, x);
        a += first, b += second;
    }
    printf("joints %.9g %.9g\n", (double)a, (double)b);
}

/* --- pictures: edges, smoothing, blocks of cosines --- */

enum { SIDE = 64 };

static uint8_t picture[SIDE][SIDE], edges[SIDE][SIDE];
static float smooth[SIDE][SIDE];

static void find_edges(void)
{
    for (int y = 1; y < SIDE - 1; y++)
        for (int x = 1; x < SIDE - 1; x++) {
            const int h = picture[y - 1][x + 1] + 2 * picture[y][x + 1] + picture[y + 1][x + 1] -
                          picture[y - 1][x - 1] - 2 * picture[y][x - 1] - picture[y + 1][x - 1];
            const int v = picture[y + 1][x - 1] + 2 * picture[y + 1][x] + picture[y + 1][x + 1] -
                          picture[y - 1][x - 1] - 2 * picture[y - 1][x] - picture[y - 1][x + 1];
            const int sum = abs(h) + abs(v);
            edges[y][x] = (uint8_t)(sum > 255 ? 255 : sum);
        }
}

static void smoothen(void)
{
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            smooth[y][x] = (float)picture[y][x] / 255.0f;
    for (int round = 0; round < 4; round++)
        for (int y = 1; y < SIDE - 1; y++)
            for (int x = 1; x < SIDE - 1; x++)
                smooth[y][x] += 0.1f *
                                (smooth[y - 1][x] + smooth[y + 1][x] + smooth[y][x - 1] +
                                 smooth[y][x + 1] - 4 * smooth[y][x]) /
                                (1.0f + smooth[y][x] * smooth[y][x]);
}

static long cosines(void)
{
    long sum = 0;
    for (int by = 0; by < SIDE; by += 8)
        for (int bx = 0; bx < SIDE; bx += 8)
            for (int u = 0; u < 8; u++) {
                double v = 0;
                for (int x = 0; x < 8; x++)
                    v += (picture[by + u][bx + x] - 128) * cos((2 * x + 1) * u * M_PI / 16);
                sum = sum * 31 + lrint(v);
            }
    return sum;
}

static int by_value(const void *a, const void *b)
{
    return *(const uint8_t *)a - *(const uint8_t *)b;
}

static void pictures(void)
{
    unsigned sum = 0;
    double light = 0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            picture[y][x] = (uint8_t)(128 + 100 * sin(x * 0.2) * cos(y * 0.1) + (next() >> 29));
    find_edges();
    smoothen();
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            sum = sum * 31 + edges[y][x], light += (double)smooth[y][x];
    uint8_t *sorted = malloc(sizeof picture);
    memcpy(sorted, picture, sizeof picture);
    qsort(sorted, sizeof picture, 1, by_value);
    printf("pictures %08x %.12g %ld, median %d\n", sum, light, cosines(),
           sorted[sizeof picture / 2]);
    free(sorted);
}

int main(void)
{
    options();
    fourier();
    joints();
    pictures();
    printf("%e %.3f %g %a %Lg %5d|%-6s|%#x\n", 1e-310, -2.5, HUGE_VAL, 0.1, 1.0L / 3, 42, "abc",
           255);
    return 7;
}
