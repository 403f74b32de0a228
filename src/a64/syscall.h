/* The kernel's part: Linux's system calls for a guest, one function a row of syscalls.def. */
#ifndef A64_SYSCALL_H
#define A64_SYSCALL_H

#include "a64/process.h"

enum { A64_USER = 1000, A64_PID = 1000 };

/* Does what the registers ask for and puts the result into x0. */
void a64_syscall(struct a64_process *p);

/* a: the six arguments. The result, or a negative error number. */
typedef int64_t a64_syscall_fn(struct a64_process *p, const uint64_t *a);
#define SYSCALL(number, name) a64_syscall_fn sys_##name;
#include "a64/syscalls.def"

/* Copies a structure to the guest; 0 or -EFAULT. */
int64_t sys_give(struct a64_process *p, uint64_t addr, const void *from, size_t bytes);
/* Guest text of less than `size` bytes; 0 or a negative error number. */
int64_t sys_text(struct a64_process *p, uint64_t addr, char *to, size_t size);
/* The host's descriptor of an open file, or -1. */
int sys_file(const struct a64_process *p, uint64_t fd);

#endif
