/* Bars in groups. */
#include "out/plot_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BAR = 34, LEAST_AREA = 430, MOST_AREA = 1500, VALUES_FROM = 24 };

static bool is_stacked(const struct plot_bars *b)
{
    return b->nparts > 1;
}

/* One may be grey; the others have the colours in turn. */
static uint32_t colour_of(const struct plot_bars *b, size_t bar, size_t part)
{
    const size_t i = is_stacked(b) ? part : bar;
    return i == b->base ? PLOT_GREY : plot_colour(i - (b->base < i));
}

static bool has_marks(const struct plot_bars *b)
{
    for (size_t i = 0; b->marks && i < b->ngroups * b->nbars; i++)
        if (!isnan(b->marks[i]))
            return true;
    return false;
}

/* "bars of a group, from the left: A, B, C" */
static char *order_text(const struct plot_bars *b)
{
    char *text = xstrdup("bars of a group, from the left:");
    for (size_t i = 0; i < b->nbars; i++) {
        char *more = xasprintf("%s %s%s", text, b->bars[i], i + 1 < b->nbars ? "," : "");
        free(text);
        text = more;
    }
    return text;
}

void plot_bars_items(const struct plot_bars *b, struct plot_items *items)
{
    const size_t n = is_stacked(b) ? b->nparts : b->nbars;
    const char *const *names = is_stacked(b) ? b->parts : b->bars;
    for (size_t i = 0; i < n && n > 1; i++)
        vec_push(&items->at, ((struct plot_item){PLOT_SQUARE, colour_of(b, i, i), names[i]}));
    if (has_marks(b))
        vec_push(&items->at, ((struct plot_item){PLOT_DOT, 0, b->mark_name}));
    if (is_stacked(b) && b->nbars > 1) {
        items->order = order_text(b);
        vec_push(&items->at, ((struct plot_item){PLOT_WORDS, 0, items->order}));
    }
}

void plot_bars_extent(const struct plot_bars *b, double *low, double *high)
{
    for (size_t i = 0; i < b->ngroups * b->nbars; i++) {
        double sum = 0;
        for (size_t p = 0; p < b->nparts; p++)
            sum += isnan(b->values[i * b->nparts + p]) ? 0 : b->values[i * b->nparts + p];
        *low = fmin(*low, sum);
        *high = fmax(*high, sum);
        if (b->marks && !isnan(b->marks[i]))
            *high = fmax(*high, b->marks[i]);
    }
}

double plot_bars_width(const struct plot_bars *b)
{
    const double wish = (double)(b->ngroups * (9 * b->nbars + 14));
    return fmin(MOST_AREA, fmax(LEAST_AREA, wish));
}

/* --- names below --- */

static double longest_name(const struct plot_bars *b)
{
    double most = 0;
    for (size_t g = 0; g < b->ngroups; g++)
        most = fmax(most, canvas_text_width(b->groups[g], PLOT_FONT));
    return most;
}

static bool is_turned(const struct plot_bars *b, double width)
{
    return longest_name(b) + 6 > width / (double)b->ngroups;
}

double plot_bars_below(const struct plot_bars *b, double width)
{
    const double sine = 0.71;
    return is_turned(b, width) ? longest_name(b) * sine + 18 : 20;
}

static void draw_name(struct canvas *c, const struct plot_bars *b, const struct plot_area *a,
                      size_t g, double middle)
{
    const bool turned = is_turned(b, a->w);
    const struct canvas_text text = {.size = PLOT_FONT,
                                     .anchor = turned ? CANVAS_END : CANVAS_MIDDLE,
                                     .turn = turned ? 45 : 0,
                                     .is_bold = g >= b->ngroups - b->nmeans};
    canvas_words(c, middle + (turned ? 4 : 0), a->y + a->h + (turned ? 13 : 16), &text,
                 b->groups[g]);
}

/* --- bars --- */

/* A number that is not there is not zero. */
static void draw_missing(struct canvas *c, const struct plot_area *a, double middle)
{
    const struct canvas_text text = {PLOT_SMALL, CANVAS_MIDDLE, 0, false, PLOT_GREY};
    canvas_words(c, middle, plot_at_y(a, 0) - 3, &text, "×");
}

static void draw_value(struct canvas *c, double middle, double y, double v)
{
    const struct canvas_text text = {10, CANVAS_MIDDLE, 0, false, 0x444444};
    char number[32];
    snprintf(number, sizeof number, v < 100 ? "%.3g" : "%.0f", v);
    canvas_words(c, middle, y - 4, &text, number);
}

static void draw_bar(struct canvas *c, const struct plot_bars *b, const struct plot_area *a,
                     size_t i, double x, double wide)
{
    double below = 0;
    bool any = false;
    for (size_t p = 0; p < b->nparts; p++) {
        const double v = b->values[i * b->nparts + p];
        if (isnan(v))
            continue;
        const double y = plot_at_y(a, below), to = plot_at_y(a, fmin(below + v, a->top));
        c->ops->rect(c, x, fmin(y, to), fmax(wide - 1, 1), fabs(y - to),
                     colour_of(b, i % b->nbars, p));
        below += v;
        any = true;
    }
    if (!any && wide >= 6)
        draw_missing(c, a, x + wide / 2);
    const bool has_mark = b->marks && !isnan(b->marks[i]);
    if (any && !is_stacked(b) && wide >= VALUES_FROM && !has_mark)
        draw_value(c, x + wide / 2, plot_at_y(a, fmin(below, a->top)), below);
    if (has_mark)
        c->ops->dot(c, x + wide / 2, plot_at_y(a, b->marks[i]), 3.5, 0);
}

void plot_bars_draw(struct canvas *c, const struct plot_bars *b, const struct plot_area *a)
{
    const struct canvas_stroke apart = {1, 0xb0b4b8, 3};
    const double group = a->w / (double)b->ngroups;
    const double wide = fmin(MOST_BAR, (group - fmin(14, group / 4)) / (double)b->nbars);
    if (b->nmeans && b->nmeans < b->ngroups) {
        const double x = a->x + group * (double)(b->ngroups - b->nmeans);
        canvas_line(c, x, a->y, x, a->y + a->h + 6, &apart);
    }
    for (size_t g = 0; g < b->ngroups; g++) {
        const double middle = a->x + group * ((double)g + 0.5);
        const double x = middle - wide * (double)b->nbars / 2;
        for (size_t k = 0; k < b->nbars; k++)
            draw_bar(c, b, a, g * b->nbars + k, x + wide * (double)k, wide);
        draw_name(c, b, a, g, middle);
    }
}
