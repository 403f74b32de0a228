# Kernels of different streams share a GPU that keeps time; those of one stream do not, and what the
# host sees is the same.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
root=$PARSIM_TESTS/..
lib=$(dirname "$PARSIM_BIN")/lib

cat > "$tmp/spin.ptx" <<'P'
.version 3.2
.target sm_20
.address_size 64
.visible .entry spin(.param .u64 out, .param .u32 n)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>;
    .reg .pred %p<2>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, 0;
loop:
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, %r1;
    @%p1 bra loop;
    atom.global.add.u32 %r3, [%rd1], %r2;
    ret;
}
P
cat > "$tmp/host.c" <<'C'
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#define OK(x) do { int e = (x); if (e) { printf("%s: %d\n", #x, e); exit(1); } } while (0)
int main(int argc, char **argv)
{
    CUcontext ctx;
    CUdevice dev;
    CUmodule mod;
    CUfunction f;
    CUdeviceptr out;
    CUstream s[4];
    unsigned n = 2000, got = 0;
    int own = argc > 2 ? atoi(argv[2]) : 1;
    OK(cuInit(0));
    OK(cuDeviceGet(&dev, 0));
    OK(cuDevicePrimaryCtxRetain(&ctx, dev));
    OK(cuCtxSetCurrent(ctx));
    OK(cuModuleLoad(&mod, argv[1]));
    OK(cuMemAlloc(&out, 4));
    OK(cuMemsetD8(out, 0, 4));
    for (int i = 0; i < 4; i++)
        OK(cuStreamCreate(&s[i], 0));
    for (int i = 0; i < 4; i++) {
        void *args[] = {&out, &n};
        OK(cuModuleGetFunction(&f, mod, "spin")); /* as programs of nvcc do: no end of the waiting */
        OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, s[own ? i : 0], args, NULL));
    }
    OK(cuMemcpyDtoH(&got, out, 4));
    printf("%u\n", got);
    return got != 4 * 32 * n;
}
C
gcc -I "$root/include/cuda" "$tmp/host.c" -L "$lib" -lcuda -o "$tmp/host"
for own in 0 1; do
    "$PARSIM_BIN" run --quiet --gpu gtx480 --json "$tmp/$own.json" -- "$tmp/host" "$tmp/spin.ptx" $own > "$tmp/$own.txt"
done
cmp "$tmp/0.txt" "$tmp/1.txt"
cycles() { sed -n 's/^ *"cycles": \([0-9]*\),$/\1/p' "$tmp/$1.json" | head -1; }
[ "$(cycles 0)" -gt $((3 * $(cycles 1))) ] || { echo "one stream: $(cycles 0) cycles, four: $(cycles 1)"; exit 1; }
"$PARSIM_BIN" run --quiet -- "$tmp/host" "$tmp/spin.ptx" 1 | cmp - "$tmp/1.txt"

# Each of kernels that ran together has its own instructions, accesses and cycles; caches and memory
# are those of all, and nobody's alone.
sed 's/atom.global.add.u32 %r3, /st.global.u32 /' "$tmp/spin.ptx" > "$tmp/two.ptx"
sed -e 's/cuMemcpyDtoH(&got, out, 4)/cuCtxSynchronize()/' -e 's/void \*args\[\]/unsigned m = n >> i; void *args[]/' \
    -e 's/{&out, &n}/{\&out, \&m}/' -e 's/return got.*/return 0;/' "$tmp/host.c" > "$tmp/two.c"
gcc -I "$root/include/cuda" "$tmp/two.c" -L "$lib" -lcuda -o "$tmp/two"
"$PARSIM_BIN" run --gpu gtx480 --per-kernel --json "$tmp/two.json" --csv "$tmp/two.csv" -- "$tmp/two" "$tmp/two.ptx" 1 > "$tmp/two.txt" 2> "$tmp/two.err"
grep -q "4 of 4 launches ran at the same time as others" "$tmp/two.err"
python3 - "$tmp" <<'E'
import csv, json, sys
j = json.load(open(sys.argv[1] + "/two.json"))
k = j["kernels"]
assert [x["warp_instructions"] for x in k] == [3 + 3 * (2000 >> i) + 2 for i in range(4)], k
assert sum(x["warp_instructions"] for x in k) == j["warp_instructions"] == j["stats"]["sm"]["warp_inst"]
assert [x["memory_accesses"] for x in k] == [3] * 4  # two parameters, a store
assert sum(x["memory_accesses"] for x in k) == j["stats"]["sm"]["accesses"]
assert k[0]["cycles"] == j["cycles"] and k[0]["cycles"] > 1.5 * k[1]["cycles"] > 2 * k[2]["cycles"]
assert all(x["overlaps"] == [y for y in range(4) if y != i] for i, x in enumerate(k))
assert all("stats" not in x and "summary" not in x for x in k)
assert k[0]["together"]["stats"] == j["stats"] and k[0]["together"]["cycles"] == j["cycles"]
assert not any("together" in x for x in k[1:])
rows = list(csv.DictReader(open(sys.argv[1] + "/two.kernels.csv")))
assert {(r["kernel"], r["kernel_name"]) for r in rows} == {("0", "spin+spin+spin+spin")}
E
