/* A page as SVG. */
#include "out/canvas.h"

static void svg_begin(struct canvas *c)
{
    fprintf(c->out,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%.0f' height='%.0f' "
            "viewBox='0 0 %.0f %.0f' font-family=\"Helvetica, Arial, 'Liberation Sans', "
            "sans-serif\">\n<rect width='100%%' height='100%%' fill='white'/>\n",
            c->width, c->height, c->width, c->height);
}

static void svg_rect(struct canvas *c, double x, double y, double w, double h, uint32_t fill)
{
    fprintf(c->out, "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' fill='#%06x'/>\n", x, y, w,
            h, fill);
}

static void svg_dot(struct canvas *c, double x, double y, double r, uint32_t fill)
{
    fprintf(c->out,
            "<circle cx='%.1f' cy='%.1f' r='%.1f' fill='#%06x' stroke='white' "
            "stroke-width='0.8'/>\n",
            x, y, r, fill);
}

static void svg_path(struct canvas *c, const double *xy, size_t n, const struct canvas_stroke *s)
{
    fprintf(c->out,
            "<polyline fill='none' stroke='#%06x' stroke-width='%.3g' stroke-linejoin='round'",
            s->colour, s->width);
    if (s->dash > 0)
        fprintf(c->out, " stroke-dasharray='%.3g'", s->dash);
    fputs(" points='", c->out);
    for (size_t i = 0; i < n; i++)
        fprintf(c->out, "%s%.1f,%.1f", i ? " " : "", xy[2 * i], xy[2 * i + 1]);
    fputs("'/>\n", c->out);
}

static void put_escaped(FILE *out, const char *s)
{
    for (; *s; s++)
        if (*s == '&')
            fputs("&amp;", out);
        else if (*s == '<')
            fputs("&lt;", out);
        else
            fputc(*s, out);
}

static void svg_text(struct canvas *c, double x, double y, const struct canvas_text *t,
                     const char *s)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    fprintf(c->out, "<text font-size='%.3g' text-anchor='%s'", t->size, anchors[t->anchor]);
    if (t->is_bold)
        fputs(" font-weight='bold'", c->out);
    if (t->colour)
        fprintf(c->out, " fill='#%06x'", t->colour);
    if (t->turn != 0)
        fprintf(c->out, " transform='translate(%.1f,%.1f) rotate(%.3g)'>", x, y, -t->turn);
    else
        fprintf(c->out, " x='%.1f' y='%.1f'>", x, y);
    put_escaped(c->out, s);
    fputs("</text>\n", c->out);
}

static void svg_end(struct canvas *c)
{
    fputs("</svg>\n", c->out);
}

const struct canvas_ops canvas_svg = {svg_begin, svg_rect, svg_dot, svg_path, svg_text, svg_end};
