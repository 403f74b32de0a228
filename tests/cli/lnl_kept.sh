#!/usr/bin/env bash
# tools/lnl_kept says that it was missed wherever it was, and where nothing can be said.
set -u
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0
ok() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $1"; sed 's/^/    /' "$tmp/out" | head -9; fi; }
# RUN...: DESIGN,JOULES,ERROR of a program p; - : no error is known
results() { rm -f "$tmp/r.db"; python3 - "$tmp/r.db" "$@" <<<"
import json, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute('CREATE TABLE result (workload, design, json, ended, size)')
for run in sys.argv[2:]:
    design, joules, error = run.split(',')
    stats = {} if error == '-' else {'quality': {'error': float(error)}}
    db.execute('INSERT INTO result VALUES (?, ?, ?, 1, ?)', ('p', design, json.dumps({'energy': {'total_joules': float(joules)}, 'stats': stats}), 'paper'))
db.commit()"; }
kept() { python3 "$PARSIM_TESTS/../tools/lnl_kept" "$@" >"$tmp/out" 2>&1; }
ends() { kept "$tmp/r.db"; [ $? = "$1" ]; }
says() { grep -qF -- "$1" "$tmp/out"; }
ok "kept" 'results base,1.2,- lnl-adaptive,1.1,4 lnl@lnl.group=4,1.09,4.5 lnl@lnl.group=8,1.0,6 && ends 0 && says "| \`p\` | 1.091, 4.00% | group=4: 1.101, 4.50% | 2 | 90% |"'
ok "too little is kept" 'results base,1.2,- lnl-adaptive,1.15,4 lnl@lnl.group=4,1.09,4.5 && ends 1 && says "missed: p"'
ok "above the bound" 'results base,1.2,- lnl-adaptive,1,5.1 lnl@lnl.group=4,1.09,4.5 && ends 1 && says "missed: p"'
ok "above the bound, as is every fixed setting" 'results base,1.2,- lnl-adaptive,1,5.1 lnl@lnl.group=4,1.09,6 && ends 1 && says "missed: p"'
ok "nothing to compare with" 'results lnl-adaptive,1,2 && ends 1 && says "not known" && says "missed: p"'
ok "no such runs" 'results base,1.2,- lnl@lnl.group=4,1.09,6 && ends 1 && says "no run of lnl-adaptive of size paper"'
ok "a fixed setting that changes nothing" 'results base,1,- lnl-adaptive,1,0 lnl@lnl.threshold=0,1,- && ends 0 && says "| 100% |"'
ok "fixed settings that only lose" 'results base,1,- lnl-adaptive,1.2,4 lnl@lnl.group=4,1.1,4 && ends 1 && says "| 0% |"'
ok "no file" '! kept "$tmp/none.db" && says "lnl_kept: $tmp/none.db: unable to open" && ! says Traceback'
ok "another file" '! kept "$0" && says "is not a database" && ! says Traceback'
echo "$passed passed, $failed failed"
exit $((failed > 0))
