/* The SM between mocks (tests/sm), for techniques on it. */
#include "sm/support_sm_rig.c"
