# parsim inspect: the table, the JSON, errors.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "FAIL: $*"; exit 1; }

cat >"$tmp/k.ptx" <<'PTX'
.version 7.0
.target sm_70
.address_size 64
.extern .shared .align 4 .b8 dyn[];
.shared .b32 used[4];
.shared .b32 unused[4];
.func f() { .local .b8 depot[24]; ret; }
.visible .entry first(.param .u64 a, .param .u32 n)
.maxntid 64, 1, 1
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>;
    .shared .b8 own[10];
    ld.param.u64 %rd1, [a];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, dyn;
    st.shared.u32 [used], %r1;
    st.global.u32 [%rd1], %r1;
    call f;
    made.up.thing %r1, %r2;
    made.up.thing %r1, %r2;
    ret;
}
.visible .entry second() { ret; }
PTX

out=$("$PARSIM_BIN" inspect "$tmp/k.ptx")
grep -q 'PTX 7.0 for sm_70, 64-bit addresses; 2 kernels shown, 1 function, 3 variables' <<<"$out" ||
    fail "head: $out"
grep -Eq '^first +8 +2 +12 +4 +26\+ +24 +10 ' <<<"$out" || fail "row: $out"
grep -Eq '^second .* none$' <<<"$out" || fail "row 2: $out"
grep -q "first cannot be launched" <<<"$out" || fail "unsupported: $out"
grep -q "k.ptx:20: made.up.thing: .*(2 times)" <<<"$out" || fail "unsupported place: $out"

out=$("$PARSIM_BIN" inspect "$tmp/k.ptx" --kernel first)
grep -Eq 'parameter 1 +at byte 8 +4 bytes +.u32 n' <<<"$out" || fail "parameters: $out"
grep -q '.maxntid 64, 1, 1' <<<"$out" || fail "limits: $out"

"$PARSIM_BIN" inspect "$tmp/k.ptx" --json "$tmp/k.json" >/dev/null
for want in '"ptx_version":"7.0"' '"name":"first"' '"shared_bytes":26' '"dynamic_shared":true' \
    '"local_bytes":24' '"instruction":"made.up.thing"' '"maxntid":\[' '"parameter_bytes":12'; do
    grep -q "$want" <(tr -d ' \n' <"$tmp/k.json") || fail "JSON lacks $want"
done
"$PARSIM_BIN" inspect - --json - <"$tmp/k.ptx" | head -1 | grep -q '^{' || fail "JSON to stdout"

{
    printf '.version 7.0\n.target sm_70\n.address_size 64\n.shared .b32 s[80];\n'
    printf '.visible .entry crowd() { .reg .b32 %%r<80>;\n'
    for i in $(seq 0 79); do printf 'ld.shared.b32 %%r%d, [s+%d];\n' "$i" $((4 * i)); done
    for i in $(seq 0 79); do printf 'st.shared.b32 [s+%d], %%r%d;\n' $((4 * i)) "$i"; done
    printf 'ret; }\n'
} >"$tmp/crowd.ptx"
out=$("$PARSIM_BIN" inspect "$tmp/crowd.ptx")
grep -Eq '^crowd +5 +0 +0 +80 ' <<<"$out" || fail "registers on h200: $out"
out=$("$PARSIM_BIN" inspect "$tmp/crowd.ptx" --gpu gtx480)
grep -q '^crowd needs 80 registers a thread and gets 63 on gtx480: 68 bytes are spilled$' <<<"$out" ||
    fail "spills: $out"

