/* Assist warps as a service: their section, their energy, the user's routines, and what routines
 * have counted. It has no design of its own: other techniques have their assist warps made by it.
 */
#include "tech/assist/assist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct assist_service *assist_service(const struct tech_seams *s)
{
    return tech_state(s, &assist_technique);
}

/* --- the service --- */

static void *open_service(const struct tech_site *at)
{
    struct assist_service *s = xcalloc(1, sizeof *s);
    s->cfg = at->cfg;
    return s;
}

/* --- what routines have counted --- */

static bool value(const void *self, uint32_t i, struct tech_value *v)
{
    struct assist_var var;
    if (!assist_var(self, i, &var))
        return false;
    const char *slash = strrchr(var.file, '/');
    *v = (struct tech_value){slash ? slash + 1 : var.file, var.name, var.n};
    return true;
}

static uint64_t element(const void *self, uint32_t i, uint32_t k)
{
    return assist_var_at(self, i, k);
}

/* --- assist warps that no other technique brings --- */

static void describe_assist(const void *self, char *buf, size_t size)
{
    const struct aws *s = assist_store(self);
    snprintf(buf, size, "assist: %u routines, %llu bytes of the Assist Warp Store", s->nroutines,
             (unsigned long long)aws_bytes(s));
}

static void free_assist(void *self)
{
    assist_free(self);
}

/* Memoized results of inputs that are only near are others than the program's. */
static bool is_approximate(const struct assist_service *s)
{
    const struct aws *store = assist_store(s->assist);
    for (uint32_t i = 0; i < store->nroutines; i++)
        if (store->routines[i].decl.on == ON_MEMO_BEGIN)
            return s->cfg->memo_bits < 32;
    return false;
}

static bool settle(const struct tech_site *at, struct tech_part *part, struct err *err)
{
    struct assist_service *s = at->state;
    const bool is_mine = !s->assist && (*s->cfg->files || *s->modules);
    if (is_mine && !assist_new("assist", "", at->machine, at->seams, err))
        return false;
    if (s->assist)
        *part = (struct tech_part){.self = s->assist,
                                   .changes_values = is_approximate(s),
                                   .describe = is_mine ? describe_assist : NULL,
                                   .values = "assist",
                                   .value = value,
                                   .element = element,
                                   .free = is_mine ? free_assist : NULL};
    return true;
}

/* Issue, operands and lanes of assist instructions are counted with all others. The store is an
 * SRAM of about 8 KB, an instruction 64 bits; table and buffer are smaller than that, so these are
 * bounds. */
static const struct energy_row energy[] = {
    {"assist", "store, table and buffer of assist warps", "aws_read", 14, "assist.deployed",
     "Keckler: 64 bits of an 8 KB SRAM"},
    {"assist", NULL, "awt_update", 28, "assist.deployed + assist.triggered",
     "Keckler: 64 bits of a row read and written"},
    {"assist", NULL, "awb_entry", 28, "assist.deployed",
     "Keckler: 64 bits of the instruction buffer written and read"},
};

static const struct conf_field fields[] = {
#define ROWS_FILE   "tech/assist/assist_cfg.def"
#define ROWS_STRUCT assist_cfg
#include "parsim/rows_entries.h"
};

static const struct tech_option options[] = {
    {"assist", "assist.files",
     "assist routines in PTX on every SM (docs/assist-warps.md); several times: all of them"}};

const struct technique assist_technique = {
    .name = "assist",
    .section = {"assist", fields, ARRAY_LEN(fields), sizeof(struct assist_cfg), NULL},
    .energy = energy,
    .nenergy = ARRAY_LEN(energy),
    .options = options,
    .noptions = ARRAY_LEN(options),
    .open = open_service,
    .settle = settle,
    .close = free,
};
