#!/usr/bin/env bash
# parsim cpu: what programs compute, what is said of those that go wrong, how they end.
set -u
cd "$(dirname "$0")/../.."
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0
ok() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $1"; sed 's/^/    /' "$tmp/err" | head -3; fi; }
run() { "$PARSIM_BIN" cpu run --functional "$@" >"$tmp/out" 2>"$tmp/err"; code=$?; }
says() { grep -qF -- "$1" "$tmp/err"; }
programs=tests/a64/programs
wrong=$programs/wrong.elf

run $programs/integers.elf one "two words"
ok "a program computes what QEMU says, and its exit code is the command's" '[ $code = 42 ] && cmp -s $tmp/out $programs/integers.expected'
ok "a line about the run" 'says "instructions in"'
run --quiet -- $programs/integers.elf --json
ok "quiet; options behind the program are its own" '[ $code = 42 ] && [ ! -s $tmp/err ] && [ "$(tail -1 $tmp/out)" = --json ]'
run --env A=1 --env B= $programs/integers.elf
ok "the environment is what was given" '[ "$(tail -2 $tmp/out | tr "\n" " ")" = "A=1 B= " ]'
run $programs/rewrite.elf
ok "code that changes, exclusive accesses" '[ $code = 0 ] && cmp -s $tmp/out $programs/rewrite.expected'
run $programs/spin.elf
ok "a hundred million instructions" '[ $code = 0 ] && cmp -s $tmp/out $programs/spin.expected'
for o in 2 3; do
    run $programs/sketches-o$o.elf
    ok "a C library, floats and SIMD (-O$o)" '[ $code = 7 ] && cmp -s $tmp/out $programs/sketches-o$o.expected'
done
run --json "$tmp/j" --csv "$tmp/c" $programs/rewrite.elf
ok "JSON and CSV" 'grep -q "\"exit_code\": *0" $tmp/j && grep -q "\"inst\": *[0-9]" $tmp/j && grep -q "^a64.*,inst," $tmp/c'

echo "hello, files" >"$tmp/in"
mkdir "$tmp/root"
timeout 60 "$PARSIM_BIN" cpu run --functional --root "$tmp/root" $programs/files.elf /copy <"$tmp/in" >"$tmp/out" 2>"$tmp/err"; code=$?
ok "files below --root" '[ $code = 0 ] && cmp -s $tmp/in $tmp/root/folder/inside && grep -q "bytes 13" $tmp/out && grep -qF "[lo, f]" $tmp/out'
ok "folders, another name, a pipe" 'grep -q "folder 0" $tmp/out && grep -q "renamed 0" $tmp/out && grep -q "inside 1" $tmp/out && grep -qx /folder $tmp/out && grep -q "pipe 7" $tmp/out'
ok "a read waits for no more than is there" 'grep -qx "to the end of a page 7" $tmp/out'
ok "nothing outside" 'grep -q "escape -2" $tmp/out && grep -q "memory -2" $tmp/out'
ln -s /etc "$tmp/root/link"
"$PARSIM_BIN" cpu run --functional --root "$tmp/root" $programs/files.elf /link/x <"$tmp/in" >"$tmp/out" 2>"$tmp/err"; code=$?
ok "links lead nowhere" '[ $code = 1 ] && grep -q "open -" $tmp/out'
"$PARSIM_BIN" cpu run --functional $programs/files.elf "$tmp/copy" <"$tmp/in" >"$tmp/out" 2>"$tmp/err"; code=$?
ok "without it files cannot be written" '[ $code = 1 ] && grep -q "open -30" $tmp/out && [ ! -e $tmp/copy ]'
"$PARSIM_BIN" cpu run --functional $programs/files.elf /dev/null <"$tmp/in" >"$tmp/out" 2>"$tmp/err"; code=$?
ok "the process file system is not there" 'grep -q "memory -2" $tmp/out'

