#!/usr/bin/env bash
# tools/correlate with measurements made elsewhere (those of workloads/h200.csv, as --measure writes them and as ncu prints
# them): the errors are those of the numbers in both; without a GPU, with wrong files and with another program it says so.
set -eu
command -v python3 >/dev/null || exit 0
root=$(cd "$PARSIM_TESTS/.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
program="$(dirname "$PARSIM_BIN")/bin/parsim-workloads"
correlate() { "$root/tools/correlate" --parsim "$PARSIM_BIN" "$@"; }
fails_with() { # TEXT ARGUMENTS...
    local text=$1
    shift
    if correlate "$@" >"$tmp/out" 2>"$tmp/err"; then echo "FAIL: $* passed"; exit 1; fi
    grep -q "$text" "$tmp/err" || { echo "FAIL: $*: $(cat "$tmp/err")"; exit 1; }
}

python3 - "$root" "$tmp" <<'P'
import csv, sys
root, tmp = sys.argv[1:]
sys.dont_write_bytecode = True
sys.path.insert(0, root + "/tools")
import ncu
row = next(r for r in csv.DictReader(open(root + "/workloads/h200.csv")) if r["workload"] == "sdk-tra" and r["size"] == "tiny")
assert row["launches"] == "1"
with open(tmp + "/measured.csv", "w") as f:
    print("kernel", *ncu.METRICS, sep=",", file=f)
    print(row["kernel"], *(row[c] for c in ncu.METRICS), sep=",", file=f)
with open(tmp + "/ncu.csv", "w") as f: # among the program's own lines, a row of units, numbers with commas
    print("==PROF== Connected\nsdk-tra: ok", file=f)
    out = csv.writer(f, quoting=csv.QUOTE_ALL)
    out.writerow(["ID", "Kernel Name", *ncu.METRICS.values()])
    out.writerow(["", "", *("cycle" for c in ncu.METRICS)])
    out.writerow(["0", row["kernel"] + "(float *, const float *)", *(f"{int(row[c]):,}" for c in ncu.METRICS)])
P
for file in measured ncu; do
    correlate --gpu-csv "$tmp/$file.csv" --csv "$tmp/$file.out" "$program" sdk-tra --size tiny >"$tmp/$file.txt"
    tail -n 1 "$tmp/$file.txt" | grep -Eq '^mean absolute error [0-9.]+%, correlation nan, 1 kernels$'
done
python3 - "$root" "$tmp" <<'P'
import csv, sys
root, tmp = sys.argv[1:]
gpu = next(r for r in csv.DictReader(open(root + "/workloads/h200.csv")) if r["workload"] == "sdk-tra" and r["size"] == "tiny")
rows = [list(csv.DictReader(open(f"{tmp}/{f}.out"))) for f in ("measured", "ncu")]
assert [len(r) for r in rows] == [1, 1], rows
a, b = rows[0][0], rows[1][0]
assert {**a, "kernel": ""} == {**b, "kernel": ""}, rows
assert a["gpu_cycles"] == gpu["sm_cycles"] and a["gpu_instructions"] == gpu["warp_insts"] and a["gpu_l2_sectors"] == gpu["l2_sectors"]
assert int(a["gpu_dram_bytes"]) == int(gpu["dram_read_bytes"]) + int(gpu["dram_write_bytes"])
error = abs(int(a["cycles"]) / int(a["gpu_cycles"]) - 1)
assert open(tmp + "/measured.txt").read().splitlines()[-1].startswith(f"mean absolute error {error:.1%},"), error
P

PATH=$(dirname "$(command -v python3)"):/usr/bin:/bin command -v nvidia-smi >/dev/null || fails_with 'no GPU is at hand' "$program" sdk-tra
sed 's/,[0-9]*$/,many/' "$tmp/measured.csv" >"$tmp/bad.csv"
fails_with 'launch 1: no number in column thread_insts' --gpu-csv "$tmp/bad.csv" "$program" sdk-tra
echo 'nothing' >"$tmp/none.csv"
fails_with 'has no launch' --gpu-csv "$tmp/none.csv" "$program" sdk-tra
fails_with 'No such file' --gpu-csv "$tmp/not.csv" "$program" sdk-tra
sed 's/transpose/other/' "$tmp/measured.csv" >"$tmp/other.csv"
fails_with 'the same program' --gpu-csv "$tmp/other.csv" "$program" sdk-tra --size tiny
