/* The configuration of an SM (section `sm`). */
#ifndef SM_SM_CFG_H
#define SM_SM_CFG_H

#include "conf/conf.h"

extern const char *const sm_sched_names[];
extern const char *const sm_code_names[];
enum sm_code { CODE_PTX, CODE_MACHINE };
extern const char *const sm_operand_names[];
enum sm_operands { OPERANDS_COLLECTORS, OPERANDS_FIXED };
enum sm_sched { SCHED_GTO, SCHED_LRR, SCHED_OLDEST, SCHED_TWO_LEVEL };

struct sm_cfg {
#define ROWS_FILE "sm/sm_cfg.def"
#include "parsim/rows_members.h"
};

extern const struct conf_field sm_fields[];
extern const size_t sm_nfields;

bool sm_cfg_check(const struct sm_cfg *cfg, struct err *err);

enum op_class {
#define OP_CLASS(id, ...) OP_CLASS_##id,
#include "sm/op_class.def"
#undef OP_CLASS
    OP_CLASSES
};

int64_t sm_cfg_latency(const struct sm_cfg *cfg, enum op_class c);
int64_t sm_cfg_initiation(const struct sm_cfg *cfg, enum op_class c);
const char *sm_op_class_name(enum op_class c);

#endif
