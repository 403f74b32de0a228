/* Which pages of this process's private memory the host has made.
 *
 * A page that nobody has touched since it was mapped, or since it was given back, does not exist:
 * it is zeros, and whoever reads it has the host make a page of them. */
#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PAGE_BYTES = 4096, PAGES_AT_ONCE = 512 };

/* Whether each of `n` pages (at most PAGES_AT_ONCE) from `first` on, which is where a page begins,
 * is in memory; those that are not have never been made, or are swapped out. False: unknown. */
bool pages_in_memory(const void *first, size_t n, bool *is_in);

/* What pages_made() asks, for a short time: it is of this process, not of its children. Negative:
 * this host does not tell. */
int pages_open(void);
void pages_close(int pages);
/* As pages_in_memory(), but those that are not are sure to be zeros. */
bool pages_made(int pages, const void *first, size_t n, bool *is_made);

#endif
