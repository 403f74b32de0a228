/* A picture: its title, and panels below each other, each with a legend, axes and what they show.
 */
#include "out/plot_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MARGIN = 14,
    TITLE = 24,    /* high, of the picture */
    SUBTITLE = 20, /* of a panel */
    HEIGHT = 250,  /* of an area */
    LINES_WIDE = 640,
    Y_LABEL = 18, /* the words along the axis */
    X_LABEL = 20,
    X_NUMBERS = 18,
    APART = 12
};

static double least_above_zero(const struct plot_panel *p)
{
    double least = INFINITY;
    for (size_t i = 0; i < p->nlines; i++)
        for (size_t k = 0; k < p->lines[i].n; k++)
            if (p->lines[i].y[k] > 0)
                least = fmin(least, p->lines[i].y[k]);
    return least < INFINITY ? least : 1;
}

static double next_tick(const struct plot_area *a, double v)
{
    return a->is_log ? v * a->y_step : v + a->y_step;
}

static void number_at(const struct plot_area *a, double v, char *to, size_t size)
{
    plot_number(v, a->is_log ? fmin(v, 1) : a->y_step, to, size);
}

static void range_of(const struct plot_panel *p, struct plot_area *a)
{
    double low = 0, high = 0, left = INFINITY, right = -INFINITY;
    if (p->bars)
        plot_bars_extent(p->bars, &low, &high);
    else
        plot_lines_extent(p, &left, &right, &low, &high);
    if (p->level_name)
        high = fmax(high, p->level);
    const struct plot_range y = plot_range_of(low, p->top > 0 ? p->top : high, 6);
    a->is_log = p->is_log;
    a->low = p->is_log ? exp2(floor(log2(least_above_zero(p)))) : y.low;
    a->top = p->top > 0 ? p->top : p->is_log ? exp2(ceil(log2(high))) : y.high;
    a->y_step = p->is_log ? 2 : y.step;
    a->left = left < right ? left : left < INFINITY ? left - 1 : 0;
    a->right = right > a->left ? right : a->left + 1;
    a->x_step = plot_range_of(0, a->right - a->left, 7).step;
}

static double numbers_width(const struct plot_area *a)
{
    char text[32];
    double most = 0;
    for (double v = a->low; v <= a->top * (1 + 1e-9); v = next_tick(a, v)) {
        number_at(a, v, text, sizeof text);
        most = fmax(most, canvas_text_width(text, PLOT_SMALL));
    }
    return most;
}

static void items_of(const struct plot_panel *p, struct plot_items *items)
{
    *items = (struct plot_items){0};
    if (p->bars)
        plot_bars_items(p->bars, items);
    else
        plot_lines_items(p, items);
    if (p->level_name)
        vec_push(&items->at, ((struct plot_item){PLOT_DASHES, 0, p->level_name}));
}

static void items_free(struct plot_items *items)
{
    vec_free(&items->at);
    free(items->order);
}

/* --- one panel --- */

static void draw_y_axis(struct canvas *c, const struct plot_panel *p, const struct plot_area *a)
{
    const struct canvas_text numbers = {PLOT_SMALL, CANVAS_END, 0, false, 0x444444};
    const struct canvas_text words = {PLOT_FONT, CANVAS_MIDDLE, 90, false, 0};
    const struct canvas_stroke grid = {0.8, PLOT_PALE, 0};
    char text[32];
    for (double v = a->low; v <= a->top * (1 + 1e-9); v = next_tick(a, v)) {
        const double y = plot_at_y(a, v);
        canvas_line(c, a->x, y, a->x + a->w, y, &grid);
        number_at(a, v, text, sizeof text);
        canvas_words(c, a->x - 6, y + 4, &numbers, text);
    }
    canvas_words(c, MARGIN + PLOT_FONT, a->y + a->h / 2, &words, p->y);
}

static void draw_x_numbers(struct canvas *c, const struct plot_area *a)
{
    const struct canvas_text numbers = {PLOT_SMALL, CANVAS_MIDDLE, 0, false, 0x444444};
    const struct canvas_stroke tick = {1, 0x444444, 0};
    char text[32];
    const double from = a->x_step * ceil(a->left / a->x_step - 1e-9);
    for (double v = from; v <= a->right + a->x_step * 1e-6; v += a->x_step) {
        const double x = plot_at_x(a, v), y = a->y + a->h;
        canvas_line(c, x, y, x, y + 4, &tick);
        plot_number(v, a->x_step, text, sizeof text);
        canvas_words(c, x, y + 16, &numbers, text);
    }
}

static double below_of(const struct plot_panel *p, double width)
{
    return p->bars ? plot_bars_below(p->bars, width) : X_NUMBERS;
}

