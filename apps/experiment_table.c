/* Tables of experiments. */
#include "experiment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void exp_table_init(struct exp_table *t, size_t nrows, size_t ncolumns)
{
    *t = (struct exp_table){.nrows = nrows, .ncolumns = ncolumns};
    t->values = xcalloc(nrows * ncolumns + 1, sizeof *t->values);
    t->means = xcalloc(ncolumns + 1, sizeof *t->means);
    t->reported = xcalloc(ncolumns + 1, sizeof *t->reported);
    for (size_t c = 0; c < ncolumns; c++)
        t->reported[c] = NAN;
}

void exp_table_free(struct exp_table *t)
{
    free(t->values);
    free(t->means);
    free(t->reported);
}

void exp_table_normalise(struct exp_table *t, enum exp_norm norm, size_t reference)
{
    for (size_t r = 0; r < t->nrows && norm != EXP_AS_IS; r++) {
        double *row = &t->values[r * t->ncolumns], base = row[reference];
        for (size_t c = 0; c < t->ncolumns; c++) {
            double of = norm == EXP_OVER_BASE ? row[c] : base;
            double by = norm == EXP_OVER_BASE ? base : row[c];
            row[c] = by != 0 ? of / by : NAN;
        }
    }
}

double exp_mean_of(const double *values, size_t n, enum exp_mean mean)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += mean == EXP_GEOMETRIC ? log(values[i]) : values[i];
    sum /= (double)n;
    return !n ? NAN : mean == EXP_GEOMETRIC ? exp(sum) : sum;
}

static bool is_complete(const struct exp_table *t, size_t row)
{
    for (size_t c = 0; c < t->ncolumns; c++)
        if (isnan(t->values[row * t->ncolumns + c]))
            return false;
    return true;
}

void exp_table_average(struct exp_table *t, enum exp_mean mean)
{
    double *column = xcalloc(t->nrows + 1, sizeof *column);
    t->mean = mean;
    for (size_t c = 0; c < t->ncolumns; c++) {
        t->complete = 0;
        for (size_t r = 0; r < t->nrows; r++)
            if (is_complete(t, r))
                column[t->complete++] = t->values[r * t->ncolumns + c];
        t->means[c] = exp_mean_of(column, t->complete, mean);
    }
    free(column);
}

/* --- out --- */

static void number(FILE *out, double v, int width)
{
    if (isnan(v))
        fprintf(out, "%*s", width, "-");
    else
        fprintf(out, "%*.3f", width, v);
}

static const char *mean_name(const struct exp_table *t)
{
    return t->mean == EXP_GEOMETRIC ? "geometric mean" : "mean";
}

static bool any_reported(const struct exp_table *t)
{
    for (size_t c = 0; c < t->ncolumns; c++)
        if (!isnan(t->reported[c]))
            return true;
    return false;
}

static int column_width(const char *name)
{
    int n = (int)strlen(name) + 2;
    return n < 10 ? 10 : n;
}

static void print_row(const struct exp_table *t, FILE *out, const char *name, const double *values)
{
    fprintf(out, "  %-16s", name);
    for (size_t c = 0; c < t->ncolumns; c++)
        number(out, values[c], column_width(t->columns[c]));
    fputc('\n', out);
}

void exp_table_print(const struct exp_table *t, FILE *out)
{
    fprintf(out, "%s%s%s\n  %-16s", t->title, *t->unit ? ": " : "", t->unit, "");
    for (size_t c = 0; c < t->ncolumns; c++)
        fprintf(out, "%*s", column_width(t->columns[c]), t->columns[c]);
    fputc('\n', out);
    for (size_t r = 0; r < t->nrows; r++)
        print_row(t, out, t->rows[r], &t->values[r * t->ncolumns]);
    print_row(t, out, mean_name(t), t->means);
    if (any_reported(t))
        print_row(t, out, "the paper", t->reported);
}

static void markdown_row(const struct exp_table *t, FILE *out, const char *name,
                         const double *values)
{
    fprintf(out, "| %s |", name);
    for (size_t c = 0; c < t->ncolumns; c++) {
        fputc(' ', out);
        number(out, values[c], 0);
        fputs(" |", out);
    }
    fputc('\n', out);
}

void exp_table_markdown(const struct exp_table *t, FILE *out)
{
    fprintf(out, "| %s |", t->unit);
    for (size_t c = 0; c < t->ncolumns; c++)
        fprintf(out, " %s |", t->columns[c]);
    fputs("\n|---|", out);
    for (size_t c = 0; c < t->ncolumns; c++)
        fputs("---|", out);
    fputc('\n', out);
    for (size_t r = 0; r < t->nrows; r++)
        markdown_row(t, out, t->rows[r], &t->values[r * t->ncolumns]);
    markdown_row(t, out, mean_name(t), t->means);
    if (any_reported(t))
        markdown_row(t, out, "the paper", t->reported);
}

void exp_table_csv(const struct exp_table *t, FILE *out)
{
    fprintf(out, "program,design,value\n");
    for (size_t r = 0; r < t->nrows; r++)
        for (size_t c = 0; c < t->ncolumns; c++) {
            double v = t->values[r * t->ncolumns + c];
            fprintf(out, "%s,%s,", t->rows[r], t->columns[c]);
            if (!isnan(v))
                fprintf(out, "%.17g", v);
            fputc('\n', out);
        }
    for (size_t c = 0; c < t->ncolumns; c++)
        fprintf(out, "%s,%s,%.17g\n", mean_name(t), t->columns[c], t->means[c]);
}

void exp_table_beside_paper(const struct exp_table *t, FILE *out, const char *prefix)
{
    for (size_t c = 0; c < t->ncolumns; c++)
        if (!isnan(t->reported[c]) && !isnan(t->means[c]))
            fprintf(out, "%s%s: %.3f here, %.3f in the paper (%+.0f%%)\n", prefix, t->columns[c],
                    t->means[c], t->reported[c], 100 * (t->means[c] / t->reported[c] - 1));
}
