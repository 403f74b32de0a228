#!/usr/bin/env bash
# parsim sweep: every combination once, kept and resumed after kill -9, metrics, files, Slurm's array
# job with a stand-in for sbatch; users' programs in compare, figure and characterize.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
failed=0
fail() {
    echo "FAIL: $*"
    failed=1
}
bin=$(dirname "$PARSIM_BIN")/bin/parsim-workloads
[ -x "$bin" ] || exit 0
sweep() { "$PARSIM_BIN" sweep "$@" >out 2>err; }

points=(--set l1.size=16K,48K --set sm.scheduler=gto,lrr --with base,hw-bdi)
sweep --set l1.size=16K sdk-tra --size tiny --quiet --csv one.csv --out one && cp one.csv one.thread
sweep --set l1.size=16K sdk-tra --size tiny --quiet --csv one.csv --threads 0 --out all && cmp -s one.csv one.thread || fail "--threads 0 takes as many as the host has, with the same results: $(cat err)"
sweep --set l1.size=16K sdk-tra --size tiny --threads 257
grep -q -- '--threads 257: must be 0 (as the host has processors) to 256' err || fail "--threads 257: $(cat err)"
sweep "${points[@]}" sdk-tra "$bin sdk-bfs --size tiny" --size tiny --jobs 2 --csv s.csv --json s.json --db s.db --plot s.svg || fail "sweep: $(cat err)"
grep -q '^program .* l1.size .* sm.scheduler .* with .* cycles .* ipc .* speedup$' out || fail "table: $(head -1 out)"
grep -q 'mean nothing' out || fail "tiny results must say that they mean nothing"
[ "$(wc -l <s.csv)" = 17 ] || fail "CSV: $(wc -l <s.csv) lines"
python3 - "$PARSIM_BIN" <<'PY' || fail "files"
import json, sqlite3, subprocess, sys
runs = json.load(open("s.json"))["runs"]
assert len(runs) == 16 and len({(r["program"], tuple(r["point"].values())) for r in runs}) == 16
one = [r for r in runs if r["program"] == "sdk-tra" and r["point"] == {"l1.size": "48K", "sm.scheduler": "lrr", "with": "hw-bdi"}][0]
subprocess.run([sys.argv[1], "run", "--quiet", "--gpu", "gtx480", "--set", "l1.size=48K", "--set", "sm.scheduler=lrr", "--with", "hw-bdi",
                "--json", "one.json", "workload:sdk-tra", "--size", "tiny"], check=True, stdout=subprocess.DEVNULL)
assert one["metrics"]["cycles"] == json.load(open("one.json"))["cycles"], "a point is the run with its fields"
db = sqlite3.connect("s.db")
ask = "select s.value from stat s join note n on n.run = s.run and n.key = 'design' join run r on r.id = s.run where s.name = 'cycles' and s.grp = 'run' and n.value = ? and r.name = 'sdk-tra'"
assert db.execute(ask, (one["design"],)).fetchall() == [(one["metrics"]["cycles"],)]
PY
# names are fields of CSV whatever they have
mkdir 'a, "b"' && ln -s "$bin" 'a, "b"/w'
sweep --set l1.size=16K --out q --csv q.csv -- './a, "b"/w' sdk-tra --size tiny || fail "a program with a comma: $(cat err)"
python3 -c "import csv; rows = list(csv.reader(open('q.csv'))); assert {len(r) for r in rows} == {len(rows[0])} and ',' in rows[1][0], rows" || fail "CSV with a comma: $(cat q.csv)"
# nothing is run twice; another metric costs nothing
sweep "${points[@]}" sdk-tra "$bin sdk-bfs --size tiny" --size tiny --metric stats.l2.hit_rate || fail "again"
grep -q 'done' err && fail "kept results were run again: $(cat err)"
sweep "${points[@]}" sdk-tra --size tiny --metric no.such.number
[ $? = 2 ] && grep -q 'no run has it' err || fail "an unknown metric: $(cat err)"

# a+b/c is (a+b)/c
sweep "${points[@]}" sdk-tra --size tiny --metric cycles,ipc,cycles+ipc/ipc --csv m.csv || fail "metrics: $(cat err)"
python3 -c "
import csv
for r in csv.DictReader(open('m.csv')):
    c, i = float(r['cycles']), float(r['ipc'])
    assert abs(float(r['cycles+ipc/ipc']) / ((c + i) / i) - 1) < 1e-12, r" || fail "a+b/c: $(cat m.csv)"

