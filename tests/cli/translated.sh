#!/usr/bin/env bash
# Functional execution with every run of lane operations translated from the start: the workloads give
# the same outputs and execute the same numbers of instructions as without translation.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
fail() {
    echo "FAIL: $*"
    failed=1
}

# What a workload computes and how much it executes.
run_one() {
    if ! PARSIM_JIT=$1 "$PARSIM_BIN" run --functional "workload:$2" --size tiny >"$tmp/out" 2>"$tmp/err"; then
        fail "$2 with PARSIM_JIT=$1: $(cat "$tmp/err")"
    fi
    grep -h -o -E '^output hash.*|[0-9]+ warp-instructions, [0-9]+ thread-instructions' "$tmp/out" "$tmp/err"
}

for name in $("$PARSIM_BIN" workloads | cut -d' ' -f1); do
    run_one off "$name" >"$tmp/off"
    run_one always "$name" >"$tmp/always"
    [ "$(wc -l <"$tmp/off")" = 2 ] || fail "$name says nothing of its outputs or instructions: $(cat "$tmp/off")"
    cmp -s "$tmp/off" "$tmp/always" || fail "$name: $(cat "$tmp/off") / translated: $(cat "$tmp/always")"
done
exit $failed
