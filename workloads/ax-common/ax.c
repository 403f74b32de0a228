/* Arguments, random numbers, images, the software table. */
#include "ax.h"

#include <math.h>
#include <sys/mman.h>

#ifdef AX_IN_MEMORY
struct ax_table ax_table;

#ifdef AX_SOFTWARE
static void *reserve(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) {
        fprintf(stderr, "no room for the table\n");
        exit(1);
    }
    return at;
}
#endif

/* For vectors of each length, an order of their bytes. */
static void make_orders(void)
{
    struct ax_run r = {.random = 29};
    for (unsigned n = 0; n < AX_VECTOR; n++)
        for (unsigned k = 0; k < n; k++) {
            const unsigned at = ax_random(&r) % (k + 1);
            ax_table.order[n][k] = ax_table.order[n][at];
            ax_table.order[n][at] = (uint8_t)k;
        }
}

void ax_table_make(bool is_8_bytes)
{
    for (unsigned i = 0; i < 256; i++) {
        uint32_t v = i;
        for (unsigned k = 0; k < 8; k++)
            v = v >> 1 ^ (v & 1 ? 0xedb88320 : 0);
        ax_table.constants[i] = v;
    }
    for (unsigned i = 0; i < AX_TABLES; i++)
        ax_table.crc[i] = 0xffffffff;
    make_orders();
#ifndef AX_SOFTWARE
    if (is_8_bytes)
        ax_table.tagged8 = calloc(AX_ENTRIES_8, sizeof *ax_table.tagged8);
    else
        ax_table.tagged4 = calloc(AX_ENTRIES_4, sizeof *ax_table.tagged4);
#else
    if (is_8_bytes)
        ax_table.longs = reserve((size_t)8 << 27);
    else
        ax_table.words = reserve((size_t)4 << 28);
#endif
}
#endif

struct ax_run ax_begin(int argc, char **argv, bool is_8_bytes)
{
    const struct ax_run r = {.is_full = argc > 1 && !strcmp(argv[1], "full"),
                             .random = argc > 2 ? strtoull(argv[2], NULL, 0) : 1};
#ifdef AX_IN_MEMORY
    ax_table_make(is_8_bytes);
#endif
    (void)is_8_bytes;
    return r;
}

int ax_end(const void *outputs, size_t bytes)
{
    return fwrite(outputs, 1, bytes, stdout) == bytes && !fflush(stdout) ? 0 : 1;
}

uint32_t ax_random(struct ax_run *r)
{
    r->random += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = r->random;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(z >> 32);
}

float ax_uniform(struct ax_run *r)
{
    return (float)(ax_random(r) >> 8) * 0x1p-24f;
}

static double field(double x, double y)
{
    return 110 + 60 * sin(x * 0.013) * cos(y * 0.017) + 35 * sin((x + y) * 0.006);
}

/* Eight discs and bars with edges. */
static double shape(int k, int w, int h, double x, double y)
{
    const double cx = w * (0.13 + 0.11 * k), cy = h * (0.2 + 0.6 * ((k * 5) % 8) / 8),
                 size = w * 0.05 + 3 * k;
    if (k & 1)
        return fabs(x - cx) < size && fabs(y - cy) < size * 0.6 ? 80.0 - 18 * k : 0;
    return (x - cx) * (x - cx) + (y - cy) * (y - cy) < size * size ? 22.0 * k - 90 : 0;
}

uint8_t *ax_image(struct ax_run *r, int w, int h)
{
    uint8_t *at = malloc((size_t)w * (size_t)h);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            double v = field(x, y);
            for (int k = 0; k < 8; k++)
                v += shape(k, w, h, x, y);
            const uint32_t noise = ax_random(r) % 32; /* of the sensor: one pixel in sixteen */
            v += noise == 0 ? 1 : noise == 1 ? -1 : 0;
            at[y * w + x] = (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
        }
    return at;
}
