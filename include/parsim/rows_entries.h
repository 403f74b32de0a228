/* Elements of an array of struct conf_field or struct stat_row, one for each row of the file
 * ROWS_FILE, of the struct ROWS_STRUCT, which has its members by parsim/rows_members.h:
 *     const struct stat_row x_stat_rows[] = {
 *     #define ROWS_FILE   "x/x_stats.def"
 *     #define ROWS_STRUCT x_stats
 *     #include "parsim/rows_entries.h"
 *     };
 * Where rows have formulas, parsim/rows_formulas.h comes before. */
#define ROWS_OF(row, ...) row(__VA_ARGS__)
#define ROW(...)          ROWS_OF(CONF_FIELD, ROWS_STRUCT, __VA_ARGS__)
#define ROW_ENUM(...)     ROWS_OF(CONF_FIELD_ENUM, ROWS_STRUCT, __VA_ARGS__)
#define COUNTER(...)      ROWS_OF(STAT_ROW_COUNTER, ROWS_STRUCT, __VA_ARGS__)
#define HIST(...)         ROWS_OF(STAT_ROW_HIST, ROWS_STRUCT, __VA_ARGS__)
#define FORMULA(...)      ROWS_OF(STAT_ROW_FORMULA, ROWS_STRUCT, __VA_ARGS__)
#include ROWS_FILE
#include "parsim/rows_end.h"
