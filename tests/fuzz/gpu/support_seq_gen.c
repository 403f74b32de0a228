#include "fuzz/exec/support_seq_gen.c"
