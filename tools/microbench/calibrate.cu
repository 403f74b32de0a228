// Microbenchmarks of a GPU, ours: the same executable runs on a GPU and on Parsim (tools/calibrate builds and runs it).
//     calibrate FILE.csv [--short] [GROUP...]
// Rows are "group,name,parameter,value"; tools/calibrate says more. --short: sizes for a simulator.
#include "micro.cuh"

#include <cstring>

FILE *rows;
int sms;
bool is_short;

static const struct {
    const char *name;
    void (*run)();
    bool by_default;
} groups[] = {{"instructions", measure_instructions, true}, {"tensor", measure_tensor, true},
              {"latency", measure_latency, true},           {"sectors", measure_sectors, true},
              {"split", measure_split, true},               {"bandwidth", measure_bandwidth, true},
              {"shared", measure_shared, true},             {"constant", measure_constant, true},
              {"texture", measure_texture, true},           {"atomics", measure_atomics, true},
              {"barriers", measure_barriers, true},         {"launches", measure_launches, true},
              {"in_flight", measure_flight, true},          {"code", measure_code, true},
              {"turns", measure_turns, true},               {"partitions", measure_partitions, true},
              {"power", measure_power, false}};

int main(int argc, char **argv)
{
    bool named = false;
    if (argc < 2 || !(rows = fopen(argv[1], "w"))) {
        fprintf(stderr, "usage: calibrate FILE.csv [--short] [GROUP...]\n");
        return 2;
    }
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    fprintf(rows, "group,name,parameter,value\n");
    for (int i = 2; i < argc; i++) {
        is_short |= !strcmp(argv[i], "--short");
        named |= argv[i][0] != '-';
    }
    for (const auto &g : groups) {
        bool wanted = !named && g.by_default;
        for (int i = 2; i < argc; i++)
            wanted |= !strcmp(argv[i], g.name);
        if (wanted) {
            fprintf(stderr, "%s\n", g.name);
            g.run();
            CHECK(cudaDeviceSynchronize());
        }
    }
    return fclose(rows) != 0;
}
