/* Fields by pipe and class, and what they must have to do with each other. */
#include "sm/sm_cfg.h"

const char *const sm_sched_names[] = {"gto", "lrr", "oldest", "two_level", NULL};

const char *const sm_code_names[] = {"ptx", "machine", NULL};
const char *const sm_operand_names[] = {"collectors", "fixed", NULL};

const struct conf_field sm_fields[] = {
#define ROWS_FILE   "sm/sm_cfg.def"
#define ROWS_STRUCT sm_cfg
#include "parsim/rows_entries.h"
};

const size_t sm_nfields = ARRAY_LEN(sm_fields);

static const struct {
    const char *name;
    size_t latency, initiation;
} classes[] = {
#define OP_CLASS(id, ...) \
    {#id, offsetof(struct sm_cfg, id##_latency), offsetof(struct sm_cfg, id##_initiation)},
#include "sm/op_class.def"
#undef OP_CLASS
};

static int64_t member(const struct sm_cfg *cfg, size_t offset)
{
    return *(const int64_t *)(const void *)((const char *)cfg + offset);
}

int64_t sm_cfg_latency(const struct sm_cfg *cfg, enum op_class c)
{
    return member(cfg, classes[c].latency);
}

int64_t sm_cfg_initiation(const struct sm_cfg *cfg, enum op_class c)
{
    return member(cfg, classes[c].initiation);
}

const char *sm_op_class_name(enum op_class c)
{
    return classes[c].name;
}

bool sm_cfg_check(const struct sm_cfg *cfg, struct err *err)
{
    for (unsigned c = 0; c < OP_CLASSES; c++)
        if (member(cfg, classes[c].initiation) > member(cfg, classes[c].latency))
            return err_set(err, "sm.%s_initiation: %lld is more than sm.%s_latency, %lld",
                           classes[c].name, (long long)member(cfg, classes[c].initiation),
                           classes[c].name, (long long)member(cfg, classes[c].latency));
    for (unsigned c = 0; cfg->operands == OPERANDS_FIXED && c < OP_CLASSES; c++)
        if (member(cfg, classes[c].latency) < 2)
            return err_set(err, "sm.%s_latency: at least 2 where sm.operands is fixed",
                           classes[c].name);
    if (cfg->warps % (cfg->subcores * cfg->schedulers))
        return err_set(err,
                       "sm.warps: %lld warps cannot be spread evenly over %lld sub-cores of %lld "
                       "schedulers",
                       (long long)cfg->warps, (long long)cfg->subcores, (long long)cfg->schedulers);
    if (!is_pow2((uint64_t)cfg->coalesce_bytes))
        return err_set(err, "sm.coalesce_bytes: %lld is not a power of two",
                       (long long)cfg->coalesce_bytes);
    if (cfg->threads < cfg->warps)
        return err_set(err, "sm.threads: %lld threads in %lld warps", (long long)cfg->threads,
                       (long long)cfg->warps);
    return true;
}
