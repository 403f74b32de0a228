/* The numbers of a picture, for whoever wants to draw it otherwise: columns with blanks between,
 * names in quotation marks; two empty lines before the next panel or line. */
#include "out/plot.h"

#include <math.h>

static void put_name(FILE *out, const char *name)
{
    fputc('"', out);
    for (; *name; name++)
        fputc(*name == '"' || *name == '\\' ? ' ' : *name, out);
    fputc('"', out);
}

static void put_value(FILE *out, double v)
{
    if (isnan(v))
        fputs(" NaN", out);
    else
        fprintf(out, " %.6g", v);
}

/* A line a group; where bars have parts and groups bars, a line a bar. */
static void bars_data(const struct plot_bars *b, FILE *out)
{
    const bool by_bar = b->nbars > 1 && b->nparts > 1;
    const size_t rows = b->ngroups * (by_bar ? b->nbars : 1);
    const size_t columns = b->nparts > 1 ? b->nparts : b->nbars;
    const char *const *names = b->nparts > 1 ? b->parts : b->bars;
    fputs(by_bar ? "name bar" : "name", out);
    for (size_t i = 0; i < columns; i++) {
        fputc(' ', out);
        put_name(out, names ? names[i] : "value");
    }
    fputc('\n', out);
    for (size_t r = 0; r < rows; r++) {
        put_name(out, b->groups[by_bar ? r / b->nbars : r]);
        if (by_bar) {
            fputc(' ', out);
            put_name(out, b->bars[r % b->nbars]);
        }
        for (size_t i = 0; i < columns; i++)
            put_value(out, b->values[r * columns + i]);
        fputc('\n', out);
    }
}

static void line_data(const struct plot_line *l, const char *otherwise, FILE *out)
{
    put_name(out, l->name ? l->name : otherwise);
    fputc('\n', out);
    for (size_t k = 0; k < l->n; k++) {
        fprintf(out, "%.10g", l->x[k]);
        put_value(out, l->y[k]);
        fputc('\n', out);
    }
}

void plot_data(const struct plot *p, FILE *out)
{
    for (size_t i = 0; i < p->npanels; i++) {
        const struct plot_panel *panel = &p->panels[i];
        if (i)
            fputs("\n\n", out);
        if (panel->bars)
            bars_data(panel->bars, out);
        for (size_t k = 0; k < panel->nlines && !panel->bars; k++) {
            if (k)
                fputs("\n\n", out);
            line_data(&panel->lines[k], panel->y, out);
        }
    }
}
