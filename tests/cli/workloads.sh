#!/usr/bin/env bash
# parsim workloads, and all of them at tiny and small: right results, the same bits as an H200 gave,
# others with another seed; bad usage.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
root=$(cd "$PARSIM_TESTS/.." && pwd)
failed=0
fail() {
    echo "FAIL: $*"
    failed=1
}

names=$("$PARSIM_BIN" workloads | cut -d' ' -f1)
[ "$(wc -l <<<"$names")" = "$(grep -c '^X(' "$root/workloads/workloads.def")" ] || fail "list: $names"
if command -v python3 >/dev/null; then
    "$PARSIM_BIN" workloads --json | python3 -c 'import json,sys
for w in json.load(sys.stdin): print(w["name"])' >"$tmp/json"
    [ "$(cat "$tmp/json")" = "$names" ] || fail "list as JSON: $(cat "$tmp/json")"
fi

# Runs a workload; the line with the hash of its outputs is left in $hash, its report in $tmp/err.
run_one() { # NAME MODE ARGUMENTS...
    if ! "$PARSIM_BIN" run $2 "workload:$1" "${@:3}" >"$tmp/out" 2>"$tmp/err"; then
        fail "$*: $(cat "$tmp/err")"
    fi
    grep -q '^check ' "$tmp/out" || fail "$*: not checked"
    hash=$(grep '^output hash' "$tmp/out")
}
# Where the H200 had the CPU's bits, so must we. Approximate instructions give it others; programs that
# have not been there yet are compared with the CPU only.
like_an_h200() { # NAME SIZE
    local gpu
    gpu=$(sed -n "s/^$1,$2,\([^,]*\),equal,.*/\1/p" "$root/workloads/h200_outputs.csv")
    [ -z "$gpu" ] || [ "${hash##* }" = "$gpu" ] || fail "$1 at $2: $hash, on an H200 $gpu"
}
# Sanitizers see the same code at tiny: small and paper are for the results.
is_full() { [ "${PARSIM_SANITIZED:-0}" = 0 ]; }
for name in $names; do
    if is_full; then
        run_one "$name" --functional --size small
        like_an_h200 "$name" small
    fi
    run_one "$name" --functional # tiny, by default
    like_an_h200 "$name" tiny
    first=$hash
    # Tiny means tiny: under a million thread-instructions.
    n=$(sed -nE 's/.* ([0-9]+) thread-instructions.*/\1/p' "$tmp/err")
    [ "${n:-9999999}" -lt 1000000 ] || fail "$name: $n thread-instructions at tiny"
    run_one "$name" --functional --seed 2
    [ "$hash" != "$first" ] || fail "$name: the seed changes nothing"
    run_one "$name" "--gpu gtx480-gpgpusim"
    [ "$hash" = "$first" ] || fail "$name: other results when time is kept"
done
# Four that are quick at the papers' sizes: right there, and more than at medium where the texts had more.
for name in $(is_full && echo rodinia-nn rodinia-myc sdk-sf lonestar-sssp); do
    run_one "$name" --functional --size paper --check
done
count_of() { # NAME SIZE ARRAY
    LD_LIBRARY_PATH=$(dirname "$PARSIM_BIN")/lib "$(dirname "$PARSIM_BIN")/bin/parsim-workloads" \
        "$1" --size "$2" --inputs | sed -nE "s/^  in +$3 +[a-z0-9]+ +([0-9]+) .*/\1/p"
}
[ "$(count_of sdk-cons paper in)" = $((1024 * 1024)) ] || fail "sdk-cons at paper: $(count_of sdk-cons paper in) pixels"
[ "$(count_of rodinia-hs paper temp)" = $((512 * 512)) ] || fail "rodinia-hs at paper: $(count_of rodinia-hs paper temp)"

