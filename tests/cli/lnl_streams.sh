#!/usr/bin/env bash
# lnl-adaptive with two launches of one kernel at once: their grids differ, and so does what their blocks' numbers say.
set -u
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
root=$PARSIM_TESTS/.. lib=$(dirname "$PARSIM_BIN")/lib
passed=0 failed=0
ok() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $1"; sed 's/^/    /' "$tmp/out" | tail -5; fi; }

# A grid of fewer than 100 blocks stays for long, and its regions begin between those of the other's blocks.
cat >"$tmp/k.ptx" <<'P'
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b) {
.reg .b64 %rd<6>; .reg .f32 %f<3>; .reg .b32 %r<7>; .reg .pred %p<3>;
mov.u32 %r1, %tid.x;
mov.u32 %r2, %ctaid.x;
mad.lo.u32 %r3, %r2, 64, %r1;
mul.wide.u32 %rd3, %r3, 4;
ld.param.u64 %rd1, [a];
add.s64 %rd4, %rd1, %rd3;
ld.param.u64 %rd2, [b];
add.s64 %rd5, %rd2, %rd3;
mov.u32 %r4, %nctaid.x;
setp.lt.u32 %p1, %r4, 100;
selp.u32 %r5, 400, 1, %p1;
LOOP:
.pragma "lnl load H=0 uses=1";
ld.global.f32 %f1, [%rd4];
.pragma "lnl begin loads=0";
mul.f32 %f2, %f1, %f1;
add.f32 %f2, %f2, %f1;
st.global.f32 [%rd5], %f2;
.pragma "lnl end";
sub.u32 %r5, %r5, 1;
setp.ne.u32 %p2, %r5, 0;
@%p2 bra LOOP;
ret;
}
P
cat >"$tmp/host.c" <<'C'
#include <cuda.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define OK(x) do { int e = (x); if (e) { printf("%s: %d\n", #x, e); exit(1); } } while (0)
enum { FEW = 1, MANY = 6000, N = MANY * 64 };
static float x[N], y[N];
static double error_of(CUdeviceptr b, size_t n)
{
    double squares = 0, sum = 0;
    OK(cuMemcpyDtoH(y, b, n * 4));
    for (size_t i = 0; i < n; i++) {
        const double v = x[i] * x[i] + x[i];
        squares += (y[i] - v) * (y[i] - v);
        sum += v;
    }
    return sqrt(squares / n) / (sum / n);
}
int main(int argc, char **argv)
{
    CUcontext ctx; CUdevice dev; CUmodule mod; CUfunction f; CUdeviceptr a, b[2]; CUstream s[2];
    const unsigned blocks[] = {FEW, MANY};
    OK(cuInit(0));
    OK(cuDeviceGet(&dev, 0));
    OK(cuDevicePrimaryCtxRetain(&ctx, dev));
    OK(cuCtxSetCurrent(ctx));
    OK(cuModuleLoad(&mod, argv[argc - 1]));
    OK(cuModuleGetFunction(&f, mod, "k"));
    for (size_t i = 0; i < N; i++)
        x[i] = 100 + 20 * sinf(0.02f * i);
    OK(cuMemAlloc(&a, sizeof x));
    OK(cuMemcpyHtoD(a, x, sizeof x));
    for (int i = 0; i < 2; i++) { /* what follows the first launch does not wait for it */
        OK(cuStreamCreate(&s[i], 0));
        OK(cuMemAlloc(&b[i], sizeof y));
    }
    for (int i = 0; i < 2; i++) {
        void *args[] = {&a, &b[i]};
        OK(cuLaunchKernel(f, blocks[i], 1, 1, 64, 1, 1, 0, s[i], args, NULL));
    }
    OK(cuCtxSynchronize());
    const double few = error_of(b[0], FEW * 64), many = error_of(b[1], N);
    printf("errors %f, %f\n", few, many);
    return few >= 0.05 || many >= 0.05;
}
C
gcc -I "$root/include/cuda" "$tmp/host.c" -L "$lib" -lcuda -lm -o "$tmp/host" || exit 1
run() { "$PARSIM_BIN" run --gpu gtx480-gscalar --with lnl-adaptive --threads "$1" --per-kernel --json "$tmp/$1.json" -- "$tmp/host" "$tmp/k.ptx" >"$tmp/out" 2>&1; }
ok "two grids of one kernel at once" 'run 1 && grep -q "2 of 2 launches ran at the same time" "$tmp/out"'
ok "... on any number of threads" 'run 2 && python3 -c "
import json, sys
a, b = (json.load(open(\"$tmp/%d.json\" % t))[\"stats\"] for t in (1, 2))
sys.exit(not (a == b and a[\"lnl\"][\"approx_regions\"] > 0))"'
echo "$passed passed, $failed failed"
exit $((failed > 0))
