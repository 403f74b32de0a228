/* The papers' figures with our workloads. */
#include "out/plot.h"
#include "study/characterize/characterize_int.h"

#include <stdlib.h>

enum { MOST_COLUMNS = 7 };

struct figure {
    const char *name, *title, *y;
    bool is_stacked;
    const char *paper; /* label of a line at `value`, the paper's mean; or NULL */
    double value;
    unsigned n;
    struct {
        enum column_id id;
        const char *name;
    } columns[MOST_COLUMNS];
};

/* clang-format off */
static const struct figure figures[] = {
    {"caba_3_registers", "Unallocated registers (CABA, Figure 3)", "register file (%)",
     false, "CABA: 24%", 24, 2,
     {{COLUMN_unallocated_static, "static"}, {COLUMN_unallocated, "in the run"}}},
    {"thesis_2_1_usage", "L1 block used until eviction (thesis, Figure 2.1)", "used (%)",
     false, "thesis: 40%", 40, 2,
     {{COLUMN_word_usage, "words"}, {COLUMN_sub_block_usage, "32-byte sub-blocks"}}},
    {"thesis_2_3_region", "L1 blocks by bytes used until eviction (thesis, Figure 2.3)", "blocks (%)",
     true, NULL, 0, 4,
     {{COLUMN_used_32, "32 B"}, {COLUMN_used_64, "64 B"}, {COLUMN_used_96, "96 B"},
      {COLUMN_used_128, "128 B"}}},
    {"thesis_2_6_consistency", "Consistent and inconsistent access to L1 blocks (thesis, Figure 2.6)",
     "blocks (%)", true, NULL, 0, 7,
     {{COLUMN_ca_32, "CA 32"}, {COLUMN_ca_64, "CA 64"}, {COLUMN_ca_96, "CA 96"},
      {COLUMN_ca_128, "CA 128"}, {COLUMN_ica_64, "ICA 64"}, {COLUMN_ica_96, "ICA 96"},
      {COLUMN_ica_128, "ICA 128"}}},
    {"gscalar_2_3_divergent", "Divergent instructions (G-Scalar, Figure 2.3)", "instructions (%)",
     false, "G-Scalar: 28% divergent, 12.6% divergent scalar", 28, 2,
     {{COLUMN_divergent_share, "divergent"}, {COLUMN_divergent_scalar, "divergent scalar"}}},
    {"gscalar_2_13_eligible", "Instructions eligible for scalar execution (G-Scalar, Figure 2.13)",
     "instructions (%)", true, "G-Scalar: 40%", 40, 5,
     {{COLUMN_alu_scalar, "ALU"}, {COLUMN_sfu_scalar, "special functions"},
      {COLUMN_mem_scalar, "memory"}, {COLUMN_half_scalar, "half-warp"},
      {COLUMN_divergent_scalar, "divergent"}}},
};
/* clang-format on */

static const struct {
    const char *name;
    enum column_id id[BANDWIDTHS];
} slots[] = {
    {"active", {COLUMN_active_half, COLUMN_active_one, COLUMN_active_double}},
    {"compute stall",
     {COLUMN_compute_stall_half, COLUMN_compute_stall_one, COLUMN_compute_stall_double}},
    {"memory stall",
     {COLUMN_memory_stall_half, COLUMN_memory_stall_one, COLUMN_memory_stall_double}},
    {"data stall", {COLUMN_data_stall_half, COLUMN_data_stall_one, COLUMN_data_stall_double}},
    {"idle", {COLUMN_idle_half, COLUMN_idle_one, COLUMN_idle_double}},
};

/* --- values: by workload and for their mean --- */

static double value_of(const struct row *rows, size_t n, size_t i, enum column_id id)
{
    return i < n ? rows[i].at[id] : rows_mean(rows, n, id);
}

