/* Memoization of marked regions by assist warps, in their module memoize. */
#include "tech/assist/assist.h"

static const struct tech_design designs[] = {
    {"caba-memo",
     "assist warps keep results of marked regions in spare shared memory, and skip them", "memoize",
     0, false},
};

const struct technique assist_memo_technique = {
    .name = "assist_memo",
    .designs = designs,
    .ndesigns = ARRAY_LEN(designs),
    .bind = assist_module_bind,
    .announce = assist_module_announce,
};
