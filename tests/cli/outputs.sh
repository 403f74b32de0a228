#!/usr/bin/env bash
# Outputs are whole or not there, and a failure to write one is told; inputs without an end are refused.
set -u
cd "$(dirname "$0")/../.."
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0
ok() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $1"; sed 's/^/    /' "$tmp/err" | head -3; fi; }
run() { timeout 20 "$PARSIM_BIN" "$@" >"$tmp/out" 2>"$tmp/err"; code=$?; }
full() { timeout 20 "$PARSIM_BIN" "$@" >/dev/full 2>"$tmp/err"; code=$?; }
closed() { timeout 20 "$PARSIM_BIN" "$@" >&- 2>"$tmp/err"; code=$?; }
says() { grep -qF -- "$1" "$tmp/err"; }
leftovers() { find "$tmp" -name '*parsim-tmp*' | grep -q .; }
sq=docs/examples/square.ptx
printf '\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0' >"$tmp/in"
head -c 4000 "$PARSIM_BIN" >"$tmp/data"
square=($sq square --grid 1 --block 4 "in:$tmp/in" out:16 i32:4)

# --- standard output ---
for line in "gpus" "gpus gtx480 --yaml" "inspect $sq" "codec $tmp/data" "workloads" "--help" "figure --list" \
    "launch ${square[*]}"; do
    full $line
    ok "full standard output of '$line'" '[ $code = 1 ] && says "standard output: No space left"'
    closed $line
    ok "closed standard output of '$line'" '[ $code = 1 ] && says "standard output: Bad file"'
done
closed launch "${square[@]}" --json "$tmp/j"
ok "a closed standard output does not end up in a file" '[ $code = 1 ] && [ "$(head -c 1 $tmp/j)" = "{" ]'
full launch "${square[@]}" --json -
ok "JSON to a full standard output" '[ $code != 0 ] && says "cannot write"'

# --- files ---
rm -f "$tmp/j"
for option in json csv db trace series dump-config plot; do
    run launch "${square[@]}" --gpu gtx480 $([ $option = series ] && echo --interval 100) "--$option" "$tmp/no/such/x"
    ok "--$option into a folder that is not there" '[ $code = 2 ] && says "$tmp/no/such" && [ ! -s $tmp/out ]'
done
for option in json csv db trace series dump-config; do
    run launch "${square[@]}" --gpu gtx480 $([ $option = series ] && echo --interval 100) "--$option" "$tmp"
    ok "--$option onto a folder" '[ $code = 2 ] && says "folder" && [ ! -s $tmp/out ]'
done
for option in json csv trace series dump-config; do
    run launch "${square[@]}" --gpu gtx480 $([ $option = series ] && echo --interval 100) "--$option" /dev/full
    ok "--$option onto a full disk" '[ $code = 2 ] && says "No space left" && [ -c /dev/full ]'
done
run launch "${square[@]}" --gpu gtx480 --db "$tmp/data"
ok "a database that is none" '[ $code = 2 ] && says "not a database" && [ ! -s $tmp/out ]'
run launch $sq square --grid 1 --block 4 "in:$tmp/in" "out:16:$tmp/no/o" i32:4
ok "a buffer's file is tried before the run" '[ $code = 2 ] && says "$tmp/no/o"'
run launch "${square[@]}" --gpu gtx480 --json "$tmp/same" --csv "$tmp/../${tmp##*/}/same"
ok "two outputs that are the same file" '[ $code = 2 ] && says "same place" && [ ! -e $tmp/same ]'
run launch "${square[@]}" --gpu gtx480 --csv "$tmp/c.csv" --per-kernel --json "$tmp/c.kernels.csv"
ok "an output where another writes a table of its own" '[ $code = 2 ] && says "same place" && [ ! -e $tmp/c.csv ]'
for option in json csv db trace series dump-config; do
    more=$([ $option = series ] && echo --interval 100)
    run launch "${square[@]}" --gpu gtx480 $more "--$option" "$tmp/../${tmp##*/}/in"
    ok "--$option onto an input" '[ $code = 2 ] && says "/in" && [ ! -s $tmp/out ] && [ "$(stat -c %s $tmp/in)" = 16 ]'
    run launch $sq square --grid 1 --block 4 "in:$tmp/in" "out:16:$tmp/o" i32:4 --gpu gtx480 $more "--$option" "$tmp/o"
    ok "--$option onto a buffer's file" '[ $code = 2 ] && says "same place" && [ ! -e $tmp/o ]'
