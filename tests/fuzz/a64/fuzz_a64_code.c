/* Any words as code, in a page that it may change itself, with registers from the same bytes: every
 * one is executed or stops the core, and nothing outside its two pages is touched. */
#include "a64/cpu.h"
#include "a64/decode.h"
#include "memo/memo.h"

#include <stdlib.h>
#include <string.h>

enum { CODE = 0x10000, DATA = 0x20000, STEPS = 2000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Registers lead into the pages, mostly. */
static void fill_registers(struct a64_cpu *c, const uint8_t *data, size_t size)
{
    for (unsigned i = 0; i <= A64_SP; i++) {
        const uint64_t byte = size ? data[i % size] : 0;
        if (i != A64_ZERO)
            c->x[i] = byte & 1 ? byte : DATA + 16 * byte;
    }
    for (unsigned i = 0; i < sizeof c->v && size; i++)
        ((uint8_t *)c->v)[i] = data[(i * 7) % size];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct a64_cpu *c = xcalloc(1, sizeof *c);
    const uint64_t len = size < IMAGE_PAGE ? size : IMAGE_PAGE;
    struct memo_cfg memo;
    conf_defaults(memo_fields, memo_nfields, &memo);
    c->memo = memo_unit_new(&memo, 16);
    c->image = image_new(8 << 20);
    image_map(c->image, CODE, IMAGE_PAGE, IMAGE_R | IMAGE_W | IMAGE_X);
    image_map(c->image, DATA, IMAGE_PAGE, IMAGE_R | IMAGE_W);
    image_put(c->image, CODE, data, len);
    fill_registers(c, data, size);
    c->pc = CODE;
    /* what stops is stepped over, so that the words behind it have their turn */
    for (unsigned stops = 0; stops < 64 && c->inst < STEPS; stops++) {
        a64_run(c, STEPS - c->inst);
        c->pc = (c->pc & -(uint64_t)IMAGE_PAGE) == CODE ? c->pc + 4 : CODE + 4 * stops;
        if (c->x[A64_ZERO])
            abort();
    }
    const struct memo_stats *m = &c->memo->stats;
    if (m->lookups != m->l1_hits + m->l2_hits + m->misses)
        abort();
    memo_unit_free(c->memo);
    image_free(c->image);
    free(c);
    return 0;
}
