#!/usr/bin/env bash
# Only what matters: --kernel, --skip, --count and --caches time some launches and run the others
# functionally; the table by kernel; progress that is asked for.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
fail() {
    echo "FAIL: $*"
    failed=1
}
run() { "$PARSIM_BIN" run --gpu gtx480 "$@" 2>"$tmp/err" >"$tmp/out"; }
cycles() { python3 -c 'import json, sys; print(*[k["cycles"] for k in json.load(open(sys.argv[1]))["kernels"]])' "$1"; }

run --json "$tmp/all.json" workload:rodinia-srad1 --size tiny || fail "all launches: $(cat "$tmp/err")"
grep -q 'kernels .*held back by' "$tmp/err" || fail "no table by kernel: $(cat "$tmp/err")"
grep -q 'srad1_reduce .* 4 .*too little parallel work' "$tmp/err" || fail "a kernel without its bottleneck: $(cat "$tmp/err")"
grep -q '"selection": null' "$tmp/all.json" || fail "selection without being asked"

# one kernel of several: the outputs are the same, the others take no time
run --kernel '^srad1_(step|prepare)$' --json "$tmp/some.json" workload:rodinia-srad1 --size tiny || fail "--kernel: $(cat "$tmp/err")"
grep -q 'check  .*\(within tolerance\|the same bits\)' "$tmp/out" || fail "values with --kernel: $(cat "$tmp/out")"
grep -q '2 kernels, 4 launches' "$tmp/err" || fail "what was timed: $(cat "$tmp/err")"
grep -q 'not timed     8 launches' "$tmp/err" || fail "what was not timed: $(cat "$tmp/err")"

# with nothing before it, a launch takes as long as in the whole run
run --count 1 --json "$tmp/first.json" workload:sdk-bfs --size tiny || fail "--count"
run --json "$tmp/bfs.json" workload:sdk-bfs --size tiny
[ "$(cycles "$tmp/first.json")" = "$(cycles "$tmp/bfs.json" | cut -d' ' -f1)" ] || fail "the first launch alone takes other cycles"
run --skip 3 --count 2 --json "$tmp/warm.json" workload:sdk-bfs --size tiny || fail "--skip"
run --skip 3 --count 2 --caches cold --json "$tmp/cold.json" workload:sdk-bfs --size tiny || fail "--caches cold"
python3 - "$tmp" <<'PY' || fail "caches"
import json, sys
of = lambda n: json.load(open(f"{sys.argv[1]}/{n}.json"))
whole, warm, cold = of("bfs"), of("warm"), of("cold")
want = sum(k["cycles"] for k in whole["kernels"][3:5])
assert len(warm["kernels"]) == len(cold["kernels"]) == 2
assert abs(warm["cycles"] - want) < 0.05 * want, (warm["cycles"], want)
assert cold["kernels"][0]["cycles"] > warm["kernels"][0]["cycles"]
assert warm["selection"]["not_timed"]["launches"] == whole["launches"] - 2
PY
# techniques are told of what functional launches write
run --skip 3 --with hw-bdi --verify workload:sdk-bfs --size tiny || fail "with a technique: $(cat "$tmp/err")"

# a checkpoint: what was run before is taken from it, and the rest is the same to the bit
for caches in warm cold; do
    point=(--skip 4 --count 2 --caches $caches --with hw-bdi workload:sdk-bfs --size tiny)
    run --csv "$tmp/plain.csv" "${point[@]}" || fail "no checkpoint: $(cat "$tmp/err")"
    cp "$tmp/out" "$tmp/plain.out"
    run --checkpoint "$tmp/ck" --csv "$tmp/made.csv" "${point[@]}" || fail "--checkpoint: $(cat "$tmp/err")"
    run --resume "$tmp/ck" --csv "$tmp/resumed.csv" "${point[@]}" || fail "--resume: $(cat "$tmp/err")"
    cmp "$tmp/plain.csv" "$tmp/made.csv" || fail "--checkpoint moves statistics ($caches)"
    cmp "$tmp/plain.csv" "$tmp/resumed.csv" || fail "--resume moves statistics ($caches)"
    cmp "$tmp/plain.out" "$tmp/out" || fail "--resume changes results ($caches)"
done
head -c 3000 "$tmp/ck" >"$tmp/cut"
run --resume "$tmp/cut" "${point[@]}" && fail "a checkpoint that was cut off"
grep -q 'the file is damaged' "$tmp/err" || fail "a checkpoint that was cut off: $(cat "$tmp/err")"
python3 -c "import sys; b = bytearray(open(sys.argv[1], 'rb').read()); b[len(b) // 2] ^= 4; open(sys.argv[2], 'wb').write(b)" "$tmp/ck" "$tmp/flipped"
run --resume "$tmp/flipped" "${point[@]}" && fail "a checkpoint with another bit"
grep -q 'the file is damaged' "$tmp/err" || fail "a checkpoint with another bit: $(cat "$tmp/err")"
run --resume "$tmp/ck" --skip 4 workload:sdk-bfs --size tiny --seed 2 && fail "another program's checkpoint"
grep -q 'the program \(has copied\|does\) something else' "$tmp/err" || fail "another program's checkpoint: $(cat "$tmp/err")"
run --resume "$tmp/ck" --skip 2 workload:sdk-bfs --size tiny && fail "another --skip"
# also said at the end, for programs that do not look at errors
grep -q "what this run computed is not the program's: --resume" "$tmp/err" || fail "another --skip: $(cat "$tmp/err")"
grep -q 'has more launches' "$tmp/err" || fail "another --skip: $(cat "$tmp/err")"
run --checkpoint /dev/full "${point[@]}" && fail "a checkpoint on a full disk"
grep -q "what this run computed is not the program's: .*/dev/full" "$tmp/err" || fail "a checkpoint on a full disk: $(cat "$tmp/err")"

expect() { # code, pattern, arguments
    local code=$1 pattern=$2
    shift 2
    run "$@"
    [ $? = "$code" ] || fail "run $*: not exit code $code"
    grep -q -e "$pattern" "$tmp/err" || fail "run $*: $(cat "$tmp/err")"
}
expect 2 '--kernel nosuch matches no launch of the program.s 7; there were bfs_level' --kernel nosuch workload:sdk-bfs --size tiny
expect 2 '--skip passes over 99, there were 7' --skip 99 workload:sdk-bfs --size tiny
expect 2 '--kernel (: ' --kernel '(' workload:sdk-bfs --size tiny
expect 2 'warm or cold' --kernel . --caches tepid workload:sdk-bfs --size tiny
expect 2 'needs --kernel, --skip or --count' --caches cold workload:sdk-bfs --size tiny
expect 2 'is no checkpoint' --skip 1 --resume "$0" workload:sdk-bfs --size tiny
expect 2 'needs --kernel, --skip or' --checkpoint "$tmp/x" workload:sdk-bfs --size tiny
expect 2 '--kernel needs a timed run' --functional --kernel . workload:sdk-bfs --size tiny
exit $failed
