/* What AxMemo's programs share. A region is written once and built several times: AX_PLAIN without
 * memoization, AX_MEMO with the unit's instructions (parsim/axmemo.h), AX_SOFTWARE, AX_FAIR and
 * AX_ATM with tables in memory (ax_tables.h). */
#ifndef AX_COMMON_AX_H
#define AX_COMMON_AX_H

#include "../../include/parsim/axmemo.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(AX_MEMO)
#define AX_LOAD_F32(table, cut, p, i) ax_load_f32(table, cut, p, i)
#define AX_LOAD_I32(table, cut, p, i) ax_load_i32(table, cut, p, i)
#define AX_INPUT_F32(table, cut, v)   ax_input_f32(table, cut, v)
#define AX_INPUT_I32(table, cut, v)   ax_input_i32(table, cut, v)
#define AX_LOOKUP_F32(table, out)     ax_lookup_f32(table, out)
#define AX_LOOKUP_I64(table, out)     ax_lookup_i64(table, out)
#define AX_UPDATE_F32(table, v)       ax_update_f32(table, v)
#define AX_UPDATE_I64(table, v)       ax_update_i64(table, v)
#define AX_UPDATE_FLOATS(table, v)    ax_update_floats(table, v)
#define AX_UPDATE_SHORTS(table, v)    ax_update_shorts(table, v)
#elif defined(AX_SOFTWARE) || defined(AX_FAIR) || defined(AX_ATM)
#include "ax_tables.h"
#define AX_IN_MEMORY                  1
#define AX_LOAD_F32(table, cut, p, i) (ax_hash(table, ax_word_of((p)[i]), cut), (p)[i])
#define AX_LOAD_I32(table, cut, p, i) (ax_hash(table, (uint32_t)(p)[i], cut), (p)[i])
#define AX_INPUT_F32(table, cut, v)   ax_hash(table, ax_word_of(v), cut)
#define AX_INPUT_I32(table, cut, v)   ax_hash(table, (uint32_t)(v), cut)
#define AX_LOOKUP_F32(table, out)     ax_find4(table, out)
#define AX_LOOKUP_I64(table, out)     ax_find8(table, out)
#define AX_UPDATE_F32(table, v)       ax_keep4(table, ax_word_of(v))
#define AX_UPDATE_I64(table, v)       ax_keep8(table, v)
#define AX_UPDATE_FLOATS(table, v)    ax_keep8(table, v)
#define AX_UPDATE_SHORTS(table, v)    ax_keep8(table, v)
#else
#define AX_LOAD_F32(table, cut, p, i) ((p)[i])
#define AX_LOAD_I32(table, cut, p, i) ((p)[i])
#define AX_INPUT_F32(table, cut, v)   ((void)0)
#define AX_INPUT_I32(table, cut, v)   ((void)0)
#define AX_LOOKUP_F32(table, out)     false
#define AX_LOOKUP_I64(table, out)     false
#define AX_UPDATE_F32(table, v)       ((void)0)
#define AX_UPDATE_I64(table, v)       ((void)0)
#define AX_UPDATE_FLOATS(table, v)    ((void)0)
#define AX_UPDATE_SHORTS(table, v)    ((void)0)
#endif

/* Bits that are cut off inputs: the program's own, or none (-DAX_EXACT). */
#ifdef AX_EXACT
#define AX_CUT(n) 0
#else
#define AX_CUT(n) (n)
#endif

/* --- a run --- */

struct ax_run {
    bool is_full;
    uint64_t random;
};

/* From the arguments: "small" (the default) or "full", and a seed. Makes the software table. */
struct ax_run ax_begin(int argc, char **argv, bool is_8_bytes);
/* Writes the outputs; the exit code. */
int ax_end(const void *outputs, size_t bytes);

uint32_t ax_random(struct ax_run *r);
/* In [0, 1). */
float ax_uniform(struct ax_run *r);

/* An image of bytes, w x h: smooth fields, shapes, the noise of a sensor. To be freed. */
uint8_t *ax_image(struct ax_run *r, int w, int h);

#endif
