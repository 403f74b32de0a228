/* Techniques whose designs are modules of assist/: they run beside whatever other assist warps
 * there are. */
#include "tech/assist/assist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct module {
    const struct tech_design *design;
    const struct assist_service *service; /* assist warps may be bound later */
};

void assist_module_announce(const struct tech_site *at)
{
    char *names = assist_service(at->seams)->modules;
    const size_t len = strlen(names), size = sizeof((struct assist_service *)NULL)->modules;
    snprintf(names + len, size - len, "%s%s", len ? "," : "", at->design->codec);
}

static void describe(const void *self, char *buf, size_t size)
{
    const struct module *m = self;
    snprintf(buf, size, "%s: assist/%s.ptx", m->design->name, m->design->codec);
}

static bool launch(void *self, const struct sm_kernel *k, struct err *err)
{
    const struct module *m = self;
    (void)k, (void)err;
    assist_launch(m->service->assist);
    return true;
}

bool assist_module_bind(const struct tech_site *at, struct tech_part *part, struct err *err)
{
    struct module *self = xmalloc(sizeof *self);
    (void)err;
    *self = (struct module){at->design, assist_service(at->seams)};
    *part = (struct tech_part){.self = self, .launch = launch, .describe = describe, .free = free};
    return true;
}
