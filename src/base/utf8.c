/* Which bytes are a character, by the table of the standard. */
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

static const char replacement[] = "\xef\xbf\xbd";

unsigned utf8_length(const char *text)
{
    const unsigned char *t = (const unsigned char *)text;
    if (t[0] < 0x80)
        return 1;
    unsigned n = t[0] >= 0xf0 ? 4 : t[0] >= 0xe0 ? 3 : 2;
    if (t[0] < 0xc2 || t[0] > 0xf4) /* a continuation, an overlong pair, beyond U+10FFFF */
        return 0;
    for (unsigned i = 1; i < n; i++)
        if ((t[i] & 0xc0) != 0x80)
            return 0;
    const bool is_overlong = (t[0] == 0xe0 && t[1] < 0xa0) || (t[0] == 0xf0 && t[1] < 0x90);
    const bool is_surrogate = t[0] == 0xed && t[1] >= 0xa0;
    return is_overlong || is_surrogate || (t[0] == 0xf4 && t[1] >= 0x90) ? 0 : n;
}

char *utf8_repair(const char *text)
{
    const size_t grow = sizeof replacement - 1;
    char *clean = xmalloc(grow * strlen(text) + 1), *to = clean;
    while (*text) {
        unsigned n = utf8_length(text);
        memcpy(to, n ? text : replacement, n ? n : grow);
        to += n ? n : grow;
        text += n ? n : 1;
    }
    *to = 0;
    return clean;
}