done
cp $sq "$tmp/own.ptx"; run launch "$tmp/own.ptx" "${square[@]:1}" --json "$tmp/own.ptx"
ok "an output onto the PTX" '[ $code = 2 ] && says "own.ptx is read" && cmp -s $sq $tmp/own.ptx'
run gpus gtx480 --yaml; cp "$tmp/out" "$tmp/own.yaml"; run launch "${square[@]}" --gpu "$tmp/own.yaml" --dump-config "$tmp/own.yaml"
ok "an output onto the machine" '[ $code = 2 ] && says "own.yaml is read"'
cp /bin/true "$tmp/program"; run run --json "$tmp/program" -- "$tmp/program"
ok "an output onto the program" '[ $code = 2 ] && says "program is read" && cmp -s /bin/true $tmp/program'
run launch $sq square --grid 1 --block 4 "in:$tmp/in" "out:16:$tmp/o" i32:4 "out:16:$tmp/o"
ok "two buffers into one file" '[ $code = 2 ] && says "same place" && [ ! -e $tmp/o ]'
run launch $sq square --grid 1 --block 4 "inout:$tmp/in" out:16 i32:4
ok "inout is its own input" '[ $code = 0 ]'
run codec "$tmp/data" --json "$tmp/data"; ok "codec: JSON onto its input" '[ $code = 2 ] && says "is read"'
run codec "$tmp/data" --json "$tmp/same" --plot "$tmp/same"; ok "codec: two outputs in one file" '[ $code = 2 ] && says "same place"'
echo before >"$tmp/log"; "$PARSIM_BIN" launch "${square[@]}" --quiet --gpu gtx480 --json /dev/fd/3 --csv /dev/fd/3 3>>"$tmp/log" >/dev/null 2>"$tmp/err"
ok "/dev/fd/3 that is a file keeps what is in it" '[ "$(head -1 $tmp/log)" = before ] && grep -q parsim-run $tmp/log && grep -q "^group" $tmp/log'
(echo before >&2; "$PARSIM_BIN" launch "${square[@]}" --quiet --json /dev/stderr) >/dev/null 2>"$tmp/err"
ok "/dev/stderr that is a file keeps what is in it" 'says before && says parsim-run'
run launch "${square[@]}" --json /dev/fd/9
ok "a descriptor that is not open" '[ $code = 2 ] && says "/dev/fd/9" && [ ! -s $tmp/out ]'
for stream in - /dev/stdout /dev/fd/2; do
    run launch "${square[@]}" --gpu gtx480 --db $stream
    ok "a database on $stream" '[ $code = 2 ] && says "no file for a database" && [ ! -s $tmp/out ]'
