#!/usr/bin/env bash
# Functional execution with every run of lane operations translated from the start: the workloads give
# the same outputs and execute the same numbers of instructions as without translation.
set -u
# The translator is loaded while threads run, and LeakSanitizer then takes what is no address for the
# thread-local memory of its libraries and crashes over it.
export LSAN_OPTIONS=use_tls=0:print_suppressions=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
fail() {
    echo "FAIL: $*"
    failed=1
}

# What a workload computes and how much it executes.
run_one() {
    if ! PARSIM_JIT=$1 "$PARSIM_BIN" run --functional "workload:$2" --size tiny >"$tmp/out" 2>"$tmp/err"; then
        fail "$2 with PARSIM_JIT=$1: $(cat "$tmp/err")"
    fi
    grep -h -o -E '^output hash.*|[0-9]+ warp-instructions, [0-9]+ thread-instructions' "$tmp/out" "$tmp/err"
}

for name in $("$PARSIM_BIN" workloads | cut -d' ' -f1); do
    run_one off "$name" >"$tmp/off"
    run_one always "$name" >"$tmp/always"
    [ "$(wc -l <"$tmp/off")" = 2 ] || fail "$name says nothing of its outputs or instructions: $(cat "$tmp/off")"
    cmp -s "$tmp/off" "$tmp/always" || fail "$name: $(cat "$tmp/off") / translated: $(cat "$tmp/always")"
done

# Loads of every form, with lanes that part; a fault or a warning in the middle of a run; a limit that ends it.
head -c 2806 "$(dirname "$0")/translated.sh" >"$tmp/in"
block=77
launch() {
    local jit=$1
    shift
    PARSIM_JIT=$jit "$PARSIM_BIN" launch "$(dirname "$0")/translated.ptx" mix --functional --grid 3 --block "$block" \
        --json "$tmp/json" "in:$tmp/in" out:924 i32:40 "$@" >"$tmp/$jit" 2>&1
    echo "exit $?" >>"$tmp/$jit"
    grep -h _instructions "$tmp/json" >>"$tmp/$jit"
    sed -i 's/, [0-9.]* s ([^)]*)//' "$tmp/$jit"
}
compare() {
    local what=$1
    shift
    launch off "$@"
    launch always "$@"
    cmp -s "$tmp/off" "$tmp/always" || fail "$what: $(diff "$tmp/off" "$tmp/always")"
}
compare "loads" i32:0
grep -q 'exit 0' "$tmp/off" || fail "loads: $(cat "$tmp/off")"
block=35 compare "loads of a warp of three lanes" i32:0
grep -q 'exit 0' "$tmp/off" || fail "loads of three lanes: $(cat "$tmp/off")"
compare "a fault" i32:4096
grep -q 'thread (45,0,0)' "$tmp/off" || fail "a fault: $(cat "$tmp/off")"
compare "an access that is not aligned" i32:2
grep -q 'exit 1' "$tmp/off" || fail "an access that is not aligned: $(cat "$tmp/off")"
compare "a warning" --oob warn i32:4096
grep -q 'exit 0' "$tmp/off" || fail "a warning: $(cat "$tmp/off")"
compare "a limit" --max-inst 3000 i32:0
grep -q 'stopped after' "$tmp/off" || fail "a limit: $(cat "$tmp/off")"

# KERNEL BYTES WHAT: kernel KERNEL of KERNEL.ptx writes the same translated.
same_both_ways() {
    local kernel=$1 bytes=$2 what=$3 jit
    for jit in off always; do
        PARSIM_JIT=$jit "$PARSIM_BIN" launch "$tmp/$kernel.ptx" "$kernel" --functional --grid 1 --block 32 \
            "out:$bytes:$tmp/$kernel.$jit" >"$tmp/out" 2>&1 || fail "$what, $jit: $(cat "$tmp/out")"
    done
    cmp -s "$tmp/$kernel.off" "$tmp/$kernel.always" || fail "$what: another result translated"
}

