/* The formats of all codecs but e2mc, bit by bit as strings, straight from their description. */
#include "codec/support_ref.h"

#include "base/common.h"

#include <stdlib.h>
#include <string.h>

static void put(struct bitstr *b, uint64_t v, unsigned n)
{
    while (n-- > 0)
        b->s[b->n++] = (char)('0' + (v >> n & 1));
}

static void put_bytes(struct bitstr *b, const uint8_t *p, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        put(b, p[i], 8);
}

static uint32_t word(const uint8_t *p, unsigned i)
{
    p += 4 * i;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

unsigned ref_stored_bits(const struct bitstr *b, unsigned bytes, unsigned limit)
{
    return b->impossible || (b->n + 7) / 8 > limit ? 8 * bytes : (unsigned)b->n;
}

/* ---- bdi ---- */

static int64_t signed_value(const uint8_t *p, unsigned bytes)
{
    int64_t v = p[bytes - 1] >= 128 ? -1 : 0;
    for (unsigned i = bytes; i-- > 0;)
        v = (int64_t)((uint64_t)v << 8 | p[i]);
    return v;
}

/* Wraps to a signed number of `bytes` bytes. */
static int64_t wrap(int64_t v, unsigned bytes)
{
    uint8_t p[8];
    for (unsigned i = 0; i < 8; i++)
        p[i] = (uint8_t)((uint64_t)v >> (8 * i));
    return signed_value(p, bytes);
}

static bool delta_ok(int64_t v, unsigned d)
{
    return v == wrap(v, d);
}

static void bdi_kind(const uint8_t *p, unsigned bytes, unsigned id, unsigned size, unsigned d,
                     struct bitstr *b)
{
    unsigned n = bytes / size;
    uint8_t mask[8] = {0};
    int64_t base = 0, deltas[64];
    bool have_base = false;
    for (unsigned i = 0; i < n; i++) {
        deltas[i] = signed_value(p + i * size, size);
        if (delta_ok(deltas[i], d))
            continue;
        if (!have_base)
            base = deltas[i];
        have_base = true;
        deltas[i] = wrap((int64_t)((uint64_t)deltas[i] - (uint64_t)base), size);
        mask[i / 8] |= (uint8_t)(1 << i % 8);
        if (!delta_ok(deltas[i], d))
            b->impossible = true;
    }
    put(b, id, 8);
    put_bytes(b, mask, (n + 7) / 8);
    for (unsigned i = 0; i < size; i++)
        put(b, (uint64_t)base >> (8 * i) & 255, 8);
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < d; k++)
            put(b, (uint64_t)deltas[i] >> (8 * k) & 255, 8);
}

static void bdi(const uint8_t *p, unsigned bytes, struct bitstr *b)
{
    static const unsigned kinds[6][2] = {{8, 1}, {8, 2}, {8, 4}, {4, 1}, {4, 2}, {2, 1}};
    bool zeros = true, repeats = true;
    for (unsigned i = 0; i < bytes; i++) {
        zeros &= p[i] == 0;
        repeats &= p[i] == p[i % 8];
    }
    if (zeros || repeats) {
        put(b, zeros ? 0 : 1, 8);
        put_bytes(b, p, zeros ? 0 : 8);
        return;
    }
    b->impossible = true;
    for (unsigned f = 0; f < 6; f++) {
        struct bitstr *candidate = calloc(1, sizeof *candidate);
        bdi_kind(p, bytes, f + 2, kinds[f][0], kinds[f][1], candidate);
        if (!candidate->impossible && (b->impossible || candidate->n < b->n))
            *b = *candidate;
        free(candidate);
    }
}

/* ---- bdi-lanes: every field of bdi at a multiple of its size ---- */

static void pad_to(struct bitstr *b, unsigned bytes)
{
    while (b->n < (size_t)8 * bytes)
        put(b, 0, 8);
}