# a program whose file or input has changed is another one
cat >prog.sh <<'EOS'
#!/bin/sh
exec "$WORKLOADS" $(cat "$1") --size tiny
EOS
chmod +x prog.sh
export WORKLOADS=$bin
echo sdk-tra >'in put'
sweep --set l1.size=16K --out in --csv i1.csv "./prog.sh 'in put'" || fail "an input with a blank: $(cat err)"
sweep --set l1.size=16K --out in "./prog.sh 'in put'" || fail "again"
grep -q done err && fail "the same input was run again: $(cat err)"
echo sdk-fwt >'in put'
sweep --set l1.size=16K --out in --csv i2.csv "./prog.sh in\\ put" || fail "another input: $(cat err)"
sweep --set l1.size=16K --out in --csv i3.csv -- ./prog.sh 'in put' || fail "another input behind --: $(cat err)"
python3 - <<'PY' || fail "inputs and words in quotes: $(cat i1.csv i2.csv i3.csv)"
import csv
a, b, c = (list(csv.DictReader(open(f"i{n}.csv")))[0]["cycles"] for n in "123")
assert a != b == c
PY
sed -i 's/tiny/tiny --seed 5/' prog.sh
sweep --set l1.size=16K --out in "./prog.sh 'in put'" || fail "another program"
grep -q done err || fail "the result of the program before"

# killed in the middle, it goes on where it was
(exec "$PARSIM_BIN" sweep "${points[@]}" --out k sdk-mum --size tiny >/dev/null 2>kerr) &
pid=$!
for _ in $(seq 1200); do
    grep -q '^2/' kerr 2>/dev/null && break
    sleep 0.05
done
kill -9 $pid
wait $pid 2>/dev/null
sleep 0.3
sweep "${points[@]}" --out k sdk-mum --size tiny || fail "resume: $(cat err)"
[ "$(grep -c 'done' err)" -le 6 ] || fail "what was there was run again: $(cat err)"

# an array job: what it would run is run here, and collected
mkdir slurm && cat >slurm/sbatch <<'EOS'
#!/bin/sh
for i in $(sed -n 's/^#SBATCH --array=//p' "$1" | tr , ' '); do SLURM_ARRAY_TASK_ID=$i sh "$1" >/dev/null 2>&1; done
EOS
chmod +x slurm/sbatch
PATH=$PWD/slurm:$PATH sweep --slurm --out sl --with base,hw-bdi "$bin sdk-tra --size tiny" sdk-tra --size tiny || fail "--slurm: $(cat err)"
grep -q '4 of 4 runs are submitted' out || fail "--slurm: $(cat out)"
sweep --collect --out sl --with base,hw-bdi "$bin sdk-tra --size tiny" sdk-tra --size tiny || fail "--collect: $(cat err)"
[ "$(grep -c 'base\|hw-bdi' out)" = 4 ] || fail "collected: $(cat out)"

mkdir "it's here"
(cd "it's here" && PATH=$PWD/../slurm:$PATH sweep --slurm --out 'a b' --with base sdk-tra --size tiny && sweep --collect --out 'a b' --with base sdk-tra --size tiny) || fail "--slurm from a folder with a quote: $(cat "it's here/err")"
grep -q '^#SBATCH --output="a b/slurm-%a.log"$' "it's here/a b/slurm.sh" || fail "--slurm: $(cat "it's here/a b/slurm.sh")"

# the others take users' programs and keep results
"$PARSIM_BIN" compare "$bin sdk-tra --size tiny" sdk-tra --size tiny --designs base,hw-bdi --set l1.size=48K --out c --db c.db --json c.json >out 2>err || fail "compare: $(cat err)"
python3 -c 'import json; r = json.load(open("c.json"))["runs"]; assert r[0]["cycles"] == r[2]["cycles"] and r[0]["design"] == "base@l1.size=48K"' || fail "compare: numbers"
"$PARSIM_BIN" compare "$bin sdk-tra --size tiny" sdk-tra --size tiny --designs base,hw-bdi --set l1.size=48K --out c >out 2>err
grep -q done err && fail "compare: kept results were run again"
printf 'figure:\n  title: mine\n  unit: cycles\n  metric: cycles\n  workloads: "%s sdk-tra --size tiny"\n  designs: base, hw-bdi\n' "$bin" >mine.yaml
"$PARSIM_BIN" figure ./mine.yaml --size tiny --out f >out 2>err || fail "figure of a program: $(cat err)"
"$PARSIM_BIN" characterize "$bin sdk-tra --size tiny" --size tiny --results ch >out 2>err || fail "characterize a program: $(cat err)"

expect() { # pattern, arguments
    local pattern=$1
    shift
    sweep "$@"
    [ $? = 2 ] || fail "sweep $*: not exit code 2"
    grep -q -e "$pattern" err || fail "sweep $*: $(cat err)"
}
expect 'nothing to sweep' sdk-tra
expect 'no program' --with base
expect 'is given twice' --set l1.size=1K --set l1.size=2K sdk-tra
expect 'KEY=VALUE' --set l1.size sdk-tra
expect 'not a number' --set l1.size=99X sdk-tra
expect 'no workload' --with base no-such
expect 'cannot run' --with base ./no-such
expect 'a quote is not closed' --with base "./prog.sh 'in"
expect 'more than 4096 points' --set "l1.size=$(seq -s, 70)" --set "l1.mshrs=$(seq -s, 70)" sdk-tra
exit $failed
