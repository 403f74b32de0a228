/* A list, the newest first. */
#include "tech/kernel_plans.h"

#include <stddef.h>

struct kernel_plan *kernel_plans_find(struct kernel_plan *first, const struct kernel *k)
{
    while (first && first->kernel != k)
        first = first->next;
    return first;
}

bool kernel_plans_lack(struct kernel_plan **first, const struct kernel *k,
                       kernel_plan_used *is_used, kernel_plan_end *end, void *self)
{
    struct kernel_plan *old = kernel_plans_find(*first, k), **at = first;
    if (!old)
        return true;
    if (is_used(self, old))
        return false;
    while (*at != old)
        at = &(*at)->next;
    *at = old->next;
    end(self, old);
    return true;
}

void kernel_plans_add(struct kernel_plan **first, struct kernel_plan *p)
{
    p->next = *first;
    *first = p;
}

void kernel_plans_end(struct kernel_plan **first, kernel_plan_end *end, void *self)
{
    for (struct kernel_plan *p = *first, *next; p; p = next) {
        next = p->next;
        end(self, p);
    }
    *first = NULL;
}
