#!/usr/bin/env bash
# Redundant multithreading on assist warps: faults in registers are found and put right, whatever they are in.
set -u
cd "$(dirname "$0")/../.."
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0
ok() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $1"; head -3 "$tmp/err"; fi; }
run() { # OUTPUT WORKLOAD OPTIONS
    local out=$1 workload=$2; shift 2
    "$PARSIM_BIN" run --gpu gtx480 --json "$tmp/$out.json" "$@" "workload:$workload" --size tiny >"$tmp/$out" 2>"$tmp/err"
}
of() { python3 -c "import json, sys; d = json.load(open('$tmp/$1.json')); r = d['stats']['rmt']; sys.exit(not ($2))"; }
cycles() { python3 -c "import json; print(json.load(open('$tmp/$1.json'))['cycles'])"; }
right() { grep -q "the same bits as the CPU reference" "$tmp/$1"; }
faults="--with caba-rmt --set rmt.faults=10000 --set rmt.fault_every=1"

run plain rodinia-nw; run checked rodinia-nw --with caba-rmt
ok "without faults nothing differs" 'right checked && of checked "r[\"compared\"] > 0 and r[\"differences\"] == r[\"injected\"] == 0"'
ok "... and it costs time" '[ $(cycles checked) -gt $(cycles plain) ]'
run many rodinia-nw $faults
ok "of 10000 faults and more in results 99 % are found" 'of many "r[\"injected\"] >= 10000 and r[\"detected\"] >= 0.99 * r[\"injected\"]"'
ok "... none is missed, nothing else differs, and the output is right" 'right many && of many "r[\"missed\"] == r[\"unexplained\"] == 0"'
ok "... and takes as long as without" '[ $(cycles many) = $(cycles checked) ]'
run two rodinia-nw $faults --threads 2
ok "... whatever the host's threads" 'of two "r == json.load(open(\"$tmp/many.json\"))[\"stats\"][\"rmt\"]"'
run other rodinia-nw $faults --set rmt.fault_seed=2
ok "another seed has other faults" 'right other && ! of other "r == json.load(open(\"$tmp/many.json\"))[\"stats\"][\"rmt\"]"'
run rest sdk-bfs $faults --set rmt.fault_in=register
ok "faults where registers lie: found, or without effect" 'right rest && of rest "r[\"detected\"] > 0 and r[\"masked\"] > 0 and r[\"missed\"] == r[\"unexplained\"] == 0 and r[\"injected\"] == r[\"detected\"] + r[\"masked\"]"'
run live sdk-bfs $faults --set rmt.compare_dead=false
ok "dead registers need no comparison" 'right live && of live "r[\"missed\"] == r[\"unexplained\"] == 0" && run all sdk-bfs $faults && [ $(cycles live) -lt $(cycles all) ]'
run small sdk-ray $faults --set rmt.queue=1
ok "a warp waits where no instruction may" 'right small && of small "r[\"full\"] > 0 and r[\"missed\"] == 0"'
run beside sdk-bfs --with caba-rmt --with caba-bdi
ok "it is refused beside other assist warps" 'grep -q "cannot be combined with caba-rmt" $tmp/err'
echo "$passed passed, $failed failed"
[ $failed = 0 ]
