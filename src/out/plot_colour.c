/* Colours that do not repeat: a few that were chosen, then hues that are far from those before. */
#include "out/plot.h"

#include <math.h>

/* Told apart by most people, in print too. */
static const uint32_t chosen[] = {0x2a6fb0, 0xe8852c, 0x3c9a4b, 0xc63b3b, 0x7d5ba6, 0x3aa6a6,
                                  0x8a5a3c, 0xd976ae, 0x9a9a2e, 0x1f3f6e, 0x7fc4ee, 0xf2c94c,
                                  0x9ad97f, 0xf2a1a1, 0xc9b3e6, 0x5c0f24};

static double channel(double hue, double offset)
{
    double h = fmod(hue + offset, 1);
    return fmin(1, fmax(0, fabs(6 * h - 3) - 1));
}

uint32_t plot_colour(size_t i)
{
    if (i < ARRAY_LEN(chosen))
        return chosen[i];
    /* the golden angle: every hue falls into the widest gap; three shades in turns */
    static const double shades[] = {0.85, 0.6, 0.4};
    const double hue = fmod((double)i * 0.618034, 1), shade = shades[i % ARRAY_LEN(shades)];
    uint32_t rgb = 0;
    for (unsigned k = 0; k < 3; k++) {
        const double full = channel(hue, k == 0 ? 0 : k == 1 ? 2.0 / 3 : 1.0 / 3);
        rgb = rgb << 8 | (uint32_t)lround(255 * shade * (0.25 + 0.75 * full));
    }
    return rgb;
}
