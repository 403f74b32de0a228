#!/usr/bin/env bash
# --plugin: a technique that is built outside the tree, from include/parsim alone, and what is refused.
set -u
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0
ok() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $1"; sed 's/^/    /' "$tmp/err" | head -5; fi; }
says() { grep -qF -- "$1" "$tmp/err"; }
value() { python3 -c 'import json,sys; j=json.load(open(sys.argv[1])); exec("for k in sys.argv[2:]: j=j[k]"); print(j)' "$@"; }
cp -r "$PARSIM_TESTS/../include/parsim" "$PARSIM_TESTS/plugin/tollgate.c" "$tmp/" || exit 1
mkdir "$tmp/include"; mv "$tmp/parsim" "$tmp/include/"
build() { (cd "$tmp" && ${CC:-cc} -std=c17 -Wall -Wextra -Werror -shared -fPIC -I include "$@") >"$tmp/err" 2>&1; }
ok "it builds" 'build -o tollgate.so tollgate.c'
run() { "$PARSIM_BIN" run --gpu gtx480 "$@" workload:sdk-fwt --size tiny >"$tmp/out" 2>"$tmp/err"; }
with() { run --plugin "$tmp/tollgate.so" --with "$@"; }

run --json "$tmp/base.json"
ok "it runs" 'with tollgate --json "$tmp/tollgate.json" --dump-config "$tmp/tollgate.yaml"'
ok "its line is in the report" 'says "  technique     tollgate: " && says "packets have left the SMs"'
ok "its statistics are there" '[ "$(value "$tmp/tollgate.json" stats tollgate packets)" -gt 0 ] && [ "$(value "$tmp/tollgate.json" stats tollgate stores)" -gt 0 ]'
ok "its energy is counted: 2.5 pJ a packet" 'python3 - "$tmp/tollgate.json" <<<"
import json,sys; s=json.load(open(sys.argv[1]))[\"stats\"]
assert s[\"energy\"][\"tollgate\"] == int(s[\"tollgate\"][\"packets\"] * 2.5 + 0.5), s[\"energy\"]"'
ok "nothing else has moved" 'python3 - "$tmp/base.json" "$tmp/tollgate.json" <<<"
import json,sys; a,b=[json.load(open(f))[\"stats\"] for f in sys.argv[1:]]
del b[\"tollgate\"], b[\"energy\"], a[\"energy\"]
assert a == b"'
ok "its field is one of the machine's" 'with tollgate --set tollgate.cycles=100 --json "$tmp/late.json"'
ok "... and moves time" '[ "$(value "$tmp/late.json" cycles)" -gt "$(value "$tmp/base.json" cycles)" ]'
ok "... with bounds" '! with tollgate --set tollgate.cycles=1001 && says "tollgate.cycles: 1001 is out of bounds: from 0 to 1000"'
ok "... and a check" '! with tollgate --set tollgate.cycles=13 && says "tollgate.cycles: 13 brings bad luck"'
ok "its energy is a field" 'with tollgate --set energy.tollgate_count=0 --json "$tmp/free.json" && [ "$(value "$tmp/free.json" stats energy tollgate)" = 0 ]'
ok "the dumped machine names it" 'grep -q "plugin: .*/tollgate.so" "$tmp/tollgate.yaml" && grep -q "^tollgate:" "$tmp/tollgate.yaml"'
ok "... and runs the same" 'run --gpu "$tmp/tollgate.yaml" --json "$tmp/again.json" && [ "$(value "$tmp/again.json" stats)" = "$(value "$tmp/tollgate.json" stats)" ]'
ok "with caba-bdi, whose packets it wraps" 'with caba-bdi --with tollgate --json "$tmp/caba.json" && says "technique     caba-bdi: " && says "technique     tollgate: "'
ok "... and nothing of caba-bdi has moved" 'run --with caba-bdi --json "$tmp/alone.json" && python3 - "$tmp/alone.json" "$tmp/caba.json" <<<"
import json,sys; a,b=[json.load(open(f))[\"stats\"] for f in sys.argv[1:]]
del b[\"tollgate\"], b[\"energy\"], a[\"energy\"]
assert a == b"'
ok "with e2mc" 'with tollgate --with e2mc && says "technique     tollgate: " && says "technique     e2mc: "'
ok "same results on two threads" 'with tollgate --set tollgate.cycles=7 --json "$tmp/one.json" && with tollgate --set tollgate.cycles=7 --threads 2 --json "$tmp/two.json" && [ "$(value "$tmp/one.json" stats)" = "$(value "$tmp/two.json" stats)" ]'
ok "named before who decides, it says so" '! with tollgate --with caba-bdi && says "caba-bdi must be named before tollgate, which adds to what decides the bytes of packets that leave an SM"'
ok "loaded and not used, it changes nothing" 'run --plugin "$tmp/tollgate.so" --json "$tmp/idle.json" && [ "$(value "$tmp/idle.json" cycles)" = "$(value "$tmp/base.json" cycles)" ]'

ok "... and says so, with what would turn it on" 'says "note: a plug-in is loaded, but not on: add --with tollgate"'
ok "... which it does not where it is used" 'with tollgate && ! says "note:"'

# What it shows on a timeline: a span of 7 cycles for each packet, on its SM's.
ok "its marks are in the trace" 'with tollgate --set tollgate.cycles=7 --json "$tmp/t.json" --trace "$tmp/t.trace" && python3 - "$tmp/t.trace" "$tmp/t.json" <<<"
import json,sys; t,j=[json.load(open(f)) for f in sys.argv[1:]]
e=[x for x in t[\"traceEvents\"] if x[\"name\"].startswith(\"toll \")]
assert len(e) == j[\"stats\"][\"tollgate\"][\"packets\"], len(e)
assert all(abs(x[\"dur\"] - 7 / 1400) < 2e-6 and x[\"ph\"] == \"X\" for x in e), e[:2]"'
ok "... the same on two threads" 'with tollgate --set tollgate.cycles=7 --threads 2 --trace "$tmp/t2.trace" && cmp -s "$tmp/t.trace" "$tmp/t2.trace"'

# Wherever designs are named.
p() { (cd "$tmp" && "$PARSIM_BIN" "$@") >"$tmp/out" 2>"$tmp/err"; }
ok "compare" 'p compare --plugin tollgate.so --designs base,tollgate@tollgate.cycles=100 sdk-fwt --size tiny --json c.json && python3 -c "import json,sys; c,l=[json.load(open(f)) for f in sys.argv[1:]]; assert c[\"runs\"][1][\"cycles\"] == l[\"cycles\"]" "$tmp/c.json" "$tmp/late.json"'
cp "$tmp/c.json" "$tmp/by_option.json"
ok "... with its file in the design: the same" 'p compare --designs base,tollgate@gpu.plugin="$tmp/tollgate.so"@tollgate.cycles=100 sdk-fwt --size tiny --json c.json && diff <(grep -v design "$tmp/c.json") <(grep -v design "$tmp/by_option.json")'
ok "... without its design" 'p compare --plugin tollgate.so --designs base sdk-fwt --size tiny && says "note: a plug-in is loaded, but --designs has no tollgate"'
cat >"$tmp/mine.yaml" <<'Y'
figure:
  title: packets that leave later
  unit: cycles
  workloads: [sdk-fwt]
  designs: [base, tollgate@tollgate.cycles=100]
  metric: cycles
Y
ok "figure" 'p figure mine.yaml --plugin tollgate.so --size tiny --out res && says "0 were there"'
ok "... whose results are kept" 'p figure mine.yaml --plugin tollgate.so --size tiny --out res && [ ! -s "$tmp/err" ]'
ok "... until the library is another" 'sed "s/+ t->cycles/+ 2 * t->cycles/" "$tmp/tollgate.c" >"$tmp/twice.c" && build -o twice.so twice.c && p figure mine.yaml --plugin twice.so --size tiny --out res && says "0 were there"'
ok "characterize" 'p characterize --plugin tollgate.so --set gpu.with=tollgate --set tollgate.cycles=100 --size tiny --json x.json sdk-fwt'
ok "gpus --designs" 'p gpus --plugin tollgate.so --designs && grep -q "^tollgate  *packets" "$tmp/out"'
ok "gpus --fields" 'p gpus --plugin tollgate.so --fields && grep -q "^| tollgate.cycles | 0 " "$tmp/out" && grep -q "^| energy.tollgate_count | 2.5 " "$tmp/out"'
ok "gpus NAME" 'p gpus gtx480 --plugin tollgate.so --set tollgate.cycles=7 --yaml && grep -q "cycles: 7" "$tmp/out"'
ok "a file that is not there" '! p compare --plugin none.so sdk-fwt && says "--plugin none.so: there is no such file"'

# Policies of the memory system, from outside: parts of lines, requests that ride on answers, a byte with them.
cp "$PARSIM_TESTS/plugin/sieve.c" "$tmp/"
mesh() { "$PARSIM_BIN" run --gpu mesh56 --plugin "$tmp/sieve.so" "$@" workload:rodinia-hs --size tiny >"$tmp/out" 2>"$tmp/err"; }
ok "a filter and nodes that merge build" 'build -o sieve.so sieve.c'
ok "... and run" 'mesh --json "$tmp/whole.json" && mesh --with sieve --json "$tmp/sieve.json" && says "  technique     sieve: "'
ok "... fewer bytes on the wire, every request back, each that was absorbed with another" 'python3 - "$tmp/whole.json" "$tmp/sieve.json" <<<"
import json,sys; a,b=[json.load(open(f))[\"stats\"] for f in sys.argv[1:]]; l1=b[\"l1\"]
assert b[\"noc\"][\"bytes\"] < a[\"noc\"][\"bytes\"]
assert b[\"sieve_node\"][\"absorbed\"] == b[\"sieve\"][\"together\"] > 0
assert l1[\"replies\"] == l1[\"requests_read\"] + l1[\"requests_write\"] + l1[\"requests_back\"]
assert b[\"sieve\"][\"asked\"] == l1[\"sectors_asked\"] and b[\"sieve\"][\"spared\"] > 0"'
ok "... the same on two threads" 'mesh --with sieve --threads 2 --json "$tmp/two.json" && [ "$(value "$tmp/two.json" stats)" = "$(value "$tmp/sieve.json" stats)" ]'
sectors=; for s in l1 l1c l1t l1i l2 mc; do sectors+=" --set $s.sector_bytes=32"; done
ok "... around packets of encoded lines" 'run $sectors --plugin "$tmp/sieve.so" --with caba-bdi --with sieve --verify && says "technique     sieve: " && says "technique     caba-bdi: "'

mkfifo "$tmp/pipe.so"
ok "a pipe" '! timeout 20 "$PARSIM_BIN" run --gpu gtx480 --plugin "$tmp/pipe.so" workload:sdk-fwt --size tiny >"$tmp/out" 2>"$tmp/err" && says "a plug-in is a shared library, this is no file"'
ok "no such file" '! run --plugin "$tmp/none.so" && says "--plugin $tmp/none.so: there is no such file"'
ok "not a library" '! run --plugin "$tmp/tollgate.c" && says "gpu.plugin: $tmp/tollgate.c: cannot be loaded: "'
echo 'int parsim_other;' >"$tmp/other.c"
ok "a library that is no plug-in" 'build -o other.so other.c && ! run --plugin "$tmp/other.so" && says "there is no symbol '\''parsim_plugin'\'' in it"'
sed "s/= {PARSIM_TECH_VERSION,/= {99,/" -i.orig "$tmp/include/parsim/tech.h"
ok "another version" 'build -o new.so tollgate.c && ! run --plugin "$tmp/new.so" && says "built for version 99 of parsim/tech.h, and this is version"'
mv "$tmp/include/parsim/tech.h.orig" "$tmp/include/parsim/tech.h"
rename() { sed "$1" "$tmp/tollgate.c" >"$tmp/taken.c"; build -o taken.so taken.c && ! run --plugin "$tmp/taken.so"; }
ok "a technique's name that is taken" 'rename "s/\.name = \"tollgate\"/.name = \"caba\"/" && says "there is a technique '\''caba'\'' already"'
ok "a design's name that is taken" 'rename "s/\"tollgate\", \"packets/\"caba-bdi\", \"packets/" && says "there is a design '\''caba-bdi'\'' already"'
ok "a section's name that is taken" 'rename "s/= {\"tollgate\", fields/= {\"l1\", fields/" && says "there is a section '\''l1'\'' of the configuration already"'
ok "the same twice" 'cp "$tmp/tollgate.so" "$tmp/copy.so"; ! run --plugin "$tmp/tollgate.so" --plugin "$tmp/copy.so" && says "there is a technique '\''tollgate'\'' already"'
ok "a component that nobody describes" 'rename "s/\"counters of packets\"/NULL/" && says "technique tollgate: energy.tollgate_count: nobody says what component '\''tollgate'\'' is"'
misspelt() { sed "$1" "$tmp/tollgate.c" >"$tmp/taken.c"; build -o taken.so taken.c && ! run --plugin "$tmp/taken.so" --with tollgate; }
ok "energy of a counter that it has not" 'misspelt "s/\"tollgate.packets\", \"made/\"tollgate.packet\", \"made/" && says "technique tollgate: energy.tollgate_count: this machine has no counter '\''tollgate.packet'\''; did you mean '\''tollgate.packets'\''?"'
ok "... of a group that is not there" 'misspelt "s/\"tollgate.packets\", \"made/\"tolgate.packets\", \"made/" && says "no counter '\''tolgate.packets'\''; did you mean '\''tollgate.packets'\''?"'
ok "... of a group that may be absent, but is not" 'misspelt "s/\"tollgate.packets\", \"made/\"tollgate.packs?\", \"made/" && says "no counter '\''tollgate.packs'\''"'
refused() { ok "refused: $1" "rename '$2' && grep -q \"taken.so: $3\" \"$tmp/err\""; }
refused "designs that are not there" "s/\.designs = designs,/.designs = 0,/; s/^static const struct tech_design/__attribute__((unused)) &/" "the plug-in has no design"
refused "a design without a name" "s/{\"tollgate\", \"packets/{0, \"packets/" "a design has no name of letters"
refused "a name that is a list" "s/{\"tollgate\", \"packets/{\"toll,gate\", \"packets/" "a design has no name of letters"
refused "a section that is no key" "s/= {\"tollgate\", fields/= {\"toll: {\", fields/" "its section of the configuration has no name of letters"
refused "fields that are not there" "s/\"tollgate\", fields, 1,/\"tollgate\", 0, 1,/; s/^static const struct conf_field/__attribute__((unused)) &/" "section .tollgate.: 1 fields, and no rows of them"
refused "a struct that is too small" "s/sizeof(struct tollgate_cfg), check/4, check/" "section .tollgate.: field .cycles. lies outside"
refused "a default beyond its bounds" "s/\"0\", 0, 1000/\"5000\", 0, 1000/" "section .tollgate.: the default of field .cycles.: 5000 is out of bounds"
refused "no default" "s/\"0\", 0, 1000/0, 0, 1000/" "section .tollgate.: field .cycles. lacks a default"
refused "energy of nothing" "s/\"tollgate.packets\", \"made up\"/0, 0/" "energy.tollgate_count lacks events or a source"
refused "energy below 0" "s/2\.5, \"tollgate/-2.5, \"tollgate/" "energy.tollgate_count: -2.5 is out of bounds"
unused() { sed "$1" "$tmp/tollgate.c" >"$tmp/taken.c"; build -w -o taken.so taken.c && ! run --plugin "$tmp/taken.so" --with tollgate; }
ok "a check that says nothing" 'unused "s/return c->cycles != 13.*/return false;/" && says "technique tollgate: its section of the configuration is refused, without a reason"'
ok "a bind that says nothing" 'unused "s/    if (!packets)/    if (packets)/" && says "technique tollgate: it could not be bound, without a reason"'
ok "statistics of a group that is taken" 'unused "s/\"tollgate\", rows/\"l1\", rows/" && says "technique tollgate: statistics of a group that is not its own"'
ok "statistics of a group that is no key" 'unused "s/\"tollgate\", rows/\"a b\", rows/" && says "technique tollgate: statistics of a group that is not its own"'
for name in limits load_stages noc_reply scalar; do
    ok "the name of the machine's statistics: $name" 'unused "s/\"tollgate\", rows/\"$name\", rows/; s/\.name = \"tollgate\"/.name = \"$name\"/" && says "technique $name: statistics of a group that is the machine"'
done
ok "two statistics of one name" 'unused "s/tollgate_stats, stores, /tollgate_stats, packets, /" && says "statistics with two rows of one name"'
ok "a group with fewer rows than before" 'unused "s/sizeof rows \/ sizeof \*rows/i ? 2 : 1/" && says "has other rows already"'
ok "a unit that breaks a line" 'unused "s/\"packets\", \"that have left\"/\"a,b\", \"that\"/" && says "statistics with a row that lacks its name, kind, unit"'
refused "energy at another price" "s/\"tollgate_count\", 2.5/\"rf_read\", 2.5/" "energy.rf_read is there already, with 156 pJ, and not 2.5"
refused "energy of what is none" "s/\"tollgate_count\", 2.5/\"scale\", 2.5/" "energy.scale is there already, and is no energy of an event"
refused "a source of two lines" "s/\"made up\"/\"made\\\\nup\"/" "energy.tollgate_count lacks events or a source, of one line each"
ok "energy that is no sum" 'rename "s/\"tollgate.packets\", \"made/\"tollgate.packets +\", \"made/" && says "is no sum of counters"'
ok "... without an operator" 'rename "s/\"tollgate.packets\", \"made/\"tollgate.packets tollgate.stores\", \"made/" && says "is no sum of counters"'
ok "a statistic that JSON has a use for" 'unused "s/tollgate_stats, stores, /tollgate_stats, instances, /; s/packets, stores;/packets, instances;/; s/stats.stores/stats.instances/" && says "statistics with a row that lacks its name, kind, unit"'
# the bytes behind an address are there while it runs
sed 's/t->stats.packets++;/t->stats.packets++; const struct tech_request q = t->api->request(r); const unsigned char *b = t->api->bytes_at(t->machine, q.addr, 1); t->stats.stores += b \&\& *b == 0;/; s/t->stats.stores += t->api.*//' "$tmp/tollgate.c" >"$tmp/bytes.c"
ok "bytes behind addresses can be looked at in a run" 'build -o bytes.so bytes.c && run --plugin "$tmp/bytes.so" --with tollgate --json "$tmp/bytes.json" && [ "$(value "$tmp/bytes.json" stats tollgate stores)" -gt 0 ]'
ok "nothing to bind" 'rename "s/\.bind = tollgate_bind,//; s/^static bool tollgate_bind/__attribute__((unused)) &/" && says "the plug-in has no bind()"'
echo "$passed passed, $failed failed"
exit $((failed > 0))
