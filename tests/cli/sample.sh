#!/usr/bin/env bash
# --sample: parts of launches and some of those that are alike are simulated, values are the
# program's, the report says what is extrapolated; what does not bear it is refused.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
fail() {
    echo "FAIL: $*"
    failed=1
}
run() { "$PARSIM_BIN" run --gpu gtx480 "$@" 2>"$tmp/err" >"$tmp/out"; }

run --json "$tmp/whole.json" workload:rodinia-gsn --size tiny || fail "the whole run: $(cat "$tmp/err")"
cp "$tmp/out" "$tmp/whole.out"
grep -q '"sample": null' "$tmp/whole.json" || fail "sampled without being asked"
grep -q 'sampled' "$tmp/err" && fail "sampled without being asked"
run --sample --per-kernel --json "$tmp/sampled.json" --csv "$tmp/a.csv" --db "$tmp/a.db" workload:rodinia-gsn --size tiny || fail "--sample: $(cat "$tmp/err")"
cmp "$tmp/whole.out" "$tmp/out" || fail "--sample changes results"
grep -q 'sampled .*% of the warp-instructions and .* launches of 54 simulated.*estimated error' "$tmp/err" || fail "the report: $(cat "$tmp/err")"
grep -q '^sample,,simulated_warp_inst,' "$tmp/a.csv" || fail "nothing of it in the CSV"
python3 - "$tmp" <<'PY' || fail "what launches that were not simulated amount to"
import json, sqlite3, sys
of = lambda n: json.load(open(f"{sys.argv[1]}/{n}.json"))
whole, sampled = of("whole"), of("sampled")
s = sampled["sample"]
assert sampled["warp_instructions"] == whole["warp_instructions"]
assert len(sampled["kernels"]) == len(whole["kernels"]) == s["simulated_launches"] + s["launches_not_simulated"]
assert s["launches_not_simulated"] >= 20, s
assert s["simulated_warp_instructions"] < 0.7 * whole["warp_instructions"], s
assert abs(sampled["cycles"] / whole["cycles"] - 1) < 0.1, (sampled["cycles"], whole["cycles"])
assert sum(k["cycles"] for k in sampled["kernels"]) == sampled["cycles"]
assert 0 < s["estimated_error"] < 0.2 and "cycles" in s["extrapolated"]
got, want = (r["stats"]["sm"]["warp_inst"] for r in (sampled, whole))
assert abs(got / want - 1) < 0.1, (got, want)
kernels = sum(k["stats"]["sm"]["warp_inst"] for k in sampled["kernels"])
assert abs(kernels / got - 1) < 1e-3
rows = sqlite3.connect(f"{sys.argv[1]}/a.db").execute("select value from stat where grp = 'sample' and name = 'launches_not_simulated'").fetchall()
assert rows[0][0] == s["launches_not_simulated"], rows
PY

# within a launch: blocks that wait at barriers and end, each exactly once
run --json "$tmp/whole.json" workload:sdk-lib --size small || fail "the whole run: $(cat "$tmp/err")"
cp "$tmp/out" "$tmp/whole.out"
run --sample --json "$tmp/sampled.json" --csv "$tmp/a.csv" workload:sdk-lib --size small || fail "--sample: $(cat "$tmp/err")"
cmp "$tmp/whole.out" "$tmp/out" || fail "--sample changes results"
python3 - "$tmp" <<'PY' || fail "a launch that was simulated in part"
import json, sys
of = lambda n: json.load(open(f"{sys.argv[1]}/{n}.json"))
whole, sampled = of("whole"), of("sampled")
assert sampled["warp_instructions"] == whole["warp_instructions"] and sampled["blocks"] == whole["blocks"]
assert sampled["sample"]["simulated_warp_instructions"] < 0.6 * whole["warp_instructions"]
assert abs(sampled["cycles"] / whole["cycles"] - 1) < 0.1, (sampled["cycles"], whole["cycles"])
PY
run --sample --threads 2 --csv "$tmp/b.csv" workload:sdk-lib --size small || fail "--threads 2"
cmp "$tmp/a.csv" "$tmp/b.csv" || fail "depends on host threads"
run --sample --with hw-bdi --verify workload:rodinia-srad1 --size tiny || fail "with a technique of the memory: $(cat "$tmp/err")"

