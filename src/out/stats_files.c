/* Files of statistics. */
#include "out/stats_files.h"

#include "base/outfile.h"

#include <string.h>

bool out_write_file(const char *path, void (*fill)(FILE *out, const void *arg), const void *arg,
                    struct err *err)
{
    struct outfile *o = outfile_open(path, err);
    if (!o)
        return false;
    fill(outfile_stream(o), arg);
    return outfile_close(o, err);
}

char *out_beside(const char *path, const char *word)
{
    size_t n = strlen(path), stem = n > 4 && !strcmp(path + n - 4, ".csv") ? n - 4 : n;
    return xasprintf("%.*s.%s.csv", (int)stem, path, word);
}

struct part_line {
    FILE *out;
    size_t number;
    const char *name;
};

static void part_value(void *ctx, const struct stat_value *v)
{
    const struct part_line *k = ctx;
    if (v->hist)
        fprintf(k->out, "%zu,%s,%s,%s.count,%s,%llu\n", k->number, k->name, v->group, v->row->name,
                v->row->unit, (unsigned long long)v->hist->count);
    fprintf(k->out, "%zu,%s,%s,%s%s,%s,%.17g\n", k->number, k->name, v->group, v->row->name,
            v->hist ? ".mean" : "", v->row->unit, v->value);
}

void out_part_csv(FILE *out, size_t part, const char *part_name, const struct stats *st)
{
    struct part_line k = {out, part, part_name};
    stats_each(st, false, part_value, &k);
}
