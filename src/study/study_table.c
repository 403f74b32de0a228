/* Tables of experiments. */
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void study_table_init(struct study_table *t, size_t nrows, size_t ncolumns)
{
    *t = (struct study_table){.nrows = nrows, .ncolumns = ncolumns, .stack = 1, .base = SIZE_MAX};
    t->values = xcalloc(nrows * ncolumns + 1, sizeof *t->values);
    t->means = xcalloc(ncolumns + 1, sizeof *t->means);
    t->kept_means = xcalloc(ncolumns + 1, sizeof *t->kept_means);
    t->reported = xcalloc(ncolumns + 1, sizeof *t->reported);
    for (size_t c = 0; c < ncolumns; c++)
        t->reported[c] = NAN;
}

void study_table_free(struct study_table *t)
{
    free(t->values);
    free(t->means);
    free(t->kept_means);
    free(t->reported);
    free(t->facts);
}

static void take_shares(const struct study_table *t, double *row)
{
    for (size_t c = 0; c < t->ncolumns; c += t->stack) {
        double sum = 0;
        for (size_t i = 0; i < t->stack; i++)
            sum += row[c + i];
        for (size_t i = 0; i < t->stack; i++)
            row[c + i] = sum != 0 ? row[c + i] / sum : NAN;
    }
}

void study_table_normalise(struct study_table *t, enum study_norm norm, size_t reference)
{
    t->base = norm == STUDY_OVER_BASE || norm == STUDY_BASE_OVER ? reference : SIZE_MAX;
    for (size_t r = 0; r < t->nrows && norm != STUDY_AS_IS; r++) {
        double *row = &t->values[r * t->ncolumns], base = row[reference];
        for (size_t c = 0; c < t->ncolumns && norm != STUDY_SHARE; c++) {
            double of = norm == STUDY_OVER_BASE ? row[c] : base;
            double by = norm == STUDY_OVER_BASE ? base : row[c];
            row[c] = by != 0 ? of / by : NAN;
        }
        if (norm == STUDY_SHARE)
            take_shares(t, row);
    }
}

double study_mean_of(const double *values, size_t n, enum study_mean mean)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += mean == STUDY_GEOMETRIC ? log(values[i]) : values[i];
    sum /= (double)n;
    return !n ? NAN : mean == STUDY_GEOMETRIC ? exp(sum) : sum;
}

static bool is_complete(const struct study_table *t, size_t row)
{
    for (size_t c = 0; c < t->ncolumns; c++)
        if (isnan(t->values[row * t->ncolumns + c]))
            return false;
    return true;
}

static double mean_of_column(const struct study_table *t, size_t c, bool kept_only, size_t *n)
{
    double *column = xcalloc(t->nrows + 1, sizeof *column);
    *n = 0;
    for (size_t r = 0; r < t->nrows; r++)
        if (is_complete(t, r) && (!kept_only || (t->facts && t->facts[r].kept)))
            column[(*n)++] = t->values[r * t->ncolumns + c];
    double mean = study_mean_of(column, *n, t->mean);
    free(column);
    return mean;
}

void study_table_average(struct study_table *t, enum study_mean mean)
{
    t->mean = mean;
    for (size_t c = 0; c < t->ncolumns; c++) {
        t->means[c] = mean_of_column(t, c, false, &t->complete);
        t->kept_means[c] = mean_of_column(t, c, true, &t->kept);
    }
}

/* --- out --- */

void study_put_number(FILE *out, double v, int width, int digits)
{
    if (isnan(v))
        fprintf(out, "%*s", width, "-");
    else
        fprintf(out, "%*.*f", width, digits, v);
}

static void number(FILE *out, double v, int width)
{
    study_put_number(out, v, width, 3);
}

static const char *mean_name(const struct study_table *t)
{
    return t->mean == STUDY_GEOMETRIC ? "geometric mean" : "mean";
}

static bool any_reported(const struct study_table *t)
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

/* "geometric mean of the 7 kept" */
static void name_kept(const struct study_table *t, char *to, size_t size)
{
    snprintf(to, size, "%s of the %zu kept", mean_name(t), t->kept);
}

static void print_row(const struct study_table *t, FILE *out, const char *name,
                      const double *values, const struct study_fact *fact)
{
    fprintf(out, "  %-16s", name);
    if (t->facts && fact) {
        number(out, fact->bus, 8);
        number(out, fact->ratio, 8);
        number(out, fact->gain, 8);
        fprintf(out, "%5s", fact->kept ? "yes" : "no");
    } else if (t->facts) {
        fprintf(out, "%*s", 29, "");
    }
    for (size_t c = 0; c < t->ncolumns; c++)
        number(out, values[c], column_width(t->columns[c]));
    fputc('\n', out);
}

