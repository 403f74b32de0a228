/* Any bytes as a gpgpusim.config: refused with a message, or a file that the reader of machines
 * takes, whatever it then says of their values; never a crash. */
#include "gpu/import_gpgpusim.h"
#include "gpu/machine.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was written is read as a machine, if the settings make one, and only then. */
static void read_again(const char *text, size_t len, bool is_machine)
{
    struct err err = {0};
    char path[40];
    FILE *f = tmpfile();
    if (!f || fwrite(text, 1, len, f) != len || fflush(f))
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(f));
    struct machine *m = machine_new(path, NULL, 0, &err);
    if ((m != NULL) != is_machine)
        abort();
    machine_free(m);
    fclose(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {0};
    struct import_count count;
    char *text = xmalloc(size + 1), *out = NULL;
    size_t len;
    memcpy(text, data, size);
    text[size] = 0;
    FILE *f = open_memstream(&out, &len);
    const bool ok = import_gpgpusim_text("fuzz/gpgpusim.config", text, size, f, &count, &err);
    fclose(f);
    if (ok ? !count.taken && !count.left : !*err.msg)
        abort();
    if (ok)
        read_again(out, len, *count.refused.msg == 0);
    free(out);
    free(text);
    return 0;
}
