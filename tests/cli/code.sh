# --code machine: the same outputs bit by bit as --code ptx, other instructions and times; on machines that do not say so it is off;
# --cold: nothing is left in the L2 by the kernel before.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

run() { # NAME of the results, options
    "$PARSIM_BIN" run --quiet --json "$tmp/$1.json" "${@:2}" > "$tmp/$1.out"
    sed -n 's/^output hash.* //p' "$tmp/$1.out"
}
for w in sdk-bf parboil-sgemm rodinia-lud mars-sm graph-gco rodinia-hys lonestar-bh; do
    ptx=$(run ptx --gpu h200 --code ptx workload:$w --size tiny)
    machine=$(run machine --gpu h200 --code machine workload:$w --size tiny)
    functional=$(run functional --functional workload:$w --size tiny)
    [ "$ptx" = "$machine" ] && [ "$ptx" = "$functional" ] || { echo "$w: $ptx $machine $functional"; exit 1; }
done
# every golden vector, on a small one of these machines
cat > "$tmp/small.yaml" <<'Y'
base: h200
gpu: {name: small, sms: 4, launch_cycles: 0}
map: {channels: 4}
Y
for code in ptx machine; do
    "$PARSIM_BIN" golden "$PARSIM_TESTS/golden" --hash --gpu "$tmp/small.yaml" --code $code > "$tmp/golden.$code"
    tail -n 1 "$tmp/golden.$code" | grep -q '^[0-9]* passed, 0 failed$'
done
"$PARSIM_BIN" golden "$PARSIM_TESTS/golden" --hash > "$tmp/golden.functional"
cmp "$tmp/golden.functional" "$tmp/golden.ptx"
cmp "$tmp/golden.functional" "$tmp/golden.machine"
rc=0; "$PARSIM_BIN" golden "$PARSIM_TESTS/golden" --code machine 2> "$tmp/err" || rc=$?
test $rc = 2 && grep -q -e '--gpu NAME is missing' "$tmp/err"
run default --gpu h200 workload:parboil-sgemm --size tiny > /dev/null
run machine --gpu h200 --code machine workload:parboil-sgemm --size tiny > /dev/null
run ptx --gpu h200 --code ptx workload:parboil-sgemm --size tiny > /dev/null
run old --gpu gtx480 workload:parboil-sgemm --size tiny > /dev/null
run old_ptx --gpu gtx480 --code ptx workload:parboil-sgemm --size tiny > /dev/null
run warm --gpu h200 workload:rodinia-srad --size tiny > /dev/null
run cold --gpu h200 --cold workload:rodinia-srad --size tiny > /dev/null
python3 - "$tmp" <<'P'
import json, sys
r = {n: json.load(open(f"{sys.argv[1]}/{n}.json")) for n in ("default", "machine", "ptx", "old", "old_ptx", "functional", "warm", "cold")}
assert r["default"]["cycles"] == r["machine"]["cycles"] < r["ptx"]["cycles"]
assert r["machine"]["warp_instructions"] < r["ptx"]["warp_instructions"] == r["old"]["warp_instructions"]
assert r["old"]["cycles"] == r["old_ptx"]["cycles"]
assert r["cold"]["stats"]["mc"]["reads"] > r["warm"]["stats"]["mc"]["reads"]
P
rc=0; "$PARSIM_BIN" run --gpu h200 --code sass workload:sdk-tra > /dev/null 2> "$tmp/err" || rc=$?
test $rc = 2
grep -q 'ptx or machine' "$tmp/err"
