# `parsim validate`: the quick tables pass, the last line counts, bad usage exits 2. The full tables
# are the command's default: `parsim validate noc`, `dram`, `gpu`.
set -eu
cd "$PARSIM_TESTS/.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

for what in noc dram gpu; do
    "$PARSIM_BIN" validate $what --quick --json "$tmp/$what.json" > "$tmp/$what.txt" ||
        { grep FAILED "$tmp/$what.txt"; exit 1; }
    tail -n 1 "$tmp/$what.txt" | grep -Eq '^[0-9]+ passed, 0 failed$'
    grep -q '"failed": *0' "$tmp/$what.json"
done
"$PARSIM_BIN" validate --help | grep -q 'N passed, M failed'

rc=0; "$PARSIM_BIN" validate nothing 2> "$tmp/err" || rc=$?
test $rc = 2
rc=0; "$PARSIM_BIN" validate dram --data /nowhere > /dev/null 2> "$tmp/err" || rc=$?
test $rc = 2
grep -q /nowhere "$tmp/err"

# A machine beside its GPU: the last line, every kernel in the files, the halves by their rule (the lower half of the names by
# CRC-32 is what values may be chosen on).
"$PARSIM_BIN" validate h200 --quick --only sdk-tra --csv "$tmp/h.csv" --json "$tmp/h.json" --plot "$tmp/plot" > "$tmp/h.txt"
tail -n 1 "$tmp/h.txt" | grep -Eq '^mean absolute error [0-9.]+%, correlation [-0-9.na]+, [1-9][0-9]* kernels$'
grep -q '^sdk-tra,tiny,' "$tmp/h.csv"
test -s "$tmp/plot/validate-h200.svg"
python3 - "$tmp/h.json" <<'P'
import csv, json, sys, zlib
rows = json.load(open(sys.argv[1]))["rows"]
measured = [r for r in csv.DictReader(open("workloads/h200.csv")) if r["workload"] == "sdk-tra" and r["size"] == "tiny"]
ours = [r for r in rows if r["size"] == "tiny"]
assert {r["kernel"] for r in ours} == {r["kernel"] for r in measured}, ours
for r in ours:
    m = next(m for m in measured if m["kernel"] == r["kernel"])
    assert r["cycles"]["gpu"] == float(m["sm_cycles"]) and r["cycles"]["ours"] > 0
halves = {r["workload"]: r["half"] for r in csv.DictReader(open("workloads/h200_halves.csv"))}
order = sorted(halves, key=lambda name: zlib.crc32(name.encode()))
for i, name in enumerate(order):
    assert halves[name] == ("chosen" if i < len(order) // 2 else "held"), name
assert {r["workload"] for r in csv.DictReader(open("workloads/h200.csv"))} == set(halves)
P
# Of one size; and again from the file that it wrote, which runs nothing and says the same.
"$PARSIM_BIN" validate h200 --only sdk-tra --size tiny --csv "$tmp/t.csv" > "$tmp/t.txt"
! grep -q ',small,' "$tmp/t.csv"
"$PARSIM_BIN" validate h200 --only sdk-tra --size tiny --from "$tmp/t.csv" | cmp - "$tmp/t.txt"
# What was cut off within a row is refused, with the place.
head -c -60 "$tmp/t.csv" > "$tmp/cut.csv"
rc=0; "$PARSIM_BIN" validate h200 --only sdk-tra --size tiny --from "$tmp/cut.csv" 2> "$tmp/err" || rc=$?
test $rc = 2
grep -q 'cut.csv:[0-9]*: ".*" is no number of' "$tmp/err"
rc=0; "$PARSIM_BIN" validate h200 --size giant 2> "$tmp/err" || rc=$?
test $rc = 2
rc=0; "$PARSIM_BIN" validate h200 --half neither 2> "$tmp/err" || rc=$?
test $rc = 2
rc=0; "$PARSIM_BIN" validate gtx480 2> "$tmp/err" || rc=$?
test $rc = 2