run --json "$tmp/j" $programs/memo.elf
stat() { grep -A400 "\"$1\": *{" $tmp/j | grep -m1 "\"$2\":" | sed "s/.*: *//; s/,//"; }
ok "a marked region computes what QEMU says of the plain one" '[ $code = 0 ] && cmp -s $tmp/out $programs/memo.expected'
ok "40 distinct inputs of 4000 lookups; every hundredth hit is computed again" '[ $(stat memo lookups) = 4000 ] && [ $(stat memo l1_hits) = 3960 ] && [ $(stat memo sampled) = 39 ] && [ $(stat memo updates) = 79 ] && [ $(stat memo_lut distinct) = 40 ]'
run --set memo.force_miss=true $programs/memo.elf
ok "nothing found, nothing changed" '[ $code = 0 ] && cmp -s $tmp/out $programs/memo.expected'
run --set memo.data_bytes=8 $programs/memo.elf
ok "entries of another size are named" '[ $code = 132 ] && says "looks up or updates 4 bytes (word 0xa343" && says "have 8: memo.data_bytes"'
run --set memo.enabled=false $programs/memo.elf
ok "without the unit the instructions are undefined" '[ $code = 132 ] && says "has no row"'
run --set memo.l1_byte=4K $programs/memo.elf
ok "a wrong setting" '[ $code = 2 ] && says "l1_bytes"'
run --set memo.l1_bytes=5K $programs/memo.elf
ok "a wrong size" '[ $code = 2 ] && says "memo.l1_bytes: 5120"'

stops() { # WHAT CODE TEXT
    run --memory 16M $wrong "$1"
    ok "$1" '[ $code = '"$2"' ] && says "'"$3"'"'
}
stops read 139 "(program+0x" && ok "with the address" 'says "reads address 0x40 (no symbol), which is not mapped"'
stops write 139 "writes address 0x7fff00000000"
stops code 139 "(wild_jump+0x0), which is mapped, but not for that"
stops jump 139 "pc 0x123456789000 (no symbol): a jump to where there is no code (not mapped); x30 is 0x"
stops data 139 "a jump to where there is no code (mapped, but not for that)"
stops odd 135 "is not aligned"
stops atomic 135 "is not aligned"
stops undefined 132 "instruction word 0x00c0ffee has no row"
stops break 133 "brk #7"
stops abort 134 "has sent itself signal 6"
stops stack 139 "(recurse+0x"
stops memory 139 "its 16 MB of memory are used up (--memory)"
stops syscall 38 "system call 999 is not there (ENOSYS)"
stops fault 14 "system call write(0x1, 0x10, 0x5): address 0x10 is not the program's (EFAULT)"
stops outside 14 "address 0x555555554000 is not the program's"
run --max-inst 1M $wrong hang
ok "a program that hangs is stopped with its place" '[ $code = 1 ] && says "(program+0x" && says "the limit is 1048576 instructions"'
run --json "$tmp/j" $wrong read
ok "JSON has the error" 'grep -q "\"error\": *\"pc 0x.*not mapped" $tmp/j && grep -q "\"exit_code\": *139" $tmp/j'
(timeout -s TERM 3 "$PARSIM_BIN" cpu run --functional $wrong hang >"$tmp/out" 2>"$tmp/err"; echo $? >"$tmp/code")
ok "an interrupt ends it with its place" '[ "$(cat $tmp/code)" != 0 ] && says "ended by SIGTERM at pc 0x"'

timed() { "$PARSIM_BIN" cpu run "$@" >"$tmp/out" 2>"$tmp/err"; code=$?; }
timed --json "$tmp/j" --csv "$tmp/c.csv" --db "$tmp/d" --interval 20000 --trace "$tmp/t" $programs/memo.elf
ok "in time: the same output, and cycles" '[ $code = 0 ] && cmp -s $tmp/out $programs/memo.expected && says " cycles (" && [ $(stat core cycles) -gt 100000 ]'
cat >"$tmp/check.py" <<'PY'
import json, sys
what, *files = sys.argv[1:]
runs = [json.load(open(f)) for f in files]
core = runs[0]["statistics"]["core"]
part = lambda head: sum(v for k, v in core.items() if k.startswith(head))
if what == "sums":
    assert core["cycles"] == core["issue_cycles"] + part("stall_") and core["inst"] == part("inst_")
