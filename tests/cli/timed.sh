#!/usr/bin/env bash
# Timed runs of parsim launch and parsim run: what comes out, in every form; the same for every
# number of host threads; bad input; faults and deadlocks.
set -u
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
root=$(cd "$PARSIM_TESTS/.." && pwd)
passed=0 failed=0
ok() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $1"; sed 's/^/    /' "$tmp/err" | head -5; fi; }
says() { grep -qF -- "$1" "$tmp/err"; }
py() { python3 - "$tmp" "$@"; }

# A kernel with loads, shared memory, a barrier, divergence and atomics.
cat >"$tmp/k.ptx" <<'PTX'
.version 7.0
.target sm_70
.address_size 64
.visible .entry mix(.param .u64 in, .param .u64 out, .param .u32 n)
{
    .reg .u64 %a<6>; .reg .u32 %r<10>; .reg .pred %p<3>;
    .shared .align 4 .b8 buf[512];
    ld.param.u64 %a0, [in]; ld.param.u64 %a1, [out]; ld.param.u32 %r0, [n];
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    setp.ge.u32 %p0, %r4, %r0;
    @%p0 bra DONE;
    mul.wide.u32 %a2, %r4, 4;
    add.u64 %a3, %a0, %a2;
    ld.global.u32 %r5, [%a3];
    shl.b32 %r6, %r3, 2; mov.u32 %r7, buf; add.u32 %r7, %r7, %r6;
    st.shared.u32 [%r7], %r5;
    bar.sync 0;
    xor.b32 %r8, %r6, 4; mov.u32 %r9, buf; add.u32 %r9, %r9, %r8;
    ld.shared.u32 %r5, [%r9];
    and.b32 %r8, %r3, 1; setp.eq.u32 %p1, %r8, 0;
    @%p1 add.u32 %r5, %r5, 7;
    add.u64 %a4, %a1, %a2;
    st.global.u32 [%a4], %r5;
    atom.global.add.u32 %r8, [%a1], 1;
DONE:
    ret;
}
.visible .entry bad(.param .u64 p)
{
    .reg .u64 %a; .reg .u32 %r<3>;
    ld.param.u64 %a, [p];
    mov.u32 %r0, %tid.x; mul.wide.u32 %a, %r0, 4;
    ld.global.u32 %r1, [%a];
    st.global.u32 [%a], %r1;
    ret;
}
.visible .entry stuck(.param .u64 p)
{
    .reg .u32 %r<3>; .reg .pred %q;
    mov.u32 %r0, %tid.x; setp.lt.u32 %q, %r0, 32;
    @%q bar.sync 1, 64;
    @!%q bar.sync 2, 64;
    ret;
}
.visible .entry spin(.param .u64 p)
{
    .reg .u32 %r<2>; .reg .pred %q;
    mov.u32 %r0, 0;
L:  add.u32 %r0, %r0, 1;
    setp.lt.u32 %q, %r0, 20000;
    @%q bra L;
    ret;
}
PTX
mix=("$tmp/k.ptx" mix --grid 40 --block 128 zero:20480 zero:20480 u32:5100 --gpu gtx480-gpgpusim)
run() { "$PARSIM_BIN" launch "$@" >"$tmp/out" 2>"$tmp/err"; code=$?; }

run "${mix[@]}" --json "$tmp/1.json" --csv "$tmp/s.csv" --db "$tmp/s.db" --interval 200 \
    --per-kernel --trace "$tmp/t.json" --dump-config "$tmp/dumped.yaml"
ok "a timed run" '[ $code = 0 ]'
for word in machine cycles IPC "issue slots" occupancy "read hits" DRAM "L1 misses" bottleneck \
    "data-dependence stall" "registers never allocated" "K warp-instructions/s"; do
    ok "the summary has $word" 'says "$word"'
