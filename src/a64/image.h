/* A guest's memory: 48-bit addresses, mappings with protection, pages made when they are touched.
 *
 * Nothing outside a mapping can be reached: every access goes through a small table of pages that
 * were allowed before (`image_tlb`) or through the mappings. All that pages and tables take is
 * counted against a limit. */
#ifndef A64_IMAGE_H
#define A64_IMAGE_H

#include "base/common.h"
#include "base/vec.h"

struct a64_code;

enum { IMAGE_PAGE = 4096, IMAGE_PAGE_BITS = 12, IMAGE_BITS = 48, IMAGE_TLB = 256 };
enum { IMAGE_R = 1, IMAGE_W = 2, IMAGE_X = 4 };
enum { IMAGE_MAPPINGS_MAX = 65536 };

#define IMAGE_END (UINT64_C(1) << IMAGE_BITS)

struct image_mapping {
    uint64_t start, end;
    unsigned prot;
};

struct image_page {
    uint8_t *data;
    struct a64_code *code;
};

struct image_tlb {
    uint64_t page; /* address; 1: none */
    uint8_t *host;
};

/* Why an access was refused. */
struct image_fault {
    uint64_t addr;
    unsigned wanted;       /* IMAGE_R, _W or _X */
    bool is_mapped;        /* but not for that */
    bool is_out_of_memory; /* the limit, or the host's */
};

struct image {
    struct image_tlb read[IMAGE_TLB], write[IMAGE_TLB], exec[IMAGE_TLB];
    VEC(struct image_mapping) mappings; /* by address, apart */
    void **root;                        /* three levels of 4096 */
    uint64_t bytes, limit;              /* of pages, tables, decoded code */
    uint64_t pages;
    struct image_fault fault;
};

struct image *image_new(uint64_t limit);
void image_free(struct image *m);

/* All addresses and lengths are of whole pages. False: too many mappings, or not below IMAGE_END.
 * What was there is gone. */
bool image_map(struct image *m, uint64_t addr, uint64_t len, unsigned prot);
bool image_unmap(struct image *m, uint64_t addr, uint64_t len);
/* False (nothing changed) if something in between is not mapped, too. */
bool image_protect(struct image *m, uint64_t addr, uint64_t len, unsigned prot);
/* The protection of a range that has one; false: it has none, or several. */
bool image_prot(const struct image *m, uint64_t addr, uint64_t len, unsigned *prot);
/* What is at `from` goes to the mapping at `to`, and its mapping goes. False: no memory. */
bool image_move(struct image *m, uint64_t from, uint64_t to, uint64_t len);
/* Whether no byte of the range is mapped. */
bool image_is_free(const struct image *m, uint64_t addr, uint64_t len);
/* The highest free range below `below`; 0: none. */
uint64_t image_find_room(const struct image *m, uint64_t len, uint64_t below);

/* Copies, checked; false with m->fault. Those for the loader do not ask for protection. */
bool image_read(struct image *m, uint64_t addr, void *to, uint64_t len);
bool image_write(struct image *m, uint64_t addr, const void *from, uint64_t len);
bool image_put(struct image *m, uint64_t addr, const void *from, uint64_t len);
bool image_peek(struct image *m, uint64_t addr, void *to, uint64_t len);
/* The bytes of a page from `addr` on, at most *len, that may be accessed so; NULL with m->fault.
 * For system calls, which then work in place. */
uint8_t *image_span(struct image *m, uint64_t addr, uint64_t *len, unsigned wanted);

/* The decoded code of a page that may be executed, NULL with m->fault. */
struct a64_code *image_code(struct image *m, uint64_t addr);

/* A tagged pointer's address: the top byte is ignored. */
static inline uint64_t image_untag(uint64_t addr)
{
    return addr >> 55 & 1 ? addr : addr << 8 >> 8;
}

/* The place of an access within one page that was allowed before, or NULL: then image_read() and
 * image_write() decide. (An access that crosses pages never matches: the last byte's page has
 * another slot.) */
static inline uint8_t *image_hit(const struct image_tlb *tlb, uint64_t addr, unsigned bytes)
{
    const struct image_tlb *t = &tlb[addr >> IMAGE_PAGE_BITS & (IMAGE_TLB - 1)];
    if (LIKELY(((addr + bytes - 1) & -(uint64_t)IMAGE_PAGE) == t->page))
        return t->host + (addr & (IMAGE_PAGE - 1));
    return NULL;
}

#endif
