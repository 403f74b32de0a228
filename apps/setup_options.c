/* One reader of the options that several commands have for their runs. */
#include "setup_options.h"

#include "cli.h"

bool setup_options_take(struct study_setup *s, int c, const char *value, struct err *err)
{
    switch (c) {
    case SETUP_SIZE:
        s->size = value;
        return cli_check_size(value, err);
    case SETUP_JOBS:
        return cli_count("jobs", value, &s->jobs, err);
    case SETUP_THREADS:
        return cli_threads(value, &s->threads, err);
    case SETUP_LIMIT:
        return cli_seconds("limit", value, &s->limit, err);
    case SETUP_OUT:
        s->folder = value;
        return true;
    case SETUP_SAMPLE:
        return s->is_sampled = true;
    default:
        return s->quiet = true;
    }
}
