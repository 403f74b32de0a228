#!/usr/bin/env bash
# G-Scalar and what it is compared with on whole machines: outputs, what must not move, sums.
set -u
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0
ok() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $1"; sed 's/^/    /' "$tmp/err" | head -5; fi; }
run() { # NAME WORKLOAD OPTION...: its statistics in NAME.json, what it wrote in NAME.out
    local name=$1 workload=$2; shift 2
    "$PARSIM_BIN" run --gpu gtx480-gscalar "$@" --json "$tmp/$name.json" "workload:$workload" --size tiny >"$tmp/$name.out" 2>"$tmp/err"
}
facts() { python3 - "$@" <<<"
import json, sys
expr, *files = sys.argv[1:]
s = [json.load(open('$tmp/%s.json' % f))['stats'] for f in files]
def scalars(g): return sum(g[k] for k in ('alu_scalar', 'sfu_scalar', 'mem_scalar', 'half_scalar', 'divergent_scalar'))
assert eval(expr), [x.get('gscalar') for x in s]"; }
same_output() { cmp "$tmp/$1.out" "$tmp/$2.out" >>"$tmp/err" 2>&1; }
designs="gscalar gscalar-nodiv gscalar-nohalf gscalar-rvc alu-scalar scalar-rf warped-compression"

for w in rodinia-hs rodinia-bp; do
    ok "$w" "run base $w"
    ok "$w: metadata that is used for nothing changes nothing" \
        "run null $w --with gscalar-null && same_output base null && facts '{k: v for k, v in s[1].items() if k != \"gscalar\"} == s[0]' base null"
    for d in $designs; do
        ok "$w: $d computes the same, and every register comes back" "run $d $w --with $d --verify && same_output base $d"
    done
    ok "$w: looking at registers changes nothing" "run plain $w --with gscalar && facts 's[0] == s[1]' plain gscalar"
    ok "$w: on two threads, the same" "run two $w --with gscalar --threads 2 && facts 's[0] == s[1]' gscalar two"
    ok "$w: no more is scalar by metadata than by value" "run seen $w --with gscalar --observe scalar &&
        facts 'scalars(s[0][\"gscalar\"]) <= scalars(s[0][\"scalar\"]) and all(s[0][\"gscalar\"][k] <= s[0][\"scalar\"][k] for k in (\"alu_scalar\", \"sfu_scalar\", \"mem_scalar\"))' seen"
    ok "$w: divergent instructions are those of the observer" "facts 's[0][\"gscalar\"][\"divergent\"] == s[0][\"scalar\"][\"divergent\"] and s[0][\"gscalar\"][\"inst\"] == s[0][\"scalar\"][\"inst\"]' seen"
    ok "$w: reads by value add up, and no lane is gated that did not execute" \
        "facts 'all(sum(g[\"read_\" + k] for k in (\"scalar\", \"3\", \"2\", \"1\", \"0\", \"divergent\")) * 8 == g[\"base_read_arrays\"] and g[\"lanes_gated\"] + scalars(g) <= x[\"sm\"][\"thread_inst\"] for x in s for g in [x[\"gscalar\"]])' ${designs}"
    ok "$w: what all designs read is the same" "facts 'len({x[\"gscalar\"][\"read_\" + k] for x in s}) == 1 if (k := \"3\") else 0' ${designs}"
    ok "$w: moves are the program's extra instructions" "facts 'all(x[\"sm\"][\"extra_inst\"] == x[\"gscalar\"][\"moves\"] for x in s)' ${designs}"
    ok "$w: fewer moves where old values are dead" "run live $w --with gscalar --verify --set gscalar.moves=live && same_output base live && facts 's[1][\"gscalar\"][\"moves\"] + s[1][\"gscalar\"][\"moves_dead\"] == s[0][\"gscalar\"][\"moves\"]' gscalar live"
    ok "$w: a larger mask makes no less scalar" "run subset $w --with gscalar --verify --set gscalar.mask=subset && same_output base subset && facts 's[1][\"gscalar\"][\"divergent_scalar\"] >= s[0][\"gscalar\"][\"divergent_scalar\"]' gscalar subset"
done
ok "without divergence gscalar-nodiv has all whole scalars of gscalar" \
    'run all parboil-mri-q --with gscalar && run nodiv parboil-mri-q --with gscalar-nodiv &&
     facts "all(s[0][\"gscalar\"][k] == s[1][\"gscalar\"][k] for k in (\"alu_scalar\", \"sfu_scalar\", \"mem_scalar\"))" all nodiv'
for d in hw-bdi caba-bdi cc-l2-bdi-2x; do
    ok "with $d" "run with rodinia-hs --with gscalar --with $d --verify && run without rodinia-hs --with gscalar && same_output with without &&
        facts 's[0][\"gscalar\"][\"alu_scalar\"] == s[1][\"gscalar\"][\"alu_scalar\"] and s[0][\"gscalar\"][\"inst\"] == s[1][\"gscalar\"][\"inst\"]' with without"
done
ok "encodings travel: what comes with a store is not encoded again" 'run apart sdk-fwt --with hw-bdi --with gscalar && run carried sdk-fwt --with hw-bdi --with gscalar --set gscalar.carry=true --verify && same_output apart carried &&
    facts "s[1][\"gscalar\"][\"carried_stores\"] > 0 and s[1][\"gscalar\"][\"carried_loads\"] > 0 and s[1][\"wire_sm\"][\"encoded\"] + s[1][\"gscalar\"][\"carried_stores\"] == s[0][\"wire_sm\"][\"encoded\"]" apart carried'
ok "in any order of the designs, and on two threads" 'run swapped sdk-fwt --with gscalar --with hw-bdi --set gscalar.carry=true --threads 2 && facts "s[0] == s[1]" carried swapped'
ok "lines are ranked, and their lanes are all that were gated" 'run lines rodinia-bp --with gscalar --set gscalar.lines=$tmp/lines.txt --threads 2 && same_output base lines &&
    facts "sum(int(l.split()[2]) for l in open(\"$tmp/lines.txt\").readlines()[3:]) == s[0][\"gscalar\"][\"lanes_gated\"]" lines &&
    facts "(n := [int(l.split()[2]) + int(l.split()[3]) for l in open(\"$tmp/lines.txt\").readlines()[3:]]) == sorted(n, reverse=True)" lines'
ok "a file that cannot be written is said before the run" '! run nowhere rodinia-bp --with gscalar --set gscalar.lines=/nowhere/lines.txt && grep -q "/nowhere" "$tmp/err"'
ok "two of them cannot decide the same" '! run both rodinia-hs --with gscalar --with alu-scalar && grep -q "alu-scalar cannot be combined with gscalar" "$tmp/err"'
ok "a value that cannot be" '! run bad rodinia-hs --with gscalar --set gscalar.mask=some && grep -q "gscalar.mask" "$tmp/err"'
for g in h200 v100; do
    for d in $designs; do
        ok "$g: registers come back where machine code has no instruction for a move ($d)" \
            '"$PARSIM_BIN" run --gpu $g --with $d --verify workload:sdk-lps --size tiny >"$tmp/out" 2>"$tmp/err"'
    done
done
for f in affine carry; do
    ok "$f is of designs that compress by bytes" "! run bytes rodinia-hs --with warped-compression --set gscalar.$f=true && grep -q \"gscalar.$f needs registers compressed by bytes, which warped-compression\" $tmp/err"
done
echo "$passed passed, $failed failed"
exit $((failed > 0))
