/* What is asked, checked before any file is read; then file by file. */
#include "study/codec/codec_study.h"

#include "base/outfile.h"

#include <stdlib.h>
#include <string.h>

bool codec_add_table(struct codec_options *o, const char *path, struct err *err)
{
    struct codec_error why;
    struct codec_table *t = codec_table_load(path, &why);
    if (!t)
        return err_set(err, "%s", why.msg);
    unsigned l = (unsigned)__builtin_ctz(codec_table_symbol_bits(t)) - 2;
    codec_table_free(o->tables[l]);
    o->tables[l] = t;
    return true;
}

bool codec_check_name(const struct codec_options *o, const char *name, struct err *err)
{
    struct codec_error why;
    enum codec_general which;
    enum codec_id id;
    unsigned symbol_bits, ways;
    if (codec_general_name(name, &which))
        return true;
    struct codec_params params = {.block_bytes = (unsigned)o->block_bytes,
                                  .mag_bytes = (unsigned)o->mag_bytes};
    bool needs_table = codec_name_parse(name, &id, &symbol_bits, &ways) && symbol_bits;
    struct codec *c = codec_new(needs_table ? "zero" : name, &params, &why);
    codec_free(c);
    return c || err_set(err, "%s", why.msg);
}

static bool write_results(const struct codec_options *o, const struct codec_report *reports,
                          unsigned n, FILE *out, struct err *err)
{
    bool text = !o->json || strcmp(o->json, "-");
    for (unsigned i = 0; i < n && text; i++)
        codec_print_report(&reports[i], out);
    if (n > 1 && text)
        codec_print_side_by_side(reports, n, out);
    if (o->json && !codec_write_json(o->json, reports, n, o->window_bytes != 0, err))
        return false;
    return !o->plot || codec_write_svg(o->plot, reports, n, err);
}

bool codec_analyse(const struct codec_options *o, char **files, unsigned n, FILE *out,
                   struct err *err)
{
    struct codec_report *reports = xcalloc(n, sizeof *reports);
    const char *const outputs[] = {o->json, o->plot};
    bool ok = outfile_probe_all(outputs, ARRAY_LEN(outputs), err) &&
              outfile_check_inputs(outputs, ARRAY_LEN(outputs), (const char *const *)files, n, err);
    for (unsigned i = 0; i < n && ok; i++)
        ok = codec_scan(files[i], o, &reports[i], err);
    ok = ok && write_results(o, reports, n, out, err);
    for (unsigned i = 0; i < n; i++)
        codec_report_free(&reports[i]);
    free(reports);
    return ok;
}
