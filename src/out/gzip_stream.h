/* A stream whose bytes arrive compressed (gzip) in another one. */
#ifndef OUT_GZIP_STREAM_H
#define OUT_GZIP_STREAM_H

#include <stdio.h>

/* fclose() ends the compressed file and leaves `to` open; what cannot be written is an error of
 * `to`. NULL: no memory. */
FILE *gzip_stream(FILE *to);

#endif