# long launches that come twice: of neither so much is simulated that a whole one would pay for itself
run --sample --json "$tmp/sampled.json" workload:lonestar-sp --size medium --no-check || fail "--sample: $(cat "$tmp/err")"
python3 - "$tmp" <<'PY' || fail "a launch that comes twice was simulated whole"
import json, sys
long = [k for k in json.load(open(f"{sys.argv[1]}/sampled.json"))["kernels"] if k["cycles"] > 2000000]
assert len(long) == 2 and all(0 < k["simulated_cycles"] < 0.25 * k["cycles"] for k in long), long
PY

# warps that end at once leave their slots, of which there are few; a fault in the middle is marked and counted
cat >"$tmp/lag.ptx" <<'PTX'
.version 7.0
.target sm_60
.address_size 64
// one warp of each block works, the others end at once; at the end word `at` is written
.visible .entry lag(.param .u64 out, .param .u32 n, .param .u64 at)
{
    .reg .pred %p<3>; .reg .u32 %r<6>; .reg .u64 %d<4>;
    mov.u32 %r1, %tid.x;
    setp.gt.u32 %p1, %r1, 31;
    @%p1 ret;
    ld.param.u32 %r2, [n];
    mov.u32 %r3, 0;
L:  add.u32 %r3, %r3, %r1;
    xor.b32 %r3, %r3, %r2;
    sub.u32 %r2, %r2, 1;
    setp.ne.u32 %p2, %r2, 0;
    @%p2 bra L;
    ld.param.u64 %d1, [out];
    ld.param.u64 %d2, [at];
    add.u64 %d1, %d1, %d2;
    st.global.u32 [%d1], %r3;
    ret;
}
PTX
lag() { "$PARSIM_BIN" launch "$tmp/lag.ptx" lag --gpu gtx480 --sample --set sm.warps=8 --grid 900 --block 128 out:64 u32:1500 "$@" >"$tmp/out" 2>"$tmp/err"; }
lag u64:0 || fail "few slots: $(cat "$tmp/err")"
grep -q '6767100 warp-instructions' "$tmp/err" && grep -q '  sampled  ' "$tmp/err" || fail "few slots: $(cat "$tmp/err")"
lag u64:1000000 && fail "a fault was not met"
grep -q '  sampled  ' "$tmp/err" || fail "a fault: not marked: $(cat "$tmp/err")"
grep -q ' 0 warp-instructions' "$tmp/err" && fail "a fault: nothing counted: $(cat "$tmp/err")"
lag u64:0 --max-inst 50000 --json "$tmp/limit.json" && fail "no limit"
python3 -c 'import json, sys; s = json.load(open(sys.argv[1])); sys.exit(not 50000 <= s["warp_instructions"] < 400000 or s["sample"]["simulated_warp_instructions"] > s["warp_instructions"])' "$tmp/limit.json" || fail "--max-inst counts what is not simulated"

# blocks that wait for each other in a loop are simulated whole: the same cycles, and the report says so
cat >"$tmp/spin.ptx" <<'PTX'
.version 7.0
.target sm_60
.address_size 64
// a software barrier of all blocks, n times
.visible .entry spin(.param .u64 count, .param .u32 n, .param .u32 blocks)
{
    .reg .pred %p<4>; .reg .u32 %r<8>; .reg .u64 %d<2>;
    ld.param.u64 %d1, [count];
    ld.param.u32 %r1, [n];
    ld.param.u32 %r2, [blocks];
    mov.u32 %r3, 0;
O:  add.u32 %r3, %r3, %r2;
    mov.u32 %r4, %tid.x;
    setp.ne.u32 %p1, %r4, 0;
    @%p1 bra B;
    atom.global.add.u32 %r5, [%d1], 1;
W:  ld.volatile.global.u32 %r6, [%d1];
    setp.lt.u32 %p2, %r6, %r3;
    @%p2 bra W;
B:  bar.sync 0;
    sub.u32 %r1, %r1, 1;
    setp.ne.u32 %p3, %r1, 0;
    @%p3 bra O;
    ret;
}
PTX
for s in "" --sample; do
    "$PARSIM_BIN" launch "$tmp/spin.ptx" spin --gpu gtx480 $s --grid 15 --block 64 --json "$tmp/spin$s.json" out:4 u32:200 u32:15 >"$tmp/out" 2>"$tmp/err" || fail "spinning $s: $(cat "$tmp/err")"
