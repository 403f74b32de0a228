#!/usr/bin/env bash
# What a run writes is valid for any name and path; a machine named in the environment keeps time as
# one on the command line; a dumped machine can be given back with its techniques and assist files.
set -u
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
root=$(cd "$PARSIM_TESTS/.." && pwd)
lib=$(cd "$(dirname "$PARSIM_BIN")" && pwd)/lib
unset PARSIM_GPU PARSIM_TIMED PARSIM_FUNCTIONAL PARSIM_JSON PARSIM_SET
passed=0 failed=0
ok() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $1"; head -5 "$tmp/err" | sed 's/^/    /'; fi; }
key() { python3 -c 'import json,sys
print(json.loads(open(sys.argv[1],"rb").read().decode("utf-8"))[sys.argv[2]])' "$1" "$2"; }
same() { cmp -s <(grep -v wall_seconds "$1") <(grep -v wall_seconds "$2"); }

# --- names that are no UTF-8, or that JSON and YAML must quote ---
odd=$tmp/$'caf\xe9 "\x01\\\n\xe2\x82'
mkdir -p "$odd"
cp "$root/docs/examples/square.ptx" "$odd/k.ptx"
cp "$root/assist/count_l1_miss.ptx" "$odd/routines.ptx"
head -c 4096 "$root/docs/run-output.md" >"$odd/data"
"$PARSIM_BIN" gpus gtx480 --yaml >"$odd/machine.yaml"
launch=(launch "$odd/k.ptx" square --grid 16 --block 64 "in:$odd/data" zero:4096 i32:1000)
"$PARSIM_BIN" "${launch[@]}" --gpu "$odd/machine.yaml" --assist "$odd/routines.ptx" --json "$odd/out.json" \
    --dump-config "$odd/dumped.yaml" >"$tmp/out" 2>"$tmp/err"
ok "a run with odd names" '[ $? = 0 ]'
ok "its JSON is UTF-8" '[[ $(key "$odd/out.json" file) == */caf$'"'\xef\xbf\xbd'"'* ]]'
"$PARSIM_BIN" "${launch[@]}" --gpu "$odd/dumped.yaml" --json "$odd/again.json" >"$tmp/out" 2>"$tmp/err"
ok "its machine given back" '[ $? = 0 ] && same "$odd/out.json" "$odd/again.json"'
"$PARSIM_BIN" inspect "$odd/k.ptx" --json "$tmp/i.json" >"$tmp/out" 2>"$tmp/err"
ok "inspect" '[[ $(key "$tmp/i.json" file) == *caf* ]]'
"$PARSIM_BIN" codec "$odd/data" --json "$tmp/c.json" >"$tmp/out" 2>"$tmp/err"
ok "codec" '[[ $(key "$tmp/c.json" files) == *caf* ]]'

# --- the dumped machine of every kind of design ---
program=(workload:sdk-tra --size tiny)
for design in caba-bdi hw-bdi cc-l2-bdi-2x e2mc; do
    "$PARSIM_BIN" run --quiet --gpu gtx480 --with $design --set dram.bandwidth_scale=0.7 --json "$tmp/a.json" \
        --dump-config "$tmp/d.yaml" "${program[@]}" >"$tmp/out" 2>"$tmp/err" &&
        "$PARSIM_BIN" run --quiet --gpu "$tmp/d.yaml" --json "$tmp/b.json" "${program[@]}" >"$tmp/out" 2>"$tmp/err"
    ok "$design dumped and given back" '[ $? = 0 ] && same "$tmp/a.json" "$tmp/b.json"'
done

# --- the environment ---
"$PARSIM_BIN" run --quiet --gpu gtx480 --json "$tmp/line.json" "${program[@]}" >"$tmp/out" 2>"$tmp/err"
PARSIM_GPU=gtx480 "$PARSIM_BIN" run --quiet --json "$tmp/a.json" "${program[@]}" >"$tmp/out" 2>"$tmp/err"
ok "PARSIM_GPU before parsim run" 'same "$tmp/line.json" "$tmp/a.json" && [ "$(key "$tmp/a.json" mode)" = timed ]'
PARSIM_GPU=gtx480 "$PARSIM_BIN" run --quiet --csv "$tmp/a.csv" "${program[@]}" >"$tmp/out" 2>"$tmp/err"
ok "and an output of timed runs" '[ -s "$tmp/a.csv" ]'
PARSIM_GPU=gtx480 PARSIM_JSON=$tmp/b.json LD_LIBRARY_PATH=$lib LD_PRELOAD=$lib/libcuda.so.1 \
    "$(dirname "$PARSIM_BIN")/bin/parsim-workloads" sdk-tra --size tiny >"$tmp/out" 2>"$tmp/err"
ok "PARSIM_GPU with the libraries alone" 'same "$tmp/line.json" "$tmp/b.json"'
PARSIM_GPU=gtx480 "$PARSIM_BIN" run --quiet --functional --json "$tmp/c.json" "${program[@]}" >"$tmp/out" 2>"$tmp/err"
ok "--functional against PARSIM_GPU" '[ "$(key "$tmp/c.json" mode)" = functional ] && [ "$(key "$tmp/c.json" gpu)" = gtx480 ]'
PARSIM_GPU=gtx480 PARSIM_FUNCTIONAL=1 "$PARSIM_BIN" run --quiet --json "$tmp/d.json" "${program[@]}" >"$tmp/out" 2>"$tmp/err"
ok "PARSIM_FUNCTIONAL" '[ "$(key "$tmp/d.json" mode)" = functional ]'
PARSIM_FUNCTIONAL=1 "$PARSIM_BIN" run --quiet --gpu gtx480 --json "$tmp/e.json" "${program[@]}" >"$tmp/out" 2>"$tmp/err"
ok "--gpu against PARSIM_FUNCTIONAL" 'same "$tmp/line.json" "$tmp/e.json"'
PARSIM_GPU=gtx9000 "$PARSIM_BIN" run --quiet "${program[@]}" >"$tmp/out" 2>"$tmp/err"
ok "a wrong PARSIM_GPU is refused" '[ $? = 2 ] && grep -q gtx9000 "$tmp/err" && [ ! -s "$tmp/out" ]'
echo "$passed passed, $failed failed"
[ $failed = 0 ]
