/* Quality control: samples and the setting that follows from them. */
#include "tech/lnl/lnl_control.h"

#include <math.h>

/* Before there are so many nothing is approximated; from `OLD` on what is old counts half. */
enum { FIRST_SAMPLES = 8, OLD = 256 };

/* The samples are some of many, and errors of one kernel go on in the next. */
static const double margin = 0.7;

const double lnl_level_relative[LNL_LEVELS] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.4};
const double lnl_level_absolute[LNL_LEVELS] = {2, 4, 8, 16, 32, 64};

void lnl_control_init(struct lnl_control *c)
{
    *c = (struct lnl_control){.level = LNL_LEVELS};
}

bool lnl_control_takes(struct lnl_control *c, uint64_t period)
{
    const bool is_due = c->starts / 2 % period == 0; /* two neighbours, which might be fused */
    const bool takes = is_due || c->samples < FIRST_SAMPLES;
    c->starts++;
    c->samples += takes;
    return takes;
}

static void halve(struct lnl_control *c)
{
    for (unsigned j = 0; j < LNL_SIZES; j++)
        for (unsigned l = 0; l < LNL_LEVELS; l++) {
            c->similar[j][l] /= 2;
            c->squares[j][l] /= 2;
        }
    c->magnitude /= 2;
    c->values /= 2;
}

void lnl_control_store(struct lnl_control *c, const struct lnl_levels *l,
                       const struct lnl_sample *s)
{
    if (++c->stores % OLD == 0)
        halve(c);
    c->magnitude += s->magnitude;
    c->values += s->values;
    for (unsigned j = 0; j < LNL_SIZES; j++)
        if (l->at[j] < LNL_LEVELS) {
            c->similar[j][l->at[j]] += s->values;
            c->squares[j][l->at[j]] += s->squares[j];
        }
}

/* Root of the mean square over all values, approximated or not, of the mean magnitude. */
static double error_of(const struct lnl_control *c, double squares)
{
    if (squares == 0)
        return 0;
    return c->magnitude > 0 ? sqrt(squares / c->values) / (c->magnitude / c->values) : INFINITY;
}

bool lnl_control_choose(struct lnl_control *c, double bound)
{
    const unsigned size = c->size, level = c->level;
    double best = 0;
    c->level = LNL_LEVELS;
    for (unsigned j = 0; j < LNL_SIZES && c->stores >= FIRST_SAMPLES && bound > 0; j++) {
        double similar = 0, squares = 0;
        for (unsigned l = 0; l < LNL_LEVELS; l++) {
            similar += c->similar[j][l];
            squares += c->squares[j][l];
            const double saved = similar * (1 - 1.0 / lnl_size_at(j));
            if (saved > best && error_of(c, squares) < margin * bound) {
                best = saved;
                c->size = j;
                c->level = l;
            }
        }
    }
    return c->level != level || (c->level < LNL_LEVELS && c->size != size);
}

bool lnl_control_allows(const struct lnl_control *c, const struct lnl_levels *l)
{
    return c->level < LNL_LEVELS && l->at[c->size] <= c->level;
}
