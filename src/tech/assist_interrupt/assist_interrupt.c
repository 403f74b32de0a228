/* A timer's interrupts, handled by assist warps, in their module interrupt. */
#include "tech/assist/assist.h"

static const struct tech_design designs[] = {
    {"caba-interrupt",
     "a timer of each SM interrupts the warp that issues next; an assist warp is its handler",
     "interrupt", 0, false},
};

const struct technique assist_interrupt_technique = {
    .name = "assist_interrupt",
    .designs = designs,
    .ndesigns = ARRAY_LEN(designs),
    .bind = assist_module_bind,
    .announce = assist_module_announce,
};
