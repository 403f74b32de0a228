#!/usr/bin/env bash
# --with and --verify: what they set, what they refuse, that a dumped machine repeats the run.
set -u
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0
ok() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $1"; sed 's/^/    /' "$tmp/err" | head -5; fi; }
says() { grep -qF -- "$1" "$tmp/err"; }
run() { "$PARSIM_BIN" run "$@" workload:sdk-fwt --size tiny >"$tmp/out" 2>"$tmp/err"; }
value() { python3 -c 'import json,sys; j=json.load(open(sys.argv[1])); exec("for k in sys.argv[2:]: j=j[k]"); print(j)' "$@"; }

run --gpu gtx480 --json "$tmp/base.json"
ok "base has no technique's statistics" '! grep -q cmem "$tmp/base.json"'
ok "a technique runs" 'run --gpu gtx480 --with hw-bdi --verify --json "$tmp/bdi.json" --dump-config "$tmp/bdi.yaml"'
ok "the report says what it did" 'says "  technique     hw-bdi: blocks 1/"'
ok "its statistics are there" '[ "$(value "$tmp/bdi.json" stats cmem reads)" -gt 0 ]'
ok "it moves less" '[ "$(value "$tmp/bdi.json" stats mc bytes_moved)" -lt "$(value "$tmp/base.json" stats mc bytes_moved)" ]'
ok "the machine has it" 'grep -q "with: .hw-bdi." "$tmp/bdi.yaml" && grep -q "verify: true" "$tmp/bdi.yaml"'
ok "the dumped machine runs" 'run --gpu "$tmp/bdi.yaml" --json "$tmp/again.json"'
ok "... the same" '[ "$(value "$tmp/again.json" cycles)" = "$(value "$tmp/bdi.json" cycles)" ]'
ok "base by name is base" 'run --gpu gtx480 --with base --json "$tmp/again.json" && [ "$(value "$tmp/again.json" cycles)" = "$(value "$tmp/base.json" cycles)" ]'
ok "two that agree" 'run --gpu gtx480 --with e2mc --with cc-l2-bdi-2x --json "$tmp/two.json" && grep -q ccache_l2 "$tmp/two.json" && grep -q cmem "$tmp/two.json"'
ok "a short sampling is said" 'run --gpu gtx480 --with e2mc --set e2mc.sample_blocks=64 && says "shortened for a small run"'
ok "a code is saved and used" 'run --gpu gtx480 --with e2mc --set "e2mc.save_profile=$tmp/p" && run --gpu gtx480 --with e2mc --set "e2mc.profile=$tmp/p" && says "e2mc: blocks 1/"'
ok "fields of a technique" 'run --gpu gtx480 --with hw-bdi-mem --set hwcomp.md_size=256 --json "$tmp/md.json"'
ok "an unknown one is refused" '! run --gpu gtx480 --with hw-bdy && says "no technique '\''hw-bdy'\''; there are: base, hw-bdi-mem"'
ok "two that do not agree are refused" '! run --gpu gtx480 --with hw-bdi --with e2mc; says "e2mc cannot be combined with hw-bdi"'
ok "bad fields are refused" '! run --gpu gtx480 --with e2mc --set e2mc.symbol_bits=5 && says "e2mc.symbol_bits: 5 is not 4, 8, 16 or 32"'
echo "$passed passed, $failed failed"
exit $((failed > 0))