done
grep -q '1 launch simulated whole: their threads wait for each other in loops' "$tmp/err" || fail "spinning: $(cat "$tmp/err")"
python3 - "$tmp" <<'PY' || fail "a program that spins was sampled"
import json, sys
whole, sampled = (json.load(open(f"{sys.argv[1]}/spin{s}.json")) for s in ("", "--sample"))
assert whole["cycles"] == sampled["cycles"] > 20000 and sampled["sample"]["launches_that_wait"] == 1, (whole["cycles"], sampled["sample"])
PY

# kernels of one name in different programs, and launches of another shape, stand for themselves
cat >"$tmp/host.c" <<'EOF'
#include <cuda.h>
#define HEAD ".version 7.0\n.target sm_60\n.address_size 64\n"
#define KERNEL(turns) HEAD ".visible .entry k(.param .u64 out){.reg .pred %p; .reg .u32 %r<4>; mov.u32 %r1, %ctaid.y; mad.lo.u32 %r1, %r1, 99, " turns ";" \
    "L: sub.u32 %r1, %r1, 1; setp.ne.u32 %p, %r1, 0; @%p bra L; ret;}"
int main(void)
{
    CUdevice d; CUcontext c; CUmodule m[2]; CUfunction f[2];
    const char *text[2] = {KERNEL("100"), KERNEL("3000")};
    CUdeviceptr p = 0; void *args[] = {&p};
    if (cuInit(0) || cuDeviceGet(&d, 0) || cuDevicePrimaryCtxRetain(&c, d) || cuCtxSetCurrent(c)) return 1;
    for (int i = 0; i < 2; i++)
        if (cuModuleLoadData(&m[i], text[i]) || cuModuleGetFunction(&f[i], m[i], "k")) return 2;
    for (int n = 0; n < 8; n++)
        for (int i = 0; i < 2; i++) {
            if (n == 2 && i && cuLaunchKernel(f[0], 6000, 1, 1, 64, 1, 1, 0, 0, args, 0)) return 5; /* before one that is simulated whole */
            if (cuLaunchKernel(f[i], 32, 1, 1, 64, 1, 1, 0, 0, args, 0)) return 3;
        }
    for (int n = 0; n < 2; n++)
        if (cuLaunchKernel(f[0], 1, 32, 1, 64, 1, 1, 0, 0, args, 0)) return 4;
    return cuCtxSynchronize();
}
EOF
root=$(cd "$(dirname "$0")/../.." && pwd)
if [ "${PARSIM_SANITIZED:-0}" = 0 ]; then # a program of its own does not link a library with sanitizers
"${CC:-cc}" -I "$root/include/cuda" "$tmp/host.c" -o "$tmp/host" -L "$(dirname "$PARSIM_BIN")/lib" -lcuda || fail "compile"
run --json "$tmp/whole.json" -- "$tmp/host" || fail "two programs: $(cat "$tmp/err")"
run --sample --json "$tmp/sampled.json" -- "$tmp/host" || fail "two programs, sampled: $(cat "$tmp/err")"
python3 - "$tmp" <<'PY' || fail "launches were taken for others"
import json, sys
whole, sampled = (json.load(open(f"{sys.argv[1]}/{n}.json")) for n in ("whole", "sampled"))
of = lambda run: [k["cycles"] for k in run["kernels"]]
assert len(of(whole)) == len(of(sampled)) == 19 and sampled["sample"]["launches_not_simulated"] >= 6, sampled["sample"]
for n, (a, b) in enumerate(zip(of(whole)[:17], of(sampled))):
    assert abs(a / b - 1) < 0.05, (n, a, b)
