/* Axes and legends: what panels of every kind have. */
#include "out/plot_int.h"

#include <math.h>
#include <string.h>

double plot_at_y(const struct plot_area *a, double value)
{
    const double share = a->is_log ? log(value / a->low) / log(a->top / a->low)
                                   : (value - a->low) / (a->top - a->low);
    return a->y + a->h * (1 - fmax(share, 0));
}

double plot_at_x(const struct plot_area *a, double value)
{
    return a->x + a->w * (value - a->left) / (a->right - a->left);
}

struct plot_range plot_range_of(double low, double high, unsigned ticks)
{
    low = low < 0 ? low : 0;
    high = high > low ? high : low + 1;
    const double rough = (high - low) / ticks, unit = pow(10, floor(log10(rough)));
    const double f = rough / unit, step = unit * (f <= 1 ? 1 : f <= 2 ? 2 : f <= 5 ? 5 : 10);
    const double slack = 1e-9;
    return (struct plot_range){step * floor(low / step + slack), step * ceil(high / step - slack),
                               step};
}

void plot_number(double v, double step, char *to, size_t size)
{
    const double most = 1e7, least = 1e-4;
    int decimals = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;
    if (fabs(v) >= most || (step < least && v != 0))
        snprintf(to, size, "%.3g", v);
    else
        snprintf(to, size, "%.*f", decimals, v + 0.0); /* never "-0" */
}

/* --- legends --- */

enum { ROW = 17, SWATCH = 11, STROKE = 20, BETWEEN = 18 };

static double swatch_width(const struct plot_item *i)
{
    switch (i->shape) {
    case PLOT_WORDS:
        return 0;
    case PLOT_STROKE:
    case PLOT_DASHES:
        return STROKE + 6;
    default:
        return SWATCH + 6;
    }
}

static void draw_swatch(struct canvas *c, const struct plot_item *i, double x, double y)
{
    const struct canvas_stroke s = {2, i->colour, i->shape == PLOT_DASHES ? 4 : 0};
    switch (i->shape) {
    case PLOT_SQUARE:
        c->ops->rect(c, x, y - SWATCH / 2.0, SWATCH, SWATCH, i->colour);
        break;
    case PLOT_STROKE:
    case PLOT_DASHES:
        canvas_line(c, x, y, x + STROKE, y, &s);
        break;
    case PLOT_DOT:
        c->ops->dot(c, x + SWATCH / 2.0, y, 3.5, i->colour);
        break;
    case PLOT_WORDS:
        break;
    }
}

double plot_legend(struct canvas *c, const struct plot_items *items, double x, double y,
                   double width)
{
    const struct canvas_text text = {.size = PLOT_FONT};
    double at = 0, row = 0;
    for (size_t k = 0; k < items->at.len; k++) {
        const struct plot_item *i = &items->at.data[k];
        const double swatch = swatch_width(i);
        const double wide = swatch + canvas_text_width(i->name, PLOT_FONT);
        if (at > 0 && at + wide > width) {
            at = 0;
            row += ROW;
        }
        if (c) {
            draw_swatch(c, i, x + at, y + row + ROW / 2.0);
            canvas_words(c, x + at + swatch, y + row + ROW / 2.0 + 4, &text, i->name);
        }
        at += wide + BETWEEN;
    }
    return items->at.len ? row + ROW + 6 : 0;
}
