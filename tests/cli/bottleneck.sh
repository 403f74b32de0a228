#!/usr/bin/env bash
# The bottleneck that a report names is one: kernels that are each held back by something else are
# run, the settings that the report names are set, and at least half of the gain it expects is there.
set -u
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 - "$PARSIM_BIN" "$PARSIM_TESTS/gpu/limits.ptx" <<'EOF2'
import json, subprocess, sys
parsim, ptx = sys.argv[1:3]
# kernel, grid, block, rounds, machine, settings, what it is held back by
half = ["dram.bandwidth_scale=0.5"]
twice, much = ["dram.bandwidth_scale=2"], ["dram.bandwidth_scale=4"]
rows = [
    ("stream_read", 60, 256, 8, "gtx480", [], "dram_bus"),
    ("stream_read", 60, 256, 6, "gtx480", half, "dram_bus"),
    ("stream_copy", 60, 256, 12, "gtx480", [], "dram_bus"),
    ("stream_write", 60, 256, 12, "gtx480", [], "dram_bus"),
    ("stream_write", 60, 256, 12, "gtx480", twice, "noc_request"),
    ("camp", 20, 128, 1, "gtx480", [], "dram_bus"),
    ("camp", 20, 128, 1, "gtx480", much, "l2_misses"),
    ("gather", 30, 128, 3, "gtx480", [], "dram_rows"),
    ("chase", 15, 64, 10, "gtx480", [], "dram_rows"),
    ("wide_loads", 15, 64, 30, "gtx480", [], "latency"),
    ("constants", 30, 128, 10, "gtx480", [], "latency"),
    ("l2_resident", 60, 256, 12, "gtx480", [], "noc_reply"),
    ("registers", 90, 128, 3, "gtx480", [], "noc_reply"),
    ("shared_conflicts", 30, 128, 12, "gtx480", [], "conflicts"),
    ("shared_stream", 60, 256, 24, "gtx480", [], "issue"),
    ("atomic_one", 60, 256, 4, "gtx480", [], "atomics"),
    ("atomic_spread", 30, 64, 4, "gtx480", [], "atomics"),
    ("sfu", 60, 256, 8, "gtx480", [], "sfu"),
    ("sfu", 264, 256, 64, "h200", ["gpu.launch_cycles=0"], "sfu"),
    ("dp", 60, 256, 8, "gtx480", [], "sfu"),
    ("imul", 60, 256, 16, "gtx480", [], "sp"),
    ("fma", 60, 256, 24, "gtx480", [], "collectors"),
    ("depend", 15, 64, 60, "gtx480", [], "dependences"),
    ("code", 30, 64, 1, "gtx480", [], "fetch"),
    ("divergent", 30, 256, 4, "gtx480", [], "divergence"),
    ("barriers", 132, 512, 400, "h200", ["gpu.launch_cycles=0"], "barriers"),
    ("tiny", 1, 32, 500, "gtx480", [], "work"),
    ("imbalance", 30, 64, 600, "gtx480", [], "work"),
]
def run(kernel, grid, block, n, gpu, sets):
    cmd = [parsim, "launch", ptx, kernel, "--grid", str(grid), "--block", str(block), "zero:16777216",
           f"u32:{n}", "--gpu", gpu, "--quiet", "--json", "-"] + [x for s in sets for x in ("--set", s)]
    r = subprocess.run(cmd, capture_output=True, text=True)
    if r.returncode:
        sys.exit("FAIL: %s: %s" % (" ".join(cmd), r.stderr))
    return json.loads(r.stdout)
bad = 0
def check(what, good, why=""):
    global bad
    if not good:
        bad += 1
        print("FAIL:", what, why)
for kernel, grid, block, n, gpu, sets, resource in rows:
    j = run(kernel, grid, block, n, gpu, sets)
    limit, words, name = j["summary"]["limit"], j["summary"]["bottleneck"], kernel + " on " + gpu
    check(name + ": " + resource, limit["resource"] == resource, "but " + words)
    expected = limit["expected_gain"]
    if not expected:
        check(name + ": no gain, nothing to set", limit["double"] == [])
        continue
    gain = j["cycles"] / run(kernel, grid, block, n, gpu, sets + limit["double"])["cycles"]
    check(name + ": at least half of what is expected", gain - 1 >= 0.5 * (expected - 1),
          "%.3f of %.3f; %s" % (gain, expected, words))
    check(name + ": bandwidth only where it helps", limit["resource"] != "dram_bus" or gain >= 1.05, "%.3f" % gain)
    check(name + ": the sentence has the gain", expected < 1.02 or "%.2f times as fast" % expected in words, words)
# what cannot be set: the kernel without it
cycles = lambda *row: run(*row, [])["cycles"]
check("divergence: the same work with lanes regrouped is faster",
      cycles("divergent", 30, 256, 4, "gtx480") > 1.2 * cycles("regrouped", 30, 256, 4, "gtx480"))
check("barriers: with nobody to wait for it is no slower",
      cycles("barriers", 132, 32, 40, "h200") < cycles("barriers", 132, 256, 40, "h200"))
check("too little work: 15 times the blocks in little more time",
      cycles("tiny", 15, 32, 500, "gtx480") < 1.1 * cycles("tiny", 1, 32, 500, "gtx480"))
print("%d kernels, %d failures" % (len(rows), bad))
sys.exit(bad != 0)
EOF2
