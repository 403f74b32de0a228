#!/usr/bin/env bash
# --plugin: a machine that a technique has stopped (tests/plugin/stubborn.c): the watchdog says what waits, for what,
# and which techniques are bound where.
set -u
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0
ok() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $1"; grep -v "^l2_\|^noc\|^dram\|^mc" "$tmp/err" | head -20; fi; }
build() { ${CC:-cc} -std=c17 -Wall -Wextra -Werror -shared -fPIC -I "$PARSIM_TESTS/../include" -o "$tmp/stubborn.so" "$PARSIM_TESTS/plugin/stubborn.c" >"$tmp/err" 2>&1; }
ok "it builds" build
cat >"$tmp/k.ptx" <<'P'
.version 3.2
.target sm_20
.address_size 64
.visible .entry k(.param .u64 in)
{
.reg .b32 %r<9>; .reg .b64 %rd<9>;
ld.param.u64 %rd1, [in];
ld.global.u32 %r3, [%rd1];
add.u32 %r4, %r3, 1;
st.global.u32 [%rd1], %r4;
ret;
}
P
head -c 128 /dev/zero >"$tmp/in.bin"
# DEED SEAM TEXT
stops() {
    ok "stopped: $1" "! timeout 60 '$PARSIM_BIN' launch --gpu gtx480 --set gpu.sms=1 --plugin '$tmp/stubborn.so' --with stubborn --set stubborn.deed=$1 \
        --grid 1 --block 32 '$tmp/k.ptx' k 'in:$tmp/in.bin' >'$tmp/out' 2>'$tmp/err' && grep -q 'blocked after' '$tmp/err' \
        && grep -q \"$3\" '$tmp/err' && grep -qx 'seam $2: technique stubborn' '$tmp/err'"
}
stops narrow schedulers "warp slot 0 .*: can issue, but the scheduler's technique lets another go, or none; .* next: line 7, ld.param"
stops precede issue "warp slot 0 .*: a technique puts instructions before its next; .* next: line 7, ld.param"
ok "how many" 'grep -q "^  [1-9][0-9]* instructions that are not the program.s so far" "$tmp/err"'
stops hold issue "warp slot 0 .*: is held back by a technique"
stops absorb l2_packets "^  1 requests absorbed by the technique at seam l2_packets and not given back"
echo "$passed passed, $failed failed"
exit $((failed > 0))
