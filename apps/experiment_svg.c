/* A table as bars in groups: a group a program and one for each mean, a bar a design, in pieces
 * where its columns are parts of a whole; dots are what a paper reports of the means. */
#include "experiment.h"

#include <math.h>

enum { LEFT = 60, TOP = 56, HEIGHT = 260, BELOW = 110, BAR = 9, GAP = 10, MARGIN = 20 };

static const char *const colours[] = {"#9e9e9e", "#1565c0", "#2e7d32", "#f9a825",
                                      "#c62828", "#6a1b9a", "#00838f", "#5d4037"};

static void text(FILE *f, const char *s)
{
    for (; *s; s++)
        if (*s == '&')
            fputs("&amp;", f);
        else if (*s == '<')
            fputs("&lt;", f);
        else if ((unsigned char)*s >= ' ')
            fputc(*s, f);
}

static double step_of(double top)
{
    double unit = pow(10, floor(log10(top)));
    return top / unit < 2 ? unit / 4 : top / unit < 5 ? unit / 2 : unit;
}

static double top_of(const struct exp_table *t)
{
    double top = 0;
    for (size_t i = 0; i + t->stack <= t->nrows * t->ncolumns && t->stack > 1; i += t->stack) {
        double sum = 0;
        for (size_t k = 0; k < t->stack; k++)
            sum += isnan(t->values[i + k]) ? 0 : t->values[i + k];
        top = sum > top ? sum : top;
    }
    for (size_t i = 0; i < t->nrows * t->ncolumns; i++)
        top = t->values[i] > top ? t->values[i] : top;
    for (size_t c = 0; c < t->ncolumns; c++)
        top = t->reported[c] > top ? t->reported[c] : top;
    return top > 0 ? top * 1.05 : 1;
}

static void axis(FILE *f, double top, double right)
{
    for (double v = 0, d = step_of(top); v <= top; v += d) {
        double y = TOP + HEIGHT * (1 - v / top);
        fprintf(f, "<line x1='%d' y1='%.1f' x2='%.1f' y2='%.1f' stroke='#ddd'/>\n", LEFT, y, right,
                y);
        fprintf(f, "<text x='%d' y='%.1f' text-anchor='end'>%.3g</text>\n", LEFT - 6, y + 4, v);
    }
}

static double bars_wide(const struct exp_table *t)
{
    return BAR * (double)(t->ncolumns / t->stack);
}

static const char *colour(const struct exp_table *t, size_t column)
{
    return colours[(t->stack > 1 ? column % t->stack : column) % ARRAY_LEN(colours)];
}

static void group(FILE *f, const struct exp_table *t, const char *name, const double *values,
                  const double *dots, double x, double top)
{
    double below = 0;
    for (size_t c = 0; c < t->ncolumns; c++) {
        double high = isnan(values[c]) ? 0 : HEIGHT * values[c] / top;
        double at = x + BAR * (double)(c / t->stack);
        below = c % t->stack ? below : 0;
        fprintf(f, "<rect x='%.1f' y='%.1f' width='%d' height='%.1f' fill='%s'/>\n", at,
                TOP + HEIGHT - high - below, BAR - 1, high, colour(t, c));
        below += high;
        if (dots && !isnan(dots[c]) && t->stack == 1)
            fprintf(f, "<circle cx='%.1f' cy='%.1f' r='3' fill='black'/>\n", at + BAR / 2.0,
                    TOP + HEIGHT * (1 - dots[c] / top));
    }
    fprintf(f, "<text text-anchor='end' transform='translate(%.1f,%d) rotate(-45)'>",
            x + bars_wide(t) / 2, TOP + HEIGHT + 14);
    text(f, name);
    fprintf(f, "</text>\n");
}

/* The columns' names; of stacks, those of the parts. */
static void legend(FILE *f, const struct exp_table *t)
{
    const char *const *names = t->stack > 1 ? t->parts : t->columns;
    double x = LEFT;
    for (size_t c = 0; c < (t->stack > 1 ? t->stack : t->ncolumns); c++) {
        size_t n = 0;
        while (names[c][n])
            n++;
        fprintf(f, "<rect x='%.0f' y='30' width='10' height='10' fill='%s'/><text x='%.0f' y='39'>",
                x, colour(t, c), x + 14);
        text(f, names[c]);
        fprintf(f, "</text>\n");
        x += 34 + 7 * (double)n;
    }
    for (size_t c = 0; c < t->ncolumns && t->stack == 1; c++)
        if (!isnan(t->reported[c])) {
            fprintf(f, "<circle cx='%.0f' cy='35' r='3' fill='black'/><text x='%.0f' y='39'>",
                    x + 4, x + 12);
            fprintf(f, "the paper's mean</text>\n");
            break;
        }
}

void exp_table_svg(const struct exp_table *t, FILE *f)
{
    const bool two = t->facts && t->kept;
    double wide = bars_wide(t) + GAP, top = top_of(t);
    double right = LEFT + wide * (double)(t->nrows + 1 + two) + GAP;
    double page = right + MARGIN < 560 ? 560 : right + MARGIN;
    fprintf(f,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%.0f' height='%d' font-family="
            "'Helvetica,sans-serif' font-size='12'>\n<rect width='100%%' height='100%%' "
            "fill='white'/>\n<text x='%d' y='18' font-size='14'>",
            page, TOP + HEIGHT + BELOW, LEFT);
    text(f, t->title);
    if (t->missing)
        fprintf(f, " (%zu runs are missing)", t->missing);
    fprintf(f, "</text>\n<text text-anchor='middle' transform='translate(16,%d) rotate(-90)'>",
            TOP + HEIGHT / 2);
    text(f, t->unit);
    fprintf(f, "</text>\n");
    legend(f, t);
    axis(f, top, right);
    for (size_t r = 0; r < t->nrows; r++)
        group(f, t, t->rows[r], &t->values[r * t->ncolumns], NULL, LEFT + GAP + wide * (double)r,
              top);
    group(f, t, t->mean == EXP_GEOMETRIC ? "geo. mean" : "mean", t->means, t->reported,
          LEFT + GAP + wide * (double)t->nrows, top);
    if (two)
        group(f, t, "mean of kept", t->kept_means, t->reported,
              LEFT + GAP + wide * (double)(t->nrows + 1), top);
    fprintf(f, "</svg>\n");
}
