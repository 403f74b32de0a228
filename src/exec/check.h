/* Checks that a run may ask for: reads of memory that nobody wrote, races in shared memory.
 *
 * A device without a checker pays nothing: with one, the fast paths of memory.c are made to miss
 * (no cached ranges, a shared memory that ends at 0), and their slow paths call check_access().
 * Every finding is reported once an instruction.
 *
 * What counts as written: bytes that a kernel stored or the host copied or filled. Only memory of
 * the device itself is watched, since the host writes other kinds unseen. A race: two warps touch a
 * byte of shared memory, one of them writes, not both by atomics, and no barrier of the block
 * completed between. Synchronisation by other means than barriers is not understood, and a
 * barrier of some warps counts as one of all. */
#ifndef EXEC_CHECK_H
#define EXEC_CHECK_H

#include "exec/devmem.h"

struct checker;
struct check_cell;
struct warp;
struct xinst;
struct access;

struct checker *checker_new(bool memory, bool race, void (*report)(const char *msg, void *arg),
                            void *arg);
void checker_free(struct checker *k);

/* What the host does to device memory. */
void check_written(struct checker *k, const struct devmem *m, addr_t at, uint64_t bytes);
void check_copied(struct checker *k, const struct devmem *m, addr_t dst, addr_t src,
                  uint64_t bytes);

/* What a kernel does: after the access has been found to be within bounds. */
void check_access(struct warp *w, const struct xinst *x, const struct access *a);

#endif
