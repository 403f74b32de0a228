/* Compressibility along the files, as SVG: one panel a file, one line a codec. */
#include "base/outfile.h"
#include "cmd_codec.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 960, LEFT = 60, RIGHT = 150, TOP = 40, PANEL = 260, GAP = 60 };

static const char *const colours[] = {"#1f77b4", "#ff7f0e", "#2ca02c", "#d62728",
                                      "#9467bd", "#8c564b", "#e377c2", "#7f7f7f",
                                      "#bcbd22", "#17becf", "#393b79", "#637939"};

static const char *colour(unsigned i)
{
    return colours[i % ARRAY_LEN(colours)];
}

static void put_escaped(FILE *f, const char *s)
{
    for (; *s; s++) {
        if (*s == '&')
            fputs("&amp;", f);
        else if (*s == '<')
            fputs("&lt;", f);
        else if ((unsigned char)*s >= ' ')
            fputc(*s, f);
    }
}

static double window_ratio(const struct codec_report *r, uint64_t window, unsigned column)
{
    double bytes = (double)r->window_sizes[window * r->ncolumns + column];
    return (double)(codec_window_blocks(r, window) * r->block_bytes) / (bytes > 0 ? bytes : 1);
}

/* The top of the axis: the highest ratio, but no more than 8, above which lines are cut. */
static double axis_top(const struct codec_report *r)
{
    double top = 1.5;
    for (uint64_t w = 0; w < r->nwindows; w++)
        for (unsigned i = 0; i < r->ncolumns; i++)
            top = window_ratio(r, w, i) > top ? window_ratio(r, w, i) : top;
    return top > 8 ? 8 : top;
}

static void put_axes(FILE *f, const struct codec_report *r, double top, int y0)
{
    int right = WIDTH - RIGHT;
    fprintf(f, "<text x='%d' y='%d' font-size='14'>", LEFT, y0 - 12);
    put_escaped(f, r->file);
    fprintf(f, "</text>\n");
    for (unsigned k = 0; k <= 4; k++) {
        double y = y0 + PANEL * (1 - k / 4.0), x = LEFT + (right - LEFT) * k / 4.0;
        fprintf(f, "<line x1='%d' y1='%.1f' x2='%d' y2='%.1f' stroke='#ddd'/>\n", LEFT, y, right,
                y);
        fprintf(f, "<text x='%d' y='%.1f' text-anchor='end'>%.2f</text>\n", LEFT - 6, y + 4,
                top * k / 4.0);
        fprintf(f, "<text x='%.1f' y='%d' text-anchor='middle'>%.4g MB</text>\n", x,
                y0 + PANEL + 16, (double)r->file_bytes * k / 4e6);
    }
    fprintf(f,
            "<text x='16' y='%d' transform='rotate(-90 16 %d)' text-anchor='middle'>"
            "compression ratio</text>\n",
            y0 + PANEL / 2, y0 + PANEL / 2);
}

static void put_line(FILE *f, const struct codec_report *r, unsigned column, double top, int y0)
{
    double width = WIDTH - RIGHT - LEFT;
    fprintf(f, "<polyline fill='none' stroke='%s' stroke-width='1.2' points='", colour(column));
    for (uint64_t w = 0; w < r->nwindows; w++) {
        double ratio = window_ratio(r, w, column), y = y0 + PANEL;
        y -= PANEL * (ratio < top ? ratio : top) / top;
        /* A step, so that a file of one window is a line too. */
        fprintf(f, "%.1f,%.1f %.1f,%.1f ", LEFT + width * (double)w / (double)r->nwindows, y,
                LEFT + width * (double)(w + 1) / (double)r->nwindows, y);
    }
    fprintf(f, "'/>\n<rect x='%d' y='%d' width='12' height='3' fill='%s'/>", WIDTH - RIGHT + 12,
            y0 + 4 + 15 * (int)column, colour(column));
    fprintf(f, "<text x='%d' y='%d'>", WIDTH - RIGHT + 30, y0 + 9 + 15 * (int)column);
    put_escaped(f, r->columns[column].name);
    fprintf(f, " %.2f</text>\n", codec_ratio(r, &r->columns[column]));
}

bool codec_write_svg(const char *path, const struct codec_report *reports, unsigned n,
                     struct err *err)
{
    struct outfile *o = outfile_open(path, err);
    if (!o)
        return false;
    FILE *f = outfile_stream(o);
    int height = TOP + (int)n * (PANEL + GAP);
    fprintf(f,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' "
            "font-family='sans-serif' font-size='11'>\n<rect width='100%%' height='100%%' "
            "fill='white'/>\n",
            WIDTH, height);
    for (unsigned i = 0; i < n; i++) {
        double top = axis_top(&reports[i]);
        int y0 = TOP + (int)i * (PANEL + GAP);
        put_axes(f, &reports[i], top, y0);
        for (unsigned c = 0; c < reports[i].ncolumns; c++)
            put_line(f, &reports[i], c, top, y0);
    }
    fprintf(f, "</svg>\n");
    return outfile_close(o, err);
}
