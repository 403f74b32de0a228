#!/usr/bin/env bash
# parsim run: a C host on the driver API (needs only a C compiler), the report, the exit code, bad
# usage; and where nvcc is, a program with the shared and with the static runtime.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
root=$(cd "$PARSIM_TESTS/.." && pwd)
lib=$(cd "$(dirname "$PARSIM_BIN")" && pwd)/lib
failed=0
fail() {
    echo "FAIL: $*"
    failed=1
}

cat >"$tmp/host.c" <<'EOF'
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
static const char ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry store(.param .u64 p) { .reg .u64 %d; ld.param.u64 %d, [p];\n"
    "  st.global.u32 [%d], 7; ret; }\n";
int main(int argc, char **argv)
{
    CUdevice d;
    CUcontext c;
    CUmodule m;
    CUfunction f;
    CUdeviceptr p = 0;
    unsigned v = 0;
    if (cuInit(0) || cuDeviceGet(&d, 0) || cuCtxCreate(&c, NULL, 0, d) ||
        cuModuleLoadData(&m, ptx) || cuModuleGetFunction(&f, m, "store"))
        return 99;
    if (argc == 2 && cuMemAlloc(&p, 4))
        return 98;
    void *args[] = {&p};
    if (cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL))
        return 97;
    CUresult e = p ? cuMemcpyDtoH(&v, p, 4) : cuCtxSynchronize();
    printf("result %d value %u\n", e, v);
    return argc == 2 ? atoi(argv[1]) : 1;
}
EOF
"${CC:-cc}" -I "$root/include/cuda" "$tmp/host.c" -o "$tmp/host" -L "$lib" -lcuda || fail "compile"

out=$("$PARSIM_BIN" run --functional --gpu h200 --json "$tmp/r.json" -- "$tmp/host" 5 2>"$tmp/err")
[ $? = 5 ] || fail "exit code of the program"
[ "$out" = "result 0 value 7" ] || fail "output: $out"
grep -q '1 kernel, 1 launch,' "$tmp/err" || fail "report: $(cat "$tmp/err")"
grep -q '"name": "store"' "$tmp/r.json" || fail "JSON"
if command -v python3 >/dev/null; then
    python3 -m json.tool "$tmp/r.json" >/dev/null || fail "JSON is not well formed"
fi

out=$("$PARSIM_BIN" run "$tmp/host" 2>"$tmp/err")
[ $? = 1 ] || fail "exit code after a fault"
[ "$out" = "result 700 value 0" ] || fail "fault: $out"
grep -q 'kernel store.*address 0x0' "$tmp/err" || fail "fault message: $(cat "$tmp/err")"

out=$("$PARSIM_BIN" run --quiet -- "$tmp/host" 0 2>&1)
[ "$out" = "result 0 value 7" ] || fail "--quiet: $out"

# The tree may be moved: the libraries are found beside the command.
mkdir "$tmp/moved" && cp "$PARSIM_BIN" "$tmp/moved/" && cp -r "$lib" "$tmp/moved/lib"
"$tmp/moved/$(basename "$PARSIM_BIN")" run --quiet -- "$tmp/host" 0 >/dev/null 2>&1 || fail "moved tree"

expect() { # code, pattern, arguments
    local code=$1 pattern=$2
    shift 2
    text=$("$PARSIM_BIN" run "$@" 2>&1)
    [ $? = "$code" ] || fail "run $*: not exit code $code"
    grep -q -e "$pattern" <<<"$text" || fail "run $*: $text"
}
expect 2 'no program'
mkdir "$tmp/no-ptx"
expect 2 '--ptx .*: has none of the 1 texts of PTX' --ptx "$tmp/no-ptx" -- "$tmp/host" 0
expect 2 'no GPU' --gpu none -- "$tmp/host"
: >"$tmp/empty.yaml"
expect 2 'empty.yaml: no machine' --gpu "$tmp/empty.yaml" -- "$tmp/host"
expect 2 'cannot run' -- "$tmp/nothing"
expect 2 'not known' --nonsense -- "$tmp/host"
expect 2 'above 0' --max-inst 0 -- "$tmp/host"
expect 2 'memory .* and race' --check=everything -- "$tmp/host"
expect 0 'usage' --help

nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
if ! command -v "$nvcc" >/dev/null; then
    echo "the programs compiled by nvcc are skipped: nvcc is not installed"
    exit $failed
fi
cat >"$tmp/p.cu" <<'EOF'
#include <cstdio>
__global__ void set(int *p) { p[threadIdx.x] = threadIdx.x; }
int main()
{
    int *d, h[8];
    cudaMalloc(&d, sizeof h);
    set<<<1, 8>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d %s\n", h[7], cudaGetErrorName(cudaGetLastError()));
}
EOF
flags=(-gencode arch=compute_75,code=compute_75)
"$nvcc" "${flags[@]}" -cudart shared -o "$tmp/shared" "$tmp/p.cu" || fail "nvcc"
"$nvcc" "${flags[@]}" -o "$tmp/static" "$tmp/p.cu" || fail "nvcc"
"$nvcc" -gencode arch=compute_75,code=sm_75 -cudart shared -o "$tmp/cubin" "$tmp/p.cu" || fail "nvcc"
for name in shared static; do
    out=$("$PARSIM_BIN" run --quiet -- "$tmp/$name" 2>&1)
    [ "$out" = "7 cudaSuccess" ] || fail "$name: $out"
done
strip "$tmp/static"
expect 2 'relink it with -cudart shared' -- "$tmp/static"
expect 0 'compile it with' -- "$tmp/cubin"
expect 0 'cudaErrorNoKernelImageForDevice' -- "$tmp/cubin"
exit $failed
