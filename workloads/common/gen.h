/* Input generators. Each gives the same bytes on every machine for the same rng; each says what its
 * data look like. */
#ifndef WORKLOADS_COMMON_GEN_H
#define WORKLOADS_COMMON_GEN_H

#include "workload.h"

/* A smooth random field, as terrain, temperature or illumination: lattice noise interpolated in
 * octaves, the coarsest with one point every `cell` (a power of two) elements and an amplitude of
 * 2^16, each finer one with `roughness`/65536 of the one before. Above one wave in a cell the power
 * falls with f^-(2 + 2 log2(65536/roughness)): 1/f^2 (amplitude 1/f) at 65536, 1/f^4 at 32768; in a
 * field of one line the exponent is one less. Values lie within +-2^16 times the octaves' sum. */
void gen_fractal(struct rng *rng, int32_t *out, unsigned width, unsigned height, unsigned cell,
                 unsigned roughness);

/* A photograph, gray (1 channel) or red, green, blue (3) and opaque alpha (4), with the statistics
 * of natural ones: opaque discs and rectangles of all sizes over each other, each with its own
 * brightness and colour, behind a lens that spreads edges over three pixels; half of the surfaces
 * are flat and free of noise, the others have 1/f shading of different strength and noise of one
 * level. From 256 x 256 pixels on the amplitude falls with f^-1.0 to f^-1.4, f^-1.2 on average, an
 * eighth to a third of the 8 x 8 blocks are flat, and differences of neighbours have a kurtosis of
 * about 20 (a normal distribution: 3). Smaller ones have less room for large surfaces. */
void gen_photo(struct rng *rng, uint8_t *out, unsigned width, unsigned height, unsigned channels);

/* Bases as 0..3 (A C G T), with 60 % A+T; half of the text is copies of earlier stretches (up to a
 * tenth of them reverse-complemented) of 20 to 2000 bases, in which one base in 50 has mutated. */
void gen_dna(struct rng *rng, uint8_t *out, size_t n);

/* A graph in compressed rows: the neighbours of v are to[first[v]] .. to[first[v + 1] - 1], sorted,
 * none twice, never v itself. weight[i] > 0 belongs to to[i]; both directions of an edge have the
 * same. All graphs are symmetric. */
struct gen_graph {
    uint32_t n, m; /* vertices; entries of `to`, two for each edge */
    uint32_t *first, *to, *weight;
};

/* Skewed degrees and small distances, as social and web graphs: R-MAT with a, b, c, d = 0.45, 0.15,
 * 0.15, 0.25 on 2^scale vertices with `edges` edges before duplicates are dropped; vertices are
 * renumbered at random; weights uniform in 1..100. Milder than Graph500's skew, whose largest hub
 * takes a program with one thread a vertex longer than all the rest. */
struct gen_graph gen_graph_rmat(struct wl *w, struct rng *rng, unsigned scale, uint32_t edges);

/* Degrees of 0 to 6 and long distances, as road networks: a width x height grid of which one street
 * in four is missing (the rows' streets of every 8th row and the column 0 are kept, so that all but
 * about one vertex in 200 hangs together), with a few diagonals; weights are lengths of 10 to 150,
 * similar in a neighbourhood. */
struct gen_graph gen_graph_road(struct wl *w, struct rng *rng, unsigned width, unsigned height);

/* Each vertex draws 2 to 4 neighbours, all alike likely, as Rodinia's generator does: 6 on average,
 * 2 to about 16; weights uniform in 1..100. */
struct gen_graph gen_graph_drawn(struct wl *w, struct rng *rng, uint32_t n);

/* `edges` edges between uniform pairs (degrees as Poisson's law gives), as LonestarGPU's random
 * graphs; weights uniform in 1..100. */
struct gen_graph gen_graph_uniform(struct wl *w, struct rng *rng, uint32_t n, uint32_t edges);

/* A shuffle of 0..n-1. */
void gen_permutation(struct rng *rng, uint32_t *out, uint32_t n);

/* About normal (the sum of 12 uniform numbers), mean 0, deviation 1. */
static inline double gen_normal(struct rng *rng)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += rng_unit(rng);
    return sum;
}

#endif
