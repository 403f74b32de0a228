/* Any bytes as a block and as an encoding of bdi-lanes. */
#include "fuzz/codec/support_fuzz_codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_codec("bdi-lanes", NULL, data, size);
    return 0;
}
