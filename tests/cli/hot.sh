#!/usr/bin/env bash
# parsim hot: a planted bank conflict is the slowest line, of the PTX and of the program it came from;
# its counts add up to the machine's; faults name the program's line; inspect --ptx.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
fail() {
    echo "FAIL: $*"
    failed=1
}
printf '%s\n' 'int i = threadIdx.x;' 'tile[i * 32] = i;' 'out[i] = tile[i * 32];' >"$tmp/plant.cu"
cat >"$tmp/plant.ptx" <<EOF2
.version 7.0
.target sm_75
.address_size 64
.visible .entry _Z5plantIfLi32EEvPT_(.param .u64 p) {
    .reg .u64 %d<4>; .reg .u32 %r<6>; .reg .pred %p;
    .shared .u32 tile[1024];
    .loc 1 1 1
    ld.param.u64 %d0, [p];
    mov.u32 %r0, %tid.x;
    and.b32 %r3, %r0, 31;
    mov.u32 %r4, 0;
    mul.lo.u32 %r1, %r3, 128;
    mov.u32 %r2, tile;
    add.u32 %r1, %r1, %r2;
LOOP:
    .loc 1 2 1
    st.shared.u32 [%r1], %r0;
    add.u32 %r4, %r4, 1;
    setp.lt.u32 %p, %r4, 64;
    @%p bra LOOP;
    .loc 1 3 1
    mul.wide.u32 %d1, %r0, 4;
    add.u64 %d2, %d0, %d1;
    ld.shared.u32 %r5, [%r1];
    st.global.u32 [%d2], %r5;
    ret;
}
    .file 1 "$tmp/plant.cu"
EOF2
"$PARSIM_BIN" launch "$tmp/plant.ptx" _Z5plantIfLi32EEvPT_ --gpu gtx480 --hot --json "$tmp/h.json" --grid 8 --block 256 zero:64K \
    2>"$tmp/err" || fail "launch --hot: $(cat "$tmp/err")"
grep -A2 'lines of the program' "$tmp/err" | tail -1 | grep -q 'load/store unit.* plant.cu:2  tile' || fail "the program's slowest line: $(cat "$tmp/err")"
grep -A2 'lines of the PTX' "$tmp/err" | tail -1 | grep -q 'plant.ptx:17  st.shared' || fail "the PTX's slowest line: $(cat "$tmp/err")"
python3 - "$tmp/h.json" <<'PY' || fail "JSON"
import json, sys
j = json.load(open(sys.argv[1]))
hot, sm = j["hot"], j["stats"]["sm"]
total = lambda key: sum(l[key] for l in hot["ptx"])
assert total("warp_instructions") == sm["warp_inst"], "instructions"
assert total("thread_instructions") == sm["thread_inst"], "lanes"
assert total("bank_conflict_cycles") == sm["shared_conflicts"] > 0, "conflicts"
assert total("memory_lines") == sm["accesses"], "lines"
assert total("divergences") == sm["divergences"], "divergence"
assert sum(l["samples"] for l in hot["source"]) == total("samples") > 0, "samples"
assert abs(sum(l["time_share"] for l in hot["ptx"]) - 1) < 1e-9, "shares"
first = hot["source"][0]
assert (first["line"], first["function"]) == (2, "plant<float, 32>(float*)"), first
assert first["time_share"] > 0.5 and max(first["waits"], key=first["waits"].get) == "lsu", first
PY
# looking changes nothing
for f in "" --hot; do
    "$PARSIM_BIN" launch "$tmp/plant.ptx" _Z5plantIfLi32EEvPT_ --gpu gtx480 $f --quiet --csv "$tmp/s$f.csv" --grid 8 --block 256 zero:64K
done
cmp "$tmp/s.csv" "$tmp/s--hot.csv" || fail "--hot moves statistics"
"$PARSIM_BIN" hot --threads 2 --json "$tmp/t2.json" workload:sdk-bfs --size tiny >/dev/null 2>&1 || fail "hot on two threads"
"$PARSIM_BIN" hot --json "$tmp/t1.json" workload:sdk-bfs --size tiny >/dev/null 2>&1 || fail "hot"
python3 - "$tmp" <<'PY' || fail "threads"
import json, sys
a, b = (json.load(open(f"{sys.argv[1]}/t{i}.json"))["hot"] for i in (1, 2))
assert a == b and a["ptx"][0]["divergences"] >= 0 and sum(l["divergences"] for l in a["ptx"]) > 0
assert sum(l["l1_misses"] for l in a["ptx"]) > 0
PY
"$PARSIM_BIN" launch "$tmp/plant.ptx" _Z5plantIfLi32EEvPT_ --grid 8 --block 256 zero:64 2>&1 | grep -q "plant.cu:3, $tmp/plant.ptx:2" || fail "a fault without its CUDA line"
"$PARSIM_BIN" inspect --ptx "$tmp/plant.ptx" | cmp - "$tmp/plant.ptx" || fail "inspect --ptx"
"$PARSIM_BIN" hot --functional workload:sdk-bfs 2>&1 | grep -q -e '--hot needs a timed run' || fail "hot --functional"
# a program that launches nothing
cat >"$tmp/none.c" <<'EOF'
#include <cuda.h>
int main(void)
{
    CUdevice d;
    return cuInit(0) || cuDeviceGet(&d, 0);
}
EOF
root=$(cd "$(dirname "$0")/../.." && pwd)
if [ "${PARSIM_SANITIZED:-0}" = 0 ]; then # a program of its own does not link a library with sanitizers
"${CC:-cc}" -I "$root/include/cuda" "$tmp/none.c" -o "$tmp/none" -L "$(dirname "$PARSIM_BIN")/lib" -lcuda || fail "compile"
for a in hot "run --gpu gtx480 --hot" "run --gpu gtx480 --skip 1 --checkpoint $tmp/ck" "run --gpu gtx480 --count 1 --checkpoint $tmp/ck"; do
    "$PARSIM_BIN" $a -- "$tmp/none" >/dev/null 2>"$tmp/err"
    [ $? = 2 ] && grep -q 'has launched no kernel\|no launch was timed' "$tmp/err" || fail "$a without launches: $(cat "$tmp/err")"
done
"$PARSIM_BIN" run --gpu gtx480 -- "$tmp/none" 2>/dev/null || fail "without launches, and nothing asked of them"
fi
"$PARSIM_BIN" hot --help | grep -q 'usage: parsim hot' || fail "hot --help"
exit $failed
