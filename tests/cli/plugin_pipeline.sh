#!/usr/bin/env bash
# --plugin: a technique in an SM's pipeline, built outside the tree: it sees and changes registers, puts
# instructions in, schedules.
set -u
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0
ok() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $1"; sed 's/^/    /' "$tmp/err" | head -5; fi; }
mkdir "$tmp/include"; cp -r "$PARSIM_TESTS/../include/parsim" "$tmp/include/" || exit 1
build() { ${CC:-cc} -std=c17 -Wall -Wextra -Werror -shared -fPIC -I "$tmp/include" -o "$tmp/sameload.so" "$PARSIM_TESTS/plugin/sameload.c" >"$tmp/err" 2>&1; }
ok "it builds" build
# a warp: out[i] = in[i] + in[0]; the first load brings 32 values, the second one
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
ld.global.u32 %r2, [%rd1];
add.u32 %r4, %r2, %r3;
st.global.u32 [%rd4], %r4;
ret;
}
P
python3 -c 'import sys,struct; sys.stdout.buffer.write(struct.pack("<32I", *range(100, 132)))' >"$tmp/in.bin"
run() { # NAME OPTION...: what it computed in NAME.bin, its statistics in NAME.json
    local name=$1; shift
    "$PARSIM_BIN" launch --gpu gtx480-gpgpusim "$@" --json "$tmp/$name.json" --grid 1 --block 32 "$tmp/k.ptx" k \
        "in:$tmp/in.bin" "out:128:$tmp/$name.bin" >"$tmp/out" 2>"$tmp/err"
}
with() { local name=$1; shift; run "$name" --plugin "$tmp/sameload.so" --with sameload "$@"; }
stat() { python3 -c 'import json,sys; j=json.load(open(sys.argv[1]))["stats"]; exec("for k in sys.argv[2:]: j=j[k]"); print(j)' "$tmp/$1.json" "${@:2}"; }
gives() { python3 -c 'import sys,struct; v=struct.unpack("<32I", open(sys.argv[1],"rb").read()); assert v == tuple(200 + i + int(sys.argv[2]) for i in range(32)), v' "$tmp/$1.bin" "$2"; }
same() { python3 - "$tmp/$1.json" "$tmp/$2.json" <<<"
import json,sys; a,b=[json.load(open(f))[\"stats\"] for f in sys.argv[1:]]
b.pop(\"sameload\"); assert a == b"; }

ok "without it" 'run base && gives base 0'
ok "it runs and changes nothing" 'with idle && gives idle 0 && same base idle'
ok "it has seen two loads, and no parameter, of which one brought 32 values" '[ "$(stat idle sameload loads)" = 2 ] && [ "$(stat idle sameload same)" = 1 ] && [ "$(stat idle sameload warps)" = 1 ]'
ok "values can be changed: 7 more of each of two" 'with more --set sameload.add=7 && gives more 14'
cycles() { python3 -c 'import json,sys; a,b=[json.load(open(f))["cycles"] for f in sys.argv[1:]]; print(b-a)' "$tmp/$1.json" "$tmp/$2.json"; }
ok "the load of one value, which comes last, is written 50 cycles later" 'with late --set sameload.write=50 && gives late 0 && [ "$(cycles base late)" = 50 ]'
ok "a move goes before the store" 'with moved --set sameload.moves=true && gives moved 0 && [ "$(stat moved sameload moves)" = 1 ] && [ "$(stat moved sm extra_inst)" = 1 ] && [ "$(($(stat moved sm warp_inst) - $(stat base sm warp_inst)))" = 1 ]'
ok "it schedules" 'with young --set sameload.youngest=true && gives young 0'
ok "two threads, the same" 'with one --set sameload.write=9 && with two --set sameload.write=9 --threads 2 && [ "$(stat one sm)" = "$(stat two sm)" ]'
ok "gscalar, whose registers hold what was changed" 'run scalar --plugin "$tmp/sameload.so" --with gscalar --with sameload --set sameload.add=7 --set sameload.moves=true --verify && gives scalar 14 && [ "$(stat scalar gscalar moves)" = 0 ] && [ "$(stat scalar sm extra_inst)" = 1 ]'
ok "with caba-bdi, in both orders" 'run ab --plugin "$tmp/sameload.so" --with caba-bdi --with sameload && run ba --plugin "$tmp/sameload.so" --with sameload --with caba-bdi && gives ab 0 && gives ba 0 && run c --with caba-bdi && same c ab && same c ba'
echo "$passed passed, $failed failed"
exit $((failed > 0))