expect_usage() { # ARGUMENTS... : exit code 2, a message on stderr, nothing on stdout
    local code=0
    "$PARSIM_BIN" inspect "$@" >"$tmp/out" 2>"$tmp/err" || code=$?
    [ $code = 2 ] || fail "exit code $code for: $*"
    [ -s "$tmp/err" ] && [ ! -s "$tmp/out" ] || fail "streams for: $*"
}
expect_usage
expect_usage "$tmp/nosuch.ptx"
expect_usage "$tmp/k.ptx" --nosuch
expect_usage "$tmp/k.ptx" --json
expect_usage "$tmp/k.ptx" --kernel third
expect_usage "$tmp/k.ptx" --gpu nosuch
printf '.version 7.0\n.entry k() { bra X; }\n' >"$tmp/bad.ptx"
expect_usage "$tmp/bad.ptx"
grep -q "bad.ptx:2:18: label 'X' is not defined" "$tmp/err" || fail "place: $(cat "$tmp/err")"
"$PARSIM_BIN" inspect --help | grep -q '^usage: parsim inspect' || fail "help"
echo ok

# --code: what each instruction becomes, in the order in which it runs
cat >"$tmp/code.ptx" <<'PTX'
.version 7.0
.target sm_70
.address_size 64
.func (.reg .b32 %o) twice(.reg .b32 %i) { shl.b32 %o, %i, 1; ret; }
.visible .entry k(.param .u64 a, .param .u32 n)
{
    .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .pred %p<3>;
    ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd2, %r2, 4;
    add.u64 %rd3, %rd1, %rd2;
    add.u64 %rd4, %rd3, 128;
    ld.global.f32 %f1, [%rd4];
    mul.f32 %f2, %f1, %f1;
    add.f32 %f3, %f2, 0f3F800000;
    div.rn.f32 %f4, %f3, %f1;
    setp.ge.u32 %p1, %r2, %r1;
    @%p1 bra END;
    st.global.f32 [%rd4], %f4;
END:
    call (%r3), twice, (%r2);
    xor.b64 %rd5, %rd3, %rd1;
    st.global.b64 [%rd3], %rd5;
    ret;
}
PTX
out=$("$PARSIM_BIN" inspect "$tmp/code.ptx" --code)
for want in '1 sp +iadd +4/2 +11 +add.u64 %rd3, %rd1, %rd2$' ' {30}10 +mul.wide.u32 .*// multiplied by the sum' \
    ' {30}12 +add.u64 .*// offset of the loads and stores' ' {30}14 +mul.f32 .*// multiplied by the sum' \
    '11 sfu +fdiv .* 16 +div.rn.f32 .*// a sequence' '1 mem +19 +@!%p1 st.global.f32' \
    '2 int +alu .* 22 +xor.b64' 'code of twice: 2 instructions of PTX, 2 as'; do
    grep -Eq -- "$want" <<<"$out" || fail "code lacks $want: $out"
done
"$PARSIM_BIN" inspect "$tmp/code.ptx" --code --json - | python3 -c '
import json, sys
k, twice = json.load(sys.stdin)["kernels"][0]["code"]
rows = {r["line"]: r for r in k["instructions"]}
assert k["function"] == "k" and twice["function"] == "twice", (k, twice)
assert k["issued"] == sum(r["issued"] for r in k["instructions"]) and len(k["instructions"]) == 16
assert rows[14]["issued"] == 0 and rows[15] == {"line": 15, "ptx": "add.f32 %f3, %f2, 0f3F800000", "issued": 1, "unit": "sp",
    "class": "fadd", "latency": 4, "initiation": 2}, rows[15]
assert rows[13]["unit"] == "mem" and "latency" not in rows[13], rows[13]
' || fail "code as JSON"
"$PARSIM_BIN" inspect "$tmp/code.ptx" --code --gpu gtx480 | grep -q 'code of k: 17 instructions of PTX, 17 as' || fail "code as PTX"
rc=0; "$PARSIM_BIN" inspect "$tmp/k.ptx" --kernel first --code 2>"$tmp/err" >"$tmp/out" || rc=$?
[ $rc = 2 ] && grep -q 'k.ptx:20: made.up.thing' "$tmp/err" || fail "code of what cannot run: $(cat "$tmp/err")"
rc=0; "$PARSIM_BIN" inspect "$tmp/code.ptx" --code --ptx 2>"$tmp/err" || rc=$?
[ $rc = 2 ] && grep -q 'one of them' "$tmp/err" || fail "--code and --ptx: $(cat "$tmp/err")"
