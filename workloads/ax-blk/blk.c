/* Prices of European options by Black and Scholes. The region is the whole formula: 24 bytes in, a
 * price out. */
#include "../ax-common/ax.h"

#include <math.h>

struct option {
    float spot, strike, rate, volatility, time;
    int32_t is_put;
};

static float normal(float x)
{
    const float k = 1.0f / (1.0f + 0.2316419f * fabsf(x));
    const float sum =
        k * (0.319381530f +
             k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    const float tail = 0.39894228f * expf(-0.5f * x * x) * sum;
    return x < 0 ? tail : 1 - tail;
}

static float price(float s, float k, float r, float v, float t, int is_put)
{
    const float root = v * sqrtf(t);
    const float d1 = (logf(s / k) + (r + v * v * 0.5f) * t) / root, d2 = d1 - root;
    const float later = k * expf(-r * t);
    return is_put ? later * normal(-d2) - s * normal(-d1) : s * normal(d1) - later * normal(d2);
}

/* Distinct options, and a book of them in which few are asked for often. */
enum { POOL = 256 };

static void fill(struct ax_run *r, struct option *book, int n)
{
    struct option pool[POOL];
    for (int i = 0; i < POOL; i++)
        pool[i] = (struct option){.spot = 20 + (float)(ax_random(r) % 160) * 0.5f,
                                  .strike = 20 + (float)(ax_random(r) % 80),
                                  .rate = 0.02f + (float)(ax_random(r) % 9) * 0.01f,
                                  .volatility = 0.1f + (float)(ax_random(r) % 11) * 0.05f,
                                  .time = 0.1f * (float)(1 + ax_random(r) % 20),
                                  .is_put = (int32_t)(ax_random(r) & 1)};
    for (int i = 0; i < n; i++) {
        const float u = ax_uniform(r);
        book[i] = pool[(int)(u * u * POOL)];
    }
}

static void price_all(const struct option *book, float *prices, int n)
{
    for (int i = 0; i < n; i++) {
        const float *p = &book[i].spot;
        const float s = AX_LOAD_F32(0, 0, p, 0), k = AX_LOAD_F32(0, 0, p, 1),
                    rate = AX_LOAD_F32(0, 0, p, 2), v = AX_LOAD_F32(0, 0, p, 3),
                    t = AX_LOAD_F32(0, 0, p, 4);
        const int is_put = AX_LOAD_I32(0, 0, (const int32_t *)p, 5);
        float r;
        if (!AX_LOOKUP_F32(0, &r)) {
            r = price(s, k, rate, v, t, is_put);
            AX_UPDATE_F32(0, r);
        }
        prices[i] = r;
    }
}

int main(int argc, char **argv)
{
    struct ax_run run = ax_begin(argc, argv, false);
    const int n = run.is_full ? 200000 : 12500;
    struct option *book = malloc((size_t)n * sizeof *book);
    float *prices = malloc((size_t)n * sizeof *prices);
    fill(&run, book, n);
    ax_roi_begin();
    price_all(book, prices, n);
    ax_roi_end();
    return ax_end(prices, (size_t)n * sizeof *prices);
}
