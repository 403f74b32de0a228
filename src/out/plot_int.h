/* Private to plot_*.c: where things are on the page. */
#ifndef OUT_PLOT_INT_H
#define OUT_PLOT_INT_H

#include "base/vec.h"
#include "out/canvas.h"
#include "out/plot.h"

enum { PLOT_FONT = 12, PLOT_SMALL = 11, PLOT_GREY = 0x9aa0a6, PLOT_PALE = 0xdfe3e6 };

/* Where values of a panel are drawn, and which ones. */
struct plot_area {
    double x, y, w, h;
    double low, top;    /* of the vertical axis */
    double left, right; /* of the horizontal one, if it has numbers */
    double y_step, x_step;
    bool is_log; /* the vertical one: y_step is a factor */
};

double plot_at_y(const struct plot_area *a, double value);
double plot_at_x(const struct plot_area *a, double value);

/* A range of an axis: from and to a multiple of `step`. */
struct plot_range {
    double low, high, step;
};
/* About `ticks` steps of 1, 2 or 5 times a power of ten, from 0 or what is below it. */
struct plot_range plot_range_of(double low, double high, unsigned ticks);
void plot_number(double v, double step, char *to, size_t size);

/* An entry of a legend. */
enum plot_shape { PLOT_SQUARE, PLOT_STROKE, PLOT_DASHES, PLOT_DOT, PLOT_WORDS };
struct plot_item {
    enum plot_shape shape;
    uint32_t colour;
    const char *name;
};
struct plot_items {
    VEC(struct plot_item) at;
    char *order; /* text that an item uses */
};
/* Draws entries in rows from (x, y); returns how high they are. NULL: only that. */
double plot_legend(struct canvas *c, const struct plot_items *items, double x, double y,
                   double width);

/* --- what the two kinds of panels have, plot_bars.c and plot_lines.c --- */

void plot_bars_items(const struct plot_bars *b, struct plot_items *items);
void plot_bars_extent(const struct plot_bars *b, double *low, double *high);
/* How wide it wants to be, and how high the names below it are. */
double plot_bars_width(const struct plot_bars *b);
double plot_bars_below(const struct plot_bars *b, double width);
void plot_bars_draw(struct canvas *c, const struct plot_bars *b, const struct plot_area *a);

uint32_t plot_line_colour(const struct plot_panel *p, size_t i);
void plot_lines_items(const struct plot_panel *p, struct plot_items *items);
void plot_lines_extent(const struct plot_panel *p, double *left, double *right, double *low,
                       double *high);
void plot_lines_draw(struct canvas *c, const struct plot_panel *p, const struct plot_area *a);

#endif
