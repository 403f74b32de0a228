#!/usr/bin/env bash
# Data criticality from the command line: every answer is verified, threads change nothing, what it can be combined with, what
# the timeline and the report show, what is refused.
set -u
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0
ok() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $1"; sed 's/^/    /' "$tmp/err" | head -5; fi; }
says() { grep -qF -- "$1" "$tmp/err"; }
run() { "$PARSIM_BIN" run "$@" workload:rodinia-bfs --size tiny >"$tmp/out" 2>"$tmp/err"; }
value() { python3 -c 'import json,sys; j=json.load(open(sys.argv[1])); exec("for k in sys.argv[2:]: j=j[k]"); print(j)' "$@"; }
stats() { python3 -c 'import json,sys; print(json.dumps(json.load(open(sys.argv[1]))["stats"], sort_keys=True))' "$1"; }

run --gpu mesh56 --observe ports --json "$tmp/base.json"
for design in dpc df-truc df-man df-raw df-bdi df-bestof df-ideal df-idle df-fit; do
  ok "$design runs and all that it sends comes back" 'run --gpu mesh56 --with $design --verify --observe ports --json "$tmp/$design.json"'
  ok "... with fewer flits" '[ "$(value "$tmp/$design.json" stats noc_slices in)" -lt "$(value "$tmp/base.json" stats noc_slices in)" ]'
  ok "... and the same output" 'grep -q "the same bits as the CPU reference" "$tmp/out"'
done
ok "the report says what it did" 'run --gpu mesh56 --with df-truc && says "technique     df-truc: " && says "of the requests ask for a part"'
ok "two host threads" 'run --gpu mesh56 --with df-truc --threads 2 --verify --observe ports --json "$tmp/two.json" && [ "$(stats "$tmp/two.json")" = "$(stats "$tmp/df-truc.json")" ]'
ok "the timeline shows second requests" 'run --gpu mesh56 --with df-truc --trace "$tmp/trace" --trace-limit 300000 && grep -q "\"hit-but-invalid" "$tmp/trace" && grep -q "\"subsequent-miss" "$tmp/trace"'
ok "windows can be emptied before each kernel" 'run --gpu mesh56 --with df-truc --set filter.keep_windows=false --json "$tmp/k.json" && [ "$(value "$tmp/k.json" stats filter pdr)" -gt 0 ]'
for other in e2mc hw-bdi-mem cc-l2-bdi-2x; do
  for design in df-truc df-fit; do
    ok "$design with $other below it" 'run --gpu mesh56 --with $design --with $other --verify'
    ok "... and the same output" 'grep -q "the same bits as the CPU reference" "$tmp/out"'
  done
done
ok "not with what decides the same" '! run --gpu mesh56 --with df-truc --with hw-bdi; says "hw-bdi cannot be combined with df-truc"'
ok "on a machine without sectors it compresses" 'run --gpu gtx480 --with df-truc --verify --json "$tmp/one.json" && [ "$(value "$tmp/one.json" stats filter_node partial)" = 0 ]'
ok "on one with sectors everywhere" 'run --gpu h200 --with df-truc --verify'
own="--set filter.refill=append --set filter.wake=own"
run --gpu mesh56 --with df-truc $own --json "$tmp/own.json"
ok "a run records its maps and is the same" 'run --gpu mesh56 --with df-truc $own --set filter.record="$tmp/maps" --json "$tmp/first.json" && [ "$(stats "$tmp/first.json")" = "$(stats "$tmp/own.json")" ]'
ok "... and its replay has fewer misses on what is there in part" 'run --gpu mesh56 --with df-truc $own --set filter.replay="$tmp/maps" --verify --threads 2 --json "$tmp/second.json" && [ "$(value "$tmp/second.json" stats filter predicted)" -gt 0 ] &&
  [ "$(value "$tmp/second.json" stats filter hi)" -lt "$(value "$tmp/own.json" stats filter hi)" ]'
ok "a record of another machine is refused" '! run --gpu mesh56 --set gpu.sms=8 --with df-truc --set filter.replay="$tmp/maps" && says "maps: recorded with 56 SMs"'
ok "what is no record is refused" '! run --gpu mesh56 --with df-truc --set filter.replay="$tmp/own.json" && says "own.json: not a record of maps"'
ok "nor a file that is not there" '! run --gpu mesh56 --with df-truc --set filter.replay="$tmp/none" && says "$tmp/none"'
ok "who asks for lines has nothing to record" '! run --gpu mesh56 --with dpc --set filter.record="$tmp/x" && says "filter.record: dpc asks for whole lines"'
ok "unknown choices are refused" '! run --gpu mesh56 --with df-truc --set filter.decide=maybe && says "filter.decide"'
ok "a region is a power of two" '! run --gpu mesh56 --with df-truc --set filter.predict_region=5000 && says "filter.predict_region is 5000"'
ok "smaller sub-blocks are refused" '! run --gpu mesh56 --with df-raw $(for s in l1 l1c l1t l1i l2 mc; do echo --set $s.sector_bytes=16; done) && says "l1.sector_bytes is 16"'
echo "$passed passed, $failed failed"
exit $((failed > 0))