assert sampled["kernels"][17]["simulated_cycles"] > 0, "a shape that was not seen was guessed"
assert sampled["kernels"][5]["simulated_cycles"] < 0.5 * of(whole)[5] and sampled["kernels"][6]["simulated_cycles"] == of(whole)[6], "blocks that passed count for the next launch"
assert sampled["sample"]["simulated_warp_instructions"] < sampled["warp_instructions"] == whole["warp_instructions"]
PY
fi

# launches that launch others: all of them count
cat >"$tmp/parent.ptx" <<'PTX'
.version 7.0
.target sm_60
.address_size 64
.extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);
.extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 buf, .param .b64 stream);
.visible .entry child(.param .u64 out)
{
    .reg .pred %p; .reg .u32 %r<4>; .reg .u64 %d<2>;
    ld.param.u64 %d1, [out];
    mov.u32 %r1, 2000;
L:  sub.u32 %r1, %r1, 1;
    setp.ne.u32 %p, %r1, 0;
    @%p bra L;
    red.global.add.u32 [%d1], 1;
    ret;
}
.visible .entry parent(.param .u64 out)
{
    .reg .pred %p; .reg .u32 %r<4>; .reg .u64 %d<6>;
    .param .b64 fn; .param .align 4 .b8 grid[12]; .param .align 4 .b8 block[12]; .param .b32 sh; .param .b64 buf;
    .param .b64 p; .param .b64 stream; .param .b32 res;
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p, %r1, 0;
    @%p ret;
    ld.param.u64 %d1, [out];
    mov.u64 %d2, child;
    st.param.b64 [fn], %d2;
    mov.u32 %r2, 30;
    st.param.b32 [grid], %r2;
    mov.u32 %r2, 1;
    st.param.b32 [grid+4], %r2;
    st.param.b32 [grid+8], %r2;
    st.param.b32 [block+4], %r2;
    st.param.b32 [block+8], %r2;
    mov.u32 %r2, 64;
    st.param.b32 [block], %r2;
    mov.u32 %r2, 0;
    st.param.b32 [sh], %r2;
    call (buf), __cudaCDP2GetParameterBufferV2, (fn, grid, block, sh);
    ld.param.b64 %d3, [buf];
    st.u64 [%d3], %d1;
    st.param.b64 [p], %d3;
    mov.u64 %d4, 0;
    st.param.b64 [stream], %d4;
    call (res), __cudaCDP2LaunchDeviceV2, (p, stream);
    ret;
}
PTX
for s in "" --sample; do
    "$PARSIM_BIN" launch "$tmp/parent.ptx" parent --gpu gtx480 $s --grid 4 --block 32 --json "$tmp/parent$s.json" out:4 >"$tmp/out" 2>"$tmp/err" || fail "launches of launches $s: $(cat "$tmp/err")"
    grep -q '^001e0000$' "$tmp/out" || fail "launches of launches: values $(cat "$tmp/out")"
done
python3 - "$tmp" <<'PY' || fail "launches of launches"
import json, sys
whole, sampled = (json.load(open(f"{sys.argv[1]}/parent{s}.json")) for s in ("", "--sample"))
assert len(whole["kernels"]) == len(sampled["kernels"]) == 5
assert whole["warp_instructions"] == sampled["warp_instructions"], "instructions"
assert abs(sampled["cycles"] / whole["cycles"] - 1) < 0.05, (whole["cycles"], sampled["cycles"])
s = sampled["sample"]
assert s["simulated_launches"] == 5 and s["simulated_warp_instructions"] < sampled["warp_instructions"], s
assert s["simulated_cycles"] < sampled["cycles"] == sum(k["cycles"] for k in sampled["kernels"])
got, want = (r["stats"]["sm"]["warp_inst"] for r in (sampled, whole))
assert abs(got / want - 1) < 0.1, (got, want)
PY

