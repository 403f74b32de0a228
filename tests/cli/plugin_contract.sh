#!/usr/bin/env bash
# --plugin: what a policy leaves out and does wrong (tests/plugin/unruly.c) is an error that names it, at once.
set -u
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0
ok() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $1"; sed 's/^/    /' "$tmp/err" | head -5; fi; }
says() { grep -qF -- "$1" "$tmp/err"; }
build() { ${CC:-cc} -std=c17 -Wall -Wextra -Werror -shared -fPIC -I "$PARSIM_TESTS/../include" -o "$tmp/unruly.so" "$PARSIM_TESTS/plugin/unruly.c" >"$tmp/err" 2>&1; }
ok "it builds" build
cat >"$tmp/k.ptx" <<'P'
.version 3.2
.target sm_20
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
.reg .b32 %r<9>; .reg .b64 %rd<9>;
ld.param.u64 %rd1, [in];
ld.param.u64 %rd2, [out];
mov.u32 %r1, %tid.x;
mad.wide.u32 %rd3, %r1, 4, %rd1;
mad.wide.u32 %rd4, %r1, 4, %rd2;
ld.global.u32 %r3, [%rd3];
add.u32 %r4, %r3, 1;
ld.global.u32 %r3, [%rd3];
add.u32 %r4, %r4, %r3;
st.global.u32 [%rd4], %r4;
ret;
}
P
head -c 128 /dev/zero >"$tmp/in.bin"
run() { # NAME OPTION...: a warp of eight threads, which read a sector
    local name=$1; shift
    timeout 20 "$PARSIM_BIN" launch --gpu gtx480 --set gpu.sms=1 "$@" --json "$tmp/$name.json" --grid 1 --block 8 "$tmp/k.ptx" k \
        "in:$tmp/in.bin" "out:128:$tmp/out.bin" >"$tmp/out" 2>"$tmp/err"
}
with() { local deed=$1; shift; run "$deed" --plugin "$tmp/unruly.so" --with unruly --set "unruly.deed=$deed" "$@"; }
ok "without it" 'run base'
ok "functions that it leaves out do nothing" 'with nothing && python3 - "$tmp/base.json" "$tmp/nothing.json" <<<"
import json,sys; a,b=[json.load(open(f))[\"stats\"] for f in sys.argv[1:]]
assert a == b"'
refused() { ok "refused: $1" "! with $1 && says \"technique unruly: $2\""; }
refused wraps-with-null "SM 0: seam requests: ask() is NULL; who takes a seam with TAKE_WRAP must call what was bound there (request_policy_wrap() does)"
refused no-tags "slice 0: seam l2_capacity: tag_factor is 0: must be 1 to 64"
refused no-mode "SM 0: seam encodings: mode is 9: must be 0 to 3"
refused foreign-wants "SM 0: seam registers: wants is 0x80, and may have no more bits than 0x1407"
# DEED PLACE TEXT OPTION...: the run ends in the cycle in which it happens, on one thread and on two
ends() {
    local more="${*:4}"
    ok "ended: $1" "! with $1 $more && grep -q \"kernel k: technique unruly on $2: $3\" '$tmp/err' && ! says 'blocked after'"
    cp "$tmp/err" "$tmp/one"
    ok "ended: $1, on two threads" "! with $1 $more --threads 2 && diff <(grep 'technique unruly' '$tmp/one') <(grep 'technique unruly' '$tmp/err')"
}
ends ask "SM 0, seam requests" "ask() names no sector of line_view.missing"
ends l1-line "SM 0, seam l1_capacity" "line_bytes() is more than a line's bytes"
ends l2-line "slice [0-9]*, seam l2_capacity" "line_bytes() is more than a line's bytes"
ends extras "channel [0-9]*, seam storage" "dram_form() has more extras than STORAGE_EXTRAS"
ends reads "channel [0-9]*, seam storage" "dram_form() reads bursts before those of a read"
ends cost "SM 0, seam registers" "rf_cost.write asks for more cycles than RF_COST_MAX"
ends initiation "SM 0, seam issue" "initiation() asks for more cycles than RF_COST_MAX"
ends bank "SM 0, seam registers" "bank() is not below RF_BANKS_MAX"
ends precede "SM 0, seam issue" "precede() gives an instruction of memory"
ends pick "SM 0, seam schedulers" "pick() gives neither one of"
ends large-request "SM 0, seam sm_packets" "wire_bytes() is more than SEAM_PACKET_MAX"
ends late-request "SM 0, seam sm_packets" "send_latency() is more than SEAM_CYCLES_MAX"
ends late-fill "SM 0, seam sm_packets" "fill_latency() is more than SEAM_CYCLES_MAX"
ends late-hit "SM 0, seam l1_capacity" "hit_latency() is more than SEAM_CYCLES_MAX"
ends large-answer "slice [0-9]*, seam l2_packets" "wire_bytes() is more than SEAM_PACKET_MAX"
ends absorbs-writes "slice [0-9]*, seam l2_packets" "arrive() absorbs a write, and reads alone can come back with an answer"
sectors=; for s in l1 l1c l1t l1i l2 mc; do sectors+=" --set $s.sector_bytes=32"; done
ok "sectors that the slice does not hold do not come" 'with widens $sectors --set l1.sectored=true'
ends bursts "channel [0-9]*, seam storage" "dram_form() moves bursts that a block does not have"
ends encoded "SM 0, seam forms" "a line has come encoded, and the L1 takes none"
ok "riders that are not absorbed and sectors beyond a line are refused" 'with refused'
ok "ended: hold" '! with hold && says "technique unruly on SM 0: hold() of a slot that no warp has: 1000000 of 48 (sm.warps)"'
echo "$passed passed, $failed failed"
exit $((failed > 0))