/* The encoding of bdi's kind `id`, whose mask, base and deltas stand at other places. */
static void bdi_lanes_kind(const uint8_t *p, unsigned bytes, unsigned id, unsigned size, unsigned d,
                           struct bitstr *b)
{
    struct bitstr *plain = calloc(1, sizeof *plain);
    const unsigned n = bytes / size, mask = (n + 7) / 8;
    bdi_kind(p, bytes, id, size, d, plain);
    const char *mask_bits = plain->s + 8, *base_bits = mask_bits + 8 * mask;
    b->impossible = plain->impossible;
    put(b, id, 8);
    bool has_base = false;
    for (unsigned i = 0; i < 8 * mask; i++)
        has_base |= mask_bits[i] == '1';
    struct bitstr base = {0};
    put_bytes(&base, p, size);
    base_bits = has_base ? base_bits : base.s;
    pad_to(b, 2);
    for (unsigned i = 0; size == 2 && i < 16; i++)
        put(b, base_bits[i] == '1', 1);
    pad_to(b, 4);
    for (unsigned i = 0; i < 8 * mask; i++)
        put(b, mask_bits[i] == '1', 1);
    pad_to(b, size == 2 ? 4 + (mask + 3) / 4 * 4 : 8);
    for (unsigned i = 0; size > 2 && i < 8 * size; i++)
        put(b, base_bits[i] == '1', 1);
    for (unsigned i = 8 + 8 * mask + 8 * size; i < plain->n; i++)
        put(b, plain->s[i] == '1', 1);
    free(plain);
}

static void bdi_lanes(const uint8_t *p, unsigned bytes, struct bitstr *b)
{
    static const unsigned kinds[6][2] = {{8, 1}, {8, 2}, {8, 4}, {4, 1}, {4, 2}, {2, 1}};
    bdi(p, bytes, b);
    if (b->s[6] == '0' && b->s[5] == '0' && !b->impossible) { /* zeros, repeat */
        const bool repeats = b->s[7] == '1';
        *b = (struct bitstr){0};
        put(b, repeats, 8);
        pad_to(b, repeats ? 8 : 1);
        put_bytes(b, p, repeats ? 8 : 0);
        return;
    }
    *b = (struct bitstr){.impossible = true};
    for (unsigned f = 0; f < 6; f++) {
        struct bitstr *candidate = calloc(1, sizeof *candidate);
        bdi_lanes_kind(p, bytes, f + 2, kinds[f][0], kinds[f][1], candidate);
        if (!candidate->impossible && (b->impossible || candidate->n < b->n))
            *b = *candidate;
        free(candidate);
    }
}

/* ---- fpc, fpc-seg ---- */

static const unsigned fpc_bits[8] = {3, 4, 8, 16, 16, 16, 8, 32};

static bool sext(uint32_t v, unsigned from, unsigned to)
{
    uint32_t top = v >> (from - 1), ones = (uint32_t)((UINT64_C(1) << (to - from + 1)) - 1);
    return top == 0 || top == ones;
}

static bool fpc_is(uint32_t v, unsigned prefix)
{
    bool is[8] = {v == 0,
                  sext(v, 4, 32),
                  sext(v, 8, 32),
                  sext(v, 16, 32),
                  (v & 0xffff) == 0,
                  sext(v & 0xffff, 8, 16) && sext(v >> 16, 8, 16),
                  (v & 255) == (v >> 8 & 255) && (v & 255) == (v >> 16 & 255) &&
                      (v & 255) == v >> 24,
                  true};
    return is[prefix];
}

static void fpc_data(struct bitstr *b, uint32_t v, unsigned prefix)
{
    if (prefix == 4)
        put(b, v >> 16, 16);
    else if (prefix == 5)
        put(b, (v >> 16 & 255) << 8 | (v & 255), 16);
    else
        put(b, v, fpc_bits[prefix]);
}

static void fpc(const uint8_t *p, unsigned bytes, struct bitstr *b)
{
    for (unsigned i = 0; i < bytes / 4;) {
        unsigned run = 0, best = 7;
        while (run < 8 && i + run < bytes / 4 && word(p, i + run) == 0)
            run++;
        if (run) {
            put(b, 0, 3);
            put(b, run - 1, 3);
            i += run;
            continue;
        }
        for (unsigned prefix = 7; prefix >= 1; prefix--)
            if (fpc_is(word(p, i), prefix) && fpc_bits[prefix] <= fpc_bits[best])
                best = prefix;
        put(b, best, 3);
        fpc_data(b, word(p, i), best);
        i++;
    }
}

