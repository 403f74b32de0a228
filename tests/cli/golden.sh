#!/usr/bin/env bash
# Every vector of the real GPU, and that a wrong one is noticed.
set -eu
cd "$(dirname "$0")/../.."
"$PARSIM_BIN" golden tests/golden
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
cat >"$tmp/t.ptx" <<'P'
.version 8.0
.target sm_90
.address_size 64
.visible .entry c(.param .u64 a,.param .u64 b,.param .u64 e,.param .u64 o,.param .u64 o2,.param .u32 n)
{ .reg .b32 %r<9>; .reg .b64 %d<9>; mov.u32 %r1,%tid.x; ld.param.u64 %d1,[a]; ld.param.u64 %d2,[o];
mul.wide.u32 %d3,%r1,4; add.u64 %d1,%d1,%d3; add.u64 %d2,%d2,%d3; ld.global.u32 %r2,[%d1]; add.u32 %r2,%r2,1;
st.global.u32 [%d2],%r2; ret; }
P
printf 'case c | add one | in u32 | out u32 | exact\n1 > 2\nff > 100\n' >"$tmp/t.vec"
"$PARSIM_BIN" golden "$tmp" >"$tmp/out" && code=0 || code=$?
# the kernel has no bounds check, so it is the third thread that reads beyond the two elements
[ "$code" = 1 ] && grep -q 'thread (2,0,0)' "$tmp/out"
sed -i 's/mov.u32 %r1,%tid.x;/mov.u32 %r1,%tid.x; .reg .pred %p; setp.gt.u32 %p,%r1,1; @%p exit;/' "$tmp/t.ptx"
"$PARSIM_BIN" golden "$tmp" | grep -qx '1 passed, 0 failed'
printf 'case c | add one | in u32 | out u32 | exact\n1 > 2\nff > 101\n' >"$tmp/t.vec"
if "$PARSIM_BIN" golden "$tmp" >"$tmp/out"; then exit 1; fi
grep -q 'FAIL t c add one: ff > expected 101, got 100' "$tmp/out"
grep -qx '0 passed, 1 failed' "$tmp/out"
# the hash is that of what was computed, not of what was expected
hash=$("$PARSIM_BIN" golden "$tmp" --hash | grep '^output hash') || true
printf 'case c | add one | in u32 | out u32 | exact\n1 > 2\nff > 100\n' >"$tmp/t.vec"
"$PARSIM_BIN" golden "$tmp" --hash | grep -qx "$hash"
printf 'case c | add one | in u32 | out u32 | exact\n1 > 2\nfe > ff\n' >"$tmp/t.vec"
if "$PARSIM_BIN" golden "$tmp" --hash | grep -qx "$hash"; then exit 1; fi
echo "4 passed, 0 failed"
