/* A page to draw on, as SVG or PDF: the same lines, areas and words on both. Lengths are in points
 * from the upper left corner; colours are 0xrrggbb. Everything is set in Helvetica, whose widths
 * are known here, so that what is placed by them fits on both. */
#ifndef OUT_CANVAS_H
#define OUT_CANVAS_H

#include "base/common.h"

#include <stdio.h>

enum canvas_anchor { CANVAS_START, CANVAS_MIDDLE, CANVAS_END };

struct canvas_text {
    double size;
    enum canvas_anchor anchor;
    double turn; /* degrees, counter-clockwise */
    bool is_bold;
    uint32_t colour;
};

struct canvas_stroke {
    double width;
    uint32_t colour;
    double dash; /* length of dashes and gaps; 0: none */
};

struct canvas;

struct canvas_ops {
    void (*begin)(struct canvas *c);
    void (*rect)(struct canvas *c, double x, double y, double w, double h, uint32_t fill);
    void (*dot)(struct canvas *c, double x, double y, double r, uint32_t fill);
    /* n points, x and y in turns */
    void (*path)(struct canvas *c, const double *xy, size_t n, const struct canvas_stroke *s);
    /* `s` is UTF-8 without control characters */
    void (*text)(struct canvas *c, double x, double y, const struct canvas_text *t, const char *s);
    void (*end)(struct canvas *c);
};

struct canvas {
    const struct canvas_ops *ops;
    FILE *out;
    double width, height;
    /* PDF: the page in memory, since the file says first how long it is */
    FILE *page;
    char *page_text;
    size_t page_len;
};

extern const struct canvas_ops canvas_svg, canvas_pdf;

/* How long a text is in `size` points; a little more than it, so that fonts in Helvetica's place
 * fit too. */
double canvas_text_width(const char *s, double size);
/* A character of a UTF-8 text, 0 at its end; `*s` goes to the next. */
uint32_t canvas_next_char(const char **s);
/* Width of a character in Helvetica, in thousandths of its size. */
unsigned canvas_char_width(uint32_t c);

void canvas_line(struct canvas *c, double x1, double y1, double x2, double y2,
                 const struct canvas_stroke *s);
/* Any text; what is no UTF-8 or no character to see is left out. */
void canvas_words(struct canvas *c, double x, double y, const struct canvas_text *t, const char *s);

#endif
