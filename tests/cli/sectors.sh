#!/usr/bin/env bash
# mesh56 has sectors of 32 bytes above an L2 that knows none. A workload whose accesses all go through the L1, and
# that uses no local memory, runs as it would with one sector a line, to the last statistic: what is counted in sectors is
# four times as much. Atomics and bypassing reads are answered with their sectors, not with the line.
set -eu
exec python3 - "$PARSIM_BIN" <<'PYTHON'
import json, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor
parsim = sys.argv[1]
ONE_SECTOR = [w for s in "l1 l1c l1t l1i l2 mc".split() for w in ("--set", s + ".sector_bytes=128")]
ONE_SECTOR += ["--set", "l2.sectored=true"]
IN_SECTORS = {"sectors_asked", "fetched_sectors", "written_sectors", "write_partial_sectors"}


def statistics(workload, sets):
    with tempfile.NamedTemporaryFile(suffix=".json") as f:
        subprocess.run([parsim, "run", "--gpu", "mesh56", *sets, "--json", f.name, "workload:" + workload, "--size", "tiny"],
                       capture_output=True, check=True)
        return json.load(open(f.name))["stats"]


def sector_counts_as_one(stats):
    for group in stats.values():
        for name in IN_SECTORS & set(group):
            group[name] /= 4
    return stats


def compare(workload):
    now, one = sector_counts_as_one(statistics(workload, [])), statistics(workload, ONE_SECTOR)
    groups = sorted(g for g in now.keys() | one.keys() if now.get(g) != one.get(g))
    if now["l1"]["bypasses"] and groups: # without a difference they are atomics that nobody waits for: no answer
        return "smaller" if now["noc"]["bytes"] < one["noc"]["bytes"] else "%s: not fewer bytes on the wire" % workload
    if now["l1"]["requests_back"]:
        return "local"
    return "%s: %s differ" % (workload, ", ".join(groups)) if groups else "same"


lines = subprocess.run([parsim, "workloads"], capture_output=True, text=True, check=True).stdout.splitlines()
workloads = [w for w in (l.split()[0] for l in lines if l.strip()) if "-" in w]
with ThreadPoolExecutor(2) as pool:
    results = list(pool.map(compare, workloads))
bad = [r for r in results if " " in r]
same, smaller = results.count("same"), results.count("smaller")
print("\n".join(bad + ["%d workloads: %d the same, %d with smaller answers, %d failed" % (len(results), same, smaller, len(bad))]))
sys.exit(bool(bad) or same < 20 or not smaller)
PYTHON
