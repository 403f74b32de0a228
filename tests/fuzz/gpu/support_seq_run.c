#include "fuzz/exec/support_seq_run.c"
