/* Whether what is bound can be called: the members of policies (parsim/seams.def), looked at once
 * when a design is bound, so that a machine that runs asks without looking. And what a policy has
 * done that its seam does not allow. */
#include "tech/tech.h"

#include <stdio.h>
#include <string.h>

enum member_kind { MEMBER_CALL, MEMBER_NUMBER, MEMBER_BITS };

static const struct member {
    const char *type, *name;
    size_t offset, bytes;
    enum member_kind kind;
    uint64_t min, max; /* of a number; max: the bits that are allowed */
} members[] = {
#define PLACE(type, name)                 #type, #name, offsetof(struct type, name), sizeof((struct type *)0)->name
#define SEAM_CALL(type, name)             {PLACE(type, name), MEMBER_CALL, 0, 0},
#define SEAM_NUMBER(type, name, min, max) {PLACE(type, name), MEMBER_NUMBER, min, max},
#define SEAM_BITS(type, name, mask)       {PLACE(type, name), MEMBER_BITS, 0, mask},
#include "parsim/seams.def"
};

/* What an element of a seam's array is. */
static const struct shape {
    const void *null;
    size_t bytes;
} shapes[SEAMS] = {
#define L1_SEAM(name, type, ...)      {&type##_null, sizeof(struct type)},
#define SM_SEAM(name, type, ...)      {&type##_null, sizeof(struct type)},
#define SLICE_SEAM(name, type, ...)   {&type##_null, sizeof(struct type)},
#define CHANNEL_SEAM(name, type, ...) {&type##_null, sizeof(struct type)},
#define GPU_SEAM(name, type, ...)     {&type##_null, sizeof(struct type)},
#include "parsim/seams.def"
};

static const char *const per_names[] = {"SM", "slice", "channel", "machine"};

/* --- at binding --- */

/* A function that is not there. */
static bool check_call(const struct tech_seams *s, enum tech_seam seam, const struct member *m,
                       const char *design, char *policy, struct err *err)
{
    void (*call)(void);
    memcpy(&call, policy + m->offset, sizeof call);
    if (call)
        return true;
    if (s->wrapper[seam] && !strcmp(s->wrapper[seam], design))
        return err_set(err,
                       "seam %s: %s() is NULL; who takes a seam with TAKE_WRAP must call what was "
                       "bound there (%s_wrap() does)",
                       seam_rows[seam].name, m->name, m->type);
    memcpy(policy + m->offset, (const char *)shapes[seam].null + m->offset, sizeof call);
    return true;
}

static bool check_value(enum tech_seam seam, const struct member *m, const char *policy,
                        struct err *err)
{
    uint64_t v = 0;
    memcpy(&v, policy + m->offset, m->bytes); /* little-endian, as device memory wants it */
    if (m->kind == MEMBER_BITS)
        return !(v & ~m->max) ||
               err_set(err, "seam %s: %s is %#llx, and may have no more bits than %#llx",
                       seam_rows[seam].name, m->name, (unsigned long long)v,
                       (unsigned long long)m->max);
    return (v >= m->min && v <= m->max) ||
           err_set(err, "seam %s: %s is %llu: must be %llu to %llu", seam_rows[seam].name, m->name,
                   (unsigned long long)v, (unsigned long long)m->min, (unsigned long long)m->max);
}

static bool check_policy(const struct tech_seams *s, enum tech_seam seam, const char *design,
                         char *policy, struct err *err)
{
    for (size_t i = 0; i < ARRAY_LEN(members); i++) {
        const struct member *m = &members[i];
        if (strcmp(m->type, seam_rows[seam].type))
            continue;
        if (!(m->kind == MEMBER_CALL ? check_call(s, seam, m, design, policy, err)
                                     : check_value(seam, m, policy, err)))
            return false;
    }
    return true;
}

bool tech_seams_check(struct tech_seams *s, const char *design, struct err *err)
{
    for (unsigned seam = 0; seam < SEAMS; seam++) {
        const uint32_t n = s->n[seam_rows[seam].per];
        if (!s->owner[seam] && !s->wrapper[seam])
            continue;
        char *array = tech_seams_array(s, (enum tech_seam)seam);
        for (uint32_t i = 0; i < n; i++)
            if (!check_policy(s, (enum tech_seam)seam, design, array + i * shapes[seam].bytes, err))
                return err_prefix(err, "%s %u", per_names[seam_rows[seam].per], i);
    }
    return true;
}

/* --- at meeting points --- */

static void add_name(char *buf, size_t size, const char *name)
{
    const size_t n = strlen(buf);
    if (name && !strstr(buf, name))
        snprintf(buf + n, size - n, "%s%s", n ? " or " : "", name);
}

/* Those that have a function which may have called: of a seam of an SM's or a slice's. */
static void suspects(const struct tech_seams *s, unsigned per, char *buf, size_t size)
{
    *buf = '\0';
    for (unsigned seam = 0; seam < SEAMS; seam++) {
        if (seam_rows[seam].per != per)
            continue;
        add_name(buf, size, s->owner[seam]);
        add_name(buf, size, s->wrapper[seam]);
    }
}

static bool explain(const struct tech_seams *s, const struct breach *b, unsigned per, uint32_t i,
                    struct err *err)
{
    char names[256];
    if (b->seam == SEAMS) {
        suspects(s, per, names, sizeof names);
        return err_set(err, "technique %s on %s %u: %s", names, per_names[per], i, b->what);
    }
    const char *owner = s->owner[b->seam], *wrapper = s->wrapper[b->seam];
    return err_set(err, "technique %s%s%s%s on %s %u, seam %s: %s",
                   wrapper ? wrapper
                   : owner ? owner
                           : "of no name",
                   wrapper && owner ? " (around " : "", wrapper && owner ? owner : "",
                   wrapper && owner ? ")" : "", per_names[per], i, seam_rows[b->seam].name,
                   b->what);
}

bool tech_seams_hold(const struct tech_seams *s, struct err *err)
{
    if (LIKELY(!atomic_load_explicit(&s->is_breached, memory_order_relaxed)))
        return true;
    for (unsigned per = 0; per < ARRAY_LEN(s->n); per++)
        for (uint32_t i = 0; i < s->n[per]; i++)
            if (s->breaches[per][i].is_noted)
                return explain(s, &s->breaches[per][i], per, i, err);
    return true;
}
