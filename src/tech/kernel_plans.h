/* What a technique has worked out of the kernels that were launched, a plan each. */
#ifndef TECH_KERNEL_PLANS_H
#define TECH_KERNEL_PLANS_H

#include <stdbool.h>

struct kernel;

/* A plan begins with it. */
struct kernel_plan {
    const struct kernel *kernel;
    struct kernel_plan *next;
};

/* `self` is the technique's. */
typedef bool kernel_plan_used(const void *self, const struct kernel_plan *p);
typedef void kernel_plan_end(void *self, struct kernel_plan *p);

/* NULL: it has none. */
struct kernel_plan *kernel_plans_find(struct kernel_plan *first, const struct kernel *k);

/* Before a launch: whether a plan is to be made and added. A kernel that was unloaded may have left
 * its address to another: a plan that is there is ended, unless the kernel runs. */
bool kernel_plans_lack(struct kernel_plan **first, const struct kernel *k,
                       kernel_plan_used *is_used, kernel_plan_end *end, void *self);
void kernel_plans_add(struct kernel_plan **first, struct kernel_plan *p);
void kernel_plans_end(struct kernel_plan **first, kernel_plan_end *end, void *self);

#endif
