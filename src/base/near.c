/* Edit distance, and the least of it. */
#include "base/near.h"

#include <stdio.h>
#include <string.h>

static unsigned edit_distance(const char *a, const char *b)
{
    enum { MAX = 96 };
    size_t la = strlen(a), lb = strlen(b);
    unsigned row[MAX + 1];
    if (la >= MAX || lb >= MAX)
        return MAX;
    for (size_t j = 0; j <= lb; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= la; i++) {
        unsigned diag = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= lb; j++) {
            unsigned subst = diag + (a[i - 1] != b[j - 1]);
            diag = row[j];
            unsigned ins = row[j - 1] + 1, del = diag + 1;
            row[j] = subst < ins ? subst : ins;
            if (del < row[j])
                row[j] = del;
        }
    }
    return row[lb];
}

void near_begin(struct near *n, const char *word, char *buf, size_t size)
{
    *n = (struct near){word, buf, size, (unsigned)strlen(word) / 2 + 2, false};
}

void near_try(struct near *n, const char *known)
{
    const unsigned d = edit_distance(n->word, known);
    if (d >= n->best)
        return;
    n->best = d;
    n->is_found = true;
    snprintf(n->buf, n->size, "%s", known);
}

const char *near_found(const struct near *n)
{
    return n->is_found ? n->buf : NULL;
}
