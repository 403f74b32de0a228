/* Any bytes as a block and as an encoding of bpc. */
#include "fuzz/codec/support_fuzz_codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_codec("bpc", NULL, data, size);
    return 0;
}
