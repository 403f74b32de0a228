"""What tools/workloads_gpu and tools/correlate share: the counters that Nsight Compute is asked for, each launch with cold
caches (ncu flushes them) and clocks as they come, and its table of them."""
import csv
import io

# column: metric of Nsight Compute
METRICS = {
    "gpu_time_ns": "gpu__time_duration.sum",
    "sm_cycles": "sm__cycles_elapsed.max",
    "sm_active_cycles": "sm__cycles_active.sum",
    "dram_read_bytes": "dram__bytes_read.sum",
    "dram_write_bytes": "dram__bytes_write.sum",
    "l2_sectors": "lts__t_sectors.sum",
    "warp_insts": "smsp__inst_executed.sum",
    "thread_insts": "smsp__thread_inst_executed.sum",
}


def command(program):
    """Runs `program` (a list) and prints a table on its standard output, among what the program prints."""
    return ["ncu", "--clock-control", "none", "--metrics", ",".join(METRICS.values()), "--csv", "--page", "raw", "--print-units", "base", *program]


def launches(text):
    """Launches in the order of that table: {"kernel": its name with parameters, a number for each of METRICS}."""
    table = csv.DictReader(io.StringIO("\n".join(line for line in text.splitlines() if line.startswith('"'))))
    return [{"kernel": row["Kernel Name"], **{c: round(float(row[m].replace(",", ""))) for c, m in METRICS.items()}}
            for row in table if row.get("ID")]  # without it: the row of units
