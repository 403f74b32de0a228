#!/usr/bin/env bash
# `cmake --install`: the installed program runs a workload and a host on the driver API compiled with
# pkg-config, has man pages for every command, and shells complete it.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
build=$(cd "$(dirname "$PARSIM_BIN")" && pwd)
root=$(cd "$PARSIM_TESTS/.." && pwd)
failed=0
fail() {
    echo "FAIL: $*"
    failed=1
}
grep -q 'PARSIM_SANITIZE:BOOL=ON' "$build/CMakeCache.txt" && exit 0 # nobody installs that
[ -e "$build/libparsim-codec.so" ] || exit 0                          # not all is built
"$root/tools/cmake/man_pages" "$PARSIM_BIN" "$build/man" || fail "man pages"
cmake --install "$build" --prefix "$tmp/usr" >"$tmp/log" 2>&1 || fail "install: $(tail -3 "$tmp/log")"
parsim=$tmp/usr/bin/parsim
"$parsim" run --gpu gtx480 workload:sdk-tra --size tiny >"$tmp/out" 2>&1 || fail "run: $(cat "$tmp/out")"
grep -q 'cycles ' "$tmp/out" || fail "run: $(cat "$tmp/out")"
"$parsim" --version | grep -qE '^parsim [0-9.]+ \(' || fail "version: $("$parsim" --version)"
for c in $("$parsim" --help | sed -n 's/^  \([a-z]\{1,\}\)  *[a-z].*/\1/p'); do
    page=$(find "$tmp/usr" -name "parsim-$c.1")
    grep -q "usage: parsim $c" "$page" || fail "no man page of $c"
    grep -q 'SEE ALSO' "$page" || fail "$c's page has no end"
done
if command -v man >/dev/null; then
    MANPATH=$tmp/usr/share/man man parsim-run 2>/dev/null | grep -q -e '--kernel REGEX' || fail "man parsim-run"
fi
pc=$(dirname "$(find "$tmp/usr" -name parsim.pc)")
cc=${CC:-cc}
if command -v pkg-config >/dev/null; then
    PKG_CONFIG_PATH=$pc "$cc" "$root/docs/examples/host.c" $(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs parsim) -o "$tmp/host" ||
        fail "a host with pkg-config"
    "$parsim" run -- "$tmp/host" "$root/docs/examples/square.ptx" >"$tmp/out" 2>&1 || fail "the host: $(cat "$tmp/out")"
fi
words() { # what bash offers for a line
    PATH=$tmp/usr/bin:$PATH bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }; _parsim; printf "%s\n" "${COMPREPLY[@]}"' _ \
        "$(find "$tmp/usr" -path '*bash-completion*' -name parsim)" "$@"
}
words parsim sw | grep -qx sweep || fail "completion of a command"
words parsim run --ker | grep -qx -e --kernel || fail "completion of an option"
words parsim run --gpu gtx4 | grep -qx gtx480 || fail "completion of a machine"
words parsim compare sdk-t | grep -qx sdk-tra || fail "completion of a workload"
exit $failed