# many blocks: of those that are alike a few are simulated, the first and the last among them; where they become others, some of those, too
cat >"$tmp/many.ptx" <<'PTX'
.version 7.0
.target sm_60
.address_size 64
// blocks add 1 to their own word, `n` turns later; those from `other` on take `more` turns; block `at` writes where nothing is
.visible .entry many(.param .u64 out, .param .u32 n, .param .u32 other, .param .u32 more, .param .u32 at)
{
    .reg .pred %p<4>; .reg .u32 %r<10>; .reg .u64 %d<4>;
    ld.param.u32 %r1, [n];
    ld.param.u32 %r2, [other];
    ld.param.u32 %r3, [more];
    ld.param.u32 %r4, [at];
    mov.u32 %r5, %ctaid.x;
    setp.ge.u32 %p1, %r5, %r2;
    @%p1 mov.u32 %r1, %r3;
L:  sub.u32 %r1, %r1, 1;
    setp.ne.u32 %p2, %r1, 0;
    @%p2 bra L;
    ld.param.u64 %d1, [out];
    mul.wide.u32 %d2, %r5, 4;
    add.u64 %d1, %d1, %d2;
    setp.eq.u32 %p3, %r5, %r4;
    @%p3 add.u64 %d1, %d1, 100000000;
    red.global.add.u32 [%d1], 1;
    ret;
}
PTX
many() { # NAME SAMPLE OTHER MORE AT OPTIONS...
    local name=$1 sample=$2
    "$PARSIM_BIN" launch "$tmp/many.ptx" many --gpu gtx480 $sample --grid 6000 --block 64 --json "$tmp/$name.json" "${@:6}" out:24000 u32:100 "u32:$3" "u32:$4" "u32:$5" >"$tmp/$name.out" 2>"$tmp/err"
}
for c in "alike 6000 100" "other 3000 220"; do
    set -- $c
    many "$1" "" "$2" "$3" 9999999 || fail "many blocks, $1: $(cat "$tmp/err")"
    many "$1-s" --sample "$2" "$3" 9999999 || fail "many blocks, $1, sampled: $(cat "$tmp/err")"
    cmp "$tmp/$1.out" "$tmp/$1-s.out" || fail "many blocks, $1: values"
    many "$1-t" --sample "$2" "$3" 9999999 --threads 2 || fail "many blocks, $1, two threads"
    cmp "$tmp/$1-s.out" "$tmp/$1-t.out" || fail "many blocks, $1: values, two threads"
done
many fault --sample 6000 100 4000 && fail "many blocks: a fault was not met"
grep -q 'many' "$tmp/err" && grep -q '  sampled  ' "$tmp/err" || fail "many blocks, a fault: $(cat "$tmp/err")"
many limit --sample 6000 100 9999999 --max-inst 1500000 && fail "many blocks: no limit"
python3 - "$tmp" <<'PY' || fail "many blocks: numbers"
import json, sys
of = lambda n: json.load(open(f"{sys.argv[1]}/{n}.json"))
for name, error, share in (("alike", 0.025, 0.2), ("other", 0.02, 0.3)):
    whole, sampled, threads = of(name), of(name + "-s"), of(name + "-t")
    assert sampled["warp_instructions"] == whole["warp_instructions"] and sampled["blocks"] == whole["blocks"] == 6000
    assert abs(sampled["cycles"] / whole["cycles"] - 1) < error, (name, sampled["cycles"], whole["cycles"])
    assert sampled["sample"]["simulated_warp_instructions"] < share * whole["warp_instructions"], sampled["sample"]
    assert threads["cycles"] == sampled["cycles"] and threads["stats"] == sampled["stats"]
assert of("alike")["warp_instructions"] == 6000 * 2 * (7 + 3 * 100 + 7), of("alike")["warp_instructions"]
assert 1500000 <= of("limit")["warp_instructions"] < 2500000, of("limit")["warp_instructions"]
PY

