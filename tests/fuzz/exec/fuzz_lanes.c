/* Random arithmetic instructions on random operands, against the scalar reference. The input's
 * bytes make the choices; when they run out, a generator seeded by them goes on. */
#include "exec/support_forms.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct byte_source {
    struct form_source base;
    const uint8_t *at, *end;
    uint64_t state;
};

static uint64_t bytes_below(struct form_source *s, uint64_t n)
{
    struct byte_source *b = (struct byte_source *)s;
    if (b->at < b->end && n <= 256) {
        b->state = b->state * 131 + *b->at;
        return *b->at++ % n;
    }
    uint64_t z = b->state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (z ^ z >> 31) % n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct byte_source b = {{bytes_below}, data, data + size, size};
    struct lane_form f;
    form_make(&f, (unsigned)bytes_below(&b.base, 256) % forms_count(), &b.base);
    if (!form_check(&f, &b.base))
        abort();
    return 0;
}
