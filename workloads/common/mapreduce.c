/* Map, scan, sort, group and reduce: the launches of each phase. */
#include "mapreduce.h"

#include <string.h>

/* Threads a block; the last two as in mapreduce_map.cuh and mapreduce_sort.cuh. */
enum { BLOCK = 128, SCAN_BLOCK = 256, SORT_BLOCK = 256 };

static const char *joined(struct wl *w, const char *name, const char *suffix)
{
    size_t len = strlen(name);
    char *text = wl_alloc(w, len + strlen(suffix) + 1, 1);

    memcpy(text, name, len);
    memcpy(text + len, suffix, strlen(suffix));
    return text;
}

static size_t elements(enum wl_type type, size_t bytes)
{
    return type == WL_U8 ? bytes : bytes / 4;
}

struct mr_pairs mr_pairs_declare(struct wl *w, const char *name, enum wl_role role,
                                 struct mr_room room)
{
    return (struct mr_pairs){
        .index = wl_array(w, joined(w, name, "_index"), role, WL_U32, 4 * room.pairs),
        .keys = wl_array(w, joined(w, name, "_keys"), role, room.key_type,
                         elements(room.key_type, room.key_bytes)),
        .values = wl_array(w, joined(w, name, "_values"), role, room.value_type,
                           elements(room.value_type, room.value_bytes)),
    };
}

struct mr_pairs mr_sorted_declare(struct wl *w, const char *name, enum wl_role role,
                                  struct mr_room room)
{
    size_t padded = 2;

    while (padded < room.pairs)
        padded *= 2;
    room.pairs = padded;
    return mr_pairs_declare(w, name, role, room);
}

void mr_fill_index(struct mr_pairs *pairs, uint32_t count, uint32_t key_bytes, uint32_t value_bytes)
{
    struct mr_pair *index = pairs->index->data;

    pairs->count = count;
    for (uint32_t i = 0; i < count; i++)
        index[i] = (struct mr_pair){i * key_bytes, key_bytes, i * value_bytes, value_bytes};
}

struct mr mr_declare(struct wl *w, size_t items)
{
    return (struct mr){
        .items = items,
        .key_at = wl_array(w, "mr_key_at", WL_SCRATCH, WL_U32, items + 1),
        .value_at = wl_array(w, "mr_value_at", WL_SCRATCH, WL_U32, items + 1),
        .pair_at = wl_array(w, "mr_pair_at", WL_SCRATCH, WL_U32, items + 1),
        .sums = wl_array(w, "mr_sums", WL_SCRATCH, WL_U32, items / 256 + 16),
        .starts = wl_array(w, "mr_starts", WL_SCRATCH, WL_U32, items + 1),
    };
}

/* Exclusive prefix sums in place; the sums of blocks go to `sums`, theirs behind them. */
static void scan(struct wl *w, CUdeviceptr numbers, uint32_t count, CUdeviceptr sums)
{
    uint32_t blocks = wl_blocks(count, 2 * SCAN_BLOCK);

    wl_launch(w, "mr_scan", WL_DIM(blocks), WL_DIM(SCAN_BLOCK), 0,
              WL_ARGS(&numbers, &count, &sums));
    if (blocks == 1)
        return;
    scan(w, sums, blocks, sums + blocks * sizeof(uint32_t));
    wl_launch(w, "mr_scan_add", WL_DIM(blocks), WL_DIM(SCAN_BLOCK), 0,
              WL_ARGS(&numbers, &count, &sums));
}

/* Scans `count` numbers and returns their total; the 0 after them becomes the total, too. */
static uint32_t scan_total(struct wl *w, struct mr *mr, CUdeviceptr numbers, uint32_t count)
{
    uint32_t total;

    scan(w, numbers, count + 1, mr->sums->dev);
    wl_read(w, numbers + count * sizeof total, &total, sizeof total);
    return total;
}

/* Turns the counts of `items` threads to places and checks that there is room for what they emit.
 */
static void scan_counts(struct wl *w, struct mr *mr, uint32_t items, struct mr_pairs *out)
{
    uint32_t key_bytes = scan_total(w, mr, mr->key_at->dev, items);
    uint32_t value_bytes = scan_total(w, mr, mr->value_at->dev, items);

    out->count = scan_total(w, mr, mr->pair_at->dev, items);
    if (key_bytes > out->keys->count * (out->keys->type == WL_U8 ? 1 : 4) ||
        value_bytes > out->values->count * (out->values->type == WL_U8 ? 1 : 4) ||
        out->count > out->index->count / 4)
        wl_die(w, "%u pairs with %u bytes of keys and %u of values do not fit into %s", out->count,
               key_bytes, value_bytes, out->index->name);
}

