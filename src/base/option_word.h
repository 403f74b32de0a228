/* Which word of a line getopt_long() has just refused with '?'. */
#ifndef BASE_OPTION_WORD_H
#define BASE_OPTION_WORD_H

#include <getopt.h>
#include <stdbool.h>

/* It has gone past the word, unless that is a bundle of letters of which the first is not known:
 * optind comes to the next word only with the last of them. */
static inline const char *option_word(char **argv)
{
    const char *next = argv[optind];
    const bool is_bundle = next && next[0] == '-' && optopt && next[1] == (char)optopt && next[2];
    return is_bundle ? next : argv[optind - 1];
}

#endif
