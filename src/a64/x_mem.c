/* Loads and stores. An access that is not allowed leaves registers as they were. */
#include "a64/exec_int.h"

#include <string.h>

/* --- one access: the page that was allowed before, or all the checks --- */

#define LOAD_TO(v, addr)                                                   \
    do {                                                                   \
        const uint8_t *at_ = image_hit(c->image->read, (addr), sizeof(v)); \
        if (LIKELY(at_))                                                   \
            memcpy(&(v), at_, sizeof(v));                                  \
        else if (!image_read(c->image, (addr), &(v), sizeof(v)))           \
            return a64_leave(c, i, A64_ACCESS, 0);                         \
    } while (0)
#define STORE_FROM(v, addr)                                           \
    do {                                                              \
        uint8_t *at_ = image_hit(c->image->write, (addr), sizeof(v)); \
        if (LIKELY(at_))                                              \
            memcpy(at_, &(v), sizeof(v));                             \
        else if (!image_write(c->image, (addr), &(v), sizeof(v)))     \
            return a64_leave(c, i, A64_ACCESS, 0);                    \
    } while (0)

static inline uint64_t indexed(const struct a64_cpu *c, const struct a64_inst *i)
{
    const uint64_t by = i->size & 1 ? RM : i->size & 4 ? (uint64_t)(int32_t)RM : (uint32_t)RM;
    return RN + (by << i->shift);
}

/* --- kinds of data: `type` in memory, GET from a register, PUT into one --- */

#define PUT_INT(reg, type, value)   (c->x[reg] = (uint64_t)(value))
#define PUT_INT32(reg, type, value) (c->x[reg] = (uint32_t)(int32_t)(value))
#define PUT_VEC(reg, type, value)                    \
    do {                                             \
        c->v[reg] = (union a64_vec){0};              \
        memcpy(&c->v[reg], &(value), sizeof(value)); \
    } while (0)
#define GET_INT(reg, type) ((type)c->x[reg])
#define GET_VEC(reg, type) (*(const type *)(const void *)&c->v[reg])

struct quad {
    uint64_t d[2];
};

/* An access at an address; a base that moves does so at the end. */
#define LOAD_AT(name, type, PUT, addr, base) \
    EXEC(name)                               \
    {                                        \
        const uint64_t at = (addr);          \
        type v;                              \
        LOAD_TO(v, at);                      \
        PUT(i->rd, type, v);                 \
        base;                                \
        NEXT;                                \
    }
#define STORE_AT(name, type, GET, addr, base) \
    EXEC(name)                                \
    {                                         \
        const uint64_t at = (addr);           \
        const type v = GET(i->rd, type);      \
        STORE_FROM(v, at);                    \
        base;                                 \
        NEXT;                                 \
    }
#define LOAD_PAIR_AT(name, type, PUT, addr, base) \
    EXEC(name)                                    \
    {                                             \
        const uint64_t at = (addr);               \
        type v, w;                                \
        LOAD_TO(v, at);                           \
        LOAD_TO(w, at + sizeof v);                \
        PUT(i->rd, type, v);                      \
        PUT(i->ra, type, w);                      \
        base;                                     \
        NEXT;                                     \
    }
/* Neither of both is written if one must not be. */
#define STORE_PAIR_AT(name, type, GET, addr, base)     \
    EXEC(name)                                         \
    {                                                  \
        const uint64_t at = (addr);                    \
        const struct {                                 \
            type v, w;                                 \
        } both = {GET(i->rd, type), GET(i->ra, type)}; \
        STORE_FROM(both, at);                          \
        base;                                          \
        NEXT;                                          \
    }

