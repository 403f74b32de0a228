#!/usr/bin/env bash
# The memoization unit at each SM: a marked region whose results are known is left out, and nothing else changes.
set -u
cd "$(dirname "$0")/../.."
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0
ok() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $1"; head -3 "$tmp/err"; fi; }
python3 - "$tmp" <<'P'
import array, random, sys
random.seed(1)
few = [random.random() for _ in range(64)]
array.array("f", (random.choice(few) for _ in range(1 << 15))).tofile(open(sys.argv[1] + "/few", "wb"))
array.array("f", (random.random() for _ in range(1 << 15))).tofile(open(sys.argv[1] + "/any", "wb"))
P
run() { # INPUT OUTPUT OPTIONS
    local in=$1 out=$2; shift 2
    "$PARSIM_BIN" launch assist/examples/tone.ptx tone --gpu gtx480 --quiet --json "$tmp/$out.json" "$@" --grid 30 --block 256 \
        "in:$tmp/$in" "out:128K:$tmp/$out" u32:32768 >"$tmp/log" 2>"$tmp/err"
}
of() { python3 -c "import json, sys; d = json.load(open('$tmp/$1.json')); sys.exit(not ($2))"; }
cycles() { python3 -c "import json; print(json.load(open('$tmp/$1.json'))['cycles'])"; }
run few plain; run few unit --with memo-sm
ok "few values: the same output" 'cmp -s $tmp/plain $tmp/unit'
ok "... in less than half of the cycles" '[ $((2 * $(cycles unit))) -lt $(cycles plain) ]'
ok "... every region was looked up, and left out or kept" 'of unit "(lambda m: m[\"regions\"] == m[\"lookups\"] == m[\"skips\"] + m[\"updates\"] and m[\"skips\"] > 0)(d[\"stats\"][\"memo_sm\"])"'
run few four --with memo-sm --threads 4
ok "... whatever the host's threads" '[ "$(cycles unit)" = "$(cycles four)" ] && cmp -s $tmp/unit $tmp/four'
run any base; run any unit2 --with memo-sm
ok "values that do not repeat: the same output" 'cmp -s $tmp/base $tmp/unit2'
ok "... nothing left out, at most 3% more cycles" 'of unit2 "d[\"stats\"][\"memo_sm\"][\"skips\"] == 0" && [ $((100 * $(cycles unit2))) -lt $((103 * $(cycles base))) ]'
run any near --with memo-sm --set memo_sm.bits=13
ok "... by their upper bits most are found" 'of near "d[\"stats\"][\"memo_sm\"][\"hit_rate\"] > 0.3"'
run few both --with memo-sm --with caba-memo
ok "assist warps beside it are refused" 'grep -q "cannot be combined with memo-sm" $tmp/err'
run few odd --with memo-sm --set memo_sm.bytes=3000
ok "a table of 3000 bytes is refused" 'grep -q "memo_sm.bytes: 3000 is not a power of two" $tmp/err'
echo "$passed passed, $failed failed"
[ $failed = 0 ]
