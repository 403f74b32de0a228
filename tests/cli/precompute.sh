#!/usr/bin/env bash
# Speculative precomputation on assist warps: lists are walked ahead of the program, which gets the same results sooner.
set -u
cd "$(dirname "$0")/../.."
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0
ok() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $1"; head -3 "$tmp/err"; fi; }
python3 - "$tmp" <<'P'
import random, struct, sys
random.seed(3)
n = 1 << 12
order = list(range(n))
random.shuffle(order)
after = dict(zip(order, order[1:] + order[:1]))
node = lambda i, to: struct.pack("<I", to) + bytes(124) + struct.pack("<32f", *[(i * 7 + l) % 64 / 256 for l in range(32)])
open(sys.argv[1] + "/list", "wb").write(b"".join(node(i, after[i]) for i in range(n)))
# The same list, but the program writes into each node where the next one is before it goes there: who runs ahead of it
# reads a mark that is the number of no node.
marked = lambda i: struct.pack("<II", after[i], 2**32 - 1) + node(i, 0)[8:]
open(sys.argv[1] + "/marks", "wb").write(b"".join(marked(i) for i in range(n)))
text = open("assist/examples/chase.ptx").read().replace(".reg .pred %p;", ".reg .pred %p; .reg .b32 %next;")
step = "ld.global.u32 %next, [%at]; st.global.u32 [%at+4], %next; ld.global.u32 %node, [%at+4];"
open(sys.argv[1] + "/marks.ptx", "w").write(text.replace("ld.global.u32   %node, [%at];", step))
# Every lane walks from a node of its own: 32 misses a load.
apart = text.replace("shr.u32         %node, %i, 5;", "mul.lo.u32 %node, %i, 7; rem.u32 %node, %node, 4096;")
assert apart != text
open(sys.argv[1] + "/apart.ptx", "w").write(apart)
P
blocks=15
run() { # LIST OUTPUT OPTIONS
    local in=$1 out=$2 code=assist/examples/chase.ptx; shift 2
    [ "$in" = list ] || code=$tmp/$in.ptx
    "$PARSIM_BIN" launch "$code" chase --gpu gtx480 --quiet --json "$tmp/$out.json" "$@" --grid $blocks --block 32 \
        "in:$tmp/$in" "out:$((128 * blocks)):$tmp/$out" u32:400 >"$tmp/log" 2>"$tmp/err"
}
of() { python3 -c "import json, sys; d = json.load(open('$tmp/$1.json')); r = d['stats']['precompute']; sys.exit(not ($2))"; }
cycles() { python3 -c "import json; print(json.load(open('$tmp/$1.json'))['cycles'])"; }

run list plain; run list ahead --with caba-precompute --set precompute.trials=false
ok "the slice of the loop is found: addresses, the next node, the count" 'of ahead "r[\"loops\"] == 15 and r[\"slice_inst\"] == 15 * 8 and r[\"loop_inst\"] == 15 * 56"'
ok "a list is walked ahead, with the same results" 'cmp -s $tmp/plain $tmp/ahead && of ahead "r[\"helper_iterations\"] > 0.9 * r[\"iterations\"]"'
ok "... in at most 80 % of the time" '[ $((100 * $(cycles ahead))) -lt $((80 * $(cycles plain))) ]'
run list tried --with caba-precompute
ok "helpers that pay are kept" 'cmp -s $tmp/plain $tmp/tried && of tried "r[\"trials\"] == r[\"won\"] > 0" && [ $((100 * $(cycles tried))) -lt $((95 * $(cycles plain))) ]'
run list four --with caba-precompute --threads 4
ok "... whatever the host's threads" 'of four "r == json.load(open(\"$tmp/tried.json\"))[\"stats\"][\"precompute\"]" && [ $(cycles four) = $(cycles tried) ]'
run list never --with caba-precompute --set precompute.trial_gain=1
ok "those that do not pay enough are not" 'cmp -s $tmp/plain $tmp/never && of never "r[\"trials\"] > 0 and r[\"won\"] == 0 and r[\"helper_iterations\"] < r[\"iterations\"]"'
run list room --with caba-precompute --set precompute.slice_bytes=56
ok "a slice that the store has no room for is not made" 'of room "r[\"loops\"] == r[\"helpers\"] == 0" && [ $(cycles room) = $(cycles plain) ]'
run marks written; run marks wild --with caba-precompute --set precompute.trials=false
ok "lanes that leave memory are left out, and the program does not notice" 'cmp -s $tmp/plain $tmp/written && cmp -s $tmp/plain $tmp/wild && of wild "r[\"wild_lanes\"] > 0 and r[\"helper_loads\"] > 0"'
ok "... and none does on a list" 'of ahead "r[\"wild_lanes\"] == 0"'
cp "$tmp/list" "$tmp/apart"
blocks=60
run apart lanes; run apart crowded --with caba-precompute
ok "no trial begins where the load/store unit is full without helpers" 'cmp -s $tmp/lanes $tmp/crowded && of crowded "r[\"crowded\"] > 0 and r[\"trials\"] == 0" && [ $(cycles crowded) = $(cycles lanes) ]'
echo "$passed passed, $failed failed"
[ $failed = 0 ]