done
run "${mix[@]}" --trace "$tmp/t.json.gz"
ok "a compressed timeline" '[ $code = 0 ] && [ $(wc -c <"$tmp/t.json.gz") -lt $(($(wc -c <"$tmp/t.json") / 5)) ] && gzip -dc "$tmp/t.json.gz" | cmp -s - "$tmp/t.json"'
ok "lanes have names" 'python3 -c "
import json, sys
t = json.load(open(sys.argv[1]))[\"traceEvents\"]
named = {(e[\"pid\"], e[\"tid\"]): e[\"args\"][\"name\"] for e in t if e[\"name\"] == \"thread_name\"}
used = {(e[\"pid\"], e[\"tid\"]) for e in t if e[\"ph\"] in \"BE\"}
assert used and used <= set(named), used - set(named)
assert {\"block slot\", \"warp slot\", \"bank\"} <= {n.rsplit(\" \", 1)[0] for n in named.values()}" "$tmp/t.json"'
ln -s /dev/full "$tmp/full.gz"
run "${mix[@]}" --trace "$tmp/full.gz"
ok "a compressed timeline that cannot be written" '[ $code = 2 ] && says "No space left"'
run "${mix[@]}" --regs 4 --json "$tmp/few.json"
ok "fewer registers than needed" '[ $code = 0 ] && says "stores of registers that kernels have no room for"'
ok "one screen" '[ $(wc -l <"$tmp/err") -le 24 ]'
py <<'EOF2'
import json, sys, csv, sqlite3, collections
d = sys.argv[1]
j = json.load(open(d + "/1.json"))
def check(what, good):
    if not good: print("FAIL JSON:", what); check.bad = True
check.bad = False
check("order of the first keys", list(j)[:4] == ["schema", "version", "mode", "gpu"])
check("schema", j["schema"] == "parsim-run-2" and j["mode"] == "timed")
for k in "cycles warp_instructions thread_instructions ipc warp_ipc wall_seconds machine kernels stats summary series faults findings".split():
    check(k, k in j)
check("ipc", abs(j["ipc"] - j["thread_instructions"] / j["cycles"]) < 1e-9)
check("warp ipc", abs(j["warp_ipc"] - j["warp_instructions"] / j["cycles"]) < 1e-9)
check("machine", j["machine"]["l1"]["size"] == 16384 and j["machine"]["gpu"]["sms"] == 15)
k = j["kernels"][0]
check("kernel", k["name"] == "mix" and k["grid"] == [40, 1, 1] and k["block"] == [128, 1, 1]
      and k["cycles"] == j["cycles"] and k["blocks"] == 40 and k["ctas_per_sm"] >= 1)
s = j["stats"]
check("counted alike", s["sm"]["warp_inst"] == j["warp_instructions"]
      and s["sm"]["thread_inst"] == j["thread_instructions"])
check("issued = active slots", s["sm"]["issue_active"] == s["sm"]["warp_inst"])
check("warps", s["sm"]["warps"] == 160 and s["sm"]["ctas"] == 40)
for c in ("l1", "l1c", "l1i", "l2"):
    x = s[c]
    check(c, x["reads"] == x["read_hits"] + x["read_merges"] + x["read_sector_misses"] + x["read_misses"])
st = s["load_stages"]
check("stages add up", abs(sum(st[n]["mean"] for n in "l1_queue noc_request l2 dram noc_reply".split()) - st["total"]["mean"]) < 1e-6)
check("one answer a request", st["total"]["count"] == s["l1"]["requests_read"] + s["l1c"]["requests_read"]
      + s["l1t"]["requests_read"] - s["l2"]["atomics"])
check("slots", abs(sum(j["summary"]["issue_slots"].values()) - 1) < 1e-9)
sums = k["stats"]
check("per kernel = total", all(sums[g][n] == s[g][n] for g in s for n in s[g] if isinstance(s[g][n], int)))
se = j["series"]
check("series adds up", sum(se["deltas"]["sm.warp_inst"]) == s["sm"]["warp_inst"]
      and se["cycles"][-1] == j["cycles"] and sorted(se["cycles"]) == se["cycles"] and len(se["cycles"]) > 2)
check("slots of the series", sum(se["deltas"]["sm.cycles"]) == s["sm"]["cycles"])
rows = list(csv.DictReader(open(d + "/s.csv")))
total = {r["group"] + "." + r["name"]: float(r["value"]) for r in rows if not r["instance"]}
parts = collections.Counter()
for r in rows:
    if r["instance"] and r["name"] == "warp_inst": parts[r["group"]] += float(r["value"])
check("CSV", total["sm.warp_inst"] == s["sm"]["warp_inst"] == parts["sm"])
kr = {r["group"] + "." + r["name"]: float(r["value"]) for r in csv.DictReader(open(d + "/s.kernels.csv"))}
check("CSV by kernel", kr["sm.warp_inst"] == s["sm"]["warp_inst"])
check("CSV series", sum(int(r["delta"]) for r in csv.DictReader(open(d + "/s.series.csv"))
      if (r["group"], r["name"]) == ("sm", "warp_inst")) == s["sm"]["warp_inst"])
db = sqlite3.connect(d + "/s.db")
check("SQLite", db.execute("select value from stat where run=1 and grp='sm' and name='warp_inst' and instance is null").fetchone()[0] == s["sm"]["warp_inst"])
check("SQLite kernel", db.execute("select name from run where id=2").fetchone()[0] == "kernel 0: mix")
check("SQLite note", db.execute("select value from note where run=1 and key='cycles'").fetchone()[0] == str(j["cycles"]))
t = json.load(open(d + "/t.json"))["traceEvents"]
n = collections.Counter((e["ph"], e["name"].split()[0]) for e in t)
check("trace: blocks", n["B", "block"] == n["E", "block"] == 40)
check("trace: warps", n["B", "warp"] == n["E", "warp"] == 160)
check("trace: loads", n["b", "load"] == n["e", "load"] == st["total"]["count"])
check("trace: DRAM", n["X", "read"] + n["X", "write"] == s["dram"]["rd"] + s["dram"]["wr"])
check("trace: kernel", n["X", "mix"] == 1)
sys.exit(check.bad)
EOF2
ok "JSON, CSV, SQLite, series, trace" '[ $? = 0 ]'

# the same for every number of threads, and for the machine that was dumped
strip() { grep -v wall_seconds "$1" | sed 's/"about".*//'; }
for t in 2 4; do
    run "${mix[@]}" --threads $t --json "$tmp/$t.json" --interval 200 --per-kernel --trace "$tmp/t$t.json"
    ok "--threads $t: the same JSON" '[ $code = 0 ] && cmp -s <(strip "$tmp/1.json") <(strip "$tmp/$t.json")'
    ok "--threads $t: the same trace" 'cmp -s "$tmp/t.json" "$tmp/t$t.json"'
done
run "$tmp/k.ptx" mix --grid 40 --block 128 zero:20480 zero:20480 u32:5100 --gpu "$tmp/dumped.yaml" \
    --json "$tmp/d.json" --interval 200 --per-kernel
ok "the dumped machine repeats the run" '[ $code = 0 ] && cmp -s <(strip "$tmp/1.json") <(strip "$tmp/d.json")'
run "${mix[@]}" --json "$tmp/plain.json"
ok "observing changes no statistic" '[ $code = 0 ] && py <<<"import json,sys
a,b=(json.load(open(sys.argv[1]+f)) for f in (\"/1.json\",\"/plain.json\"))
sys.exit(a[\"stats\"]!=b[\"stats\"] or a[\"cycles\"]!=b[\"cycles\"])"'
run "${mix[@]}" --set dram.bandwidth_scale=0.1 --set l1.size=32K --json "$tmp/slow.json"
ok "--set changes the run" '[ $code = 0 ] && py <<<"import json,sys
a,b=(json.load(open(sys.argv[1]+f)) for f in (\"/1.json\",\"/slow.json\"))
sys.exit(not (b[\"cycles\"]>a[\"cycles\"] and b[\"machine\"][\"l1\"][\"size\"]==32768))"'
run "${mix[@]}" --per-instance --json "$tmp/inst.json" --quiet
ok "--per-instance, --quiet" '[ $code = 0 ] && [ ! -s "$tmp/err" ] && py <<<"import json,sys
s=json.load(open(sys.argv[1]+\"/inst.json\"))[\"stats\"][\"sm\"]
sys.exit(sum(i[\"warp_inst\"] for i in s[\"instances\"].values())!=s[\"warp_inst\"])"'
run "${mix[@]}" --trace "$tmp/short.json" --trace-limit 100
ok "--trace-limit" 'py <<<"import json,sys
sys.exit(sum(e[\"ph\"] in \"BEbe\" for e in json.load(open(sys.argv[1]+\"/short.json\"))[\"traceEvents\"])>100)"'
run "${mix[@]}" --functional --json "$tmp/f.json"
ok "--functional: same keys, no cycles" '[ $code = 0 ] && py <<<"import json,sys
f,t=(json.load(open(sys.argv[1]+n)) for n in (\"/f.json\",\"/1.json\"))
sys.exit(not (f[\"cycles\"] is None and f[\"mode\"]==\"functional\" and f[\"thread_instructions\"]==t[\"thread_instructions\"]
  and set(t)-set(f)<={\"series\",\"summary\",\"energy\"}))"'

# bad input is refused before anything runs
bad() { # message, arguments
    local message=$1; shift
    run "$@"
    ok "$message" '[ $code = 2 ] && says "$message"'
}
bad "did you mean 'l1.size'" "${mix[@]}" --set l1.sizee=3
bad "there are: " "${mix[@]}" --gpu gtx
bad "--interval 0: must be 1" "${mix[@]}" --interval 0
bad "--threads 1000: must be 0 to 256" "${mix[@]}" --threads 1000
bad "--interval needs" "${mix[@]}" --interval 10
bad "--csv needs a timed run" "${mix[@]}" --functional --csv "$tmp/x"
bad "cannot write /nowhere/x.json" "${mix[@]}" --json /nowhere/x.json
bad "cannot write /nowhere/t" "${mix[@]}" --trace /nowhere/t

# a fault: the same message and code as without time; a deadlock is reported with its warps
run "$tmp/k.ptx" bad --grid 2 --block 64 zero:64
fault=$(grep "parsim launch" "$tmp/err")
run "$tmp/k.ptx" bad --grid 2 --block 64 zero:64 --gpu gtx480 --json "$tmp/fault.json"
ok "a fault" '[ $code = 1 ] && [ -n "$fault" ] && [ "$(grep "parsim launch" "$tmp/err")" = "$fault" ] && grep -q "\"error_code\": 700" "$tmp/fault.json"'
run "$tmp/k.ptx" stuck --grid 1 --block 64 zero:64 --gpu gtx480
ok "a barrier that never opens" '[ $code = 1 ] && says "deadlock" && says "waits at a barrier"'

run "$tmp/k.ptx" spin --grid 1 --block 32 zero:64 --gpu gtx480
ok "one warp that computes for long is not stuck" '[ $code = 0 ] && [ "$(awk "/ cycles /{print \$2; exit}" "$tmp/err")" -gt 400000 ]'
run "$tmp/k.ptx" spin --grid 1 --block 32 zero:64 --gpu gtx480 --max-inst 10K
ok "--max-inst" '[ $code = 1 ] && says "the limit is 10240"'

# parsim run: options reach the program by the environment, files lie where the user stands
run_program() { (cd "$tmp" && "$PARSIM_BIN" run "$@" >"$tmp/out" 2>"$tmp/err"); code=$?; }
if [ -x "$(dirname "$PARSIM_BIN")/bin/parsim-workloads" ]; then
    run_program --gpu gtx480-gpgpusim --set l1.size=32K --json r.json --per-kernel --csv r.csv workload:sdk-tra --size tiny
    ok "run: a program" '[ $code = 0 ] && says "bottleneck" && py <<<"import json,sys
j=json.load(open(sys.argv[1]+\"/r.json\"))
sys.exit(not (j[\"mode\"]==\"timed\" and j[\"cycles\"]>0 and j[\"machine\"][\"l1\"][\"size\"]==32768 and j[\"kernels\"][0][\"stats\"]))"'
    run_program --set l1.sze=1 workload:sdk-tra --size tiny
    ok "run: a wrong key, before the program starts" '[ $code = 2 ] && says "did you mean" && [ ! -s "$tmp/out" ]'
    run_program --gpu gtx480-gpgpusim --plot pictures --interval 200 workload:sdk-tra --size tiny
    ok "run: pictures" '[ $code = 0 ] && for p in issue_slots load_stages load_latency series; do [ -s "$tmp/pictures/$p.svg" ] && [ -s "$tmp/pictures/$p.pdf" ] && [ -s "$tmp/pictures/$p.dat" ] || exit 1; done'
fi

# machines: each runs a kernel and computes what the functional one does
head -c 4096 "$root/docs/run-output.md" >"$tmp/data"
square=("$root/docs/examples/square.ptx" square --grid 16 --block 64 "in:$tmp/data" out:4096 i32:1000)
run "${square[@]}"; cp "$tmp/out" "$tmp/want"
# --oob warn: atomics of all SMs at the same time in a hole find 0, whatever the host threads do
cat >"$tmp/hole.ptx" <<'PTX'
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out)
{   .reg .u64 %a<4>; .reg .u32 %r<6>;
    ld.param.u64 %a0, [out]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r3, %r0, %r1, %r2;
    add.u64 %a1, %a0, 0x40000000; atom.global.add.u32 %r4, [%a1], 7; atom.global.exch.b32 %r5, [%a1+4], 9; add.u32 %r4, %r4, %r5;
    mul.wide.u32 %a2, %r3, 4; add.u64 %a3, %a0, %a2; st.global.u32 [%a3], %r4; ret; }
PTX
for threads in 1 2 4; do
    "$PARSIM_BIN" launch "$tmp/hole.ptx" k --gpu gtx480 --oob warn --grid 60 --block 64 --threads $threads --json "$tmp/hole.$threads.json" "out:15360:$tmp/hole.$threads" >/dev/null 2>"$tmp/err"; code=$?
    ok "--oob warn, atomics, --threads $threads" '[ $code = 0 ] && says "7680 accesses of threads at 2 places" && cmp -s "$tmp/hole.$threads" <(head -c 15360 /dev/zero)'
done

for g in gtx480 gtx480-gpgpusim gtx480-gscalar gtx580 mesh56 h200; do
    run "${square[@]}" --gpu $g
    ok "$g computes" '[ $code = 0 ] && [ -s "$tmp/want" ] && cmp -s "$tmp/out" "$tmp/want"'
done
"$PARSIM_BIN" gpus >"$tmp/out" 2>"$tmp/err"; code=$?
ok "parsim gpus" '[ $code = 0 ] && for g in gtx480 gtx480-gpgpusim gtx480-gscalar gtx580 mesh56 h200; do grep -q "^$g " "$tmp/out" || exit 1; done'
"$PARSIM_BIN" gpus gtx480 --yaml >"$tmp/g.yaml" && "$PARSIM_BIN" gpus "$tmp/g.yaml" --yaml | sed 's/ *#.*//' >"$tmp/g2"
ok "parsim gpus --yaml" 'cmp -s <(sed "s/ *#.*//" "$tmp/g.yaml") "$tmp/g2"'
"$PARSIM_BIN" gpus --doc >"$tmp/machines.md"
ok "docs/machines.md is what parsim gpus --doc writes" 'cmp -s "$tmp/machines.md" "$root/docs/machines.md"'
echo "$passed passed, $failed failed"
[ $failed = 0 ]