done
run launch "${square[@]}" --gpu gtx480 --csv /dev/null --dump-config /dev/null
ok "a device takes several" '[ $code = 0 ]'
(echo before; timeout 20 "$PARSIM_BIN" launch "${square[@]}" --quiet --json /dev/stdout) >"$tmp/out" 2>"$tmp/err"
ok "/dev/stdout that is a file keeps what is in it" 'grep -q before $tmp/out && grep -q parsim-run $tmp/out && grep -q 01000000 $tmp/out'
mkfifo "$tmp/fifo"; run launch "${square[@]}" --json "$tmp/fifo"
ok "a pipe from which nobody reads" '[ $code = 2 ] && says "nobody reads" && [ -p $tmp/fifo ]'
cat "$tmp/fifo" >"$tmp/j" & run launch "${square[@]}" --json "$tmp/fifo"; wait
ok "a pipe from which somebody reads" '[ $code = 0 ] && grep -q parsim-run $tmp/j'
echo old >"$tmp/kept"
(ulimit -f 1; exec timeout 20 "$PARSIM_BIN" launch "${square[@]}" --quiet --gpu gtx480 --json "$tmp/kept" >/dev/null 2>"$tmp/err"); code=$?
ok "a file that could not be written whole stays the old one" '[ $code = 2 ] && says "$tmp/kept" && [ "$(cat $tmp/kept)" = old ]'
run codec encode "$tmp/data" "$tmp/packed"
ok "codec encode" '[ $code = 0 ]'
run codec encode --block 0 "$tmp/data" "$tmp/zero"
ok "a block of no bytes" '[ $code = 2 ] && says "32, 64 or 128" && [ ! -e $tmp/zero ]'
run codec encode --mag 999 "$tmp/data" "$tmp/zero"
ok "a granularity beyond a block" '[ $code = 2 ] && says "granularity of 999 bytes" && [ ! -e $tmp/zero ]'
run codec decode tests/fuzz/corpus/fuzz_codec_container/block-0 "$tmp/zero"
ok "a container with the right checksum and blocks of no bytes" '[ $code = 2 ] && says "damaged" && [ ! -e $tmp/zero ]'
run codec decode "$tmp/packed" /dev/full
ok "a device is not removed" '[ $code = 2 ] && says "No space left" && [ -c /dev/full ]'
cp "$tmp/packed" "$tmp/broken"; printf 'x' | dd of="$tmp/broken" bs=1 seek=200 conv=notrunc 2>/dev/null
echo old >"$tmp/plain"
run codec decode "$tmp/broken" "$tmp/plain"
ok "a broken container leaves the old output" '[ $code = 2 ] && [ "$(cat $tmp/plain)" = old ]'
for command in "codec $tmp/data" "compare sdk-tra" "validate noc --quick"; do
    run $command --json "$tmp/no/such"
    ok "'$command' tries its outputs first" '[ $code = 2 ] && says "$tmp/no/such" && [ ! -s $tmp/out ]'
done
ok "nothing temporary is left" '! leftovers'

# --- inputs ---
mkfifo "$tmp/pipe.yaml"
truncate -s 2T "$tmp/huge.yaml"
python3 -c 'print("[" * 200000)' >"$tmp/deep.yaml" 2>/dev/null || head -c 200000 /dev/zero | tr '\0' '[' >"$tmp/deep.yaml"
for what in "/dev/zero:is a device" "$tmp:is a directory" "$tmp/pipe.yaml:nobody writes" "$tmp/huge.yaml:too large"; do
    file=${what%%:*} why=${what#*:}
    for line in "gpus ${file%/}/" "inspect $file" "launch $file k --grid 1 --block 1"; do
        [ -d "$file" ] || line=${line/"$file/"/$file}
        run $line
        ok "'$line' is refused at once" '[ $code != 0 ] && [ $code != 124 ] && says "$why"'
    done
done
run gpus "$tmp/deep.yaml"
ok "YAML 200000 deep" '[ $code = 2 ] && says "deep.yaml:1: nested more than 16 deep"'
run figure "$tmp/deep.yaml" --out "$tmp/results"
ok "an experiment 200000 deep" '[ $code != 0 ] && says "nested more than 16 deep"'
run gpus <(echo 'base: gtx480')
ok "a pipe that somebody writes is a file" '[ $code = 0 ] && grep -q GTX $tmp/out'
mkfifo "$tmp/pipe"
for c in "compare sdk-fwt --designs base" "sweep --set l1.size=16K --out $tmp/sweep sdk-fwt"; do
    run $c --size tiny --db "$tmp/pipe"
    ok "a pipe is no database: ${c%% *}" '[ $code = 2 ] && says "pipe is no file for a database" && [ ! -s $tmp/out ] && [ ! -e $tmp/pipe-journal ]'
done
run codec /dev/zero
ok "codec of /dev/zero" '[ $code = 2 ] && says "is a device"'

echo "$passed passed, $failed failed"
[ $failed = 0 ]
