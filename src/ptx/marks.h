/* Marks: pragmas in a function's body that some machines understand and all others ignore
 * (ptx_marks.def). A pragma of a family that is not ours is no mark, whatever it says; one that is
 * must be written as its row says. */
#ifndef PTX_MARKS_H
#define PTX_MARKS_H

#include "base/common.h"

enum { PTX_MARK_ITEMS = 4, PTX_MARK_LIST_MAX = 32 };

/* What a mark says, by the items of its row. */
struct ptx_mark {
    const char *family, *word;
    struct ptx_mark_item {
        bool is_given;
        uint32_t value;   /* a number; the numbers of a list, a bit each; which of the words */
        const char *text; /* registers: where their names begin in the pragma, and their bytes */
        size_t len;
    } items[PTX_MARK_ITEMS];
};

struct ptx_mark_error {
    size_t at; /* the byte of the text that is wrong */
    char msg[240];
};

enum ptx_mark_kind { PTX_MARK_NONE, PTX_MARK_GOOD, PTX_MARK_BAD };

/* NONE: not ours. BAD: `e` says what is wrong, and what would be right. */
enum ptx_mark_kind ptx_mark_read(const char *text, struct ptx_mark *m, struct ptx_mark_error *e);

/* Whether `m` is the mark FAMILY WORD. */
bool ptx_mark_is(const struct ptx_mark *m, const char *family, const char *word);

#endif