static unsigned seg_pattern(const uint8_t *p)
{
    static const unsigned cost[8] = {0, 4, 8, 16, 16, 16, 8, 32};
    unsigned best = 7;
    for (unsigned prefix = 8; prefix-- > 0;) {
        bool all = true;
        for (unsigned i = 0; i < 8; i++)
            all &= fpc_is(word(p, i), prefix);
        if (all && cost[prefix] <= cost[best])
            best = prefix;
    }
    return best;
}

static void fpc_seg(const uint8_t *p, unsigned bytes, struct bitstr *b)
{
    for (unsigned s = 0; s < bytes; s += 32)
        put(b, seg_pattern(p + s), 8);
    for (unsigned s = 0; s < bytes; s += 32)
        for (unsigned i = 0; i < 8 && seg_pattern(p + s) != 0; i++)
            fpc_data(b, word(p + s, i), seg_pattern(p + s));
}

/* ---- cpack, cpack4 ---- */

static void cpack(const uint8_t *p, unsigned bytes, struct bitstr *b)
{
    uint32_t dict[16];
    bool full[16] = {false};
    unsigned next = 0;
    for (unsigned i = 0; i < bytes / 4; i++) {
        uint32_t v = word(p, i);
        unsigned m4 = 16, m3 = 16, m2 = 16;
        for (unsigned k = 16; k-- > 0;) {
            m4 = full[k] && dict[k] == v ? k : m4;
            m3 = full[k] && dict[k] >> 8 == v >> 8 ? k : m3;
            m2 = full[k] && dict[k] >> 16 == v >> 16 ? k : m2;
        }
        bool enters = false;
        if (v == 0) {
            put(b, 0, 2);
        } else if (m4 < 16) {
            put(b, 2 << 4 | m4, 6);
        } else if (v >> 8 == 0) {
            put(b, 13 << 8 | v, 12);
        } else if (m3 < 16) {
            put(b, (14 << 4 | m3) << 8 | (v & 255), 16);
            enters = true;
        } else if (m2 < 16) {
            put(b, (12 << 4 | m2) << 16 | (v & 0xffff), 24);
            enters = true;
        } else {
            put(b, UINT64_C(1) << 32 | v, 34);
            enters = true;
        }
        if (enters) {
            dict[next] = v;
            full[next] = true;
            next = (next + 1) % 16;
        }
    }
}

static void cpack4(const uint8_t *p, unsigned bytes, struct bitstr *b)
{
    uint32_t dict[4];
    unsigned k = 0, n = bytes / 4, kind[32], index[32], mismatch = 0;
    for (unsigned i = 0; i < n; i++) {
        uint32_t v = word(p, i);
        unsigned at = 0;
        while (at < k && dict[at] >> 8 != v >> 8)
            at++;
        if (v >> 8 && at == k) {
            if (k == 4) {
                b->impossible = true;
                return;
            }
            dict[k++] = v;
        }
        kind[i] = v == 0 ? 0 : v >> 8 == 0 ? 1 : dict[at] == v ? 2 : 3;
        index[i] = kind[i] >= 2 ? at : 0;
        mismatch |= kind[i] & 1;
    }
    put(b, mismatch << 3 | k, 8);
    for (unsigned i = 0; i < n; i += 2)
        put(b, index[i + 1] << 6 | kind[i + 1] << 4 | index[i] << 2 | kind[i], 8);
    for (unsigned i = 0; i < k; i++)
        for (unsigned j = 0; j < 4; j++)
            put(b, dict[i] >> (8 * j) & 255, 8);
    for (unsigned i = 0; i < n && mismatch; i++)
        put(b, kind[i] & 1 ? p[4 * i] : 0, 8);
}

/* ---- dpc, gsr, bpc ---- */

static void dpc(const uint8_t *p, unsigned bytes, struct bitstr *b)
{
    char planes[32][33];
    unsigned n = bytes / 4;
    memset(planes, 0, sizeof planes);
    for (unsigned bit = 0; bit < 32; bit++)
        for (unsigned i = 0; i < n; i++)
            planes[bit][i] = (char)('0' + (word(p, i) >> bit & 1));
    put(b, 1, 1);
    for (unsigned bit = 0; bit < 32; bit++)
        put(b, !strchr(planes[bit], '0') || !strchr(planes[bit], '1'), 1);
    for (unsigned bit = 0; bit < 32; bit++) {
        bool constant = !strchr(planes[bit], '0') || !strchr(planes[bit], '1');
        unsigned len = constant ? 1 : n;
        memcpy(b->s + b->n, planes[bit], len);
        b->n += len;
    }
}

