# parsim codec: what it prints, what it refuses, and that files come back.
set -eu
p=$PARSIM_BIN
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
cd "$d"

fail() { echo "FAILED: $*"; exit 1; }

# refuses WORDS ARGS...: exit code 2, and a message that says WORDS.
refuses() {
    words=$1
    shift
    rc=0
    "$p" codec "$@" >out 2>err || rc=$?
    [ $rc = 2 ] || fail "parsim codec $*: exit code $rc, not 2"
    grep -q -- "$words" err || fail "parsim codec $*: says '$(cat err)', not '$words'"
}

# 1000 blocks of 128 bytes that hold the numbers 0, 1, 2, ... as words, and 5 bytes more.
python3 - <<'PY' 2>/dev/null || fail "no python3"
import struct
data = b"".join(struct.pack("<I", i) for i in range(32000))
open("count.bin", "wb").write(data + b"tail!")
open("zero.bin", "wb").write(bytes(12800))
PY
: >empty.bin
printf 'short' >short.bin

"$p" codec --help | grep -q 'usage: parsim codec' || fail "--help"

# Known sizes: zeros are 1 byte in bdi, 65 bits in dpc, 4 runs of 6 bits in fpc; 32 consecutive
# numbers are always b4d1 in bdi, 41 bytes.
"$p" codec --json o.json --plot o.svg --threads 2 zero.bin count.bin >o.txt
python3 - <<'PY'
import json
z, c = json.load(open("o.json"))["files"]
assert z["file"] == "zero.bin" and z["block"] == 128 and z["tail_bytes"] == 0
assert z["codecs"]["bdi"] == dict(z["codecs"]["bdi"], blocks=100, bytes=100, bursts=100,
                                  ratio=128.0, ratio_mag=4.0)
assert z["codecs"]["dpc"]["bytes"] == 900 and z["codecs"]["gsr"]["bytes"] == 400
assert z["codecs"]["fpc"]["bytes"] == 300 and z["codecs"]["cpack"]["bytes"] == 800
assert z["shannon"]["16"]["bits_per_symbol"] == 0 and z["shannon"]["16"]["ratio"] is None
assert c["tail_bytes"] == 5 and c["blocks"] == 1000
assert c["codecs"]["bdi"]["bytes"] == 41 * 1000, c["codecs"]["bdi"]
assert c["codecs"]["e2mc"] == c["codecs"]["e2mc-16"]
for name, col in c["codecs"].items():
    assert col["blocks"] == 1000 and sum(col["blocks_by_bursts"]) == 1000, name
    assert abs(col["ratio"] - 128000 / col["bytes"]) < 1e-9, name
    assert abs(col["ratio_mag"] - 4000 / col["bursts"]) < 1e-9, name
PY
grep -q '</svg>' o.svg || fail "no picture"
grep -q 'geometric mean' o.txt || fail "no table of both files"

# The same by any number of threads, and from a pipe.
for t in 1 3; do
    "$p" codec --json t$t.json --threads $t --window 4096 count.bin >/dev/null
done
cmp t1.json t3.json || fail "threads change the result"
"$p" codec --json - count.bin | sed 's/count.bin/-/' >file.json
cat count.bin | "$p" codec --json - - >pipe.json
cmp file.json pipe.json || fail "a pipe gives another result"

# Tables: saved and used again, the same; sampled, the sample is raw.
"$p" codec --codec e2mc-16 --save-tables tab --json a.json count.bin >/dev/null
"$p" codec --codec e2mc-16 --table tab-16.e2mc --json b.json count.bin >/dev/null
cmp a.json b.json || fail "a saved table is not the table"
"$p" codec --codec e2mc-16 --sample 128000 --json - count.bin | grep -q '"bytes": 128000' ||
    fail "a sample of the whole file leaves nothing to compress"

# Every format as a file, and back.
for codec in bdi bdi-lanes fpc fpc-seg cpack cpack4 dpc bpc gsr zero bestof bestof:bpc+dpc \
    e2mc e2mc-4w8 e2mc-8w2 e2mc-16w4 e2mc-32w8; do
    for block in 32 64 128; do
        "$p" codec encode --codec $codec --block $block count.bin c.psc
        "$p" codec decode c.psc back.bin
        cmp count.bin back.bin || fail "$codec of $block bytes is not lossless"
    done
done
"$p" codec encode - - <count.bin | "$p" codec decode - - | cmp - count.bin || fail "pipes"

# A damaged container is refused, wherever the damage is, and leaves nothing behind.
"$p" codec encode --codec e2mc-16w4 zero.bin c.psc
size=$(stat -c %s c.psc)
for at in $(seq 0 $((size / 40 + 1)) $((size - 1))) $((size - 1)); do
    cp c.psc bad.psc
    byte=$(od -An -tu1 -j "$at" -N1 c.psc)
    printf "$(printf '\\%03o' $((byte ^ 4)))" | dd of=bad.psc bs=1 seek="$at" conv=notrunc status=none
    refuses 'bad.psc: ' decode bad.psc bad.out
    [ ! -e bad.out ] || fail "output of a damaged file"
    head -c "$at" c.psc >cut.psc
    refuses 'cut.psc: ' decode cut.psc bad.out
done
cat c.psc short.bin >long.psc
refuses 'follows its end' decode long.psc bad.out

refuses 'is empty' empty.bin
refuses 'less than one block of 128' short.bin
refuses 'less than one block of 128' encode short.bin x.psc
refuses 'No such file' missing.bin
refuses 'is a directory' .
refuses "unknown codec 'lzw'" --codec bdi,lzw count.bin
refuses "unknown codec 'lzw'" encode --codec lzw count.bin x.psc
refuses 'a block of 48 bytes' --block 48 count.bin
refuses 'does not divide' --mag 48 count.bin
refuses 'named twice' --codec bdi,bdi count.bin
refuses 'takes a number' --threads none count.bin
refuses 'not known' --frobnicate count.bin
refuses '--block takes a number' encode --block none count.bin x.psc
refuses 'no file was given' --codec bdi
refuses 'not a file that' decode count.bin x.bin
refuses 'not a code table' --table count.bin count.bin
refuses 'is empty' decode empty.bin x.bin
[ ! -e x.psc ] || fail "a refused command left a file"
echo "codec: all facts hold"
