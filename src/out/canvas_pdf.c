/* A page as PDF 1.4, in Helvetica, which needs no font in the file. Characters that Latin-1 does
 * not have become question marks. */
#include "out/canvas.h"

#include <math.h>
#include <stdlib.h>

static void pdf_begin(struct canvas *c)
{
    c->page = open_memstream(&c->page_text, &c->page_len);
    fputs("1 j\n", c->page);
}

static void set_colour(struct canvas *c, uint32_t colour, const char *op)
{
    fprintf(c->page, "%.3f %.3f %.3f %s\n", (colour >> 16) / 255.0, (colour >> 8 & 255) / 255.0,
            (colour & 255) / 255.0, op);
}

static void pdf_rect(struct canvas *c, double x, double y, double w, double h, uint32_t fill)
{
    set_colour(c, fill, "rg");
    fprintf(c->page, "%.2f %.2f %.2f %.2f re f\n", x, c->height - y - h, w, h);
}

/* Four curves, which are as good as a circle. */
static void pdf_dot(struct canvas *c, double x, double y, double r, uint32_t fill)
{
    static const double turns[4][2] = {{0, 1}, {-1, 0}, {0, -1}, {1, 0}};
    const double k = 0.5523 * r, cy = c->height - y;
    double fx = 1, fy = 0; /* from this direction to the next */
    set_colour(c, fill, "rg");
    set_colour(c, 0xffffff, "RG");
    fprintf(c->page, "0.8 w [] 0 d %.2f %.2f m\n", x + r, cy);
    for (unsigned i = 0; i < 4; i++) {
        const double tx = turns[i][0], ty = turns[i][1];
        fprintf(c->page, "%.2f %.2f %.2f %.2f %.2f %.2f c\n", x + fx * r + tx * k,
                cy + fy * r + ty * k, x + tx * r + fx * k, cy + ty * r + fy * k, x + tx * r,
                cy + ty * r);
        fx = tx;
        fy = ty;
    }
    fputs("b\n", c->page);
}

static void pdf_path(struct canvas *c, const double *xy, size_t n, const struct canvas_stroke *s)
{
    set_colour(c, s->colour, "RG");
    fprintf(c->page, "%.2f w ", s->width);
    if (s->dash > 0)
        fprintf(c->page, "[%.2f] 0 d\n", s->dash);
    else
        fputs("[] 0 d\n", c->page);
    for (size_t i = 0; i < n; i++)
        fprintf(c->page, "%.2f %.2f %c\n", xy[2 * i], c->height - xy[2 * i + 1], i ? 'l' : 'm');
    fputs("S\n", c->page);
}

static void put_string(FILE *out, const char *s)
{
    fputc('(', out);
    for (uint32_t ch; (ch = canvas_next_char(&s));) {
        if (ch == '(' || ch == ')' || ch == '\\')
            fputc('\\', out);
        if (ch < 0x80)
            fputc((int)ch, out);
        else
            fprintf(out, "\\%03o", ch >= 0xa0 && ch <= 0xff ? ch : '?');
    }
    fputc(')', out);
}

static double width_of(const char *s, double size)
{
    double sum = 0;
    for (uint32_t ch; (ch = canvas_next_char(&s));)
        sum += canvas_char_width(ch);
    return sum * size / 1000;
}

static void pdf_text(struct canvas *c, double x, double y, const struct canvas_text *t,
                     const char *s)
{
    const double a = t->turn * M_PI / 180;
    const double back = width_of(s, t->size) * (t->anchor == CANVAS_START    ? 0
                                                : t->anchor == CANVAS_MIDDLE ? 0.5
                                                                             : 1);
    set_colour(c, t->colour, "rg");
    fprintf(c->page, "BT /F%d %.2f Tf %.5f %.5f %.5f %.5f %.2f %.2f Tm ", t->is_bold ? 2 : 1,
            t->size, cos(a), sin(a), -sin(a), cos(a), x - back * cos(a),
            c->height - y - back * sin(a));
    put_string(c->page, s);
    fputs(" Tj ET\n", c->page);
}

/* One object of the file, and where it begins. */
static void put_object(FILE *out, unsigned i, long *at, const char *text)
{
    at[i] = ftell(out);
    fprintf(out, "%u 0 obj\n%s\nendobj\n", i, text);
}

static void pdf_end(struct canvas *c)
{
    enum { CATALOG = 1, PAGES, PAGE, PLAIN, BOLD, CONTENT, OBJECTS };
    static const char font[] = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica%s "
                               "/Encoding /WinAnsiEncoding >>";
    long at[OBJECTS];
    char *whole = NULL, text[256];
    size_t len = 0;
    FILE *f = open_memstream(&whole, &len); /* positions are those in the file */
    fclose(c->page);
    fputs("%PDF-1.4\n", f);
    put_object(f, CATALOG, at, "<< /Type /Catalog /Pages 2 0 R >>");
    put_object(f, PAGES, at, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
    snprintf(text, sizeof text,
             "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %.0f %.0f] /Contents 6 0 R "
             "/Resources << /Font << /F1 4 0 R /F2 5 0 R >> >> >>",
             c->width, c->height);
    put_object(f, PAGE, at, text);
    snprintf(text, sizeof text, font, "");
    put_object(f, PLAIN, at, text);
    snprintf(text, sizeof text, font, "-Bold");
    put_object(f, BOLD, at, text);
    at[CONTENT] = ftell(f);
    fprintf(f, "%d 0 obj\n<< /Length %zu >>\nstream\n", CONTENT, c->page_len);
    fwrite(c->page_text, 1, c->page_len, f);
    fputs("\nendstream\nendobj\n", f);
    const long xref = ftell(f);
    fprintf(f, "xref\n0 %d\n0000000000 65535 f \n", OBJECTS);
    for (unsigned i = CATALOG; i < OBJECTS; i++)
        fprintf(f, "%010ld 00000 n \n", at[i]);
    fprintf(f, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%ld\n%%%%EOF\n", OBJECTS, xref);
    fclose(f);
    fwrite(whole, 1, len, c->out);
    free(whole);
    free(c->page_text);
}

const struct canvas_ops canvas_pdf = {pdf_begin, pdf_rect, pdf_dot, pdf_path, pdf_text, pdf_end};
