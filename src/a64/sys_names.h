/* Names of files as a guest has them. */
#ifndef A64_SYS_NAMES_H
#define A64_SYS_NAMES_H

#include "a64/syscall.h"

/* Room for a name from "/" on: that of a folder, and one in it. */
enum { SYS_NAME_BYTES = 8194 };

/* The guest's name of a file in a folder of the guest (`folder` is a descriptor), without "." and
 * ".."; with a root from that on, else the host's. 0 or a negative error number. */
int64_t sys_full_name(struct a64_process *p, uint64_t folder, uint64_t addr, char *to);
/* The host's descriptor of the folder that has the last part of such a name; with a root no step
 * follows a link. */
int sys_open_folder(const struct a64_process *p, const char *name, const char **last);
bool sys_is_process_fs(int host);

#endif
