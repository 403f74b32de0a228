/* The host's clock, for progress and reports: never for results. */
#ifndef BASE_WALL_CLOCK_H
#define BASE_WALL_CLOCK_H

/* Seconds since some fixed moment; never runs backwards. */
double wall_seconds(void);

#endif
