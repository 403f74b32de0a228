/* Pictures: what is to be seen is said once, and drawn as SVG and PDF in one style. A picture is
 * one panel or several, one below the other; a panel has bars in groups, or lines. Names may be of
 * any length and number: legends take the rows that they need, colours do not repeat. */
#ifndef OUT_PLOT_H
#define OUT_PLOT_H

#include "base/outfolder.h"

#include <stdio.h>

/* Groups side by side, in each `nbars` bars, each of `nparts` pieces on top of each other. */
struct plot_bars {
    const char *const *groups;
    size_t ngroups;
    size_t nmeans;           /* the last groups are means of the others, and set apart */
    const char *const *bars; /* named in the legend if there are several */
    size_t nbars;
    const char *const *parts; /* the same; NULL: bars are whole (nparts = 1) */
    size_t nparts;
    const double *values; /* by group, bar and part; NAN: there is none */
    const double *marks;  /* by group and bar: dots; NAN: none. May be NULL */
    const char *mark_name;
    size_t base; /* number of the part, or else of the bar, that is grey: what others are compared
                  * with, or the rest; SIZE_MAX: none */
};

struct plot_line {
    const char *name; /* NULL: not in the legend */
    const double *x, *y;
    size_t n;
    bool is_step;    /* a value holds until the next */
    bool has_points; /* dots: values at these places only */
    bool is_dashed;
    size_t colour; /* 0: the next that is free; else, from 1, that of the same number */
};

struct plot_panel {
    const char *title;      /* may be NULL */
    const char *x, *y;      /* what axes show, with units; x may be NULL */
    double top;             /* of the vertical axis; 0: as the values want it */
    bool is_log;            /* powers of two on the vertical axis; of lines above 0 */
    const char *level_name; /* a dashed line across at `level`; NULL: none */
    double level;
    const struct plot_bars *bars; /* or */
    const struct plot_line *lines;
    size_t nlines;
    double height; /* of the area, in points; 0: usual */
};

struct plot {
    const char *title;
    const char *warning; /* in red: the numbers are not whole; NULL */
    const struct plot_panel *panels;
    size_t npanels;
};

void plot_svg(const struct plot *p, FILE *out);
void plot_pdf(const struct plot *p, FILE *out);
/* The numbers, in columns. */
void plot_data(const struct plot *p, FILE *out);
/* NAME.svg, NAME.pdf and NAME.dat in a folder of pictures. */
bool plot_save(const struct plot *p, struct outfolder *folder, const char *name, struct err *err);

/* The i-th colour, 0xrrggbb: no two of the first hundred are the same. */
uint32_t plot_colour(size_t i);

#endif
