/* `parsim workloads`: the programs that come with Parsim. */
#include "cli.h"
#include "cmd.h"
#include "out/json.h"

#include <string.h>

static const char help[] =
    "usage: parsim workloads [--json]\n"
    "\n"
    "Lists the programs that come with Parsim: name, origin, domain, data type, and what is\n"
    "expected to bound it. `parsim run workload:NAME [--size tiny|small|medium|large|paper]\n"
    "[--seed N]` runs one; docs/workloads.md describes them.\n"
    "\n"
    "  --json  as JSON\n";

static void print_json(void)
{
    json_object *list = json_object_new_array();
    for (const struct cli_workload *w = cli_workloads; w->name; w++) {
        json_object *o = json_object_new_object();
        json_add_text(o, "name", w->name);
        json_add_text(o, "origin", w->origin);
        json_add_text(o, "domain", w->domain);
        json_add_text(o, "type", w->type);
        json_add_text(o, "bound", w->bound);
        json_object_array_add(list, o);
    }
    puts(json_object_to_json_string_ext(list, JSON_C_TO_STRING_PRETTY));
    json_object_put(list);
}

int cmd_workloads(int argc, char **argv)
{
    bool as_json = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            fputs(help, stdout);
            return EXIT_DONE;
        }
        if (strcmp(argv[i], "--json"))
            return cli_fail("workloads", "no option '%s'; see --help", argv[i]);
        as_json = true;
    }
    if (as_json) {
        print_json();
        return EXIT_DONE;
    }
    for (const struct cli_workload *w = cli_workloads; w->name; w++)
        printf("%-14s %-12s %-24s %-8s %s\n", w->name, w->origin, w->domain, w->type, w->bound);
    return EXIT_DONE;
}
