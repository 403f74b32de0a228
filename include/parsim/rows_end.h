/* What parsim/rows_*.h have defined ends here. */
#undef ROWS_OF
#undef ROW
#undef ROW_ENUM
#undef COUNTER
#undef HIST
#undef FORMULA
#undef ROWS_FILE
#undef ROWS_STRUCT