static void gsr(const uint8_t *p, unsigned bytes, struct bitstr *b)
{
    unsigned equal = 0;
    for (unsigned byte = 4; byte-- > 0; equal++) {
        bool same = true;
        for (unsigned i = 0; i < bytes; i += 4)
            same &= p[i + byte] == p[byte];
        if (!same)
            break;
    }
    put_bytes(b, p, 4);
    for (unsigned i = 0; i < bytes; i += 4)
        put_bytes(b, p + i, 4 - equal);
}

static void bpc_plane(struct bitstr *b, const char *dbx, bool dbp_zero, unsigned bits)
{
    unsigned ones = 0, first = bits;
    for (unsigned i = bits; i-- > 0;) {
        ones += dbx[i] == '1';
        first = dbx[i] == '1' ? i : first;
    }
    unsigned position_bits = bits == 31 ? 5 : bits == 15 ? 4 : 3;
    if (ones == bits) {
        put(b, 0, 5);
    } else if (dbp_zero) {
        put(b, 1, 5);
    } else if (ones == 2 && dbx[first + 1] == '1') {
        put(b, 2, 5);
        put(b, first, position_bits);
    } else if (ones == 1) {
        put(b, 3, 5);
        put(b, first, position_bits);
    } else {
        put(b, 1, 1);
        for (unsigned i = bits; i-- > 0;)
            put(b, dbx[i] == '1', 1);
    }
}

static void bpc_base(struct bitstr *b, uint32_t v)
{
    if (v == 0)
        put(b, 0, 3);
    else if (sext(v, 4, 32))
        put(b, 1, 3), put(b, v, 4);
    else if (sext(v, 8, 32))
        put(b, 2, 3), put(b, v, 8);
    else if (sext(v, 16, 32))
        put(b, 3, 3), put(b, v, 16);
    else
        put(b, 1, 1), put(b, v, 32);
}

static void bpc(const uint8_t *p, unsigned bytes, struct bitstr *b)
{
    unsigned bits = bytes / 4 - 1, zeros = 0;
    bpc_base(b, word(p, 0));
    for (unsigned plane = 33; plane-- > 0;) {
        char dbx[32] = {0};
        bool zero = true, dbp_zero = true;
        for (unsigned i = 0; i < bits; i++) {
            int64_t delta = (int64_t)word(p, i + 1) - (int64_t)word(p, i);
            unsigned here = delta >> plane & 1, above = plane == 32 ? 0 : delta >> (plane + 1) & 1;
            dbx[i] = (char)('0' + (here ^ above));
            zero &= here == above;
            dbp_zero &= here == 0;
        }
        zeros += zero;
        if (zeros && (!zero || plane == 0)) {
            if (zeros == 1)
                put(b, 1, 3);
            else
                put(b, 1, 2), put(b, zeros - 2, 5);
            zeros = 0;
        }
        if (!zero)
            bpc_plane(b, dbx, dbp_zero, bits);
    }
}

static void zero(const uint8_t *p, unsigned bytes, struct bitstr *b)
{
    for (unsigned i = 0; i < bytes; i++)
        b->impossible |= p[i] != 0;
}

void ref_encode(const char *name, const uint8_t *block, unsigned bytes, struct bitstr *b)
{
    static const struct {
        const char *name;
        void (*encode)(const uint8_t *p, unsigned bytes, struct bitstr *b);
    } codecs[] = {{"bdi", bdi},         {"fpc", fpc},
                  {"fpc-seg", fpc_seg}, {"cpack", cpack},
                  {"cpack4", cpack4},   {"dpc", dpc},
                  {"gsr", gsr},         {"bpc", bpc},
                  {"zero", zero},       {"bdi-lanes", bdi_lanes}};
    for (unsigned i = 0; i < sizeof codecs / sizeof *codecs; i++)
        if (!strcmp(codecs[i].name, name)) {
            codecs[i].encode(block, bytes, b);
            return;
        }
    panic("no second implementation of '%s': a row is missing here", name);
}