elif what == "roi":
    roi = runs[0]["region_of_interest"]
    assert 0 < roi["core"]["cycles"] < core["cycles"] and roi["memo"]["lookups"] == 4000
    assert runs[0]["series"]
else:
    assert core["cycles"] * 3 < runs[1]["statistics"]["core"]["cycles"]
PY
ok "cycles are those with an instruction and the stalls" 'python3 $tmp/check.py sums $tmp/j'
ok "the region of interest is a part of the whole" 'python3 $tmp/check.py roi $tmp/j'
ok "files beside the CSV, a database, a timeline" 'grep -q "^core.*,cycles," $tmp/c.csv && grep -q "^core.*,cycles," $tmp/c.roi.csv && [ -s $tmp/c.series.csv ] && [ -s $tmp/d ] && grep -q "region of interest" $tmp/t && python3 -m json.tool $tmp/t >/dev/null'
timed --set memo.force_miss=true --json "$tmp/k" $programs/memo.elf
ok "without hits it takes longer" '[ $code = 0 ] && python3 $tmp/check.py slower $tmp/j $tmp/k'
timed $wrong read
ok "a bad access in time" '[ $code = 139 ] && says "reads address 0x40"'
timed --max-inst 100K $wrong hang
ok "a limit in time" '[ $code = 1 ] && says "the limit is 102400 instructions"'
printf 'base: hpi\nl1d:\n  size: 8K\n' >"$tmp/small.yaml"
timed --cpu "$tmp/small.yaml" --json "$tmp/k" $programs/memo.elf
ok "a machine of your own" '[ $code = 0 ] && grep -q "\"size\": *8192" $tmp/k'

profile() { "$PARSIM_BIN" cpu profile "$@" >"$tmp/out" 2>"$tmp/err"; code=$?; }
profile --json "$tmp/j" --csv "$tmp/c" $programs/sketches-o2.elf
ok "a profile names a region with its inputs and what a table would answer" \
    '[ $code = 0 ] && grep -q "^1. .*(" $tmp/out && grep -q "inputs:" $tmp/out && grep -q "a table without end answers" $tmp/out'
ok "its files have the same regions" '[ $(wc -l <$tmp/c) = $(($(grep -c "\"function\"" $tmp/j) + 1)) ] && [ $(wc -l <$tmp/c) -gt 1 ]'
"$PARSIM_BIN" cpu trace --window 3 $programs/sketches-o2.elf >"$tmp/out" 2>"$tmp/err"; code=$?
ok "a trace has a line an instruction" '[ $code = 0 ] && [ $(wc -l <$tmp/out) = 4 ] && sed -n 2p $tmp/out | grep -q "^0x[0-9a-f]*,.*,movz_x,"'
profile $wrong read; ok "a profile of what faults says so" '[ $code = 2 ] && says "which is not mapped"'

