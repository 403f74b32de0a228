/* Members of a struct, one for each row of the file ROWS_FILE (fields of a configuration, or
 * statistics):
 *     struct x_stats {
 *     #define ROWS_FILE "x/x_stats.def"
 *     #include "parsim/rows_members.h"
 *     };
 * To be included as often as there are structs. */
#define ROW(TYPE, name, ...) CONF_MEMBER_##TYPE name;
#define ROW_ENUM(name, ...)  int name;
#define COUNTER(...)         STAT_MEMBER_COUNTER(__VA_ARGS__)
#define HIST(...)            STAT_MEMBER_HIST(__VA_ARGS__)
#define FORMULA(...)
#include ROWS_FILE
#include "parsim/rows_end.h"
