/* The container in which nvcc embeds device code: a header, then entries of PTX or machine code,
 * plain or compressed. The bytes come from files and are not trusted: everything is bounds-checked.
 *
 * Layout, little-endian. Header: u32 0xBA55ED50, u16 version 1, u16 header bytes (16), u64 bytes of
 * the entries. Entry: u16 kind, u16 0x0101, u32 header bytes, u64 payload bytes, u32 compressed
 * bytes, u32 options offset, u16 minor, u16 major, u32 arch, u32 name offset, u32 name bytes, u64
 * flags, u64 0, u64 uncompressed bytes. */
#ifndef CUDA_FATBIN_H
#define CUDA_FATBIN_H

#include "base/err.h"

#define FATBIN_MAGIC   0xBA55ED50u
#define WRAPPER_MAGIC  0x466243B1u
#define FATBIN_HEADER  16u
#define FATBIN_MAX_PTX (UINT64_C(1) << 28) /* an entry that claims to be larger is an error */

enum fatbin_kind { FATBIN_PTX = 1, FATBIN_ELF = 2 };
enum fatbin_packing { FATBIN_PLAIN, FATBIN_ZSTD, FATBIN_LZ4 };

struct fatbin_entry {
    unsigned kind; /* enum fatbin_kind, or another number that is to be skipped */
    enum fatbin_packing packing;
    unsigned arch; /* 75 */
    uint64_t flags;
    const char *name; /* not NUL-terminated; name_len 0 = none */
    size_t name_len;
    const uint8_t *payload;
    size_t packed_bytes, unpacked_bytes; /* equal when plain */
};

/* What a host program passes to its runtime: magic, version, data; `link` is a NULL-terminated
 * array of fatbins to be linked if version is 2. */
struct fatbin_wrapper {
    uint32_t magic, version;
    const void *data;
    const void *const *link;
};

/* Bytes of header and entries together, as the header says; 0 if `data` (at least FATBIN_HEADER
 * bytes) does not begin with one. */
uint64_t fatbin_bytes(const void *data);

/* Calls `fn` for every entry until it returns false. False if the container is malformed. */
bool fatbin_each(const void *data, size_t len, bool (*fn)(const struct fatbin_entry *e, void *arg),
                 void *arg, struct err *err);

/* The entry's contents with a NUL byte after `*len`; the caller frees. NULL on error. */
char *fatbin_unpack(const struct fatbin_entry *e, size_t *len, struct err *err);

const char *fatbin_packing_name(enum fatbin_packing p);

/* The PTX entry with the highest architecture; false (and *found_elf set) if there is none. */
bool fatbin_pick_ptx(const void *data, size_t len, struct fatbin_entry *best, bool *found_elf,
                     struct err *err);

#endif