# A sign that is known, and a value chosen by it: LLVM 14 chose the wrong one.
cat >"$tmp/sign.ptx" <<'END'
.version 7.0
.target sm_70
.address_size 64
.visible .entry sign(.param .u64 out)
{
    .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 8;
    add.s64 %rd1, %rd1, %rd2;
    and.b32 %r2, %r1, 0x7fffffff;
    neg.s32 %r3, %r2;
    and.b32 %r4, %r2, %r3;
    setp.lt.s32 %p1, %r4, 0;
    selp.b32 %r5, 5, %r3, %p1;
    sub.sat.s32 %r6, 0, %r2;
    sub.s32 %r7, %r5, %r6;
    st.global.u32 [%rd1], %r5;
    st.global.u32 [%rd1+4], %r7;
    ret;
}
END
PARSIM_JIT=always "$PARSIM_BIN" launch "$tmp/sign.ptx" sign --functional --grid 1 --block 32 "out:256:$tmp/sign.bin" >"$tmp/out" 2>&1 ||
    fail "a known sign: $(cat "$tmp/out")"
[ "$(od -An -v -w8 -t d4 "$tmp/sign.bin" | awk '$1 != 1 - NR || $2 != 0' | wc -l)" = 0 ] ||
    fail "a known sign: $(od -An -v -w8 -t d4 "$tmp/sign.bin")"

# A value chosen by doubles and then widened: LLVM 14 ended the process.
cat >"$tmp/chosen.ptx" <<'END'
.version 7.0
.target sm_70
.address_size 64
.visible .entry chosen(.param .u64 out)
{
    .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .f64 %fd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 8;
    add.s64 %rd1, %rd1, %rd2;
    mul.lo.u32 %r2, %r1, 0x01010003;
    add.u32 %r3, %r1, 0x3210;
    cvt.rn.f64.u32 %fd1, %r1;
    mov.f64 %fd2, 0d402F000000000000;
    bar.sync 0;
    setp.lt.f64 %p1, %fd1, %fd2;
    selp.b32 %r4, %r2, %r3, %p1;
    prmt.b32 %r5, %r2, %r3, %r4;
    st.global.u32 [%rd1], %r4;
    st.global.u32 [%rd1+4], %r5;
    ret;
}
END
same_both_ways chosen 256 "a choice by doubles"

# Beside an operation that names how it rounds, bits that are chosen by a guard: LLVM 14 made wrong code of these for AVX-512.
cat >"$tmp/beside.ptx" <<'END'
.version 8.0
.target sm_80
.address_size 64
.visible .entry beside(.param .u64 out)
{
    .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .f32 %f<8>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mad.wide.u32 %rd1, %r1, 32, %rd1;
    setp.lt.u32 %p0, %r1, 16;
    mad.lo.u32 %r2, %r1, 3, 100;
    mov.u32 %r3, %r2;
    mov.u32 %r4, %r2;
    cvt.rn.f32.u32 %f1, %r2;
    cvt.rn.f32.s32 %f2, %r1;
    bar.sync 0;
    @%p0 copysign.f32 %f1, %f1, %f2;
    @%p0 bfe.s32 %r2, %r2, 0, 1;
    @%p0 lop3.b32 %r3, %r3, 1, %r3, 56;
    @%p0 bfi.b32 %r4, %r1, %r4, 4, 6;
    add.rz.f32 %f3, %f1, %f2;
    fma.rm.f32 %f4, %f1, %f3, %f2;
    sub.rp.f32 %f5, %f4, %f3;
    mul.rz.f32 %f6, %f4, 0f3DCCCCCD;
    st.global.f32 [%rd1], %f1;
    st.global.u32 [%rd1+4], %r2;
    st.global.u32 [%rd1+8], %r3;
    st.global.u32 [%rd1+12], %r4;
    st.global.f32 [%rd1+16], %f3;
    st.global.f32 [%rd1+20], %f4;
    st.global.f32 [%rd1+24], %f5;
    st.global.f32 [%rd1+28], %f6;
    ret;
}
END
same_both_ways beside 1024 "bits beside a rounding"

# A value that is none of PARSIM_JIT's is no secret way of switching it off.
if PARSIM_JIT=of "$PARSIM_BIN" run --functional workload:sdk-fwt --size tiny >/dev/null 2>"$tmp/err" ||
    ! grep -q 'PARSIM_JIT=of: there are auto, off and always' "$tmp/err"; then
    fail "PARSIM_JIT=of: $(cat "$tmp/err")"
fi
exit $failed