# blocks that become longer and longer, but take as many cycles an instruction: that is seen once, and then more of them pass at a time
cat >"$tmp/slope.ptx" <<'PTX'
.version 7.0
.target sm_60
.address_size 64
// every 64th block takes a turn more than those before
.visible .entry slope(.param .u64 out, .param .u32 n)
{
    .reg .pred %p<2>; .reg .u32 %r<4>; .reg .u64 %d<4>;
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    shr.u32 %r3, %r2, 6;
    add.u32 %r1, %r1, %r3;
L:  sub.u32 %r1, %r1, 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra L;
    ld.param.u64 %d1, [out];
    mul.wide.u32 %d2, %r2, 4;
    add.u64 %d1, %d1, %d2;
    red.global.add.u32 [%d1], 1;
    ret;
}
PTX
for s in "" --sample; do
    "$PARSIM_BIN" launch "$tmp/slope.ptx" slope --gpu gtx480 $s --grid 6000 --block 64 --json "$tmp/slope$s.json" out:24000 u32:100 >"$tmp/slope$s.out" 2>"$tmp/err" || fail "longer and longer $s: $(cat "$tmp/err")"
done
cmp "$tmp/slope.out" "$tmp/slope--sample.out" || fail "longer and longer: values"
python3 - "$tmp" <<'PY' || fail "longer and longer: numbers"
import json, sys
whole, sampled = (json.load(open(f"{sys.argv[1]}/slope{s}.json")) for s in ("", "--sample"))
assert sampled["warp_instructions"] == whole["warp_instructions"]
assert abs(sampled["cycles"] / whole["cycles"] - 1) < 0.01, (sampled["cycles"], whole["cycles"])
assert sampled["sample"]["simulated_warp_instructions"] < 0.3 * whole["warp_instructions"], sampled["sample"]
PY

# not by a word that nobody knows
PARSIM_SAMPLE=maybe run workload:sdk-bfs --size tiny && fail "PARSIM_SAMPLE=maybe"
grep -q 'PARSIM_SAMPLE=maybe: must be 1' "$tmp/err" || fail "PARSIM_SAMPLE=maybe: $(cat "$tmp/err")"
PARSIM_SAMPLE=0 run workload:sdk-bfs --size tiny || fail "PARSIM_SAMPLE=0"
grep -q '  sampled  ' "$tmp/err" && fail "PARSIM_SAMPLE=0 samples"

# of many runs
of_many() { (cd "$tmp" && "$PARSIM_BIN" "$@" --out kept rodinia-gsn --size tiny >out 2>err); }
of_many compare --sample --designs base,hw-bdi --json c.json || fail "compare --sample: $(cat "$tmp/err")"
grep -q 'note: sampled: .* estimated error of' "$tmp/out" || fail "compare --sample: $(cat "$tmp/out")"
of_many sweep --with base,hw-bdi --json s.json || fail "sweep: $(cat "$tmp/err")"
grep -q 'note: sampled' "$tmp/out" && fail "sweep: sampled without being asked"
of_many sweep --sample --with base,hw-bdi --json t.json || fail "sweep --sample: $(cat "$tmp/err")"
grep -q done "$tmp/err" && fail "sweep --sample: what compare has kept was run again: $(cat "$tmp/err")"
python3 - "$tmp" <<'PY' || fail "compare and sweep: numbers"
import json, sys
c, s, t = (json.load(open(f"{sys.argv[1]}/{n}.json")) for n in "cst")
assert (c["sampled"], s["sampled"], t["sampled"]) == (True, False, True)
of = lambda run: [r.get("metrics", r)["cycles"] for r in run["runs"]]
assert of(c) == of(t) != of(s), (of(c), of(s), of(t))
PY

refused() { # WORDS OPTIONS...: is refused before the program runs
    words=$1
    shift
    run --sample "$@" workload:sdk-bfs --size tiny && fail "not refused: $*"
    grep -q -e "$words" "$tmp/err" || fail "$*: $(cat "$tmp/err")"
    [ -s "$tmp/out" ] && fail "the program ran: $*"
}
refused '--trace shows every cycle' --trace "$tmp/t.json"
refused '--interval shows every cycle' --interval 1000 --csv "$tmp/c.csv"
refused '--hot shows every cycle' --hot
refused 'follows every instruction of an SM' --with caba-bdi
"$PARSIM_BIN" run --sample workload:sdk-bfs --size tiny 2>"$tmp/err" >/dev/null && fail "without time"
grep -q 'needs a timed run' "$tmp/err" || fail "without time: $(cat "$tmp/err")"
exit $failed
