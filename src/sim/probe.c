#include "sim/probe.h"

const struct probe probe_null = {NULL, NULL};
