/* A region marked with parsim/axmemo.h: 4000 roots of 40 distinct inputs, each by Newton's steps.
 * With an argument the region has no memo instructions: the same numbers, for comparison. */
#include "../../../include/parsim/axmemo.h"
#include "small.h"

static float root(float v)
{
    float r = v;
    for (int i = 0; i < 20; i++)
        r = 0.5f * (r + v / r);
    return r;
}

static float plain(const float *p)
{
    return root(p[0] + p[1]);
}

static float memoized(const float *p)
{
    const float a = ax_load_f32(3, 0, p, 0), b = ax_load_f32(3, 0, p, 1);
    float r;
    if (!ax_lookup_f32(3, &r)) {
        r = root(a + b);
        ax_update_f32(3, r);
    }
    return r;
}

int program(int argc, char **argv, char **env)
{
    enum { N = 4000, DISTINCT = 40 };
    static float in[N][2];
    double sum = 0;
    (void)argv, (void)env;
    for (int i = 0; i < N; i++) {
        in[i][0] = (float)(i * 7 % DISTINCT);
        in[i][1] = 1.5f;
    }
    ax_roi_begin();
    for (int i = 0; i < N; i++)
        sum += argc > 1 ? plain(in[i]) : memoized(in[i]);
    ax_roi_end();
    say_number("millionths", (long)(sum * 1e6));
    return 0;
}