void mr_map(struct wl *w, struct mr *mr, const void *job, uint32_t records, struct mr_pairs *out)
{
    void *value = (void *)(uintptr_t)job; /* cuLaunchKernel() only reads it */
    struct wl_dim grid = WL_DIM(wl_blocks((size_t)records + 1, BLOCK)), block = WL_DIM(BLOCK);

    if (records > mr->items)
        wl_die(w, "%u records are more than the %zu declared", records, mr->items);
    wl_launch(w, "mr_map_count", grid, block, 0,
              WL_ARGS(value, &records, &mr->key_at->dev, &mr->value_at->dev, &mr->pair_at->dev));
    scan_counts(w, mr, records, out);
    wl_launch(w, "mr_map_emit", grid, block, 0,
              WL_ARGS(value, &records, &mr->key_at->dev, &mr->value_at->dev, &mr->pair_at->dev,
                      &out->keys->dev, &out->values->dev, &out->index->dev));
}

void mr_sort(struct wl *w, struct mr_pairs *pairs)
{
    uint32_t padded = 2, run = 2;

    while (padded < pairs->count)
        padded *= 2;
    uint32_t width = padded / 2 < SORT_BLOCK ? padded / 2 : SORT_BLOCK;
    uint32_t tile = 2 * width, tiles = padded / tile;
    wl_launch(w, "mr_sort_pad", WL_DIM(tiles), WL_DIM(tile), 0,
              WL_ARGS(&pairs->index->dev, &pairs->count, &padded));
    wl_launch(w, "mr_sort_near", WL_DIM(tiles), WL_DIM(width), 0,
              WL_ARGS(&pairs->index->dev, &pairs->keys->dev, &run, &tile));
    for (run = 2 * tile; run <= padded; run *= 2) {
        for (uint32_t distance = run / 2; distance >= tile; distance /= 2)
            wl_launch(w, "mr_sort_far", WL_DIM(tiles), WL_DIM(width), 0,
                      WL_ARGS(&pairs->index->dev, &pairs->keys->dev, &run, &distance));
        wl_launch(w, "mr_sort_near", WL_DIM(tiles), WL_DIM(width), 0,
                  WL_ARGS(&pairs->index->dev, &pairs->keys->dev, &run, &run));
    }
}

uint32_t mr_group(struct wl *w, struct mr *mr, struct mr_pairs *in, CUdeviceptr starts)
{
    CUdeviceptr number = mr->key_at->dev;
    struct wl_dim grid = WL_DIM(wl_blocks((size_t)in->count + 1, BLOCK)), block = WL_DIM(BLOCK);

    if (in->count > mr->items)
        wl_die(w, "%u pairs are more than the %zu declared", in->count, mr->items);
    wl_launch(w, "mr_group_flag", grid, block, 0,
              WL_ARGS(&in->index->dev, &in->keys->dev, &in->count, &number));
    uint32_t groups = scan_total(w, mr, number, in->count);
    wl_launch(w, "mr_group_starts", grid, block, 0, WL_ARGS(&number, &in->count, &starts));
    return groups;
}

void mr_reduce(struct wl *w, struct mr *mr, const void *job, struct mr_pairs *in,
               struct mr_pairs *out)
{
    void *value = (void *)(uintptr_t)job;
    uint32_t groups = mr_group(w, mr, in, mr->starts->dev);
    struct wl_dim grid = WL_DIM(wl_blocks((size_t)groups + 1, BLOCK)), block = WL_DIM(BLOCK);

    wl_launch(w, "mr_reduce_count", grid, block, 0,
              WL_ARGS(value, &in->index->dev, &in->keys->dev, &in->values->dev, &mr->starts->dev,
                      &groups, &mr->key_at->dev, &mr->value_at->dev, &mr->pair_at->dev));
    scan_counts(w, mr, groups, out);
    wl_launch(w, "mr_reduce_emit", grid, block, 0,
              WL_ARGS(value, &in->index->dev, &in->keys->dev, &in->values->dev, &mr->starts->dev,
                      &groups, &mr->key_at->dev, &mr->value_at->dev, &mr->pair_at->dev,
                      &out->keys->dev, &out->values->dev, &out->index->dev));
}