void study_table_print(const struct study_table *t, FILE *out)
{
    fprintf(out, "%s%s%s\n  %-16s", t->title, *t->unit ? ": " : "", t->unit, "");
    if (t->facts)
        fprintf(out, "%8s%8s%8s%5s", "bus", "ratio", "2x bw", "kept");
    for (size_t c = 0; c < t->ncolumns; c++)
        fprintf(out, "%*s", column_width(t->columns[c]), t->columns[c]);
    fputc('\n', out);
    for (size_t r = 0; r < t->nrows; r++)
        print_row(t, out, t->rows[r], &t->values[r * t->ncolumns], t->facts ? &t->facts[r] : NULL);
    print_row(t, out, mean_name(t), t->means, NULL);
    if (t->facts && t->kept)
        print_row(t, out, "mean of kept", t->kept_means, NULL);
    if (any_reported(t))
        print_row(t, out, "the paper", t->reported, NULL);
}

static void markdown_row(const struct study_table *t, FILE *out, const char *name,
                         const double *values, const struct study_fact *fact)
{
    fprintf(out, "| %s |", name);
    if (t->facts && fact) {
        fputc(' ', out);
        number(out, fact->bus, 0);
        fputs(" | ", out);
        number(out, fact->ratio, 0);
        fputs(" | ", out);
        number(out, fact->gain, 0);
        fprintf(out, " | %.*s | %s |", (int)strcspn(fact->bottleneck, ":"), fact->bottleneck,
                fact->kept ? "yes" : "");
    } else if (t->facts) {
        fputs(" | | | | |", out);
    }
    for (size_t c = 0; c < t->ncolumns; c++) {
        fputc(' ', out);
        number(out, values[c], 0);
        fputs(" |", out);
    }
    fputc('\n', out);
}

void study_table_markdown(const struct study_table *t, FILE *out)
{
    char kept[64];
    name_kept(t, kept, sizeof kept);
    fprintf(out, "| %s |", t->unit);
    if (t->facts)
        fputs(" bus at base | burst ratio | gain of 2x bandwidth | bound by | kept |", out);
    for (size_t c = 0; c < t->ncolumns; c++)
        fprintf(out, " %s |", t->columns[c]);
    fputs(t->facts ? "\n|---|---|---|---|---|---|" : "\n|---|", out);
    for (size_t c = 0; c < t->ncolumns; c++)
        fputs("---|", out);
    fputc('\n', out);
    for (size_t r = 0; r < t->nrows; r++)
        markdown_row(t, out, t->rows[r], &t->values[r * t->ncolumns],
                     t->facts ? &t->facts[r] : NULL);
    markdown_row(t, out, mean_name(t), t->means, NULL);
    if (t->facts && t->kept)
        markdown_row(t, out, kept, t->kept_means, NULL);
    if (any_reported(t))
        markdown_row(t, out, "the paper", t->reported, NULL);
}

void study_csv_text(FILE *out, const char *text)
{
    const bool quotes = strpbrk(text, ",\"\r\n") != NULL;
    if (quotes)
        fputc('"', out);
    for (; *text; text++)
        fputs(*text == '"' ? "\"\"" : (const char[]){*text, 0}, out);
    if (quotes)
        fputc('"', out);
}

static void csv_names(FILE *out, const char *row, const char *column)
{
    study_csv_text(out, row);
    fputc(',', out);
    study_csv_text(out, column);
    fputc(',', out);
}

void study_table_csv(const struct study_table *t, FILE *out)
{
    fprintf(out, "program,design,value\n");
    for (size_t r = 0; r < t->nrows; r++)
        for (size_t c = 0; c < t->ncolumns; c++) {
            double v = t->values[r * t->ncolumns + c];
            csv_names(out, t->rows[r], t->columns[c]);
            if (!isnan(v))
                fprintf(out, "%.17g", v);
            fputc('\n', out);
        }
    for (size_t c = 0; c < t->ncolumns; c++)
        csv_names(out, mean_name(t), t->columns[c]), fprintf(out, "%.17g\n", t->means[c]);
    for (size_t c = 0; c < t->ncolumns && t->facts && t->kept; c++)
        fprintf(out, "%s of kept,", mean_name(t)), study_csv_text(out, t->columns[c]),
            fprintf(out, ",%.17g\n", t->kept_means[c]);
    if (t->missing)
        fprintf(out, "runs missing,,%zu\n", t->missing);
}

void study_table_beside_paper(const struct study_table *t, FILE *out, const char *prefix)
{
    for (size_t c = 0; c < t->ncolumns; c++) {
        if (isnan(t->reported[c]) || isnan(t->means[c]))
            continue;
        fprintf(out, "%s%s: %.3f here, %.3f in the paper (%+.0f%%)", prefix, t->columns[c],
                t->means[c], t->reported[c], 100 * (t->means[c] / t->reported[c] - 1));
        if (t->facts && t->kept)
            fprintf(out, "; %.3f over the %zu programs that its rule keeps", t->kept_means[c],
                    t->kept);
        fputc('\n', out);
    }
}