refuses() { ok "$1" '[ $code = 2 ] && says "'"$2"'"'; }
timed --cpu m1 $wrong; refuses "an unknown machine" "no CPU 'm1'; there are: hpi"
timed --set core.btb=100 $wrong; refuses "a size that does not fit" "core.btb: 100 is not a power of two"
timed --set l1d.line_bytes=128 $wrong; refuses "lines of two sizes" "line_bytes"
timed --set memo.l2_ways=16 $wrong; refuses "no cache left" "leave no cache"
timed --interval 0 $wrong; refuses "no interval" "not a number above 0"
run --trace "$tmp/t2" $wrong; refuses "a timeline without time" "--trace needs time"
"$PARSIM_BIN" cpu fly >"$tmp/out" 2>"$tmp/err"; code=$?
refuses "unknown command" "'fly' is not a command of cpu"
profile --db x $wrong; refuses "an option of another command" "is no option of cpu profile"
profile --function nobody $wrong; refuses "a function that is not there" "has no such symbol"
profile --window 0 $wrong; refuses "no window" "not a number from 1 to 16M"
cp $wrong "$tmp/own"; profile --apply "$tmp/own" "$tmp/own"; refuses "a program in its own place" "$tmp/own"
ok "... which it leaves alone" 'cmp -s $wrong $tmp/own'
paths=$programs/paths.elf # functions that are pure on the paths that it takes without an argument
run $paths other; cp "$tmp/out" "$tmp/plain"
"$PARSIM_BIN" cpu profile --apply "$tmp/applied" $paths >"$tmp/out" 2>"$tmp/err"
ok "a path that was not taken and counts speaks against a function" 'grep -q "counts+0x0.*not memoized: it reads memory that can change at .*on a path that was not taken" $tmp/out'
ok "... and one that reads a variable" 'grep -q "reads+0x0.*not memoized: it reads memory that can change" $tmp/out'
ok "... and one that calls through a pointer" 'grep -q "through+0x0.*not memoized: it goes where only a run can say" $tmp/out'
ok "those without are memoized" 'grep -q "^2 memoized" $tmp/out'
run --set memo.data_bytes=8 "$tmp/applied" other; ok "... and right where other paths are taken" '[ $code = 0 ] && cmp -s $tmp/out $tmp/plain'
"$PARSIM_BIN" cpu profile --trust --apply "$tmp/trusted" $paths >"$tmp/out" 2>"$tmp/err"
ok "--trust looks at no other paths" 'grep -q "^5 memoized" $tmp/out && grep -q "which is no proof" $tmp/out'
run --set memo.data_bytes=8 "$tmp/trusted" other; ok "... and is wrong here" '! cmp -s $tmp/out $tmp/plain'
results=$programs/results.elf # arguments and results that are more than they look without an argument
run $results other; cp "$tmp/out" "$tmp/plain"
"$PARSIM_BIN" cpu profile --apply "$tmp/applied" $results >"$tmp/out" 2>"$tmp/err"
refused() { ok "$1" 'grep -q "'"$2"'+0x0.*not memoized: it '"$3"'" $tmp/out'; }
refused "a second result that nobody read" two_results "leaves not one result of 8 bytes at"
refused "... and that it reads itself" read_result "leaves not one result of 8 bytes at"
refused "an argument of 16 bytes whose upper half was zero" wide_argument "has arguments of 16 bytes at"
refused "... and such a result" wide_result "leaves not one result of 8 bytes at"
refused "a variable of the thread that is not errno" sets_variable "stores"
refused "where it was called from" caller "reads other registers than arguments"
ok "errno does not speak against it" 'grep -q "sets_errno+0x0.*sets errno" $tmp/out && grep -q "^1 memoized" $tmp/out'
run --set memo.data_bytes=8 "$tmp/applied" other; ok "... and all is right where more is read" '[ $code = 0 ] && cmp -s $tmp/out $tmp/plain'
profile --cut 99 $wrong; refuses "more bits than there are" "not a number from 0 to 63"
profile --ci x $wrong; refuses "no weight" "not a number above 0"
run; refuses "no program" "no program was given"
run --frob $wrong; refuses "unknown option" "see --help"
run --memory 7 $wrong; refuses "too little memory" "from 1M to 64G"
run --max-inst 0 $wrong; refuses "no instructions" "not a number above 0"
run --env A $wrong; refuses "a variable without value" "write NAME=VALUE"
run --root "$tmp/in" $wrong; refuses "root is a file" "not a folder"
run --json "$tmp/no/j" $wrong; refuses "JSON nowhere" "$tmp/no"
run "$tmp/missing"; refuses "no such program" "cannot read"
run "$tmp/in"; refuses "a text" "not an executable (ELF)"
run "$PARSIM_BIN"; refuses "a program for this machine" "$PARSIM_BIN: "
head -c 200 $wrong >"$tmp/cut"; run "$tmp/cut"; refuses "a program that is cut off" "$tmp/cut: "
"$PARSIM_BIN" cpu --help >"$tmp/out" 2>"$tmp/err"; code=$?
ok "help" '[ $code = 0 ] && grep -q -- --functional $tmp/out'
echo "$passed passed, $failed failed"
[ $failed = 0 ]
