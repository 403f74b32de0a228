/* The words that a load reads of the lanes of a strip, as vectors. */
#ifndef JIT_EMIT_WORDS_H
#define JIT_EMIT_WORDS_H

#include "jit/emit.h"

enum { MAX_WORDS = 4 };

/* What is read of a lane: words side by side. Elements of less than 4 bytes are cut out of one word
 * afterwards; a word of less than 4 bytes becomes one of 4 at once. */
struct words {
    unsigned bits, n;
};

static inline unsigned load_size(const struct xmem *m)
{
    return (unsigned)m->bytes * m->nregs;
}

static inline struct words words_of(const struct xmem *m)
{
    return m->bytes < 4 ? (struct words){8u * load_size(m), 1}
                        : (struct words){8u * m->bytes, m->nregs};
}

/* A scalar address, further on. */
static inline val b_further(const struct emit *e, val x, uint64_t y)
{
    return y ? LLVMBuildAdd(e->b, x, b_int(e, 64, y), "") : x;
}

/* A strip or one lane's value, of at least so many bits. */
val emit_widened(const struct emit *e, val v, unsigned bits);

/* The words of e->op, from host addresses: lanes side by side, all at one place, and lane l at
 * `from` + off[l], a strip of 32 or 64 bits. */
void emit_words_of_line(struct emit *e, val first, val *word);
void emit_words_of_place(struct emit *e, val place, val *word);
void emit_words_of_lanes(struct emit *e, val from, val off, val *word);

/* `n` elements of x and y, which lie behind each other, from number `from` on. */
val emit_part_of(const struct emit *e, val x, val y, unsigned from, unsigned n);

#endif
