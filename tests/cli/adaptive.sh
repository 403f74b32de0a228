#!/usr/bin/env bash
# caba-adaptive: programs that have no use for compression lose nothing, one that has is faster;
# stores do not keep spare registers from lines that are waited for (mars-mm hung).
set -u
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0
ok() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $1"; sed 's/^/    /' "$tmp/err" | head -5; fi; }
run() { "$PARSIM_BIN" run --gpu gtx480 --json "$tmp/$1.json" "${@:3}" "workload:$2" --size small >"$tmp/$1.out" 2>"$tmp/err"; }
cycles() { python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["cycles"])' "$tmp/$1.json"; }
within() { [ $(($(cycles a) * 100)) -le $(($(cycles base) * $1)) ]; }

for w in sdk-cons mars-mm sdk-jpeg; do
    ok "$w runs" 'run base $w && run a $w --with caba-adaptive --verify'
    ok "$w computes the same" 'cmp -s "$tmp/base.out" "$tmp/a.out"'
    ok "$w is at most 1% slower" 'within 101'
done
ok "sdk-jpeg is at least 5% faster" 'within 95'
run b sdk-jpeg --with caba-adaptive --verify --threads 2
ok "two host threads: the same cycles" '[ "$(cycles a)" = "$(cycles b)" ]'
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
