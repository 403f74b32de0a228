/* Private to src/tech. */
#ifndef TECH_PLUGIN_CHECK_H
#define TECH_PLUGIN_CHECK_H

#include "tech/tech.h"

/* The most that a row of energy may say. */
#define ENERGY_PJ_MAX 1e9

/* False and an error: a technique from a library that lacks something, or has it wrong. */
bool plugin_check(const struct technique *t, struct err *err);

#endif
