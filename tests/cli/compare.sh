#!/usr/bin/env bash
# parsim compare and parsim figure: what comes out, that results are kept, bad input.
set -u
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0
ok() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $1"; sed 's/^/    /' "$tmp/err" | head -5; fi; }
says() { grep -qF -- "$1" "$tmp/err"; }
p() { (cd "$tmp" && "$PARSIM_BIN" "$@" >"$tmp/out" 2>"$tmp/err"); code=$?; }
py() { python3 - "$tmp"; }
[ -x "$(dirname "$PARSIM_BIN")/bin/parsim-workloads" ] || exit 0

# two machines as designs: a quarter of the bandwidth is slower, and the base has the cycles of a run
slow=base@dram.bandwidth_scale=0.25
p compare sdk-tra rodinia-hs --size tiny --designs base,$slow --gpu gtx480 --jobs 2 --json c.json --csv c.csv --plot c.svg
ok "compare" '[ $code = 0 ] && grep -q "geometric means of 2 programs" "$tmp/out" && grep -q "^sdk-tra" "$tmp/out" && grep -q "^rodinia-hs" "$tmp/out"'
ok "compare: progress" 'says "4/4"'
p run --gpu gtx480 --json r.json workload:sdk-tra --size tiny
ok "compare: the numbers of a run" 'py <<<"import json,sys
d=sys.argv[1]; c=json.load(open(d+\"/c.json\"))[\"runs\"]; r=json.load(open(d+\"/r.json\"))
a=[x for x in c if x[\"program\"]==\"sdk-tra\"]
sys.exit(not (len(c)==4 and a[0][\"cycles\"]==r[\"cycles\"] and a[0][\"energy_joules\"]==r[\"energy\"][\"total_joules\"]
  and a[0][\"speedup\"]==1 and a[1][\"cycles\"]>a[0][\"cycles\"] and abs(a[1][\"speedup\"]-a[0][\"cycles\"]/a[1][\"cycles\"])<1e-12
  and a[0][\"ratio\"] is None and a[0][\"dram_bytes\"]==r[\"summary\"][\"dram_bytes\"]))"'
ok "compare: CSV" '[ "$(wc -l <"$tmp/c.csv")" = 5 ] && head -1 "$tmp/c.csv" | grep -q "^program,design,cycles,.*,speedup$"'
ok "compare: a picture" 'python3 -c "import sys,xml.dom.minidom as m; d=m.parse(sys.argv[1]); sys.exit(len(d.getElementsByTagName(\"rect\"))<8)" "$tmp/c.svg"'
p compare --designs base --gpu gtx480 -- "$(dirname "$PARSIM_BIN")/bin/parsim-workloads" sdk-tra --size tiny
ok "compare: a program" '[ $code = 0 ] && grep -q "  base " "$tmp/out"'
p compare sdk-tra --size tiny --designs base,no-such-design
ok "compare: an unknown design, before anything runs" '[ $code = 2 ] && says "no-such-design" && ! says "1/" && [ ! -s "$tmp/out" ]'
p compare no-such-workload --size tiny --designs base
ok "compare: an unknown workload, before anything runs" '[ $code = 2 ] && says "no-such-workload" && ! says "1/" && [ ! -s "$tmp/out" ]'
p compare sdk-tra no-such-workload --size tiny --designs base
ok "compare: an unknown workload beside a known one" '[ $code = 2 ] && says "no-such-workload" && ! says "1/" && [ ! -s "$tmp/out" ]'
p compare sdk-tra --size huge --designs base
ok "compare: an unknown size" '[ $code = 2 ] && says "--size huge" && ! says "1/" && [ ! -s "$tmp/out" ]'
p compare --designs base -- ./no-such-program
ok "compare: a program that is not there" '[ $code = 2 ] && says "no-such-program: No such file" && ! says "1/" && [ ! -s "$tmp/out" ]'
p compare --designs base -- "$tmp"
ok "compare: a folder as program" '[ $code = 2 ] && says "$tmp" && ! says "1/" && [ ! -s "$tmp/out" ]'
p compare sdk-tra --designs base --gpu no-such-gpu
ok "compare: an unknown machine" '[ $code = 2 ] && says "no-such-gpu" && ! says "1/" && [ ! -s "$tmp/out" ]'
p compare sdk-tra --designs base --json same --csv ./same
ok "compare: two outputs that are the same file" '[ $code = 2 ] && says "same place" && [ ! -e "$tmp/same" ] && [ ! -s "$tmp/out" ]'
p compare --designs base; ok "compare: nothing to run" '[ $code = 2 ] && says "no program"'
p compare sdk-tra --jobs 0; ok "compare: --jobs 0" '[ $code = 2 ] && says "1 to 256"'
p compare sdk-tra --nonsense; ok "compare: an unknown option" '[ $code = 2 ] && says "--nonsense"'

# energy: components add up to the total, kernels to the run, and every output says the same
p run --gpu gtx480 --json e.json --csv e.csv --db e.db --per-kernel --quiet workload:rodinia-hs --size tiny
ok "energy in every output" '[ $code = 0 ] && py <<<"import json,sys,sqlite3,csv
d=sys.argv[1]; j=json.load(open(d+\"/e.json\")); e=j[\"energy\"]; s=j[\"stats\"][\"energy\"]
k=[x[\"stats\"][\"energy\"] for x in j[\"kernels\"]]
rows={r[\"name\"]:float(r[\"value\"]) for r in csv.DictReader(open(d+\"/e.csv\")) if r[\"group\"]==\"energy\"}
db=dict(sqlite3.connect(d+\"/e.db\").execute(\"select name,value from stat where run=1 and grp=?\",(\"energy\",)))
near=lambda a,b: abs(a-b)<=1e-9*abs(b)
sys.exit(not (len(k)>1 and s[\"total\"]>0 and all(sum(x[n] for x in k)==s[n] for n in s if n!=\"total\")
  and near(sum(e[\"joules\"].values()),e[\"total_joules\"]) and near(s[\"total\"]*1e-12,e[\"total_joules\"])
  and near(e[\"average_watts\"]*j[\"summary\"][\"simulated_seconds\"],e[\"total_joules\"])
  and near(e[\"edp_joule_seconds\"],e[\"total_joules\"]*j[\"summary\"][\"simulated_seconds\"])
  and all(rows[n]==s[n] and db[n]==s[n] for n in s)))"'

# an experiment of one's own; a second time nothing is run
cat >"$tmp/mine.yaml" <<'Y'
figure:
  title: half the bandwidth
  unit: speedup
  workloads: [sdk-tra, rodinia-hs]
  designs: [base, base@dram.bandwidth_scale=0.25]
  labels: [Full, Quarter]
  metric: cycles
  normalise: base_over
  reported: ["-", 0.5]
Y
p figure mine.yaml --size tiny --out res --jobs 2
ok "figure" '[ $code = 0 ] && says "4/4" && grep -q "geometric mean" "$tmp/out" && grep -q "0.500 in the paper" "$tmp/out"'
ok "figure: files" 'for e in csv md svg; do [ -s "$tmp/res/mine.$e" ] || exit 1; done'
cp "$tmp/out" "$tmp/first"
p figure mine.yaml --size tiny --out res
ok "figure: a second time nothing is run" '[ $code = 0 ] && [ ! -s "$tmp/err" ] && cmp -s "$tmp/out" "$tmp/first"'
sqlite3 "$tmp/res/results.db" "DELETE FROM result WHERE workload='sdk-tra' AND design='base'" 2>/dev/null ||
    python3 -c "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute(\"DELETE FROM result WHERE workload='sdk-tra' AND design='base'\"); c.commit()" "$tmp/res/results.db"
p figure mine.yaml --size tiny --out res
ok "figure: what is missing is run" '[ $code = 0 ] && [ "$(wc -l <"$tmp/err")" = 1 ] && says "sdk-tra base" && cmp -s "$tmp/out" "$tmp/first"'
p figure mine.yaml --size tiny --out res --workloads sdk-tra
ok "figure: some programs" '[ $code = 0 ] && ! grep -q rodinia-hs "$tmp/out"'
p figure mine.yaml --size tiny --out res --workloads sdk-nope
ok "figure: a program that it does not have" '[ $code = 2 ] && says "sdk-nope"'
sed 's/rodinia-hs\]/no-such-workload]/' "$tmp/mine.yaml" >"$tmp/bad.yaml"; p figure bad.yaml --size tiny --out res
ok "figure: an unknown workload, before anything runs" '[ $code = 2 ] && says "no-such-workload" && ! says "1/"'
p figure mine.yaml --size huge --out res
ok "figure: an unknown size" '[ $code = 2 ] && says "--size huge" && ! says "1/"'
sed 's/0.25\]/0.25, no-such-design]/; s/Quarter/Quarter, X/; s/0.5\]/0.5, 1]/' "$tmp/mine.yaml" >"$tmp/bad.yaml"
p figure bad.yaml --size tiny --out res
ok "figure: an unknown design" '[ $code = 2 ] && says "no-such-design"'
sed 's/metric/metrik/' "$tmp/mine.yaml" >"$tmp/bad.yaml"; p figure bad.yaml --out res
ok "figure: an unknown key, with its line" '[ $code = 2 ] && says "bad.yaml:7" && says "metric"'
sed 's/Full, Quarter/Full/' "$tmp/mine.yaml" >"$tmp/bad.yaml"; p figure bad.yaml --out res
ok "figure: labels for other designs" '[ $code = 2 ] && says "1 names for 2 designs"'
p figure no-such; ok "figure: an unknown experiment" '[ $code = 2 ] && says "no-such"'
p figure; ok "figure: none given" '[ $code = 2 ] && says "no experiment"'

# a code from a run before
printf 'figure:\n  title: offline\n  gpu: gtx580\n  workloads: [sdk-sla]\n  designs: ["e2mc@e2mc.profile={e2mc.save_profile}"]\n  metric: ratio\n' >"$tmp/code.yaml"
p figure code.yaml --size tiny --out res
ok "figure: a code from a run before" '[ $code = 0 ] && [ -s "$tmp"/res/sdk-sla.tiny-*-gtx580-e2mc.e2mc.save_profile ] && awk "/sdk-sla/ { exit !(\$2 > 1) }" "$tmp/out"'

# codecs on the arrays of programs
printf 'figure:\n  title: ratios\n  kind: codec\n  workloads: [sdk-sla]\n  designs: [bdi, e2mc-16]\n  metric: codec_ratio\n' >"$tmp/data.yaml"
p figure data.yaml --size tiny --out res
ok "figure: codecs" '[ $code = 0 ] && awk "/geometric/ { exit !(\$3 >= 1 && \$4 > 1) }" "$tmp/out"'

# parts of a whole; facts of every program
cat >"$tmp/parts.yaml" <<'Y'
figure:
  title: slots
  unit: share
  workloads: [sdk-tra, rodinia-hs]
  designs: [base]
  metric: [stats.sm.issue_active, stats.sm.issue_compute_stall, stats.sm.issue_memory_stall, stats.sm.issue_data_stall, stats.sm.issue_idle]
  parts: [Active, Compute, Memory, Data, Idle]
  normalise: share
  mean: arithmetic
  reported: ["-", "-", 0.5, "-", "-"]
Y
p figure parts.yaml --size tiny --out res
ok "figure: parts of a whole" '[ $code = 0 ] && grep -q "base Active" "$tmp/out" && awk "/^  mean / { s=0; for (i=2;i<=6;i++) s+=\$i; exit !(s>0.998 && s<1.002) }" "$tmp/out"'
sed 's/, Idle\]/]/' "$tmp/parts.yaml" >"$tmp/bad.yaml"; p figure bad.yaml --size tiny --out res
ok "figure: names for other parts" '[ $code = 2 ] && says "4 names for 5 metrics"'
cat >"$tmp/bound.yaml" <<'Y'
figure:
  title: kept
  unit: speedup
  workloads: [sdk-tra, rodinia-nw]
  designs: [base, hw-bdi]
  metric: cycles
  normalise: base_over
  selection: compressible
  ratio_of: hw-bdi
  reported: ["-", 1.5]
Y
grep -v ratio_of "$tmp/bound.yaml" >"$tmp/bad.yaml"; p figure bad.yaml --size tiny --out res
ok "figure: compressible by which design" '[ $code = 2 ] && says "figure.ratio_of"'
p figure bound.yaml --size tiny --out res
ok "figure: bus and ratio of every program" '[ $code = 0 ] && head -2 "$tmp/out" | grep -q "bus   ratio   2x bw kept" && grep -q "bound by" "$tmp/res/bound.md" && ! grep -q "mean of kept" "$tmp/out"'

p run --gpu gtx480 --set dram.bandwidth_scale=0.05 --quiet --dump-config thin.yaml workload:sdk-tra --size tiny
p figure bound.yaml --size tiny --out res --gpu thin.yaml
ok "figure: a mean of those that are bound by memory" '[ $code = 0 ] && grep -q "^  sdk-tra .* yes " "$tmp/out" && grep -q "mean of kept" "$tmp/out" && grep -q "over the . programs that its rule keeps" "$tmp/out"'

# a run that takes too long: the figure is made of the rest, and says what is missing
printf 'figure:\n  title: late\n  workloads: [rodinia-hs, lonestar-bfs]\n  designs: [base]\n' >"$tmp/late.yaml"
p figure late.yaml --size tiny --out res --workloads rodinia-hs
p figure late.yaml --size medium --out late --workloads lonestar-bfs --limit 1
ok "figure: a run that takes too long" '[ $code = 1 ] && says "FAILED: stopped after 1 s (--limit)" && says "missing: base on lonestar-bfs" && grep -q "stopped after 1 s" "$tmp/late/late.md"'

p figure late.yaml --size medium --out late --workloads lonestar-bfs --for 1
ok "figure: the time is over" '[ $code = 1 ] && says "missing: base on lonestar-bfs: stopped after 1 s (--for)" && [ -s "$tmp/late/late.md" ]'

# a report of what is there; results of another machine; of another build
p figure mine.yaml --size tiny --out res --report doc
ok "figure --report" '[ $code = 0 ] && [ ! -s "$tmp/err" ] && [ -s "$tmp/doc/mine.md" ] && [ -s "$tmp/doc/mine.svg" ] && grep -q "^| \[half the bandwidth\](mine.md) | Quarter | 0.500 |" "$tmp/doc/README.md"'
printf 'kept before\n\n<!-- figures: made by `parsim figure --report` -->\nold\n<!-- end of figures -->\nkept after\n' >"$tmp/doc/README.md"
p figure mine.yaml --size tiny --out res --report doc
ok "figure --report keeps the rest of the page" 'grep -q "^kept before" "$tmp/doc/README.md" && grep -q "^kept after" "$tmp/doc/README.md" && ! grep -q "^old" "$tmp/doc/README.md" && grep -q Quarter "$tmp/doc/README.md"'
p figure mine.yaml --size tiny --out elsewhere --report doc2
ok "figure --report of nothing" '[ $code = 1 ] && [ ! -e "$tmp/doc2/mine.md" ]'
p figure mine.yaml --size tiny --out elsewhere --import res/results.db --report doc2
ok "figure --import" '[ $code = 0 ] && cmp -s "$tmp/doc/mine.md" "$tmp/doc2/mine.md"'
python3 -c "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute(\"UPDATE result SET build='00000000deadbeef'\"); c.commit()" "$tmp/elsewhere/results.db"
p figure mine.yaml --size tiny --out elsewhere --report doc3
ok "figure: results of another build are not used" '[ $code = 1 ] && [ ! -e "$tmp/doc3/mine.md" ]'
p figure --builds --out elsewhere
ok "figure --builds" '[ $code = 0 ] && grep -q "^00000000deadbeef  parsim .*tiny" "$tmp/out"'
p figure mine.yaml --size tiny --out elsewhere --report doc3 --build newest
ok "figure --build newest" '[ $code = 0 ] && cmp -s "$tmp/doc/mine.md" "$tmp/doc3/mine.md"'
p figure mine.yaml --out elsewhere --report doc3 --build 0123
ok "figure --build of which there is nothing" '[ $code = 2 ] && says "0123"'
p figure mine.yaml --out elsewhere --build newest; ok "figure --build alone" '[ $code = 2 ] && says "--report"'
p figure mine.yaml --out elsewhere --import no.db; ok "figure --import of nothing" '[ $code = 2 ] && says "no.db"'

# more codewords
printf 'figure:\n  title: values\n  kind: codec\n  workloads: [sdk-mum]\n  designs: [e2mc-16, "e2mc-16@values=8192"]\n  metric: codec_ratio\n' >"$tmp/values.yaml"
p figure values.yaml --size tiny --out res
ok "figure: more codewords" '[ $code = 0 ] && awk "/sdk-mum/ { exit !(\$3 > \$2) }" "$tmp/out"'

# every experiment that comes with Parsim can be read
p figure --list
ok "figure --list" '[ $code = 0 ] && [ "$(wc -l <"$tmp/out")" -ge 1 ]'
echo "$passed passed, $failed failed"
[ $failed = 0 ]
