/* The translator of this process: found and loaded when it is first asked for. */
#ifndef EXEC_TRANSLATOR_H
#define EXEC_TRANSLATOR_H

#include "base/err.h"
#include "exec/translate.h"

/* False: PARSIM_JIT is set to what is none of its values. */
bool translator_check(struct err *err);

/* NULL: there is none, or this host cannot run what it makes. */
const struct translator *translator_get(void);
/* Executions after which a run is translated; 0 = never (PARSIM_JIT=off). */
uint32_t translator_threshold(void);
/* Whether `ninsts` more instructions, which runs that may be translated have executed, and those of
 * them that are to come make it worth while to load one. */
bool translator_is_worth(uint64_t ninsts, double to_come);

#endif
