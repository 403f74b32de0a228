#!/usr/bin/env bash
# --sample: parts of launches and some of those that are alike are simulated, values are the
# program's, the report says what is extrapolated; what does not bear it is refused.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
fail() {
    echo "FAIL: $*"
    failed=1
}
run() { "$PARSIM_BIN" run --gpu gtx480 "$@" 2>"$tmp/err" >"$tmp/out"; }

run --json "$tmp/whole.json" workload:rodinia-gsn --size tiny || fail "the whole run: $(cat "$tmp/err")"
cp "$tmp/out" "$tmp/whole.out"
grep -q '"sample": null' "$tmp/whole.json" || fail "sampled without being asked"
grep -q 'sampled' "$tmp/err" && fail "sampled without being asked"
run --sample --per-kernel --json "$tmp/sampled.json" --csv "$tmp/a.csv" --db "$tmp/a.db" workload:rodinia-gsn --size tiny || fail "--sample: $(cat "$tmp/err")"
cmp "$tmp/whole.out" "$tmp/out" || fail "--sample changes results"
grep -q 'sampled .*% of the warp-instructions and .* launches of 54 simulated.*estimated error' "$tmp/err" || fail "the report: $(cat "$tmp/err")"
grep -q '^sample,,simulated_warp_inst,' "$tmp/a.csv" || fail "nothing of it in the CSV"
python3 - "$tmp" <<'PY' || fail "what launches that were not simulated amount to"
import json, sqlite3, sys
of = lambda n: json.load(open(f"{sys.argv[1]}/{n}.json"))
whole, sampled = of("whole"), of("sampled")
s = sampled["sample"]
assert sampled["warp_instructions"] == whole["warp_instructions"]
assert len(sampled["kernels"]) == len(whole["kernels"]) == s["simulated_launches"] + s["launches_not_simulated"]
assert s["launches_not_simulated"] >= 20, s
assert s["simulated_warp_instructions"] < 0.7 * whole["warp_instructions"], s
assert abs(sampled["cycles"] / whole["cycles"] - 1) < 0.1, (sampled["cycles"], whole["cycles"])
assert sum(k["cycles"] for k in sampled["kernels"]) == sampled["cycles"]
assert 0 < s["estimated_error"] < 0.2 and "cycles" in s["extrapolated"]
got, want = (r["stats"]["sm"]["warp_inst"] for r in (sampled, whole))
assert abs(got / want - 1) < 0.1, (got, want)
kernels = sum(k["stats"]["sm"]["warp_inst"] for k in sampled["kernels"])
assert abs(kernels / got - 1) < 1e-3
rows = sqlite3.connect(f"{sys.argv[1]}/a.db").execute("select value from stat where grp = 'sample' and name = 'launches_not_simulated'").fetchall()
assert rows[0][0] == s["launches_not_simulated"], rows
PY

# within a launch: blocks that wait at barriers and end, each exactly once
run --json "$tmp/whole.json" workload:sdk-lib --size small || fail "the whole run: $(cat "$tmp/err")"
cp "$tmp/out" "$tmp/whole.out"
run --sample --json "$tmp/sampled.json" --csv "$tmp/a.csv" workload:sdk-lib --size small || fail "--sample: $(cat "$tmp/err")"
cmp "$tmp/whole.out" "$tmp/out" || fail "--sample changes results"
python3 - "$tmp" <<'PY' || fail "a launch that was simulated in part"
import json, sys
of = lambda n: json.load(open(f"{sys.argv[1]}/{n}.json"))
whole, sampled = of("whole"), of("sampled")
assert sampled["warp_instructions"] == whole["warp_instructions"] and sampled["blocks"] == whole["blocks"]
assert sampled["sample"]["simulated_warp_instructions"] < 0.6 * whole["warp_instructions"]
assert abs(sampled["cycles"] / whole["cycles"] - 1) < 0.1, (sampled["cycles"], whole["cycles"])
PY
run --sample --threads 2 --csv "$tmp/b.csv" workload:sdk-lib --size small || fail "--threads 2"
cmp "$tmp/a.csv" "$tmp/b.csv" || fail "depends on host threads"
run --sample --with hw-bdi --verify workload:rodinia-srad1 --size tiny || fail "with a technique of the memory: $(cat "$tmp/err")"

# warps that end at once leave their slots, of which there are few; a fault in the middle is marked and counted
cat >"$tmp/lag.ptx" <<'PTX'
.version 7.0
.target sm_60
.address_size 64
// one warp of each block works, the others end at once; at the end word `at` is written
.visible .entry lag(.param .u64 out, .param .u32 n, .param .u64 at)
{
    .reg .pred %p<3>; .reg .u32 %r<6>; .reg .u64 %d<4>;
    mov.u32 %r1, %tid.x;
    setp.gt.u32 %p1, %r1, 31;
    @%p1 ret;
    ld.param.u32 %r2, [n];
    mov.u32 %r3, 0;
L:  add.u32 %r3, %r3, %r1;
    xor.b32 %r3, %r3, %r2;
    sub.u32 %r2, %r2, 1;
    setp.ne.u32 %p2, %r2, 0;
    @%p2 bra L;
    ld.param.u64 %d1, [out];
    ld.param.u64 %d2, [at];
    add.u64 %d1, %d1, %d2;
    st.global.u32 [%d1], %r3;
    ret;
}
PTX
lag() { "$PARSIM_BIN" launch "$tmp/lag.ptx" lag --gpu gtx480 --sample --set sm.warps=8 --grid 900 --block 128 out:64 u32:1500 "$@" >"$tmp/out" 2>"$tmp/err"; }
lag u64:0 || fail "few slots: $(cat "$tmp/err")"
grep -q '6767100 warp-instructions' "$tmp/err" && grep -q '  sampled  ' "$tmp/err" || fail "few slots: $(cat "$tmp/err")"
lag u64:1000000 && fail "a fault was not met"
grep -q '  sampled  ' "$tmp/err" || fail "a fault: not marked: $(cat "$tmp/err")"
grep -q ' 0 warp-instructions' "$tmp/err" && fail "a fault: nothing counted: $(cat "$tmp/err")"
lag u64:0 --max-inst 50000 --json "$tmp/limit.json" && fail "no limit"
python3 -c 'import json, sys; s = json.load(open(sys.argv[1])); sys.exit(not 50000 <= s["warp_instructions"] < 400000 or s["sample"]["simulated_warp_instructions"] > s["warp_instructions"])' "$tmp/limit.json" || fail "--max-inst counts what is not simulated"

refused() { # WORDS OPTIONS...: is refused before the program runs
    words=$1
    shift
    run --sample "$@" workload:sdk-bfs --size tiny && fail "not refused: $*"
    grep -q -e "$words" "$tmp/err" || fail "$*: $(cat "$tmp/err")"
    [ -s "$tmp/out" ] && fail "the program ran: $*"
}
refused '--trace shows every cycle' --trace "$tmp/t.json"
refused '--interval shows every cycle' --interval 1000 --csv "$tmp/c.csv"
refused '--hot shows every cycle' --hot
refused 'follows every instruction of an SM' --with caba-bdi
"$PARSIM_BIN" run --sample workload:sdk-bfs --size tiny 2>"$tmp/err" >/dev/null && fail "without time"
grep -q 'needs a timed run' "$tmp/err" || fail "without time: $(cat "$tmp/err")"
exit $failed