static void draw_area(struct canvas *c, const struct plot_panel *p, const struct plot_area *a)
{
    const struct canvas_stroke axis = {1, 0x444444, 0}, level = {1.4, 0, 4};
    const struct canvas_text words = {PLOT_FONT, CANVAS_MIDDLE, 0, false, 0};
    draw_y_axis(c, p, a);
    if (p->bars)
        plot_bars_draw(c, p->bars, a);
    else
        plot_lines_draw(c, p, a);
    if (p->level_name)
        canvas_line(c, a->x, plot_at_y(a, p->level), a->x + a->w, plot_at_y(a, p->level), &level);
    const double zero = plot_at_y(a, a->low < 0 ? 0 : a->low);
    canvas_line(c, a->x, zero, a->x + a->w, zero, &axis);
    if (!p->bars)
        draw_x_numbers(c, a);
    if (p->x)
        canvas_words(c, a->x + a->w / 2, a->y + a->h + below_of(p, a->w) + 14, &words, p->x);
}

/* Where areas begin: panels have it in common, so that their horizontal axes are one. */
static double left_of(const struct plot *p)
{
    double most = 0;
    for (size_t i = 0; i < p->npanels; i++) {
        struct plot_area a = {0};
        range_of(&p->panels[i], &a);
        most = fmax(most, numbers_width(&a));
    }
    return MARGIN + Y_LABEL + most + 8;
}

/* Draws (without a canvas: measures) a panel at `y`, its area from `left` to `right`; how high it
 * is. */
static double panel(struct canvas *c, const struct plot_panel *p, double y, double left,
                    double right)
{
    const struct canvas_text title = {.size = PLOT_FONT + 1};
    struct plot_area a = {.h = p->height > 0 ? p->height : HEIGHT};
    struct plot_items items;
    double at = y;
    range_of(p, &a);
    items_of(p, &items);
    a.x = left;
    a.w = right - left;
    if (p->title && c)
        canvas_words(c, a.x, at + PLOT_FONT, &title, p->title);
    at += p->title ? SUBTITLE : 0;
    at += plot_legend(c, &items, a.x, at, a.w);
    a.y = at + 6; /* room for the highest number */
    if (c)
        draw_area(c, p, &a);
    items_free(&items);
    return a.y + a.h + below_of(p, a.w) + (p->x ? X_LABEL : 0) - y;
}

/* --- all --- */

static double widest_item(const struct plot_panel *p)
{
    struct plot_items items;
    double most = 0;
    items_of(p, &items);
    for (size_t i = 0; i < items.at.len; i++)
        most = fmax(most, canvas_text_width(items.at.data[i].name, PLOT_FONT) + 30);
    items_free(&items);
    return most;
}

static double page_width(const struct plot *p)
{
    double area = 0, title = canvas_text_width(p->title, 15) * 1.08;
    for (size_t i = 0; i < p->npanels; i++) {
        const struct plot_panel *one = &p->panels[i];
        area = fmax(area, one->bars ? plot_bars_width(one->bars) : LINES_WIDE);
        area = fmax(area, widest_item(one));
    }
    return fmax(area + 90, title + 60);
}

static double top_of(const struct plot *p)
{
    return MARGIN + TITLE + (p->warning ? SUBTITLE : 0);
}

static double right_of(double width)
{
    return width - 2 * MARGIN;
}

static double page_height(const struct plot *p, double width)
{
    double y = top_of(p);
    for (size_t i = 0; i < p->npanels; i++)
        y += panel(NULL, &p->panels[i], y, left_of(p), right_of(width)) +
             (i + 1 < p->npanels ? APART : 0);
    return y + MARGIN;
}

static void draw(const struct plot *p, const struct canvas_ops *ops, FILE *out)
{
    const struct canvas_text title = {.size = 15, .is_bold = true};
    const struct canvas_text warning = {.size = PLOT_FONT, .colour = 0xc62828};
    const double width = ceil(page_width(p));
    struct canvas c = {
        .ops = ops, .out = out, .width = width, .height = ceil(page_height(p, width))};
    double y = top_of(p);
    ops->begin(&c);
    canvas_words(&c, MARGIN, MARGIN + 12, &title, p->title);
    if (p->warning)
        canvas_words(&c, MARGIN, MARGIN + TITLE + 8, &warning, p->warning);
    for (size_t i = 0; i < p->npanels; i++)
        y += panel(&c, &p->panels[i], y, left_of(p), right_of(width)) + APART;
    ops->end(&c);
}

void plot_svg(const struct plot *p, FILE *out)
{
    draw(p, &canvas_svg, out);
}

void plot_pdf(const struct plot *p, FILE *out)
{
    draw(p, &canvas_pdf, out);
}

bool plot_save(const struct plot *p, struct outfolder *folder, const char *name, struct err *err)
{
    static const struct {
        const char *ext;
        void (*write)(const struct plot *p, FILE *out);
    } files[] = {{"svg", plot_svg}, {"pdf", plot_pdf}, {"dat", plot_data}};
    for (unsigned i = 0; i < ARRAY_LEN(files); i++) {
        FILE *f = outfolder_begin(folder, name, files[i].ext, err);
        if (!f)
            return false;
        files[i].write(p, f);
        if (!outfolder_end(folder, f, err))
            return false;
    }
    return true;
}
