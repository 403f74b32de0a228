#!/usr/bin/env bash
# parsim launch: what it computes, what it says, how it ends.
set -u
cd "$(dirname "$0")/../.."
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0
ok() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $1"; sed 's/^/    /' "$tmp/err" | head -3; fi; }
run() { "$PARSIM_BIN" launch "$@" >"$tmp/out" 2>"$tmp/err"; code=$?; }
says() { grep -qF -- "$1" "$tmp/err"; }
sq=docs/examples/square.ptx
printf '\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0' >"$tmp/in"

run $sq square --grid 1 --block 4 "in:$tmp/in" out:16 i32:4
ok "squares" '[ $code = 0 ] && [ "$(cat $tmp/out)" = "01000000 04000000 09000000 10000000" ]'
run $sq square --grid 1 --block 4 "in:$tmp/in" "out:16:$tmp/o" i32:4 --json "$tmp/j"
ok "files and JSON" '[ $code = 0 ] && [ $(stat -c %s $tmp/o) = 16 ] && grep -q "thread_instructions.: *68" $tmp/j'
cp "$tmp/in" "$tmp/io"
run $sq square --grid 1 --block 4 "inout:$tmp/io" zero:64 i32:4
ok "inout writes back" '[ $code = 0 ] && cmp -s $tmp/in $tmp/io'
run $sq square --grid 1 --block 8 "in:$tmp/in" out:64 i32:8
ok "out of bounds: exit 1, the thread and the distance" '[ $code = 1 ] && says "thread (4,0,0)" && says "0 bytes after the end of allocation #1 (16 bytes"'
run $sq nope --grid 1 --block 4
ok "unknown kernel" '[ $code = 2 ] && says "there are: square"'
run $sq square --grid 1 --block 4 "in:$tmp/in" out:16
ok "argument count" '[ $code = 2 ] && says "has 3 parameters, but 2 arguments"'
run $sq square --grid 1 --block 4 "in:$tmp/in" out:16 i64:4
ok "argument width" '[ $code = 2 ] && says "has 4 bytes, but its argument has 8"'
run $sq square --grid 1 --block 4 "in:$tmp/in" out:16 i32:99999999999
ok "number out of range" '[ $code = 2 ] && says "is not a number of that type"'
run $sq square --grid 1 --block 4 "in:$tmp/missing" out:16 i32:4
ok "missing file" '[ $code = 2 ] && says "cannot read"'
run $sq square --grid 1 --block 2000 "in:$tmp/in" out:16 i32:4
ok "too many threads" '[ $code = 2 ] && says "at most 1024 threads"'
run $sq square --grid 0 --block 4 "in:$tmp/in" out:16 i32:4
ok "empty grid" '[ $code = 2 ]'
run $sq square --grid 1 --block 4 --shared 300K "in:$tmp/in" out:16 i32:4
ok "too much shared memory" '[ $code = 2 ] && says "kernel square needs 307200 bytes of shared memory, h200 gives a block 232448"'
run $sq square --grid 1 --block 4 --shared 16K --gpu gtx480 --set sm.shared_bytes=8K "in:$tmp/in" out:16 i32:4
ok "more shared memory than an SM has" '[ $code = 2 ] && says "needs 16384 bytes of shared memory, gtx480 gives a block 8192"'
# 16 threads on buffers of 4 numbers: the page exists, so only the report differs from a good run
run $sq square --grid 1 --block 16 "in:$tmp/in" "out:16:$tmp/over" i32:16
ok "out of bounds is a fault" '[ $code = 1 ] && says "outside every allocation"'
run $sq square --grid 1 --block 16 "in:$tmp/in" "out:16:$tmp/over" i32:16 --oob warn
ok "out of bounds is a warning" '[ $code = 0 ] && says "warning: kernel square" && says "accesses of threads at 2 places"'
run $sq square --grid 1 --block 16 "in:$tmp/in" "out:16:$tmp/timed" i32:16 --oob warn --gpu gtx480
ok "and in time" '[ $code = 0 ] && says "accesses of threads at 2 places" && cmp -s "$tmp/over" "$tmp/timed"'
run $sq square --grid 1 --block 16 "in:$tmp/in" "out:16:$tmp/over" i32:16 --oob warn --json "$tmp/oob.json"
ok "JSON has how many" 'grep -A2 out_of_bounds $tmp/oob.json | grep -q "\"accesses\": 24"'
run $sq square --grid 1 --block 4 "in:$tmp/in" out:16 i32:4 --oob maybe
ok "neither fault nor warn" '[ $code = 2 ] && says "must be fault or warn"'
run $sq square --grid 1 --block 4 --gpu rtx1 "in:$tmp/in" out:16 i32:4
ok "unknown GPU" '[ $code = 2 ] && says "there are: "'
run $sq square --grid 1 --block 4 --frob "in:$tmp/in" out:16 i32:4
ok "unknown option" '[ $code = 2 ] && says "see --help"'
run $sq square --grid 1 --block 4 "in:$tmp/in" out:900G i32:4
ok "more memory than the GPU has" '[ $code = 2 ] && says "no device memory"'
head -c 700 $sq >"$tmp/cut.ptx"
run "$tmp/cut.ptx" square --grid 1 --block 4 "in:$tmp/in" out:16 i32:4
ok "truncated PTX" '[ $code = 2 ] && says "cut.ptx:"'
printf '.version 8.0\n.target sm_90\n.address_size 64\n.entry k() { L: bra L; }\n' >"$tmp/hang.ptx"
run "$tmp/hang.ptx" k --grid 1 --block 32 --max-inst 1M
ok "a kernel that hangs is stopped with its place" '[ $code = 1 ] && says "hang.ptx:4 (bra)" && says "the limit is 1048576"'
"$PARSIM_BIN" launch --help >"$tmp/out" 2>"$tmp/err"; code=$?
ok "help" '[ $code = 0 ] && grep -q inout $tmp/out'
echo "$passed passed, $failed failed"
[ $failed = 0 ]
