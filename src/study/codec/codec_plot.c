/* Compressibility along the files: one panel a file, one line a codec. */
#include "study/codec/codec_study.h"

#include "base/outfile.h"
#include "out/plot.h"

#include <math.h>
#include <stdlib.h>

/* Above this, lines are cut. */
static const double most_ratio = 8;

static double window_ratio(const struct codec_report *r, uint64_t window, unsigned column)
{
    double bytes = (double)r->window_sizes[window * r->ncolumns + column];
    return (double)(codec_window_blocks(r, window) * r->block_bytes) / (bytes > 0 ? bytes : 1);
}

static double highest_ratio(const struct codec_report *r)
{
    double top = 1.5;
    for (uint64_t w = 0; w < r->nwindows; w++)
        for (unsigned i = 0; i < r->ncolumns; i++)
            top = fmax(top, window_ratio(r, w, i));
    return top;
}

/* Steps that reach from a window's first byte to its last. */
static struct plot_line line_of(const struct codec_report *r, unsigned column, const double *x)
{
    double *y = xcalloc(r->nwindows + 1, sizeof *y);
    for (uint64_t w = 0; w <= r->nwindows; w++)
        y[w] = window_ratio(r, w < r->nwindows ? w : w - 1, column);
    return (struct plot_line){
        .name = xasprintf("%s %.2f", r->columns[column].name, codec_ratio(r, &r->columns[column])),
        .x = x,
        .y = y,
        .n = r->nwindows ? r->nwindows + 1 : 0,
        .is_step = true};
}

static struct plot_panel panel_of(const struct codec_report *r)
{
    struct plot_line *lines = xcalloc(r->ncolumns + 1, sizeof *lines);
    double *x = xcalloc(r->nwindows + 1, sizeof *x), top = highest_ratio(r);
    for (uint64_t w = 0; w <= r->nwindows && r->nwindows; w++)
        x[w] = (double)r->file_bytes * 1e-6 * (double)w / (double)r->nwindows;
    for (unsigned i = 0; i < r->ncolumns; i++)
        lines[i] = line_of(r, i, x);
    return (struct plot_panel){.title = r->file,
                               .x = "place in the file (MB)",
                               .y = top > most_ratio ? "compression ratio (cut at 8)"
                                                     : "compression ratio",
                               .top = top > most_ratio ? most_ratio : 0,
                               .lines = lines,
                               .nlines = r->ncolumns};
}

static void panel_free(const struct plot_panel *p)
{
    if (p->nlines)
        free((void *)p->lines[0].x);
    for (size_t i = 0; i < p->nlines; i++) {
        free((void *)p->lines[i].name);
        free((void *)p->lines[i].y);
    }
    free((void *)p->lines);
}

bool codec_write_svg(const char *path, const struct codec_report *reports, unsigned n,
                     struct err *err)
{
    struct outfile *o = outfile_open(path, err);
    if (!o)
        return false;
    struct plot_panel *panels = xcalloc(n + 1, sizeof *panels);
    for (unsigned i = 0; i < n; i++)
        panels[i] = panel_of(&reports[i]);
    const struct plot p = {.title = "Compression along the files, and of each as a whole",
                           .panels = panels,
                           .npanels = n};
    plot_svg(&p, outfile_stream(o));
    for (unsigned i = 0; i < n; i++)
        panel_free(&panels[i]);
    free(panels);
    return outfile_close(o, err);
}
