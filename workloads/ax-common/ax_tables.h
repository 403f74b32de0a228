/* Tables in memory, in place of the unit:
 * AX_SOFTWARE  chapter 4.5.2's: CRC by a table of 256 constants, the hash mod 2^28 (2^27 of 8
 * bytes) as index, no tags; 0 is "nothing"; AX_FAIR      what a programmer would write today: the
 * base instruction set's crc32w, entries with the hash as their tag, 512 KB, which the L2 holds;
 * AX_ATM       after approximate task memoization (Brumar et al., IPDPS 2017): the inputs as one
 * vector of bytes, of which those above the cut are taken in a shuffled order, a hash of them as
 * key, the same table as AX_FAIR's. */
#ifndef AX_COMMON_AX_TABLES_H
#define AX_COMMON_AX_TABLES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { AX_ENTRIES_4 = 1 << 16, AX_ENTRIES_8 = 1 << 15, AX_VECTOR = 64, AX_TABLES = 8 };

struct ax_entry4 {
    uint32_t tag, value;
};
struct ax_entry8 {
    uint64_t tag, value;
};

struct ax_table {
    uint32_t *words;
    uint64_t *longs;
    uint32_t crc[AX_TABLES], at[AX_TABLES];
    uint32_t constants[256];
    struct ax_entry4 *tagged4;
    struct ax_entry8 *tagged8;
    uint8_t vector[AX_TABLES][AX_VECTOR]; /* inputs, one after another */
    uint8_t bytes[AX_TABLES];             /* of them */
    uint8_t order[AX_VECTOR][AX_VECTOR];  /* by the number of bytes: a shuffle */
};
extern struct ax_table ax_table;

void ax_table_make(bool is_8_bytes);

static inline uint32_t ax_word_of(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static inline uint32_t ax_cut(uint32_t v, unsigned n)
{
    return v & ~((1u << n) - 1);
}

/* --- inputs --- */

#if defined(AX_FAIR)
static inline void ax_hash(unsigned table, uint32_t v, unsigned cut)
{
    __asm__("crc32w %w0, %w0, %w1" : "+r"(ax_table.crc[table]) : "r"(ax_cut(v, cut)));
}
#elif defined(AX_ATM)
/* The bytes above the cut go into the vector. */
static inline void ax_hash(unsigned table, uint32_t v, unsigned cut)
{
    uint8_t n = ax_table.bytes[table];
    for (unsigned k = cut / 8; k < 4; k++)
        ax_table.vector[table][n++] = (uint8_t)(v >> 8 * k);
    ax_table.bytes[table] = n;
}
#else
static inline void ax_hash(unsigned table, uint32_t v, unsigned cut)
{
    uint32_t crc = ax_table.crc[table];
    v = ax_cut(v, cut);
    for (unsigned k = 0; k < 4; k++, v >>= 8)
        crc = crc >> 8 ^ ax_table.constants[(crc ^ v) & 255];
    ax_table.crc[table] = crc;
}
#endif

/* --- a lookup: inputs begin anew behind it --- */

static inline uint32_t ax_key(unsigned table)
{
#if defined(AX_ATM)
    const unsigned n = ax_table.bytes[table];
    uint32_t key = 0;
    for (unsigned k = 0; k < n; k++) {
        key += ax_table.vector[table][ax_table.order[n][k]];
        key += key << 10;
        key ^= key >> 6;
    }
    key += key << 3;
    key ^= key >> 11;
    key += key << 15;
    ax_table.bytes[table] = 0;
#else
    const uint32_t key = ax_table.crc[table];
    ax_table.crc[table] = 0xffffffff;
#endif
    ax_table.at[table] = key;
    return key;
}

#if defined(AX_SOFTWARE)
static inline bool ax_find4(unsigned table, float *out)
{
    const uint32_t v = ax_table.words[ax_key(table) & ((1u << 28) - 1)];
    memcpy(out, &v, sizeof v);
    return v != 0;
}

static inline bool ax_find8(unsigned table, int64_t *out)
{
    const uint64_t v = ax_table.longs[ax_key(table) & ((1u << 27) - 1)];
    *out = (int64_t)v;
    return v != 0;
}

static inline void ax_keep4(unsigned table, uint32_t v)
{
    ax_table.words[ax_table.at[table] & ((1u << 28) - 1)] = v;
}

static inline void ax_keep8(unsigned table, int64_t v)
{
    ax_table.longs[ax_table.at[table] & ((1u << 27) - 1)] = (uint64_t)v;
}
#else
/* The table's number is in the place; bit 0 of a tag says that there is an entry (the index has
 * it). */
static inline struct ax_entry4 *ax_place4(unsigned table, uint32_t key)
{
    return &ax_table.tagged4[(key ^ table << 13) & (AX_ENTRIES_4 - 1)];
}

static inline struct ax_entry8 *ax_place8(unsigned table, uint32_t key)
{
    return &ax_table.tagged8[(key ^ table << 13) & (AX_ENTRIES_8 - 1)];
}

static inline bool ax_find4(unsigned table, float *out)
{
    const uint32_t key = ax_key(table);
    const struct ax_entry4 e = *ax_place4(table, key);
    memcpy(out, &e.value, sizeof e.value);
    return e.tag == (key | 1);
}

static inline bool ax_find8(unsigned table, int64_t *out)
{
    const uint32_t key = ax_key(table);
    const struct ax_entry8 e = *ax_place8(table, key);
    *out = (int64_t)e.value;
    return e.tag == (key | 1);
}

static inline void ax_keep4(unsigned table, uint32_t v)
{
    const uint32_t key = ax_table.at[table];
    *ax_place4(table, key) = (struct ax_entry4){key | 1, v};
}

static inline void ax_keep8(unsigned table, int64_t v)
{
    const uint32_t key = ax_table.at[table];
    *ax_place8(table, key) = (struct ax_entry8){key | 1, (uint64_t)v};
}
#endif

#endif
