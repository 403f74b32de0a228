#!/usr/bin/env bash
# parsim characterize: table, CSV, JSON and plots of two workloads; results that are kept; the same
# with any number of jobs; bad usage, and runs that fail.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
failed=0
fail() {
    echo "FAIL: $*"
    failed=1
}

run() { "$PARSIM_BIN" characterize --size tiny --results "$tmp/kept" "$@"; }

run sdk-tra rodinia-bp --jobs 3 --csv a.csv --json a.json >a.txt 2>a.err || fail "run: $(cat a.err)"
grep -q 'of 6 runs, 0 more from before' a.err || fail "progress: $(cat a.err)"
for title in 'instruction mix' divergence 'CABA, Figure 2' 'CABA, Figure 3' 'Figures 2.1, 2.3' \
    'Figure 2.6' 'Figures 2.3 and 2.13' 'bound by'; do
    grep -q "$title" a.txt || fail "no table '$title'"
done
[ "$(grep -c '^sdk-tra ' a.txt)" = 8 ] || fail "rows of sdk-tra"

# The second time nothing runs; what is missing does. The numbers stay.
rm "$tmp"/kept/rodinia-bp.tiny.x2.*.json
run sdk-tra rodinia-bp --jobs 1 --csv b.csv >b.txt 2>b.err || fail "again: $(cat b.err)"
grep -q '1 of 1 runs, 5 more from before' b.err || fail "kept results: $(cat b.err)"
cmp -s a.csv b.csv || fail "other numbers the second time"
run sdk-tra --results "$tmp/other" --jobs 1 --quiet --csv - >c.csv 2>c.err || fail "alone"
[ -s c.csv ] && [ ! -s c.err ] || fail "--csv - --quiet: $(cat c.err)"
[ "$(grep sdk-tra a.csv)" = "$(grep sdk-tra c.csv)" ] || fail "other numbers when run alone"
# Another machine is another result.
run sdk-tra --set l1.size=32K >d.txt 2>d.err || fail "--set"
grep -q 'of 3 runs, 0 more' d.err || fail "--set uses results of the other machine: $(cat d.err)"

# Shares that make up a whole do so.
if command -v python3 >/dev/null; then
    python3 - a.csv a.json <<'P' || fail "shares"
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert [r["workload"] for r in rows] == ["sdk-tra", "rodinia-bp"]
doc = json.load(open(sys.argv[2]))
assert doc["schema"] == "parsim-characterize-1" and len(doc["columns"]) == len(rows[0]) - 5
for r, j in zip(rows, doc["workloads"]):
    v = {k: float(x) for k, x in r.items() if k not in ("workload", "size", "gpu", "bound", "papers_bound")}
    assert j["name"] == r["workload"] and abs(j["ipc"] - v["ipc"]) < 1e-6 * v["ipc"]
    def whole(names):
        assert abs(sum(v[n] for n in names) - 100) < 1e-6, (r["workload"], names)
    whole(k for k in v if k.startswith("unit_"))
    whole(k for k in v if k.startswith("kind_"))
    whole(k for k in v if k.startswith("used_"))
    whole(k for k in v if k.startswith(("ca_", "ica_")))
    whole(["replaced", "written", "flushed"])
    for b in ("half", "one", "double"):
        whole(s + "_" + b for s in ("active", "compute_stall", "memory_stall", "data_stall", "idle"))
    assert 0 < v["unallocated_static"] < v["unallocated"] < 100
    assert 0 < v["divergent_scalar"] < v["divergent_share"] < 100
# half of the threads of a 16-wide tile share a row: many half-warp scalar instructions
assert float(rows[1]["half_scalar"]) > 5
P
fi

run sdk-tra rodinia-bp --quiet --plot plots >/dev/null || fail "--plot"
for name in caba_2_issue_slots caba_3_registers thesis_2_1_usage thesis_2_3_region \
    thesis_2_6_consistency gscalar_2_3_divergent gscalar_2_13_eligible; do
    grep -q 'rodinia-bp' plots/$name.svg || fail "plot $name"
done

expect() { # code, pattern, arguments
    local code=$1 pattern=$2
    shift 2
    text=$("$PARSIM_BIN" characterize "$@" 2>&1)
    [ $? = "$code" ] || fail "characterize $*: not exit code $code"
    grep -q -e "$pattern" <<<"$text" || fail "characterize $*: $text"
}
expect 2 "no workload 'nothing'" nothing
expect 2 'given twice' sdk-tra sdk-tra
expect 2 'tiny, small, medium, large and paper' --size huge
expect 2 'from 1 to 1024' --jobs 0
expect 2 'not known' --nonsense
expect 1 'cannot make the folder' --results "$tmp/no/such" sdk-tra
expect 1 "failed: .*no GPU .gtx481." --results "$tmp/bad" --gpu gtx481 --size tiny --quiet sdk-tra
[ -z "$(find "$tmp/bad" -name '*.json')" ] || fail "a failed run left a result"
"$PARSIM_BIN" characterize --help | grep -q 'usage: parsim characterize' || fail "--help"
exit $failed
