/* Lines over a horizontal axis of numbers. */
#include "out/plot_int.h"

#include <math.h>
#include <stdlib.h>

uint32_t plot_line_colour(const struct plot_panel *p, size_t i)
{
    size_t next = 0;
    if (p->lines[i].colour)
        return plot_colour(p->lines[i].colour - 1);
    for (size_t k = 0; k < i; k++)
        next += !p->lines[k].colour;
    return plot_colour(next);
}

void plot_lines_items(const struct plot_panel *p, struct plot_items *items)
{
    for (size_t i = 0; i < p->nlines; i++) {
        const struct plot_line *l = &p->lines[i];
        const enum plot_shape shape = l->has_points  ? PLOT_DOT
                                      : l->is_dashed ? PLOT_DASHES
                                                     : PLOT_STROKE;
        if (l->name)
            vec_push(&items->at, ((struct plot_item){shape, plot_line_colour(p, i), l->name}));
    }
}

void plot_lines_extent(const struct plot_panel *p, double *left, double *right, double *low,
                       double *high)
{
    for (size_t i = 0; i < p->nlines; i++)
        for (size_t k = 0; k < p->lines[i].n; k++) {
            const double x = p->lines[i].x[k], y = p->lines[i].y[k];
            *left = fmin(*left, x);
            *right = fmax(*right, x);
            *low = isnan(y) ? *low : fmin(*low, y);
            *high = isnan(y) ? *high : fmax(*high, y);
        }
}

/* From its first value that is there to the last before one that is not. */
static size_t draw_run(struct canvas *c, const struct plot_line *l, const struct plot_area *a,
                       size_t from, const struct canvas_stroke *s)
{
    double *xy = xcalloc(4 * (l->n - from) + 4, sizeof *xy);
    size_t n = 0, k = from;
    for (; k < l->n && !isnan(l->y[k]); k++) {
        const double x = plot_at_x(a, l->x[k]), y = plot_at_y(a, fmin(l->y[k], a->top));
        if (l->is_step && n) {
            xy[2 * n] = x;
            xy[2 * n + 1] = xy[2 * n - 1];
            n++;
        }
        xy[2 * n] = x;
        xy[2 * n + 1] = y;
        n++;
    }
    if (n > 1)
        c->ops->path(c, xy, n, s);
    free(xy);
    return k;
}

static void draw_points(struct canvas *c, const struct plot_line *l, const struct plot_area *a,
                        uint32_t colour)
{
    for (size_t k = 0; k < l->n; k++)
        if (!isnan(l->y[k]))
            c->ops->dot(c, plot_at_x(a, l->x[k]), plot_at_y(a, fmin(l->y[k], a->top)), 3.5, colour);
}

void plot_lines_draw(struct canvas *c, const struct plot_panel *p, const struct plot_area *a)
{
    for (size_t i = 0; i < p->nlines; i++) {
        const struct plot_line *l = &p->lines[i];
        const struct canvas_stroke s = {1.6, plot_line_colour(p, i), l->is_dashed ? 5 : 0};
        for (size_t k = 0; k < l->n && !l->has_points; k++)
            if (!isnan(l->y[k]))
                k = draw_run(c, l, a, k, &s);
        if (l->has_points)
            draw_points(c, l, a, s.colour);
    }
}
