# `parsim validate`: the quick tables pass, the last line counts, bad usage exits 2. The full tables
# are the command's default: `parsim validate noc`, `dram`, `gpu`.
set -eu
cd "$PARSIM_TESTS/.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

for what in noc dram gpu; do
    "$PARSIM_BIN" validate $what --quick --json "$tmp/$what.json" > "$tmp/$what.txt" ||
        { grep FAILED "$tmp/$what.txt"; exit 1; }
    tail -n 1 "$tmp/$what.txt" | grep -Eq '^[0-9]+ passed, 0 failed$'
    grep -q '"failed": *0' "$tmp/$what.json"
done
"$PARSIM_BIN" validate --help | grep -q 'N passed, M failed'

rc=0; "$PARSIM_BIN" validate nothing 2> "$tmp/err" || rc=$?
test $rc = 2
rc=0; "$PARSIM_BIN" validate dram --data /nowhere > /dev/null 2> "$tmp/err" || rc=$?
test $rc = 2
grep -q /nowhere "$tmp/err"
