#!/usr/bin/env bash
# All workloads at tiny when time is kept: right results, the bits of a run without time (those of an
# H200, see workloads.sh), and every statistic the same for one and for two host threads.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
fail() {
    echo "FAIL: $*"
    failed=1
}

# Runs a workload on machine $1; its hash is left in $hash, the statistics in $tmp/$3.
run_one() { # machine, workload, name of the statistics, options
    if ! "$PARSIM_BIN" run --quiet --gpu "$1" "${@:4}" --csv "$tmp/$3" "workload:$2" \
        >"$tmp/out" 2>"$tmp/err"; then
        fail "$*: $(cat "$tmp/err")"
    fi
    grep -q '^check ' "$tmp/out" || fail "$*: not checked"
    hash=$(sed -n 's/^output hash.* //p' "$tmp/out")
}

for name in $("$PARSIM_BIN" workloads | cut -d' ' -f1); do
    functional=$("$PARSIM_BIN" run --quiet --functional "workload:$name" | sed -n 's/^output hash.* //p')
    for machine in gtx480 h200; do
        run_one $machine "$name" one
        [ "$hash" = "$functional" ] || fail "$name on $machine: $hash, without time $functional"
        [ "$(grep -c '^sm,,' "$tmp/one")" -gt 10 ] || fail "$name on $machine: no statistics"
    done
    run_one gtx480 "$name" one --observe l1-usage,scalar
    run_one gtx480 "$name" two --observe l1-usage,scalar --threads 2
    cmp -s "$tmp/one" "$tmp/two" || fail "$name: other statistics with two host threads"
done
exit $failed
