/* BDI's forms: shared by the encoder and the size kernels. */
#ifndef BDI_FORMS_H
#define BDI_FORMS_H

enum { BDI_ZEROS, BDI_REPEAT, BDI_FIRST_DELTA, BDI_FORMS = 8 };

struct bdi_form {
    unsigned base_bytes, delta_bytes;
};

static const struct bdi_form bdi_forms[BDI_FORMS] = {{0, 0}, {8, 0}, {8, 1}, {8, 2},
                                                     {8, 4}, {4, 1}, {4, 2}, {2, 1}};

static inline unsigned bdi_form_bytes(unsigned id, unsigned block_bytes)
{
    if (id == BDI_ZEROS)
        return 1;
    if (id == BDI_REPEAT)
        return 9;
    unsigned n = block_bytes / bdi_forms[id].base_bytes;
    return 1 + (n + 7) / 8 + bdi_forms[id].base_bytes + n * bdi_forms[id].delta_bytes;
}

/* The delta forms from the smallest, the lowest id first among equals. */
static inline const unsigned char *bdi_form_order(unsigned block_bytes)
{
    static const unsigned char order32[] = {2, 5, 3, 7, 6, 4}, order64[] = {2, 5, 3, 6, 7, 4},
                               order128[] = {2, 5, 3, 6, 4, 7};
    return block_bytes == 32 ? order32 : block_bytes == 64 ? order64 : order128;
}

enum { BDI_DELTA_FORMS = 6 };

#endif