run_one rodinia-bp --functional
first=$hash
run_one rodinia-bp "--with base --gpu gtx480" --variant pow
[ "$hash" = "$first" ] || fail "rodinia-bp --variant pow: other results"
"$PARSIM_BIN" run --quiet --functional workload:sdk-tra --no-check --size tiny >"$tmp/out" || fail "--no-check"
! grep -q '^check ' "$tmp/out" || fail "--no-check checks"

"$PARSIM_BIN" run --quiet workload:sdk-tra --dump "$tmp/dump" >/dev/null || fail "--dump"
[ "$(stat -c %s "$tmp/dump/sdk-tra.in.in.bin")" = "$(stat -c %s "$tmp/dump/sdk-tra.out.out.bin")" ] ||
    fail "dumped files"
"$PARSIM_BIN" run --quiet workload:sdk-cons --dump "$tmp/dump" >/dev/null || fail "--dump"
[ -s "$tmp/dump/sdk-cons.rows.left.bin" ] || fail "dumped scratch"
"$PARSIM_BIN" run --quiet workload:sdk-tra --json >"$tmp/json" || fail "--json"
! command -v python3 >/dev/null || python3 -m json.tool "$tmp/json" >/dev/null || fail "JSON"

# Pictures: what sdk-bf reads and writes, 24 x 12 each, side by side with a gap of 4; sdk-tra has none.
if command -v python3 >/dev/null; then
    "$root/tools/workloads_pictures" "$tmp/pictures" --build "$(dirname "$PARSIM_BIN")" --size tiny sdk-bf sdk-tra >/dev/null || fail "pictures"
    [ "$(ls "$tmp/pictures")" = workload-sdk-bf.png ] || fail "pictures: $(ls "$tmp/pictures")"
    python3 - "$tmp/pictures/workload-sdk-bf.png" "$tmp/dump" "$PARSIM_BIN" <<'END' || fail "the picture of sdk-bf"
import struct, subprocess, sys, zlib
png, dump, parsim = open(sys.argv[1], "rb").read(), sys.argv[2], sys.argv[3]
width, height, depth, colours = struct.unpack(">IIBB", png[16:26])
n = struct.unpack(">I", png[33:37])[0]
rows = zlib.decompress(png[41:41 + n])
subprocess.run([parsim, "run", "--quiet", "workload:sdk-bf", "--dump", dump], check=True, stdout=subprocess.DEVNULL)
pixels = {k: open(f"{dump}/sdk-bf.{k}.{k}.bin", "rb").read() for k in ("in", "out")}
rgb = lambda k, y: b"".join(pixels[k][(y * 24 + x) * 4:][:3] for x in range(24))
assert (width, height, depth, colours) == (52, 12, 8, 2)
assert rows == b"".join(b"\0" + rgb("in", y) + b"\xff" * 12 + rgb("out", y) for y in range(12))
END
fi

expect() { # code, pattern, arguments of run
    local code=$1 pattern=$2
    shift 2
    text=$("$PARSIM_BIN" run --quiet "$@" 2>&1)
    [ $? = "$code" ] || fail "run $*: not exit code $code"
    grep -q -e "$pattern" <<<"$text" || fail "run $*: $text"
}
expect 2 "no workload 'nothing'" workload:nothing
expect 2 'tiny, small, medium, large and paper' workload:sdk-tra --size huge
expect 2 'not a whole number' workload:sdk-tra --seed one
expect 2 "rodinia-bp has no variant 'power', but pow" workload:rodinia-bp --variant power
expect 2 "sdk-tra has no variant 'pow', nor another" workload:sdk-tra --variant pow
expect 2 'not known' workload:sdk-tra --nonsense
expect 2 'one workload' workload:sdk-tra sdk-tra
expect 1 'cannot make the folder' workload:sdk-tra --dump "$tmp/no/such"
text=$("$PARSIM_BIN" workloads --nonsense 2>&1) && fail "workloads --nonsense"

"$root/tools/workloads_ptx" --check || fail "committed PTX"
exit $failed
