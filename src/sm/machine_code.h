/* What an assembler would make of PTX, as far as time can see it: of some instructions several, of
 * some none, because they become a part of another (sm.code=machine). Values are computed by PTX's
 * own instructions in any case. */
#ifndef SM_MACHINE_CODE_H
#define SM_MACHINE_CODE_H

#include "sm/decode.h"

/* dinst.role */
enum machine_role {
#define ROLE(id, text) MACHINE_##id,
#include "sm/machine_roles.def"
};

/* What an instruction with this role is, in words; "" for one that is itself. */
const char *machine_role_text(enum machine_role role);

/* Sets `parts`, `role`, `skips`, latency and initiation of every instruction of a decoded function.
 */
void machine_code_find(struct dfunc *f, const struct sm_cfg *cfg);

#endif
