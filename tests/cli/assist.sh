#!/usr/bin/env bash
# --assist: routines of a user count what the machine counts; errors; a planted bug is caught.
set -u
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
root=$(cd "$PARSIM_TESTS/.." && pwd)
passed=0 failed=0
ok() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $1"; sed 's/^/    /' "$tmp/err" | head -5; fi; }
says() { grep -qF -- "$1" "$tmp/err"; }
run() { "$PARSIM_BIN" run --gpu gtx480 --set gpu.sms=3 "$@" workload:sdk-bfs --size tiny >"$tmp/out" 2>"$tmp/err"; }
value() { python3 -c 'import json,sys; j=json.load(open(sys.argv[1])); exec("for k in sys.argv[2:]: j=j[k]"); print(j)' "$@"; }
equal() { [ "$(value "$tmp/a.json" assist "$1" "$2")" = "$(value "$tmp/a.json" stats "$3" "$4")" ]; }

run --json "$tmp/base.json"; cp "$tmp/out" "$tmp/base.out"
ok "two files run" 'run --assist "$root/assist/count_divergence.ptx" --assist "$root/assist/count_l1_miss.ptx" --trace "$tmp/trace" --json "$tmp/a.json"'
ok "the program computes the same" 'cmp -s "$tmp/out" "$tmp/base.out"'
ok "there is something to count" '[ "$(value "$tmp/a.json" assist count_divergence.ptx divergences)" -gt 100 ]'
ok "divergences are the machine's" 'equal count_divergence.ptx divergences sm divergences'
ok "misses are the machine's" 'equal count_l1_miss.ptx misses l1 read_misses'
ok "assist instructions are counted apart" '[ "$(value "$tmp/a.json" warp_instructions)" = "$(($(value "$tmp/a.json" stats sm warp_inst) - $(value "$tmp/a.json" stats sm extra_inst)))" ]'
ok "the report says it" 'says "count_divergence.ptx divergences ="'
ok "the timeline shows it" 'grep -q "\"count_l1_miss\"" "$tmp/trace"'
run --threads 2 --assist "$root/assist/count_divergence.ptx" --assist "$root/assist/count_l1_miss.ptx" --json "$tmp/b.json"
ok "two host threads: the same cycles" '[ "$(value "$tmp/a.json" cycles)" = "$(value "$tmp/b.json" cycles)" ]'
ok "two host threads: the same counts" '[ "$(value "$tmp/a.json" assist)" = "$(value "$tmp/b.json" assist)" ]'

printf '.version 5.0\n.target sm_30\n.address_size 64\n.entry never() {\n.pragma "assist on=inst:999999";\n.reg .b32 %%r;\nmov.u32 %%r,1; ret; }\n' >"$tmp/never.ptx"
run --assist "$tmp/never.ptx" --json "$tmp/n.json"
ok "no triggers: cycles of base" '[ "$(value "$tmp/n.json" cycles)" = "$(value "$tmp/base.json" cycles)" ]'
ok "no file" '! run --assist "$tmp/none.ptx" && says "there is no such file"'
sed 's/on=inst:999999/on=inst/' "$tmp/never.ptx" >"$tmp/bad.ptx"
ok "errors name file and line" '! run --assist "$tmp/bad.ptx" && says "bad.ptx:5: routine never: on=inst: should be"'
shared() { printf '.version 5.0\n.target sm_30\n.address_size 64\n%s\n.entry r() {\n.pragma "assist on=l1_miss";\n%s ret; }\n' "$1" "$2" >"$tmp/r.ptx"; }
shared '.shared .b8 big[4294967296];' 'st.shared.u32 [big],1;'
ok "shared memory beyond 32 bits" '! run --assist "$tmp/r.ptx" && says "needs 4294967296 bytes of shared memory; the limit is"'
shared '.shared .b8 big[100000];' 'st.shared.u32 [big],1;'
ok "shared memory beyond the machine" '! run --assist "$tmp/r.ptx" && says "take 100000 bytes; a block of this machine has at most 32768"'
shared '' '.local .b8 a[600000]; st.local.u32 [a+590000],1;'
ok "local memory" '! run --assist "$tmp/r.ptx" && says "r needs 600000 bytes of local memory a thread; the limit is 524288"'
shared '' '.local .b8 a[16]; st.local.u32 [a+-4],1;'
ok "a negative offset" '! run --assist "$tmp/r.ptx" && says "r.ptx:7: st.local.u32 is not supported: an access outside the variable"'
shared '.func f() { call f; ret; }' 'call f;'
ok "endless recursion" '! run --assist "$tmp/r.ptx" && says "routine r: calls are nested more than 16 deep"'
ok "needs time" '! "$PARSIM_BIN" run --assist "$tmp/never.ptx" workload:sdk-bfs --size tiny 2>"$tmp/err" && says "needs a timed run"'
ok "the store is full" '! run --assist "$root/assist/count_l1_miss.ptx" --set assist.aws_bytes=16 && says "assist.aws_bytes"'

ok "lines decoded by routines are the codec'\''s" 'run --with caba-bdi --verify --json "$tmp/c.json" && [ "$(value "$tmp/c.json" stats assist verified)" -gt 0 ]'
ok "... and the program computes the same" 'cmp -s "$tmp/out" "$tmp/base.out"'
sed 's/\[%src+8\]/[%src]/; s/st\.shared\.u32   \[%to+128\], 0;/st.shared.u32   [%to+128], 1;/' "$root/assist/bdi.ptx" >"$tmp/bug.ptx"
ok "a bug is planted" '! cmp -s "$root/assist/bdi.ptx" "$tmp/bug.ptx"'
ok "... and caught" '! run --with caba-bdi --verify --assist "$tmp/bug.ptx" && grep -q "assist routine bdi_decompress_[0-9], line 0x[0-9a-f]*: byte [0-9]* is" "$tmp/err"'

cat >"$tmp/before.ptx" <<'PTX'
.version 6.0
.target sm_30
.address_size 64
.visible .entry r(.param .u32 src, .param .u32 dst, .param .u32 result)
{
 .pragma "assist on=fill codec=bdi-lanes encoding=0 priority=high mask=0xffffffff steps=%at:4";
 .reg .b32 %r<8>, %src, %at;
 ld.param.u32 %src,[src]; ld.shared.u32 %r7,[%src-512]; st.shared.u32 [%at+128],0;
 ret;
}
PTX
ok "an access before its window is a fault" '! run --with caba-bdi --assist "$tmp/before.ptx" && says "read of 4 bytes at shared address 0xfffffe00"'

ok "interrupts are taken" 'run --with caba-interrupt --set assist.interrupt_cycles=500 --json "$tmp/i.json"'
ok "... with the results of base" 'cmp -s "$tmp/out" "$tmp/base.out"'
rings() { python3 - "$tmp/i.json" <<'PY'
import json, sys
j = json.load(open(sys.argv[1])); i = j["stats"]["assist_interrupt"]
taken, merged = i["latency"]["count"], i["merged"]
assert taken == i["served"]["count"] == j["assist"]["interrupt.ptx"]["interrupts"] > 20, (taken, i)
assert taken + merged <= 3 * (j["cycles"] // 500 + 1), (taken, merged, j["cycles"])  # an SM without warps takes none
assert i["latency"]["min"] >= 1 and i["latency"]["p50"] <= 20, i["latency"]
assert i["served"]["min"] > i["latency"]["min"], i
PY
}
ok "... one a ring, half of them within 20 cycles" 'rings 2>"$tmp/err"'
echo "$passed passed, $failed failed"
exit $((failed > 0))