static const char **names_of(const struct row *rows, size_t n)
{
    const char **names = xcalloc(n + 1, sizeof *names);
    for (size_t i = 0; i < n; i++)
        names[i] = rows[i].workload;
    names[n] = "mean";
    return names;
}

static bool save(const struct characterize *c, struct outfolder *out, const char *name,
                 const char *title, const struct plot_panel *panel, struct err *err)
{
    char *whole = xasprintf("%s, %s, size %s", title, c->gpu, c->size);
    const struct plot p = {.title = whole, .panels = panel, .npanels = 1};
    bool ok = plot_save(&p, out, name, err);
    free(whole);
    return ok;
}

/* --- issue slots: three bars a workload --- */

static bool plot_slots(const struct characterize *c, const struct row *rows, struct outfolder *out,
                       struct err *err)
{
    static const char *const bandwidths[BANDWIDTHS] = {"1/2x", "1x", "2x bandwidth"};
    const size_t n = c->workloads.len, parts = ARRAY_LEN(slots);
    const char *names[ARRAY_LEN(slots)], **groups = names_of(rows, n);
    double *values = xcalloc((n + 1) * BANDWIDTHS * parts, sizeof *values), *to = values;
    for (size_t k = 0; k < parts; k++)
        names[k] = slots[k].name;
    for (size_t i = 0; i <= n; i++)
        for (unsigned b = 0; b < BANDWIDTHS; b++)
            for (size_t k = 0; k < parts; k++)
                *to++ = value_of(rows, n, i, slots[k].id[b]);
    const struct plot_bars bars = {.groups = groups,
                                   .ngroups = n + 1,
                                   .nmeans = 1,
                                   .bars = bandwidths,
                                   .nbars = BANDWIDTHS,
                                   .parts = names,
                                   .nparts = parts,
                                   .values = values,
                                   .base = parts - 1}; /* idle */
    const struct plot_panel panel = {.y = "issue slots (%)", .top = 100, .bars = &bars};
    bool ok = save(c, out, "caba_2_issue_slots", "Issue slots (CABA, Figure 2)", &panel, err);
    free(groups);
    free(values);
    return ok;
}

/* --- the others: a bar, or one a column, a workload --- */

static bool plot_figure(const struct characterize *c, const struct figure *fig,
                        const struct row *rows, struct outfolder *out, struct err *err)
{
    const size_t n = c->workloads.len;
    const char *names[MOST_COLUMNS], **groups = names_of(rows, n);
    double *values = xcalloc((n + 1) * fig->n, sizeof *values);
    for (unsigned k = 0; k < fig->n; k++)
        names[k] = fig->columns[k].name;
    for (size_t i = 0; i < (n + 1) * fig->n; i++)
        values[i] = value_of(rows, n, i / fig->n, fig->columns[i % fig->n].id);
    const struct plot_bars bars = {.groups = groups,
                                   .ngroups = n + 1,
                                   .nmeans = 1,
                                   .bars = names,
                                   .nbars = fig->is_stacked ? 1 : fig->n,
                                   .parts = fig->is_stacked ? names : NULL,
                                   .nparts = fig->is_stacked ? fig->n : 1,
                                   .values = values,
                                   .base = SIZE_MAX};
    char *level = fig->paper ? xasprintf("%s (mean)", fig->paper) : NULL;
    const struct plot_panel panel = {
        .y = fig->y, .top = 100, .bars = &bars, .level_name = level, .level = fig->value};
    bool ok = save(c, out, fig->name, fig->title, &panel, err);
    free(level);
    free(groups);
    free(values);
    return ok;
}

bool rows_plot(const struct characterize *c, const struct row *rows, struct err *err)
{
    struct outfolder *out = outfolder_open(c->plot, err);
    if (!out)
        return false;
    bool ok = plot_slots(c, rows, out, err);
    for (unsigned i = 0; ok && i < ARRAY_LEN(figures); i++)
        ok = plot_figure(c, &figures[i], rows, out, err);
    return outfolder_close(out, ok, err);
}
