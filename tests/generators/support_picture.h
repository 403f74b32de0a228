/* Statistics by which natural pictures are known. Pictures are square, their sides powers of two.
 */
#ifndef TESTS_GENERATORS_SUPPORT_PICTURE_H
#define TESTS_GENERATORS_SUPPORT_PICTURE_H

#include "base/common.h"

/* The power at distance f from the origin of the spectrum, over all directions, as f^slope: fitted
 * from 4 waves in the picture to a quarter of the side. Noise: 0. Natural pictures: about -2. */
double picture_power_slope(const double *pixels, unsigned side);

/* Of the differences of neighbours in a row. Normal noise: 3. Natural pictures: above 10, for most
 * neighbours are alike and few lie on an edge. */
double picture_kurtosis(const double *pixels, unsigned side);

/* The share of 8 x 8 blocks whose values are within `range` of each other. */
double picture_flat_share(const double *pixels, unsigned side, double range);

#endif
