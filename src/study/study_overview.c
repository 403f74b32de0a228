/* The table of all figures: what the papers report beside what came out here. */
#include "study/study_figure.h"

#include "base/file.h"
#include "base/outfile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char begin_mark[] = "<!-- figures: made by `parsim figure --report` -->\n";
static const char end_mark[] = "<!-- end of figures -->\n";

static void put(FILE *out, double v)
{
    if (isnan(v))
        fputs(" - |", out);
    else
        fprintf(out, " %.3f |", v);
}

static void write_row(const struct fig *f, size_t column, bool is_first, FILE *out)
{
    const struct study_table *t = &f->table;
    if (is_first)
        fprintf(out, "| [%s](%s.md) |", t->title, f->name);
    else
        fputs("| |", out);
    fprintf(out, " %s |", t->columns[column]);
    put(out, t->reported[column]);
    put(out, t->means[column]);
    fprintf(out, " %zu |", t->complete);
    put(out, t->facts ? t->kept_means[column] : NAN);
    if (t->facts)
        fprintf(out, " %zu |\n", t->kept);
    else
        fputs(" - |\n", out);
}

/* Not the base, which is 1 by definition; of parts, only what a paper reports. */
static bool is_shown(const struct fig *f, size_t c)
{
    const enum study_norm norm = (enum study_norm)f->file->figure.normalise;
    const bool is_relative = norm == STUDY_OVER_BASE || norm == STUDY_BASE_OVER;
    if (isnan(f->table.means[c]))
        return false;
    if (f->table.stack > 1)
        return !isnan(f->table.reported[c]);
    return !(is_relative && c == f->reference);
}

static void write_figure(const struct fig *f, FILE *out)
{
    bool is_first = true;
    for (size_t c = 0; c < f->table.ncolumns; c++)
        if (is_shown(f, c)) {
            write_row(f, c, is_first, out);
            is_first = false;
        }
    if (is_first && f->table.complete)
        fprintf(out, "| [%s](%s.md) | | | | %zu | | |\n", f->table.title, f->name,
                f->table.complete);
}

static void write_table(struct fig *const *figs, size_t n, const struct study_setup *s, FILE *out)
{
    fprintf(
        out,
        "%s\nRuns at `%s`. Kept: programs that a figure's own rule keeps (the page says which). "
        "A `-` under \"paper\": it gives no mean.\n\n"
        "| figure | design | paper | here, all | programs | here, kept | programs |\n"
        "|---|---|---|---|---|---|---|\n",
        begin_mark, s->size);
    for (size_t i = 0; i < n; i++)
        write_figure(figs[i], out);
    fprintf(out, "\n%s", end_mark);
}

/* Everything of `text` but what is between the marks goes to `before` and `*after`. */
static const char *split(char *text)
{
    char *from = strstr(text, begin_mark), *to = from ? strstr(from, end_mark) : NULL;
    if (!to)
        return "";
    *from = 0;
    return to + strlen(end_mark);
}

bool fig_overview(struct fig *const *figs, size_t n, const struct study_setup *s, const char *dir,
                  struct err *err)
{
    char *path = xasprintf("%s/README.md", dir);
    struct err none = {0};
    size_t len;
    char *old = file_read(path, &len, &none);
    const char *after = old ? split(old) : "";
    struct outfile *o = outfile_open(path, err);
    if (o) {
        const char *head = old && *old ? old : "# Results beside the papers\n\n";
        FILE *out = outfile_stream(o);
        fprintf(out, "%s%s", head, head[strlen(head) - 1] == '\n' ? "" : "\n");
        write_table(figs, n, s, out);
        fputs(after, out);
    }
    bool ok = o && outfile_close(o, err);
    free(old);
    free(path);
    return ok;
}
