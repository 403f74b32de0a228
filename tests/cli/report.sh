#!/usr/bin/env bash
# parsim report: a page of a run and of designs, whole in one file; drawn by a real browser where
# there is one (chromium).
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
failed=0
fail() {
    echo "FAIL: $*"
    failed=1
}
"$PARSIM_BIN" report --out page.html --designs base,hw-bdi --interval 500 workload:rodinia-srad1 --size tiny >out 2>err || fail "report: $(cat err)"
python3 - "$PARSIM_BIN" <<'PY' || fail "what the page carries"
import json, re, subprocess, sys
page = open("page.html").read()
assert "http://" not in page.replace("http://www.w3.org/2000/svg", "") and "https://" not in page and "src=" not in page, "it must need nothing else"
runs = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S).group(1))
assert [r["label"] for r in runs] == ["base", "hw-bdi"]
subprocess.run([sys.argv[1], "run", "--quiet", "--gpu", "gtx480", "--json", "r.json", "workload:rodinia-srad1", "--size", "tiny"], check=True, stdout=subprocess.DEVNULL)
one = json.load(open("r.json"))
assert runs[0]["cycles"] == one["cycles"] and runs[0]["summary"] == one["summary"] and runs[0]["energy"] == one["energy"]
assert sum(runs[0]["series"]["sm.thread_inst"]) == one["stats"]["sm"]["thread_inst"], "thinning keeps sums"
assert len(runs[0]["kernels"]) == one["launches"] and runs[0]["hot"]["ptx"]
PY
"$PARSIM_BIN" report r.json --out small.html 2>err || fail "of a plain run: $(cat err)"
"$PARSIM_BIN" run --quiet --json f.json workload:sdk-tra --size tiny >out
"$PARSIM_BIN" report f.json 2>err && fail "a functional run"
grep -q 'kept no time; add --gpu' err || fail "a functional run: $(cat err)"
echo '{}' >no.json
"$PARSIM_BIN" report no.json 2>err && fail "any JSON"
grep -q 'no.json: is no JSON of a run' err || fail "any JSON: $(cat err)"
"$PARSIM_BIN" report --out none/x.html r.json 2>err && fail "a folder that is not there"
"$PARSIM_BIN" report --designs base,no-such workload:sdk-tra --size tiny >out 2>err
[ $? = 2 ] && grep -q "design 'no-such'" err && [ ! -s out ] || fail "an unknown design, before anything runs: $(cat err)"
[ ! -e report.html ] || fail "a page of what is no run"

browser=$(command -v chromium || command -v chromium-browser) || exit $failed
draw() { timeout 60 "$browser" --headless=new --no-sandbox --disable-gpu --user-data-dir="$tmp/profile" --virtual-time-budget=3000 "$@" 2>/dev/null; }
for page in page small; do
    draw --dump-dom "file://$tmp/$page.html" >"$page.dom" || continue
    [ -s "$page.dom" ] || continue # it cannot run here
    grep -q 'data-ready="yes"' "$page.dom" || fail "$page: the page's script has not come to its end"
    [ "$(grep -o '<h2>' "$page.dom" | wc -l)" -ge 8 ] || fail "$page: sections"
    grep -q 'srad1_reduce' "$page.dom" || fail "$page: kernels"
done
if [ -s page.dom ]; then
    [ "$(grep -o '<svg' page.dom | wc -l)" -ge 7 ] || fail "pictures: $(grep -o '<svg' page.dom | wc -l)"
    grep -q '<h2>Designs' page.dom && ! grep -q '<h2>Designs' small.dom || fail "designs only where there are several"
fi
exit $failed
