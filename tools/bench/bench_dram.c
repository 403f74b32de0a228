/* Speed of one saturated GDDR5 channel: DRAM commands a second of host time, by workload. */
#include "dram/dram_traffic.h"

#include <stdio.h>
#include <time.h>

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void run(const char *name, enum dram_pattern pattern, const char *org, int queues,
                bool unified)
{
    struct dram_cfg cfg;
    struct err err;
    conf_defaults(dram_fields, dram_nfields, &cfg);
    cfg.queues = queues;
    cfg.unified = unified;
    cfg.command_queue = queues == DRAM_QUEUES_SHARED ? 32 : 8;
    if (!dram_cfg_resolve(&cfg, &err))
        panic("%s", err.msg);
    struct dram_traffic t = {
        .pattern = pattern, .load = DRAM_LOAD_high, .requests = 2000000, .seed = 1};
    struct dram_stats st;
    double start = cpu_seconds();
    cycle_t cycles = dram_traffic_run(&cfg, &t, &st);
    double s = cpu_seconds() - start;
    uint64_t commands = st.rd + st.wr + st.act + st.pre;
    printf("%-24s %-10s %7.2f M commands/s %7.2f M cycles/s %7.2f M requests/s\n", name, org,
           (double)commands / s / 1e6, (double)cycles / s / 1e6,
           (double)(st.reads + st.writes) / s / 1e6);
}

int main(void)
{
    static const struct {
        const char *name;
        int queues;
        bool unified;
    } orgs[] = {{"per bank", DRAM_QUEUES_PER_BANK, false},
                {"frfcfs32", DRAM_QUEUES_SHARED, true},
                {"direct", DRAM_QUEUES_DIRECT, false}};
    for (size_t i = 0; i < ARRAY_LEN(orgs); i++) {
#define X(n) run(#n, DRAM_PATTERN_##n, orgs[i].name, orgs[i].queues, orgs[i].unified);
        X(a_seq_read)
        X(b_random_read)
        X(d1_seq_2R1W)
        X(e1_stride_1row)
#undef X
    }
    return 0;
}
