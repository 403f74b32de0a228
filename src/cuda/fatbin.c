/* Entries of a fatbin, unpacked where they are LZ4 or Zstandard; nothing is read beyond what is
 * given. */
#include "cuda/fatbin.h"

#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { ENTRY_MIN = 64, FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };

static uint16_t get16(const uint8_t *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static uint32_t get32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static uint64_t get64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

uint64_t fatbin_bytes(const void *data)
{
    const uint8_t *p = data;
    uint64_t body = get64(p + 8), head = get16(p + 6);
    if (get32(p) != FATBIN_MAGIC || head < FATBIN_HEADER || body > UINT64_MAX - head)
        return 0;
    return head + body;
}

static bool read_entry(const uint8_t *p, size_t left, struct fatbin_entry *e, size_t *span,
                       struct err *err)
{
    if (left < ENTRY_MIN)
        return err_set(err, "fatbin: an entry of %zu bytes is cut off", left);
    uint64_t head = get32(p + 4), payload = get64(p + 8), packed = get32(p + 0x10);
    uint64_t name = get32(p + 0x20), name_len = get32(p + 0x24), unpacked = get64(p + 0x38);
    *e = (struct fatbin_entry){.kind = get16(p), .arch = get32(p + 0x1C), .flags = get64(p + 0x28)};
    if (head < ENTRY_MIN || head > left || payload > left - head)
        return err_set(err,
                       "fatbin: an entry claims %llu + %llu bytes, but %zu are left in the file",
                       (unsigned long long)head, (unsigned long long)payload, left);
    e->packing = e->flags & FLAG_ZSTD  ? FATBIN_ZSTD
                 : e->flags & FLAG_LZ4 ? FATBIN_LZ4
                                       : FATBIN_PLAIN;
    if (e->packing == FATBIN_PLAIN)
        packed = unpacked = payload;
    if (packed > payload)
        return err_set(err, "fatbin: an entry has %llu compressed bytes in %llu",
                       (unsigned long long)packed, (unsigned long long)payload);
    if (name && name_len && name <= head && name_len <= head - name) {
        e->name = (const char *)p + name;
        e->name_len = name_len;
    }
    e->payload = p + head;
    e->packed_bytes = packed;
    e->unpacked_bytes = unpacked;
    *span = head + payload;
    return true;
}

bool fatbin_each(const void *data, size_t len, bool (*fn)(const struct fatbin_entry *e, void *arg),
                 void *arg, struct err *err)
{
    const uint8_t *p = data;
    if (len < FATBIN_HEADER)
        return err_set(err, "fatbin: %zu bytes are not a header", len);
    uint64_t total = fatbin_bytes(p);
    if (!total)
        return err_set(err, "fatbin: the header does not begin with 0x%X", FATBIN_MAGIC);
    if (total > len)
        return err_set(err, "fatbin: the header claims %llu bytes, but there are %zu",
                       (unsigned long long)total, len);
    size_t at = get16(p + 6);
    while (at < total) {
        struct fatbin_entry e = {0};
        size_t span = 0;
        if (!read_entry(p + at, total - at, &e, &span, err))
            return false;
        if (!fn(&e, arg))
            return true;
        at += span;
    }
    return true;
}

/* Bytes written, at most `want`; SIZE_MAX if it is damaged. */
static size_t unpack_into(const struct fatbin_entry *e, char *out, size_t want)
{
    if (e->packing == FATBIN_PLAIN) {
        memcpy(out, e->payload, want);
        return want;
    }
    if (e->packing == FATBIN_ZSTD) {
        size_t n = ZSTD_decompress(out, want, e->payload, e->packed_bytes);
        return ZSTD_isError(n) ? SIZE_MAX : n;
    }
    int n = LZ4_decompress_safe((const char *)e->payload, out, (int)e->packed_bytes, (int)want);
    return n < 0 ? SIZE_MAX : (size_t)n;
}

char *fatbin_unpack(const struct fatbin_entry *e, size_t *len, struct err *err)
{
    size_t want = e->unpacked_bytes;
    if (want > FATBIN_MAX_PTX || e->packed_bytes > FATBIN_MAX_PTX) {
        err_set(err, "fatbin: an entry claims %zu bytes, %zu uncompressed; the limit is %llu MB",
                e->packed_bytes, want, (unsigned long long)(FATBIN_MAX_PTX >> 20));
        return NULL;
    }
    char *out = xmalloc(want + 1);
    if (unpack_into(e, out, want) != want) {
        err_set(err, "fatbin: an entry for sm_%u (%s) is damaged", e->arch,
                fatbin_packing_name(e->packing));
        free(out);
        return NULL;
    }
    out[want] = 0;
    *len = want;
    return out;
}

const char *fatbin_packing_name(enum fatbin_packing p)
{
    static const char *const names[] = {"plain", "zstd", "lz4"};
    return names[p];
}

struct pick {
    struct fatbin_entry best;
    bool found_ptx, found_elf;
};

static bool pick_entry(const struct fatbin_entry *e, void *arg)
{
    struct pick *p = arg;
    p->found_elf |= e->kind == FATBIN_ELF;
    if (e->kind == FATBIN_PTX && (!p->found_ptx || e->arch > p->best.arch)) {
        p->best = *e;
        p->found_ptx = true;
    }
    return true;
}

bool fatbin_pick_ptx(const void *data, size_t len, struct fatbin_entry *best, bool *found_elf,
                     struct err *err)
{
    struct pick p = {0};
    *found_elf = false;
    if (!fatbin_each(data, len, pick_entry, &p, err))
        return false;
    *best = p.best;
    *found_elf = p.found_elf;
    if (!p.found_ptx)
        return err_set(err, p.found_elf ? "it holds machine code only, no PTX: compile it with "
                                          "-gencode arch=compute_75,code=compute_75"
                                        : "it holds no PTX");
    return true;
}
