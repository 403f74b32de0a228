/* What both forms of a page share: how wide words are (Helvetica, which every PDF reader and
 * printer has), and what is left of words of unknown origin. */
#include "out/canvas.h"

#include "base/utf8.h"

#include <stdlib.h>

/* From the space to the tilde. */
static const uint16_t widths[] = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};
_Static_assert(ARRAY_LEN(widths) == '~' - ' ' + 1, "one a character");

unsigned canvas_char_width(uint32_t c)
{
    const unsigned of_others = 600;
    return c >= ' ' && c <= '~' ? widths[c - ' '] : of_others;
}

uint32_t canvas_next_char(const char **s)
{
    const unsigned char *p = (const unsigned char *)*s;
    const unsigned more = *p >= 0xf0 ? 3 : *p >= 0xe0 ? 2 : *p >= 0xc0 ? 1 : 0;
    uint32_t c = more ? *p & (0x3fu >> more) : *p;
    if (!*p)
        return 0;
    for (unsigned i = 1; i <= more && p[i]; i++, ++*s)
        c = c << 6 | (p[i] & 0x3f);
    ++*s;
    return c;
}

double canvas_text_width(const char *s, double size)
{
    const double for_other_fonts = 1.06;
    double sum = 0;
    for (uint32_t c; (c = canvas_next_char(&s));)
        sum += canvas_char_width(c);
    return for_other_fonts * sum * size / 1000;
}

void canvas_line(struct canvas *c, double x1, double y1, double x2, double y2,
                 const struct canvas_stroke *s)
{
    const double xy[] = {x1, y1, x2, y2};
    c->ops->path(c, xy, 2, s);
}

void canvas_words(struct canvas *c, double x, double y, const struct canvas_text *t, const char *s)
{
    char *text = utf8_repair(s), *to = text;
    for (const char *from = text; *from; from++)
        if ((unsigned char)*from >= ' ')
            *to++ = *from;
    *to = 0;
    c->ops->text(c, x, y, t, text);
    free(text);
}
