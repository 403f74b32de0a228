#!/usr/bin/env bash
# AxMemo's ten programs: plain they compute what QEMU computes, without hits what they compute plainly, memoized nearly that.
set -u
cd "$(dirname "$0")/../.."
command -v aarch64-linux-gnu-gcc >/dev/null || { echo "skipped: no aarch64-linux-gnu-gcc"; exit 0; }
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0
ok() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $1"; head -3 "$tmp/err"; fi; }
tools/a64/ax_build "$tmp" plain memo exact >"$tmp/err" 2>&1; ok "they are built" '[ $(ls $tmp/*.plain | wc -l) = 10 ]'
run() { "$PARSIM_BIN" cpu run --functional --quiet --set memo.data_bytes=$bytes "$@" 2>"$tmp/err"; }
for name in blk sbl hs md srad fft i2j jm jpeg km; do
    case $name in blk | sbl | hs | md | srad) bytes=4 ;; *) bytes=8 ;; esac
    run "$tmp/$name.plain" >"$tmp/plain"
    if command -v qemu-aarch64 >/dev/null; then
        qemu-aarch64 -cpu cortex-a53 "$tmp/$name.plain" >"$tmp/theirs" 2>/dev/null
        ok "$name: plain as QEMU" 'cmp -s $tmp/plain $tmp/theirs'
    fi
    run --set memo.force_miss=true "$tmp/$name.memo" >"$tmp/forced"
    ok "$name: without hits as plain" 'cmp -s $tmp/plain $tmp/forced'
    run --set memo.sample_every=0 "$tmp/$name.exact" >"$tmp/exact"
    ok "$name: whole inputs, no collision: as plain" 'cmp -s $tmp/plain $tmp/exact'
    run --json "$tmp/j" "$tmp/$name.memo" >"$tmp/memo"
    ok "$name: memoized within its bound" 'tools/a64/ax_error $name $tmp/plain $tmp/memo >$tmp/err'
done
hits() { # SETTINGS...: md at full size, hits of a hundred lookups
    run --json "$tmp/j" "$@" "$tmp/md.memo" full >"$tmp/memo"
    python3 -c "import json; print(round(100 * json.load(open('$tmp/j'))['statistics']['memo']['hit_rate']))"
}
bytes=4 # few of the last 4 KB come again, nearly all of the last 512 KB (axmemo.md, section 5: 6 and 94)
ok "md: the hits that its data has" '[ $(hits --set memo.l1_bytes=4K) = 6 ] && [ $(hits --set memo.l2_ways=8) -gt 90 ]'
for name in blk md; do # unmodified executables
    "$PARSIM_BIN" cpu profile --quiet --apply "$tmp/applied" "$tmp/$name.plain" small 5 >"$tmp/out" 2>"$tmp/err"
    ok "$name: a memoized program is made of the plain one" '[ $? = 0 ]'
    "$PARSIM_BIN" cpu run --quiet --functional "$tmp/$name.plain" small 5 >"$tmp/plain" 2>"$tmp/err"
    "$PARSIM_BIN" cpu run --quiet --functional --set memo.data_bytes=8 --json "$tmp/j" "$tmp/applied" small 5 >"$tmp/memo" 2>"$tmp/err"
    ok "$name: which computes the same" 'cmp -s $tmp/plain $tmp/memo'
    ok "$name: and finds most of it in the table" 'python3 -c "import json; m=json.load(open(\"$tmp/j\"))[\"statistics\"][\"memo\"]; exit(not m[\"hit_rate\"] > 0.5)"'
done
"$PARSIM_BIN" cpu profile --quiet --apply "$tmp/applied" "$tmp/fft.plain" >"$tmp/out" 2>"$tmp/err"
ok "fft: sine and cosine through pointers are not memoized" '[ $? = 2 ] && grep -q "no function of" $tmp/err'
tools/a64/ax_regions "$tmp" >"$tmp/err" 2>&1; ok "the profiler finds the marked regions of eight and more" '[ $? = 0 ]'
cat "$tmp/err"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
