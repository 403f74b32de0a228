/* A module's text with other marks. */
#include "tech/lnl/lnl_propose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Marks that stand before a line, in the order in which they are to be there. */
struct at_line {
    uint32_t line;
    const char *text;
    unsigned order;
};

static int by_line(const void *a, const void *b)
{
    const struct at_line *x = a, *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Marks stand on lines of their own: the instruction must be the first of its line. */
static bool is_first_of_line(const struct ptx_func *f, uint32_t pc)
{
    return !pc || f->insts[pc - 1].line != f->insts[pc].line;
}

static bool is_end(const struct lnl_proposed_mark *m)
{
    return !strcmp(m->text, "lnl end");
}

static struct at_line *marks_by_line(const struct lnl_proposal *p, size_t n, size_t *count,
                                     struct err *err)
{
    struct at_line *all = NULL;
    *count = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < p[i].marks.len; k++) {
            const struct lnl_proposed_mark *m = &p[i].marks.data[k];
            const struct ptx_inst *inst = &p[i].f->insts[m->pc];
            if (!is_first_of_line(p[i].f, m->pc)) {
                err_set(err,
                        "%s:%u: %s is not the first instruction of its line, where a mark "
                        "would have to stand before it",
                        p[i].f->module->file, inst->line, inst->text);
                free(all);
                return NULL;
            }
            all = xrealloc(all, (*count + 1) * sizeof *all);
            /* A region that ends here does so before anything begins. */
            all[*count] =
                (struct at_line){inst->line, m->text, (unsigned)(is_end(m) ? 0 : 1 + *count)};
            ++*count;
        }
    if (*count)
        qsort(all, *count, sizeof *all, by_line);
    return all ? all : xcalloc(1, sizeof *all);
}

/* Whether the line is one of our marks and nothing else. */
static bool is_mark(const char *line, size_t len)
{
    static const char head[] = ".pragma";
    const char *end = line + len, *at = line;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    if ((size_t)(end - at) < sizeof head || memcmp(at, head, sizeof head - 1) != 0)
        return false;
    at += sizeof head - 1;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return end - at > 5 && !memcmp(at, "\"lnl ", 5);
}

char *lnl_annotate(const char *text, size_t len, const struct lnl_proposal *p, size_t n,
                   struct err *err)
{
    size_t count, next = 0, size = 0;
    char *out = NULL;
    struct at_line *marks = marks_by_line(p, n, &count, err);
    FILE *f = marks ? open_memstream(&out, &size) : NULL;
    const char *at = text, *end = text + len;
    for (uint32_t line = 1; f && at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const size_t bytes = (size_t)((stop ? stop + 1 : end) - at);
        for (; next < count && marks[next].line == line; next++)
            fprintf(f, "\t.pragma \"%s\";\n", marks[next].text);
        if (!is_mark(at, bytes))
            fwrite(at, 1, bytes, f);
        at += bytes;
    }
    if (f && fclose(f))
        abort(); /* no memory */
    free(marks);
    return out;
}
