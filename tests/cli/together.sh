#!/usr/bin/env bash
# Two launches of one kernel in two streams, of large blocks and of small ones: both run, whatever registers a technique
# takes; one that does not fit is told by the call behind it.
set -u
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
root=$PARSIM_TESTS/.. lib=$(dirname "$PARSIM_BIN")/lib
passed=0 failed=0
ok() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $1"; sed 's/^/    /' "$tmp/out" | tail -5; fi; }

cat >"$tmp/k.ptx" <<'P'
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 a) {
.reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .pred %p<3>;
mov.u32 %r1, %tid.x;
mov.u32 %r2, %ctaid.x;
mov.u32 %r3, %ntid.x;
mad.lo.u32 %r4, %r2, %r3, %r1;
mul.wide.u32 %rd2, %r4, 4;
ld.param.u64 %rd1, [a];
add.s64 %rd3, %rd1, %rd2;
mov.u32 %r6, 200;
LOOP:
ld.global.u32 %r5, [%rd3];
add.u32 %r5, %r5, 1;
st.global.u32 [%rd3], %r5;
sub.u32 %r6, %r6, 1;
setp.ne.u32 %p2, %r6, 0;
@%p2 bra LOOP;
ret;
}
P
cat >"$tmp/host.c" <<'C'
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#define OK(x) do { int e = (x); if (e) { printf("%s: %d\n", #x, e); exit(1); } } while (0)
enum { LARGE = 512, SMALL = 32, BLOCKS = 20 };
static unsigned y[LARGE * BLOCKS];
int main(int argc, char **argv)
{
    CUdevice d; CUcontext x; CUmodule m; CUfunction f; CUstream s, t; CUdeviceptr a, b;
    (void)argc;
    OK(cuInit(0)); OK(cuDeviceGet(&d, 0)); OK(cuCtxCreate(&x, NULL, 0, d));
    OK(cuModuleLoad(&m, argv[1])); OK(cuModuleGetFunction(&f, m, "k"));
    OK(cuMemAlloc(&a, sizeof y)); OK(cuMemAlloc(&b, sizeof y));
    OK(cuMemsetD8(a, 0, sizeof y)); OK(cuMemsetD8(b, 0, sizeof y));
    OK(cuStreamCreate(&s, 0)); OK(cuStreamCreate(&t, 0));
    void *pa[] = {&a}, *pb[] = {&b};
    OK(cuLaunchKernel(f, BLOCKS, 1, 1, LARGE, 1, 1, 0, s, pa, 0));
    OK(cuLaunchKernel(f, BLOCKS, 1, 1, SMALL, 1, 1, 0, t, pb, 0));
    OK(cuCtxSynchronize());
    OK(cuMemcpyDtoH(y, a, sizeof y));
    for (int i = 0; i < LARGE * BLOCKS; i++)
        if (y[i] != 200) { printf("a[%d] = %u\n", i, y[i]); return 3; }
    OK(cuMemcpyDtoH(y, b, sizeof y));
    for (int i = 0; i < SMALL * BLOCKS; i++)
        if (y[i] != 200) { printf("b[%d] = %u\n", i, y[i]); return 3; }
    puts("both right");
    return 0;
}
C
cc -I "$root/include/cuda" "$tmp/host.c" -L "$lib" -lcuda -o "$tmp/host" || exit 1
run() { timeout 120 "$PARSIM_BIN" run --quiet --gpu gtx480 "$@" -- "$tmp/host" "$tmp/k.ptx" >"$tmp/out" 2>&1; code=$?; }
says() { grep -q "$1" "$tmp/out"; }

run; ok "both run" '[ $code = 0 ] && says "both right"'
run --with caba-adaptive --set sm.registers=5120; ok "no block waits for registers that it will never get" '[ $code = 0 ] && says "both right"'
run --with caba-bdi --set sm.registers=5120; ok "a launch that does not fit is told by the next call" '[ $code = 1 ] && says "cuCtxSynchronize.*: 701"'

echo "$passed passed, $failed failed"
[ $failed = 0 ]
