#!/usr/bin/env bash
# parsim workloads --table: its numbers are those of runs, results are kept and shared with figures; bad usage.
set -u
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0
ok() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $1"; sed 's/^/    /' "$tmp/err" | head -5; fi; }
says() { grep -qF -- "$1" "$tmp/err"; }
p() { (cd "$tmp" && "$PARSIM_BIN" "$@" >"$tmp/out" 2>"$tmp/err"); code=$?; }
py() { python3 - "$tmp"; }
[ -x "$(dirname "$PARSIM_BIN")/bin/parsim-workloads" ] || exit 0

p workloads --table sdk-tra rodinia-km parboil-mri-q --size tiny --gpu mesh56 --jobs 2 --json
ok "the table, with progress" '[ $code = 0 ] && says "6/6"'
cp "$tmp/out" "$tmp/t.json"
p run --gpu mesh56 --observe scalar --json tra.json workload:sdk-tra --json; cp "$tmp/out" "$tmp/tra.out"
p run --quiet --gpu mesh56 --set dram.bandwidth_scale=2 --json tra2.json workload:sdk-tra
p run --quiet --gpu mesh56 --observe scalar --json km.json workload:rodinia-km
ok "numbers are those of runs" 'py <<<"import json,sys
d=sys.argv[1]; load=lambda n: json.load(open(d+\"/\"+n))
t={w[\"name\"]:w for w in load(\"t.json\")[\"workloads\"]}; w=t[\"sdk-tra\"]; r=load(\"tra.json\"); r2=load(\"tra2.json\"); km=load(\"km.json\")
s=r[\"stats\"]; near=lambda a,b: abs(a-b)<=1e-12*abs(b)
checks={
 \"one row a workload, in the order of the line\": list(t)==[\"sdk-tra\",\"rodinia-km\",\"parboil-mri-q\"],
 \"the footprint is the arrays\": w[\"footprint_bytes\"]==sum(a[\"bytes\"] for a in load(\"tra.out\")[\"arrays\"])>0,
 \"blocks are the grid\": w[\"launches\"]==1 and w[\"blocks\"]==r[\"kernels\"][0][\"grid\"][0]*r[\"kernels\"][0][\"grid\"][1]==s[\"sm\"][\"ctas\"],
 \"busy SMs\": near(w[\"sms_busy\"],s[\"sm\"][\"busy_cycles\"]/s[\"sm\"][\"cycles\"]),
 \"four launches of one block keep one of 56 SMs busy\": t[\"rodinia-km\"][\"blocks\"]==t[\"rodinia-km\"][\"launches\"]==4
   and near(t[\"rodinia-km\"][\"sms_busy\"],km[\"stats\"][\"sm\"][\"busy_cycles\"]/km[\"stats\"][\"sm\"][\"cycles\"]) and 0.9/56<t[\"rodinia-km\"][\"sms_busy\"]<=1/56,
 \"hits of the L2\": near(w[\"l2_hits\"],s[\"l2\"][\"read_hits\"]/s[\"l2\"][\"reads\"]),
 \"DRAM bytes\": near(w[\"dram_bytes_per_warp_instruction\"],32*(s[\"mc\"][\"burst_reads\"]+s[\"mc\"][\"burst_writes\"])/r[\"warp_instructions\"]),
 \"special functions\": w[\"special_share\"]==0 and 0<t[\"parboil-mri-q\"][\"special_share\"]<1,
 \"twice the bandwidth\": near(w[\"gain_of_twice_the_bandwidth\"],r[\"cycles\"]/r2[\"cycles\"]),
 \"no error\": all(w[\"error\"] is None for w in t.values())}
bad=[n for n,c in checks.items() if not c]; print(*bad,t,sep=\"\n\") if bad else None; sys.exit(bool(bad))"'

p workloads --table sdk-tra rodinia-km parboil-mri-q --size tiny --gpu mesh56 --csv
ok "the same as CSV, and nothing is run again" '[ $code = 0 ] && [ ! -s "$tmp/err" ] && py <<<"import csv,json,sys
d=sys.argv[1]; rows=list(csv.DictReader(open(d+\"/out\"))); t=json.load(open(d+\"/t.json\"))[\"workloads\"]
sys.exit(not (len(rows)==3 and all(float(c[k])==j[k] for c,j in zip(rows,t) for k in c if k not in (\"workload\",\"error\")) and not any(c[\"error\"] for c in rows)))"'
p workloads --table sdk-tra --size tiny --gpu mesh56
ok "as text: columns, what they mean, and that tiny means little" '[ $code = 0 ] && grep -Eq "^sdk-tra +0\.154 +1 +81 +[0-9.]+ " "$tmp/out" && grep -q "^SMs busy %: " "$tmp/out" && grep -q "^At tiny" "$tmp/out"'
ok "kept with those of figures" '[ "$(python3 -c "import sqlite3,sys; print(*sqlite3.connect(sys.argv[1]).execute(\"select design from result where workload=? order by design\", (\"sdk-tra\",)))" "$tmp/results/results.db")" = "('"'base@dram.bandwidth_scale=2',) ('base@gpu.observe=scalar',)"'" ]'
p workloads --table sdk-tra --size tiny --gpu mesh56 --limit 0 --out other --quiet
ok "another folder, without progress" '[ $code = 0 ] && [ ! -s "$tmp/err" ] && [ -s "$tmp/other/results.db" ]'
p workloads --table lonestar-bfs --size medium --gpu mesh56 --limit 1 --csv
ok "a run that failed: why, in the last column" '[ $code = 1 ] && py <<<"import csv,sys
rows=list(csv.DictReader(open(sys.argv[1]+\"/out\"))); sys.exit(not (len(rows)==1 and rows[0][\"error\"]==\"stopped after 1 s (--limit)\" and rows[0][\"blocks\"]==\"\"))"'
# Interrupted: what was run is kept, and the table is the one of a run that was not.
p workloads --table sdk-tra rodinia-km parboil-mri-q --size tiny --gpu mesh56; cp "$tmp/out" "$tmp/whole"
(cd "$tmp" && exec "$PARSIM_BIN" workloads --table sdk-tra rodinia-km parboil-mri-q --size tiny --gpu mesh56 --out cut >"$tmp/out" 2>"$tmp/err") & pid=$!
for i in $(seq 300); do grep -q "1/6" "$tmp/err" && break; sleep 0.1; done
kill -INT $pid; wait $pid; code=$?
ok "an interrupt ends it" '[ $code = 130 ]'
p workloads --table sdk-tra rodinia-km parboil-mri-q --size tiny --gpu mesh56 --out cut
ok "the same table when it is taken up again" '[ $code = 0 ] && cmp -s "$tmp/out" "$tmp/whole" && ! says "0 were there"'

p workloads sdk-bf rodinia-km; ok "the list of some" '[ $code = 0 ] && [ "$(cut -d" " -f1 "$tmp/out" | tr "\n" " ")" = "sdk-bf rodinia-km " ]'
p workloads --csv rodinia-hs; ok "the list as CSV" '[ $code = 0 ] && [ "$(tail -1 "$tmp/out")" = "rodinia-hs,Rodinia,\"physics, thermal\",f32,compute" ]'
p workloads --table no-such; ok "an unknown workload" '[ $code = 2 ] && says "no workload '"'no-such'"'" && [ ! -s "$tmp/out" ]'
p workloads no-such; ok "an unknown workload in the list" '[ $code = 2 ] && says "no-such" && [ ! -s "$tmp/out" ]'
p workloads --table sdk-tra --gpu no-such; ok "an unknown machine" '[ $code = 2 ] && says "no-such" && [ ! -s "$tmp/out" ]'
p workloads --table --size huge; ok "an unknown size" '[ $code = 2 ] && says "--size huge"'
p workloads --size tiny; ok "an option of the table without it" '[ $code = 2 ] && says "--size is for --table"'
p workloads --json --csv; ok "two forms" '[ $code = 2 ] && says "only one of them"'
p workloads --table --jobs 0; ok "--jobs 0" '[ $code = 2 ] && says "1 to 256"'
p workloads --table sdk-tra --out /no/such; ok "a folder that cannot be made" '[ $code = 2 ] && says "cannot make the folder"'
p workloads --table sdk-tra --size tiny --gpu mesh56 --out slow --set x; ok "an unknown option" '[ $code = 2 ] && says "--set"'

echo "$passed passed, $failed failed"
[ $failed = 0 ]
