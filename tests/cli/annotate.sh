#!/usr/bin/env bash
# parsim annotate: the marked programs without their marks, programs that it refuses, device code in and out, bad input.
set -u
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0
ok() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $1"; sed 's/^/    /' "$tmp/err" | head -5; fi; }
says() { grep -qF -- "$1" "$tmp/err"; }
prints() { grep -qF -- "$1" "$tmp/out"; }
p() { (cd "$tmp" && "$PARSIM_BIN" "$@" >"$tmp/out" 2>"$tmp/err"); code=$?; }
[ -x "$(dirname "$PARSIM_BIN")/bin/parsim-workloads" ] || exit 0

marked=0 covered=0
for w in rodinia-hs sdk-cons sdk-ct sdk-bf sdk-sf; do
    p annotate --out "$w" --json "$w.json" workload:$w
    ok "$w: something is marked" '[ $code = 0 ] && prints "by anchors alone"'
    set -- $(python3 -c "import json,sys; j=json.load(open(sys.argv[1])); print(j['marked'], j['covered'], sum(k['taken'] for k in j['kernels']) == len(j['kernels']))" "$tmp/$w.json" 2>>"$tmp/err")
    marked=$((marked + ${1:-1000})) covered=$((covered + ${2:-0})) every=${3:-}
    ok "$w: every kernel" '[ "$every" = True ]'
    p run --quiet --gpu gtx480 --with lnl --set lnl.threshold=0.5 --set lnl.absolute=60 --ptx "$w" --verify --json "$w-lnl.json" workload:$w
    ok "$w: it runs, and approximates" '[ $code = 0 ] && python3 -c "import json,sys; s=json.load(open(sys.argv[1]))[\"stats\"][\"lnl\"]; sys.exit(not (s[\"approx_inst\"] > 0 and s[\"stale_reads\"] == 0))" "$tmp/$w-lnl.json" 2>>"$tmp/err"'
    p run --quiet --gpu gtx480 --ptx "$w" workload:$w
    ok "$w: without the technique marks mean nothing" '[ $code = 0 ] && prints "the same bits as the CPU"'
done
ok "nine of ten instructions that people marked ($covered of $marked)" '[ $((covered * 10)) -ge $((marked * 9)) ]'

p annotate --out hys workload:rodinia-hys
ok "a sort is refused" '[ $code = 1 ] && prints "nothing to approximate" && prints "hys_sort_quads: refused: the store of line" && prints "and computes nothing" && [ ! -e "$tmp/hys" ]'
p annotate workload:rodinia-bfs
ok "a graph search is refused" '[ $code = 1 ] && prints "bfs_expand: refused" && prints "decides whether something is stored" && [ ! -e "$tmp/annotated" ]'
p annotate --perturb 1 --json scan.json workload:mars-ii
ok "counts that become addresses elsewhere: seen in a run" 'prints "mr_scan: refused: with loads that are off by 1%"'
p annotate --max-error 0.001 workload:sdk-sf
ok "a bound on what is stored" '[ $code = 1 ] && prints "more than 0.001%"'

cat >"$tmp/k.ptx" <<'P'
.version 7.0
.target sm_70
.address_size 64
.visible .entry sort(.param .u64 p) {
.reg .b64 %rd<4>; .reg .b32 %r<9>;
ld.param.u64 %rd1, [p];
ld.global.s32 %r1, [%rd1];
ld.global.s32 %r2, [%rd1+4];
min.s32 %r3, %r1, %r2;
max.s32 %r4, %r1, %r2;
st.global.s32 [%rd1], %r3;
st.global.s32 [%rd1+4], %r4;
ret;
}
.visible .entry smooth(.param .u64 p) {
.reg .b64 %rd<4>; .reg .f32 %f<9>;
ld.param.u64 %rd1, [p];
ld.global.f32 %f1, [%rd1];
mul.f32 %f2, %f1, 0f3F000000;
fma.rn.f32 %f3, %f2, %f2, %f1;
sqrt.approx.f32 %f4, %f3;
add.f32 %f5, %f4, %f1;
st.global.f32 [%rd1], %f5;
ret;
}
P
p annotate k.ptx
ok "a file: its text, what was found beside it" '[ $code = 0 ] && says "sort: refused" && says "smooth: lines" && [ "$(grep -c "pragma \"lnl" "$tmp/out")" = 3 ]'
p annotate --out k2.ptx k.ptx && p inspect k2.ptx --kernel smooth
ok "... to a file, which can be read" '[ $code = 0 ] && prints "lnl begin loads=0"'
sed 's/ld.global.f32 %f1/.pragma "lnl begin loads=7";\n&/' "$tmp/k.ptx" >"$tmp/bad.ptx"
p annotate bad.ptx; ok "marks that cannot be" '[ $code = 2 ] && says "bad.ptx:18"'
p annotate none.ptx; ok "no such file" '[ $code = 2 ] && says "none.ptx"'
p annotate; ok "nothing" '[ $code = 2 ] && says "no program given"'
p annotate workload:none; ok "an unknown workload" '[ $code = 2 ] && says "no workload"'
p annotate sdk-ct; ok "a word that is nothing" '[ $code = 2 ] && says "is no workload:NAME and no FILE.ptx"'
p annotate -- ./none; ok "no such program" '[ $code = 2 ] && says "./none"'
p annotate --perturb 0 k.ptx; ok "a share that is none" '[ $code = 2 ] && says "--perturb 0: should be a percentage above 0"'
p annotate --out /none/x.ptx k.ptx; ok "a place that cannot be written" '[ $code = 2 ] && says "/none/x.ptx"'
p annotate --gpu none workload:sdk-ct; ok "an unknown machine" '[ $code = 2 ] && says "none"'
p annotate -- true; ok "a program without device code" '[ $code = 2 ] && says "loads no device code"'
p run --ptx none workload:sdk-tra; ok "run --ptx: no such folder" '[ $code = 2 ] && says "--ptx none: there is no such folder"'
p run --quiet --save-ptx code workload:sdk-tra; sed -i 's/^}/}}/' "$tmp"/code/*.ptx; p run --quiet --ptx code workload:sdk-tra
ok "run --ptx: errors name the file" '[ $code != 0 ] && cat "$tmp/out" >>"$tmp/err" && grep -q "code/[0-9a-f]*.ptx:[0-9]" "$tmp/err"'
echo "$passed passed, $failed failed"
exit $((failed > 0))