#define STAYS (void)0
#define MOVES (c->x[i->rn] = at)
#define LATER (c->x[i->rn] = at + i->imm)
#define MODES(KIND, name, type, HOW)                \
    KIND(name##_at, type, HOW, RN + i->imm, STAYS)  \
    KIND(name##_pre, type, HOW, RN + i->imm, MOVES) \
    KIND(name##_post, type, HOW, RN, LATER)
#define ALL_MODES(KIND, name, type, HOW) \
    MODES(KIND, name, type, HOW)         \
    KIND(name##_reg, type, HOW, indexed(c, i), STAYS)

ALL_MODES(LOAD_AT, ld8, uint8_t, PUT_INT)
ALL_MODES(LOAD_AT, ld16, uint16_t, PUT_INT)
ALL_MODES(LOAD_AT, ld32, uint32_t, PUT_INT)
ALL_MODES(LOAD_AT, ld64, uint64_t, PUT_INT)
ALL_MODES(LOAD_AT, lds8_32, int8_t, PUT_INT32)
ALL_MODES(LOAD_AT, lds8_64, int8_t, PUT_INT)
ALL_MODES(LOAD_AT, lds16_32, int16_t, PUT_INT32)
ALL_MODES(LOAD_AT, lds16_64, int16_t, PUT_INT)
ALL_MODES(LOAD_AT, lds32_64, int32_t, PUT_INT)
ALL_MODES(LOAD_AT, ldv8, uint8_t, PUT_VEC)
ALL_MODES(LOAD_AT, ldv16, uint16_t, PUT_VEC)
ALL_MODES(LOAD_AT, ldv32, uint32_t, PUT_VEC)
ALL_MODES(LOAD_AT, ldv64, uint64_t, PUT_VEC)
ALL_MODES(LOAD_AT, ldv128, struct quad, PUT_VEC)
ALL_MODES(STORE_AT, st8, uint8_t, GET_INT)
ALL_MODES(STORE_AT, st16, uint16_t, GET_INT)
ALL_MODES(STORE_AT, st32, uint32_t, GET_INT)
ALL_MODES(STORE_AT, st64, uint64_t, GET_INT)
ALL_MODES(STORE_AT, stv8, uint8_t, GET_VEC)
ALL_MODES(STORE_AT, stv16, uint16_t, GET_VEC)
ALL_MODES(STORE_AT, stv32, uint32_t, GET_VEC)
ALL_MODES(STORE_AT, stv64, uint64_t, GET_VEC)
ALL_MODES(STORE_AT, stv128, struct quad, GET_VEC)
MODES(LOAD_PAIR_AT, ld32_pair, uint32_t, PUT_INT)
MODES(LOAD_PAIR_AT, ld64_pair, uint64_t, PUT_INT)
MODES(LOAD_PAIR_AT, lds32_64_pair, int32_t, PUT_INT)
MODES(LOAD_PAIR_AT, ldv32_pair, uint32_t, PUT_VEC)
MODES(LOAD_PAIR_AT, ldv64_pair, uint64_t, PUT_VEC)
MODES(LOAD_PAIR_AT, ldv128_pair, struct quad, PUT_VEC)
MODES(STORE_PAIR_AT, st32_pair, uint32_t, GET_INT)
MODES(STORE_PAIR_AT, st64_pair, uint64_t, GET_INT)
MODES(STORE_PAIR_AT, stv32_pair, uint32_t, GET_VEC)
MODES(STORE_PAIR_AT, stv64_pair, uint64_t, GET_VEC)
MODES(STORE_PAIR_AT, stv128_pair, struct quad, GET_VEC)

/* --- ordered accesses: aligned, else as plain ones --- */

static const struct a64_inst *unaligned(struct a64_cpu *c, const struct a64_inst *i, uint64_t addr)
{
    c->stop.addr = addr;
    return a64_leave(c, i, A64_UNALIGNED, 0);
}

#define ORDERED(bits)                                                         \
    EXEC(ld##bits##_ordered)                                                  \
    {                                                                         \
        return RN % (bits / 8) ? unaligned(c, i, RN) : x_ld##bits##_at(c, i); \
    }                                                                         \
    EXEC(st##bits##_ordered)                                                  \
    {                                                                         \
        return RN % (bits / 8) ? unaligned(c, i, RN) : x_st##bits##_at(c, i); \
    }
ORDERED(8)
ORDERED(16)
ORDERED(32)
ORDERED(64)

/* --- exclusive accesses of `size` bytes, or of two such --- */

static const struct a64_inst *load_exclusive(struct a64_cpu *c, const struct a64_inst *i,
                                             unsigned n)
{
    const uint64_t at = RN;
    const unsigned bytes = i->size * n;
    uint64_t v[2] = {0};
    if (at % bytes)
        return unaligned(c, i, at);
    for (unsigned k = 0; k < n; k++)
        if (!image_read(c->image, at + k * i->size, &v[k], i->size))
            return a64_leave(c, i, A64_ACCESS, 0);
    c->monitor = (struct a64_monitor){.addr = at, .value = {v[0], v[1]}, .bytes = bytes};
    c->x[i->rd] = v[0];
    if (n == 2)
        c->x[i->ra] = v[1];
    NEXT;
}

/* Succeeds if the same bytes are watched and memory has still what was seen there. */
static const struct a64_inst *store_exclusive(struct a64_cpu *c, const struct a64_inst *i,
                                              unsigned n)
{
    const uint64_t at = RN;
    const unsigned bytes = i->size * n;
    const uint64_t new[2] = {c->x[i->rd], c->x[i->ra]};
    bool is_same = c->monitor.bytes == bytes && c->monitor.addr == at;
    c->monitor.bytes = 0;
    if (at % bytes)
        return unaligned(c, i, at);
    for (unsigned k = 0; k < n && is_same; k++) {
        uint64_t now = 0;
        if (!image_read(c->image, at + k * i->size, &now, i->size))
            return a64_leave(c, i, A64_ACCESS, 0);
        is_same = now == c->monitor.value[k];
    }
    for (unsigned k = 0; k < n && is_same; k++)
        if (!image_write(c->image, at + k * i->size, &new[k], i->size))
            return a64_leave(c, i, A64_ACCESS, 0);
    c->x[i->rm] = !is_same;
    NEXT;
}

EXEC(ldxr)
{
    return load_exclusive(c, i, 1);
}

EXEC(ldxp)
{
    return load_exclusive(c, i, 2);
}

EXEC(stxr)
{
    return store_exclusive(c, i, 1);
}

EXEC(stxp)
{
    return store_exclusive(c, i, 2);
}
