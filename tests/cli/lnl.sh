#!/usr/bin/env bash
# Lock and Load on whole machines: the programs that are marked for it, what must not move, sums, errors.
set -u
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0
ok() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $1"; sed 's/^/    /' "$tmp/err" | head -5; fi; }
run() { # NAME WORKLOAD OPTION...: its statistics in NAME.json, its outputs in NAME/
    local name=$1 workload=$2; shift 2
    "$PARSIM_BIN" run --gpu gtx480-gscalar "$@" --json "$tmp/$name.json" "workload:$workload" --size tiny --dump "$tmp/$name" >"$tmp/$name.out" 2>"$tmp/err"
}
facts() { python3 - "$@" 2>>"$tmp/err" <<<"
import json, sys
expr, *files = sys.argv[1:]
s = [json.load(open('$tmp/%s.json' % f))['stats'] for f in files]
g = [x.get('lnl') for x in s]
assert eval(expr), g"; }
same_output() { cat "$tmp/$1"/*.out.bin | cmp - <(cat "$tmp/$2"/*.out.bin) >>"$tmp/err" 2>&1; }
# Loose enough for something to be approximated in small pictures.
loose="--set lnl.threshold=0.5 --set lnl.absolute=60"
off="--set lnl.threshold=0 --set lnl.absolute=0"
sums='all(x["checked"] == x["similar"] + x["fail_sign"] + x["fail_exponent"] + x["fail_threshold"] and x["starts"] == x["approx_regions"] + x["precise_regions"]
    and 2 * x["fused_inst"] + x["lone_inst"] == x["approx_inst"] + x["precise_inst"] and x["left_entries"] == 0 and x["first_bit"]["count"] == x["similar"] for x in g)'

# With scouts (a grid of more than 64 blocks): SMs tell each other what they know at the same times on any number of threads.
scouts() { "$PARSIM_BIN" run --gpu gtx480-gscalar --with lnl-adaptive --threads "$1" --max-error 5 --json "$tmp/scouts$1.json" workload:sdk-sf --size small --seed 2 >"$tmp/scouts$1.out" 2>"$tmp/err"; }
ok "lnl-adaptive: host threads change nothing" 'scouts 1 && scouts 2 && scouts 4 && facts "s[0] == s[1] == s[2] and g[0][\"approx_regions\"] > 0 and g[0][\"samples\"] > 0" scouts1 scouts2 scouts4'

for w in rodinia-hs sdk-cons sdk-ct sdk-bf sdk-sf; do
    ok "$w" "run base $w"
    ok "$w: marks alone cost nothing: no threshold, and nothing that takes time" "run off $w --with lnl-nofuse $off --set lnl.start=false --set lnl.check_cycles=0 && same_output base off &&
        facts 'all(s[0][k] == s[1][k] for k in s[0] if k != \"energy\")' base off"
    ok "$w: one thread a group computes what base does" "run one $w --with lnl-nofuse $loose --set lnl.group=1 && same_output base one && facts 'g[0][\"approx_inst\"] > 0' one"
    ok "$w: it approximates, within a bound" "run loose $w --with lnl-nofuse $loose --verify --max-error 40 && ! same_output base loose && facts 'g[0][\"approx_inst\"] > 0 and g[0][\"lanes_skipped\"] > 0 and g[0][\"interpolated\"] > 0' loose"
    ok "$w: host threads change nothing" "run two $w --with lnl-nofuse $loose --verify --threads 2 && same_output loose two && facts 's[0] == s[1]' loose two"
    ok "$w: no lane reads what it did not write" "facts 'g[0][\"stale_reads\"] == 0' loose"
    ok "$w: two warps as one: the same bytes, fewer issues" "run fused $w --with lnl $loose --verify && same_output loose fused && facts '(all(g[0][k] == g[1][k] for k in (\"approx_inst\", \"precise_inst\", \"checked\", \"similar\", \"lanes_skipped\", \"interpolated\"))
        and g[1][\"lone_inst\"] == g[0][\"lone_inst\"] - 2 * g[1][\"fused_inst\"] and s[0][\"sm\"][\"warp_inst\"] == s[1][\"sm\"][\"warp_inst\"] and s[0][\"sm\"][\"issue_active\"] == s[1][\"sm\"][\"issue_active\"] + g[1][\"fused_inst\"])' loose fused"
    ok "$w: ... on any number of threads" "run fused2 $w --with lnl $loose --verify --threads 2 && same_output fused fused2 && facts 's[0] == s[1]' fused fused2"
    ok "$w: lnl-adaptive keeps its bound" "run adaptive $w --with lnl-adaptive --set lnl.max_error=5 --max-error 5 && facts 'g[0][\"samples\"] > 0' adaptive"
    ok "$w: ... and without one computes what base does" "run none $w --with lnl-adaptive --set lnl.max_error=0 && same_output base none"
    for d in replicate bits exact; do
        ok "$w: lnl-$d" "run $d $w --with lnl-$d $loose --set lnl.drop_bits=22 && facts 'g[0][\"starts\"] == g[1][\"starts\"]' loose $d"
    done
    ok "$w: warp-approx" "run warp $w --with warp-approx && facts 'g[0][\"starts\"] == 0 and g[0][\"approx_inst\"] > 0 and g[0][\"region_inst\"] == g[1][\"region_inst\"]' warp loose"
    ok "$w: sums" "facts '$sums' off one loose fused replicate bits exact"
    ok "$w: operands that are equal give equal results" "run equal $w --with warp-approx --set lnl.drop_bits=0 && same_output base equal"
done
ok "without a threshold outputs are the program's, and demanded" 'run precise rodinia-hs --with lnl-nofuse $off && grep -q "the same bits as the CPU" "$tmp/precise.out"'
ok "a bound is kept" '! run bound sdk-ct --with lnl-nofuse --set lnl.threshold=0.5 --max-error 0.01 && grep -q "above the bound of 0.01%" "$tmp/err"'
ok "a group that cannot be" '! run bad rodinia-hs --with lnl-nofuse --set lnl.group=3 && grep -q "lnl.group: 3 should be 1, 2, 4, 8 or 16" "$tmp/err"'
ok "with gscalar it decides the same" '! run both rodinia-hs --with gscalar --with lnl-nofuse && grep -q "lnl-nofuse cannot be combined with gscalar" "$tmp/err"'
ok "with a design of the memory side" 'run with sdk-ct --with lnl-nofuse --with hw-bdi $loose && run alone sdk-ct --with lnl-nofuse $loose && same_output with alone'

# Smooth inputs: smaller groups are better, and so is interpolation.
error() { python3 -c "import json,sys; a,b=(json.load(open('$tmp/%s.json' % f))['stats']['quality']['error'] for f in sys.argv[1:]); sys.exit(not 0 < a <= b)" "$@" 2>>"$tmp/err"; }
for w in rodinia-hs sdk-ct; do
    for n in 4 16; do ok "$w, n = $n" "run n$n $w --with lnl-nofuse --set lnl.threshold=0.1 --set lnl.group=$n"; done
    ok "$w, replicated" "run same4 $w --with lnl-replicate --set lnl.threshold=0.1 --set lnl.group=4"
    ok "$w: the error at n = 4 is at most that at n = 16, and that of replication" "error n4 n16 && error n4 same4"
done
ok "where it was interpolated" 'run where rodinia-hs --with lnl-nofuse $loose --set lnl.where="$tmp/places" && [ "$(head -1 "$tmp/places" | cut -d, -f1)" = 0 ] &&
    [ "$(cut -d, -f3 "$tmp/places" | sort -u | tr -d "\n")" = 01 ] && [ -z "$(cut -d, -f1 "$tmp/places" | sort | uniq -d)" ]'

# Of loads in regions only the anchors' sectors are asked for.
cat >"$tmp/sectors.ptx" <<'P'
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b) {
.reg .b64 %rd<6>; .reg .f32 %f<6>; .reg .b32 %r<3>;
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd3, %r1, 4;
ld.param.u64 %rd1, [a];
add.s64 %rd1, %rd1, %rd3;
ld.param.u64 %rd2, [b];
add.s64 %rd2, %rd2, %rd3;
.pragma "lnl load H=0 uses=1";
ld.global.f32 %f1, [%rd2];
.pragma "lnl begin loads=0";
ld.global.f32 %f2, [%rd1];
add.f32 %f3, %f2, %f1;
st.global.f32 [%rd2], %f3;
.pragma "lnl end";
ret;
}
P
small=; for s in l1 l1c l1t l1i l2 mc; do small="$small --set $s.sector_bytes=32"; done
sectors() { local name=$1; shift; "$PARSIM_BIN" launch --gpu gtx480-gscalar $small --with lnl-nofuse --set lnl.group=16 "$@" --json "$tmp/$name.json" --grid 1 --block 64 "$tmp/sectors.ptx" k zero:256 "out:256:$tmp/$name.bytes" >"$tmp/out" 2>"$tmp/err"; }
ok "lines by their sectors" 'sectors lines && sectors parts --set lnl.sectors=true && cmp -s "$tmp/lines.bytes" "$tmp/parts.bytes" &&
    facts "g[0][\"sectors_skipped\"] == 0 and g[1][\"sectors_skipped\"] == 4 and s[0][\"l1\"][\"sectors_asked\"] == s[1][\"l1\"][\"sectors_asked\"] + 4" lines parts'

# Marks that cannot be are an error of the machine that reads them, with file and line.
cat >"$tmp/bad.ptx" <<'P'
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p) {
.reg .b64 %rd<4>; .reg .f32 %f<4>;
ld.param.u64 %rd1, [p];
.pragma "lnl load H=0 uses=1";
ld.global.f32 %f1, [%rd1];
.pragma "lnl begin loads=0";
atom.global.add.f32 %f2, [%rd1], %f1;
.pragma "lnl end";
ret;
}
P
launch() { "$PARSIM_BIN" launch --gpu gtx480-gscalar "$@" --grid 1 --block 32 "$tmp/bad.ptx" k out:128 >"$tmp/out" 2>"$tmp/err"; }
ok "without it they say nothing" 'launch'
ok "with it they are refused" '! launch --with lnl-nofuse && grep -q "bad.ptx:10: lnl: atom.global.add.f32 in the region of line 9" "$tmp/err"'
echo "$passed passed, $failed failed"
exit $((failed > 0))
