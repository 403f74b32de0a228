#!/usr/bin/env bash
# Marks in PTX: kept, shown, refused where they are wrong; and nothing else about a run changes by them.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
root=$(cd "$PARSIM_TESTS/.." && pwd)
fail() { echo "FAIL: $*"; exit 1; }
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }

cat >"$tmp/k.ptx" <<'PTX'
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
    .reg .b32 %r<4>;
    .reg .f32 %f<6>;
    .reg .b64 %rd<6>;
    .reg .pred %p<2>;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.u64 %rd1, %rd1, %rd3;
    add.u64 %rd2, %rd2, %rd3;
    .pragma "lnl load H=0 uses=1";
    ld.global.f32 %f1, [%rd1];
    .pragma "lnl begin loads=0";
    mov.u32 %r2, 20;
LOOP:
    .pragma "nounroll", "lnl precise";
    sub.u32 %r2, %r2, 1;
    .pragma "memo begin IN=%f1";
    mul.f32 %f2, %f1, %f1;
    .pragma "memo end OUT=%f2";
    sqrt.rn.f32 %f1, %f2;
    setp.ne.u32 %p1, %r2, 0;
    @%p1 bra LOOP;
    .pragma "lnl store f32";
    st.global.f32 [%rd2], %f1;
    .pragma "lnl end";
    ret;
}
PTX
grep -v pragma "$tmp/k.ptx" >"$tmp/plain.ptx"
head -c 1024 /dev/zero | tr '\0' '@' >"$tmp/in.bin"
for name in k plain; do
    for machine in gtx480 h200; do
        "$PARSIM_BIN" launch "$tmp/$name.ptx" k --gpu $machine --grid 4 --block 256 --json "$tmp/$name.$machine.json" \
            "in:$tmp/in.bin" "out:1024:$tmp/$name.$machine.bin" >/dev/null 2>&1 || fail "launch of $name on $machine"
    done
done
cmp "$tmp/k.gtx480.bin" "$tmp/plain.gtx480.bin" || fail "other results with marks"
python3 - "$tmp" <<'PY' || fail "marks move statistics"
import json, sys
for machine in "gtx480", "h200":
    a, b = [json.load(open("%s/%s.%s.json" % (sys.argv[1], n, machine)))["stats"] for n in ("k", "plain")]
    assert a == b and a["sm"]["warp_inst"] > 100, machine
PY

out=$("$PARSIM_BIN" inspect "$tmp/k.ptx")
grep -Eq '^  line 16 +before ld.global.f32 +"lnl load H=0 uses=1"$' <<<"$out" || fail "inspect: $out"
"$PARSIM_BIN" inspect "$tmp/k.ptx" --json - | python3 -c '
import json, sys
p = json.load(sys.stdin)["kernels"][0]["pragmas"]
assert len(p) == 8 and p[4] == {"text": "memo begin IN=%f1", "line": 23, "column": 13, "before": 9, "instruction": "mul.f32"}, p
' || fail "inspect --json"

# Wrong ones are errors wherever the file goes; ones of other families are not ours.
sed 's/uses=1/uses=5/' "$tmp/k.ptx" >"$tmp/bad.ptx"
for command in "inspect $tmp/bad.ptx" "launch $tmp/bad.ptx k --grid 1 --block 32 in:$tmp/in.bin out:1024"; do
    code=0
    "$PARSIM_BIN" $command >/dev/null 2>"$tmp/err" || code=$?
    [ $code = 2 ] || fail "exit code $code of $command"
    grep -q "bad.ptx:16:32: not 'uses=5'; it should be \"lnl load H=0..3 uses=1..4 \[abs\]\"" "$tmp/err" ||
        fail "$command: $(cat "$tmp/err")"
done

# What each of the marked workloads says, with the instruction that it is about.
marks_of() { # FILE: one line a mark: its text, and what is behind it that it can be about
    "$PARSIM_BIN" inspect "$1" --json - | python3 -c '
import json, sys
for k in json.load(sys.stdin)["kernels"]:
    for p in k["pragmas"]:
        print(k["name"], p["text"])'
}
expect_marks() { # WORKLOAD EXPECTED
    local have
    have=$(marks_of "$root/workloads/$1/$1.ptx")
    [ "$have" = "$2" ] || fail "$1 has: $have"
}
expect_marks rodinia-hs "hotspot lnl load H=0 uses=1
hotspot lnl load H=1 uses=1
hotspot lnl begin loads=0,1
hotspot lnl end"
expect_marks sdk-sf "sobel lnl load H=0 uses=1 abs
sobel lnl load H=1 uses=1 abs
sobel lnl load H=2 uses=1 abs
sobel lnl begin loads=0,1,2
sobel lnl store u8
sobel lnl end"
expect_marks sdk-bf "bilateral lnl load H=0 uses=1
bilateral lnl begin loads=0
bilateral memo begin IN=%f50
bilateral memo end OUT=%f53
bilateral lnl store u8x4
bilateral lnl end"
for name in sdk-cons sdk-ct; do
    expect_marks $name "convolve_rows lnl load H=0 uses=1
convolve_rows lnl begin loads=0
convolve_rows lnl end
convolve_columns lnl load H=0 uses=1
convolve_columns lnl begin loads=0
convolve_columns lnl end"
done

# Marks are put into the code as it is without them (tools/workloads_ptx).
printf '\t.reg .f32 %%f<3>;\n\tmov.f32 %%f1, 0f00000000;\n\tst.f32 [a], %%f1;\n}\n' >"$tmp/plain"
printf '\t.reg .f32 %%f<9>;\n\tmov.f32 %%f7, 0f00000000;\n\t// begin inline asm\n\t.pragma "memo end OUT=%%f7";\n' >"$tmp/marked"
printf '\t// end inline asm\n\tst.f32 [a], %%f7;\n}\n' >>"$tmp/marked"
"$root/tools/workloads_marks" "$tmp/plain" "$tmp/marked" >"$tmp/both" || fail "workloads_marks"
grep -q 'OUT=%f1"' "$tmp/both" && [ "$(grep -v pragma "$tmp/both")" = "$(cat "$tmp/plain")" ] ||
    fail "workloads_marks: $(cat "$tmp/both")"
sed 's/mov.f32/neg.f32/' "$tmp/marked" >"$tmp/other"
! "$root/tools/workloads_marks" "$tmp/plain" "$tmp/other" >/dev/null 2>"$tmp/err" || fail "other code is merged"
grep -q 'marks change the code' "$tmp/err" || fail "workloads_marks: $(cat "$tmp/err")"
sed 's/\[a\], %f7/[a], %f8/' "$tmp/marked" >"$tmp/other"
! "$root/tools/workloads_marks" "$tmp/plain" "$tmp/other" >/dev/null 2>&1 || fail "other registers are merged"
echo ok
