#!/usr/bin/env bash
# Functional execution with every run of lane operations translated from the start: the workloads give
# the same outputs and execute the same numbers of instructions as without translation.
set -u
# The translator is loaded while threads run, and LeakSanitizer then takes what is no address for the
# thread-local memory of its libraries and crashes over it.
export LSAN_OPTIONS=use_tls=0:print_suppressions=0
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

# Loads of every form, with lanes that part; a fault or a warning in the middle of a run; a limit that ends it.
head -c 4096 "$(dirname "$0")/translated.sh" >"$tmp/in"
launch() {
    local jit=$1
    shift
    PARSIM_JIT=$jit "$PARSIM_BIN" launch "$(dirname "$0")/translated.ptx" mix --functional --grid 3 --block 77 \
        --json "$tmp/json" "in:$tmp/in" out:924 i32:40 "$@" >"$tmp/$jit" 2>&1
    echo "exit $?" >>"$tmp/$jit"
    grep -h _instructions "$tmp/json" >>"$tmp/$jit"
    sed -i 's/, [0-9.]* s ([^)]*)//' "$tmp/$jit"
}
compare() {
    local what=$1
    shift
    launch off "$@"
    launch always "$@"
    cmp -s "$tmp/off" "$tmp/always" || fail "$what: $(diff "$tmp/off" "$tmp/always")"
}
compare "loads" i32:0
grep -q 'exit 0' "$tmp/off" || fail "loads: $(cat "$tmp/off")"
compare "a fault" i32:4096
grep -q 'thread (45,0,0)' "$tmp/off" || fail "a fault: $(cat "$tmp/off")"
compare "an access that is not aligned" i32:2
grep -q 'exit 1' "$tmp/off" || fail "an access that is not aligned: $(cat "$tmp/off")"
compare "a warning" --oob warn i32:4096
grep -q 'exit 0' "$tmp/off" || fail "a warning: $(cat "$tmp/off")"
compare "a limit" --max-inst 3000 i32:0
grep -q 'stopped after' "$tmp/off" || fail "a limit: $(cat "$tmp/off")"

# A value that is none of PARSIM_JIT's is no secret way of switching it off.
if PARSIM_JIT=of "$PARSIM_BIN" run --functional workload:sdk-fwt --size tiny >/dev/null 2>"$tmp/err" ||
    ! grep -q 'PARSIM_JIT=of: there are auto, off and always' "$tmp/err"; then
    fail "PARSIM_JIT=of: $(cat "$tmp/err")"
fi
exit $failed
