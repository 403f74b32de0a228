#include "cli.h"
#include "cmd.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool cli_u64(const char *s, uint64_t *v)
{
    char *end;
    if (!isdigit((unsigned char)*s))
        return false;
    errno = 0;
    unsigned long long n = strtoull(s, &end, 0);
    unsigned shift = 0;
    if (*end == 'K' || *end == 'k')
        shift = 10;
    else if (*end == 'M' || *end == 'm')
        shift = 20;
    else if (*end == 'G' || *end == 'g')
        shift = 30;
    if (shift)
        end++;
    if (errno || *end || (n << shift) >> shift != n)
        return false;
    *v = (uint64_t)n << shift;
    return true;
}

bool cli_dims(const char *s, uint32_t dims[3])
{
    dims[0] = dims[1] = dims[2] = 1;
    for (unsigned i = 0; i < 3; i++) {
        char *end;
        errno = 0;
        unsigned long v = isdigit((unsigned char)*s) ? strtoul(s, &end, 0) : 0;
        if (!v || errno || v > UINT32_MAX)
            return false;
        dims[i] = (uint32_t)v;
        if (!*end)
            return true;
        if (*end != ',' && *end != 'x')
            return false;
        s = end + 1;
    }
    return false;
}

int cli_fail(const char *command, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fflush(stdout);
    fprintf(stderr, "parsim %s: ", command);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    return EXIT_USAGE;
}
