/* A table as a picture: a group of bars a program and one for each mean, a bar a design, in pieces
 * where its columns are parts of a whole; dots are what a paper reports of the means. */
#include "out/plot.h"
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a plot needs beside each other: programs, then means. */
struct groups {
    const char **names;
    double *values, *marks;
    size_t n;
};

static void add_group(struct groups *g, const struct study_table *t, const char *name,
                      const double *values, const double *marks)
{
    g->names[g->n] = name;
    memcpy(&g->values[g->n * t->ncolumns], values, t->ncolumns * sizeof *values);
    for (size_t c = 0; c < t->ncolumns && t->stack == 1; c++)
        g->marks[g->n * t->ncolumns + c] = marks ? marks[c] : NAN;
    g->n++;
}

static struct groups groups_of(const struct study_table *t, bool with_kept)
{
    const size_t most = t->nrows + 2;
    struct groups g = {xcalloc(most, sizeof *g.names),
                       xcalloc(most * t->ncolumns + 1, sizeof *g.values),
                       xcalloc(most * t->ncolumns + 1, sizeof *g.marks), 0};
    for (size_t i = 0; i < most * t->ncolumns; i++)
        g.marks[i] = NAN;
    for (size_t r = 0; r < t->nrows; r++)
        add_group(&g, t, t->rows[r], &t->values[r * t->ncolumns], NULL);
    add_group(&g, t, t->mean == STUDY_GEOMETRIC ? "geo. mean" : "mean", t->means, t->reported);
    if (with_kept)
        add_group(&g, t, "mean of kept", t->kept_means, t->reported);
    return g;
}

/* Of stacks: the designs, without the names of the parts behind them. */
static char **stack_names(const struct study_table *t)
{
    const size_t n = t->ncolumns / t->stack;
    char **names = xcalloc(n + 1, sizeof *names);
    for (size_t i = 0; i < n; i++) {
        const char *column = t->columns[i * t->stack];
        const size_t len = strlen(column), part = strlen(t->parts[0]) + 1;
        names[i] = xasprintf("%.*s", (int)(len > part ? len - part : len), column);
    }
    return names;
}

void study_table_plot(const struct study_table *t, FILE *out)
{
    const bool with_kept = t->facts && t->kept;
    struct groups g = groups_of(t, with_kept);
    char **stacks = t->stack > 1 ? stack_names(t) : NULL;
    char *warning = t->missing ? xasprintf("%zu runs are missing", t->missing) : NULL;
    const struct plot_bars bars = {.groups = g.names,
                                   .ngroups = g.n,
                                   .nmeans = 1u + with_kept,
                                   .bars = stacks ? (const char *const *)stacks : t->columns,
                                   .nbars = t->ncolumns / t->stack,
                                   .parts = stacks ? t->parts : NULL,
                                   .nparts = t->stack,
                                   .values = g.values,
                                   .marks = stacks ? NULL : g.marks,
                                   .mark_name = "the paper's mean",
                                   .base = t->base};
    const struct plot_panel panel = {.y = t->unit, .bars = &bars};
    const struct plot plot = {
        .title = t->title, .warning = warning, .panels = &panel, .npanels = 1};
    plot_svg(&plot, out);
    for (size_t i = 0; stacks && stacks[i]; i++)
        free(stacks[i]);
    free(stacks);
    free(warning);
    free(g.names);
    free(g.values);
    free(g.marks);
}
