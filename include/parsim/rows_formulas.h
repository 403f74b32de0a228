/* The functions of the formulas among the rows of ROWS_FILE, for the array of
 * parsim/rows_entries.h, which takes the same two macros. */
#define ROWS_OF(row, ...) row(__VA_ARGS__)
#define ROW(...)
#define ROW_ENUM(...)
#define COUNTER(...)
#define HIST(...)
#define FORMULA(...) ROWS_OF(STAT_FN_FORMULA, ROWS_STRUCT, __VA_ARGS__)
#include ROWS_FILE
#include "parsim/rows_end.h"
