/* The papers' figures with our workloads: for each NAME.dat, NAME.gp and NAME.svg. */
#include "base/outfolder.h"
#include "cmd_characterize.h"

#include <math.h>

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
    {"caba_3_registers", "unallocated registers (CABA, Figure 3)", "register file (%)",
     false, "CABA: 24%", 24, 2,
     {{COLUMN_unallocated_static, "static"}, {COLUMN_unallocated, "in the run"}}},
    {"thesis_2_1_usage", "L1 block used until eviction (thesis, Figure 2.1)", "used (%)",
     false, "thesis: 40%", 40, 2,
     {{COLUMN_word_usage, "words"}, {COLUMN_sub_block_usage, "32-byte sub-blocks"}}},
    {"thesis_2_3_region", "L1 blocks by bytes used until eviction (thesis, Figure 2.3)", "blocks (%)",
     true, NULL, 0, 4,
     {{COLUMN_used_32, "32 B"}, {COLUMN_used_64, "64 B"}, {COLUMN_used_96, "96 B"},
      {COLUMN_used_128, "128 B"}}},
    {"thesis_2_6_consistency", "consistent and inconsistent access to L1 blocks (thesis, Figure 2.6)",
     "blocks (%)", true, NULL, 0, 7,
     {{COLUMN_ca_32, "CA 32"}, {COLUMN_ca_64, "CA 64"}, {COLUMN_ca_96, "CA 96"},
      {COLUMN_ca_128, "CA 128"}, {COLUMN_ica_64, "ICA 64"}, {COLUMN_ica_96, "ICA 96"},
      {COLUMN_ica_128, "ICA 128"}}},
    {"gscalar_2_3_divergent", "divergent instructions (G-Scalar, Figure 2.3)", "instructions (%)",
     false, "G-Scalar: 28% divergent, 12.6% divergent scalar", 28, 2,
     {{COLUMN_divergent_share, "divergent"}, {COLUMN_divergent_scalar, "divergent scalar"}}},
    {"gscalar_2_13_eligible", "instructions eligible for scalar execution (G-Scalar, Figure 2.13)",
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

static const char style[] =
    "set style line 1 lc rgb '#1b5e20'; set style line 2 lc rgb '#c62828'\n"
    "set style line 3 lc rgb '#1565c0'; set style line 4 lc rgb '#f9a825'\n"
    "set style line 5 lc rgb '#9e9e9e'; set style line 6 lc rgb '#6a1b9a'\n"
    "set style line 7 lc rgb '#000000'\n"
    "set border 3; set tics nomirror; set grid ytics lc rgb '#dddddd'\n"
    "set style data histograms; set style fill solid border lc rgb 'white'\n"
    "set xtics rotate by -50 noenhanced; set yrange [0:100]\n"
    "set key outside top center horizontal noenhanced\n";

static void put(FILE *f, double v)
{
    if (isnan(v))
        fprintf(f, " 0");
    else
        fprintf(f, " %.6g", v);
}

/* --- issue slots: three bars a workload --- */

static void slots_data(FILE *f, const struct row *rows, size_t n)
{
    fprintf(f, "name");
    for (unsigned k = 0; k < ARRAY_LEN(slots); k++)
        fprintf(f, " \"%s\"", slots[k].name);
    for (size_t i = 0; i <= n; i++) {
        for (unsigned b = 0; b < BANDWIDTHS; b++) {
            fprintf(f, "\n\"%s\"", b != BANDWIDTH_ONE ? "" : i < n ? rows[i].workload : "mean");
            for (unsigned k = 0; k < ARRAY_LEN(slots); k++)
                put(f, i < n ? rows[i].at[slots[k].id[b]] : rows_mean(rows, n, slots[k].id[b]));
        }
        fprintf(f, "\n\"\" 0 0 0 0 0");
    }
    fputc('\n', f);
}

static bool plot_slots(const struct characterize *c, const struct row *rows, struct outfolder *out,
                       struct err *err)
{
    static const char name[] = "caba_2_issue_slots";
    FILE *f = outfolder_begin(out, name, "dat", err);
    if (!f)
        return false;
    slots_data(f, rows, c->workloads.len);
    if (!outfolder_end(out, f, err) || !(f = outfolder_begin(out, name, "gp", err)))
        return false;
    fprintf(f,
            "# gnuplot %s.gp\n%s"
            "set terminal svg size 1500,460 font 'Helvetica,13' background rgb 'white'\n"
            "set output '%s.svg'\nset style histogram rowstacked; set boxwidth 0.9\n"
            "set title 'issue slots at 1/2x, 1x, 2x bandwidth (CABA, Figure 2), %s, size %s'\n"
            "set ylabel 'issue slots (%%)'\n"
            "plot for [i=2:6] '%s.dat' using i:xtic(1) title columnhead(i) ls i-1\n",
            name, style, name, c->gpu, c->size, name);
    return outfolder_end(out, f, err) && outfolder_plot(out, name, err);
}

/* --- the others: a bar, or one a column, a workload --- */

static void figure_data(FILE *f, const struct figure *fig, const struct row *rows, size_t n)
{
    fprintf(f, "name");
    for (unsigned k = 0; k < fig->n; k++)
        fprintf(f, " \"%s\"", fig->columns[k].name);
    for (size_t i = 0; i <= n; i++) {
        fprintf(f, "\n\"%s\"", i < n ? rows[i].workload : "mean");
        for (unsigned k = 0; k < fig->n; k++)
            put(f, i < n ? rows[i].at[fig->columns[k].id] : rows_mean(rows, n, fig->columns[k].id));
    }
    fputc('\n', f);
}

static void figure_script(FILE *f, const struct characterize *c, const struct figure *fig)
{
    fprintf(f,
            "# gnuplot %s.gp\n%s"
            "set terminal svg size 1100,440 font 'Helvetica,13' background rgb 'white'\n"
            "set output '%s.svg'\nset style histogram %s; set boxwidth %s\n"
            "set title '%s, %s, size %s'\nset ylabel '%s'\n",
            fig->name, style, fig->name, fig->is_stacked ? "rowstacked" : "clustered gap 1",
            fig->is_stacked ? "0.7" : "0.9", fig->title, c->gpu, c->size, fig->y);
    fprintf(f, "plot for [i=2:%u] '%s.dat' using i:xtic(1) title columnhead(i) ls i-1", fig->n + 1,
            fig->name);
    if (fig->paper)
        fprintf(f, ", %g with lines dt 2 lw 2 lc rgb '#000000' title '%s (mean)'", fig->value,
                fig->paper);
    fputc('\n', f);
}

static bool plot_figure(const struct characterize *c, const struct figure *fig,
                        const struct row *rows, struct outfolder *out, struct err *err)
{
    FILE *f = outfolder_begin(out, fig->name, "dat", err);
    if (!f)
        return false;
    figure_data(f, fig, rows, c->workloads.len);
    if (!outfolder_end(out, f, err) || !(f = outfolder_begin(out, fig->name, "gp", err)))
        return false;
    figure_script(f, c, fig);
    return outfolder_end(out, f, err) && outfolder_plot(out, fig->name, err);
}

bool characterize_plot(const struct characterize *c, const struct row *rows, struct err *err)
{
    struct outfolder *out = outfolder_open(c->plot, err);
    if (!out)
        return false;
    bool ok = plot_slots(c, rows, out, err);
    for (unsigned i = 0; ok && i < ARRAY_LEN(figures); i++)
        ok = plot_figure(c, &figures[i], rows, out, err);
    return outfolder_close(out, ok, err);
}
