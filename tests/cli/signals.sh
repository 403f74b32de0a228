#!/usr/bin/env bash
# SIGINT and SIGTERM: the report and all files up to there, marked; the second ends at once.
set -u
cd "$(dirname "$0")/../.."
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0
ok() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $1"; sed 's/^/    /' "$tmp/err" | head -3; fi; }
says() { grep -qF -- "$1" "$tmp/err"; }
# start ARGUMENTS..., wait until it computes or has a run, then stop SIGNAL: no fixed times, hosts are slow
start() { "$PARSIM_BIN" "$@" >"$tmp/out" 2>"$tmp/err" & pid=$!; }
until_busy() { for _ in $(seq 600); do t=$(cut -d' ' -f14 /proc/$pid/stat 2>/dev/null || echo 99); [ "$t" -ge 25 ] && return; sleep 0.05; done; }
until_runs() { for _ in $(seq 600); do pgrep -P $pid -f workload >/dev/null && return; sleep 0.05; done; }
stop() { kill -s "$1" $pid; wait $pid; code=$?; }
clean() { ! find "$tmp" -name '*parsim-tmp*' | grep -q .; }
cat >"$tmp/spin.ptx" <<'PTX'
.version 7.0
.target sm_75
.address_size 64
.visible .entry spin(.param .u64 out)
{ .reg .u32 %r1; mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; bra L; }
PTX
spin=(launch "$tmp/spin.ptx" spin --grid 2 --block 32 "out:64:$tmp/o")

for signal in INT TERM; do
    number=$([ $signal = INT ] && echo 2 || echo 15)
    start "${spin[@]}" --json "$tmp/j"
    until_busy; stop $signal
    ok "SIG$signal of values only" '[ $code = $((128 + number)) ] && says "interrupted by SIG$signal" && grep -q "\"interrupted\": \"SIG$signal\"" $tmp/j'
    start "${spin[@]}" --gpu gtx480 --json "$tmp/j" --csv "$tmp/c.csv" --db "$tmp/d" --trace "$tmp/t" --interval 1000
    until_busy; stop $signal
    ok "SIG$signal of a timed run" '[ $code = $((128 + number)) ] && says "  cycles  " && grep -q "\"interrupted\": \"SIG$signal\"" $tmp/j'
    ok "SIG$signal in the tables and the timeline" 'tail -1 $tmp/c.csv | grep -q "run,,interrupted,signal,$number" && tail -1 $tmp/c.series.csv | grep -q "run,interrupted,$number" && tail -1 $tmp/t | grep -q "\"interrupted\":\"SIG$signal\"" && grep -q "SIG$signal" $tmp/d'
    ok "a buffer of half a kernel is not written" '[ ! -e $tmp/o ] && clean'
done

for n in 1 2 3 4 5; do # as timeout(1) does: to the process and, at once, to its group
    start "${spin[@]}" --json "$tmp/j"
    until_busy; kill -TERM $pid; stop TERM
    ok "the same signal twice at once is one ($n)" '[ $code = 143 ] && grep -q "\"interrupted\": \"SIGTERM\"" $tmp/j'
    rm -f "$tmp/j"
done

for n in 1 2 3; do # Ctrl-C in a terminal whose session ends
    start "${spin[@]}" --json "$tmp/j"
    until_busy; kill -INT $pid; stop TERM
    ok "another signal at once loses nothing ($n)" '{ [ $code = 130 ] || [ $code = 143 ]; } && grep -q "\"interrupted\": \"SIG" $tmp/j'
    rm -f "$tmp/j"
done

mkfifo "$tmp/nobody"
start "${spin[@]}" --gpu gtx480 --trace "$tmp/t2" --json "$tmp/nobody"
until_busy; kill -TERM $pid; sleep 0.5 # it waits for a reader of its report
stop TERM
ok "the second signal ends at once" '[ $code = 143 ] && [ ! -e $tmp/t2 ] && clean'

start figure caba-8 --size small --workloads sdk-bfs --out "$tmp/results" --jobs 2
until_runs; stop TERM
ok "figure: what is missing is told, exit 143" '[ $code = 143 ] && says "SIGTERM" && clean && ! pgrep -P $pid >/dev/null'
ok "figure: its files say so" '! ls $tmp/results/*.svg >/dev/null 2>&1 || grep -q "missing" $tmp/results/*.svg'
start characterize --size small --results "$tmp/ch" sdk-bfs
until_runs; stop INT
ok "characterize: exit 130, no half results" '[ $code = 130 ] && [ -z "$(ls -A $tmp/ch)" ]'

start run --gpu gtx480 --json "$tmp/r" --csv "$tmp/r.csv" --trace "$tmp/r.trace" workload:sdk-bfs --size medium
for _ in $(seq 1200); do find "$tmp" -name ".r.trace.*" -size +0 | grep -q . && break; sleep 0.05; done # its GPU runs
stop INT
ok "run: the report of the program so far" '[ $code = 130 ] && says "interrupted by SIGINT" && grep -q "\"interrupted\": \"SIGINT\"" $tmp/r && tail -1 $tmp/r.csv | grep -q interrupted && clean'
"$PARSIM_BIN" run --gpu gtx480 --json /dev/full workload:sdk-tra --size tiny >"$tmp/out" 2>"$tmp/err"; code=$?
ok "run: a report that cannot be written is exit code 2, as in other commands" '[ $code = 2 ] && says "/dev/full: No space left"'
"$PARSIM_BIN" run --quiet workload:sdk-tra --json >/dev/full 2>"$tmp/err"; code=$?
ok "run: a workload whose own output cannot be written, too" '[ $code = 1 ] && says "parsim-workloads: cannot write standard output: No space left"'
"$PARSIM_BIN" run --gpu gtx480 --json "$tmp/no/x" workload:sdk-tra --size tiny >"$tmp/out" 2>"$tmp/err"; code=$?
ok "run: outputs are tried before the program starts" '[ $code = 2 ] && says "$tmp/no/x" && [ ! -s $tmp/out ]'
echo nonsense >"$tmp/a.ptx"
"$PARSIM_BIN" run --gpu gtx480 --assist "$tmp/a.ptx" workload:sdk-tra --size tiny >"$tmp/out" 2>"$tmp/err"; code=$?
ok "run: a bad --assist stops before the program starts" '[ $code = 2 ] && says "a.ptx:1" && [ ! -s $tmp/out ]'
start report --out "$tmp/r.html" workload:sdk-lps --size medium
until_runs; child=$(pgrep -P $pid -f workload); stop TERM
ok "report: its run ends with it" '[ $code = 143 ] && for _ in $(seq 100); do kill -0 $child 2>/dev/null || break; sleep 0.05; done; ! kill -0 $child 2>/dev/null && [ ! -e $tmp/r.html ]'
echo "$passed passed, $failed failed"
[ $failed = 0 ]
