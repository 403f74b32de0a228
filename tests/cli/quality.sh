#!/usr/bin/env bash
# Quality of outputs under a technique that changes values (a plug-in that drops bits of loads): reported
# everywhere, against the precise run; bounds end the run; what is not judged must be equal.
set -u
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0
ok() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $1"; sed 's/^/    /' "$tmp/err" | head -5; fi; }
command -v python3 >/dev/null || { echo "no python3"; exit 0; }
ok "it builds" '${CC:-cc} -std=c17 -Wall -Wextra -Werror -shared -fPIC -I "$PARSIM_TESTS/../include" -o "$tmp/coarse.so" "$PARSIM_TESTS/plugin/coarse.c" >"$tmp/err" 2>&1'
run() { # OPTIONS... WORKLOAD...: its output in out and err
    "$PARSIM_BIN" run --gpu gtx480 "$@" >"$tmp/out" 2>"$tmp/err"
}
coarse() { run --plugin "$tmp/coarse.so" --with coarse "$@"; }
json() { # EXPRESSION in q (quality), s (stats), j
    python3 -c 'import json,sys; j=json.load(open(sys.argv[1])); q=j["quality"]; s=j["stats"]; assert eval(sys.argv[2]), (q, s.get("quality"))' "$tmp/run.json" "$1" 2>>"$tmp/err"
}

# Where nothing changes values, all is as ever.
ok "base demands the CPU's bits" 'run --json "$tmp/run.json" workload:rodinia-hs && grep -q "the same bits as the CPU" "$tmp/out"'
ok "... and has no quality" 'json "q is None and \"quality\" not in s"'
ok "a technique that says that it changes nothing, too" 'coarse --set coarse.bits=0 --max-error 0 --json "$tmp/run.json" workload:rodinia-hs && grep -q "the same bits as the CPU" "$tmp/out" && json "q is None"'

# One that may: judged, in every output.
ok "it is judged" 'coarse --json "$tmp/run.json" --csv "$tmp/run.csv" --db "$tmp/run.db" workload:rodinia-hs --dump "$tmp/dump" && grep -q "^check  *against the precise run: outputs judged 1, beyond a bound 0" "$tmp/out"'
ok "the summary says it" 'grep -q "^  quality *temp: rmse 0\.0[0-9]*%; rmse_geometric .*, squares .*, wrong .*, largest" "$tmp/err"'
ok "the JSON says it" 'json "q[\"design\"] == \"coarse\" and [o[\"name\"] for o in q[\"outputs\"]] == [\"temp\"] and q[\"outputs\"][0][\"measure\"] == \"rmse\" and 0 < q[\"outputs\"][0][\"error\"] < 1"'
ok "so do the statistics" 'json "s[\"quality\"][\"error\"] == q[\"outputs\"][0][\"error\"] == s[\"quality_temp\"][\"rmse\"]"'
ok "... in the CSV" 'grep -q "^quality_temp,,rmse,%,0\.0" "$tmp/run.csv" && grep -q "^quality,,error,%,0\.0" "$tmp/run.csv"'
ok "... and in the database" 'python3 -c "
import sqlite3, sys
d = sqlite3.connect(sys.argv[1])
assert any(\"quality_temp\" in map(str, r) for r in d.execute(\"select * from stat\"))" "$tmp/run.db"'
# The error as the measure defines it, from the arrays themselves; the precise array is the functional run's.
"$PARSIM_BIN" run --quiet --functional workload:rodinia-hs --dump "$tmp/functional" >/dev/null
ok "the precise array is the functional run's" 'cmp "$tmp/dump/rodinia-hs.temp.precise.bin" "$tmp/functional/rodinia-hs.temp.out.bin"'
ok "the error is that of the arrays" 'python3 - "$tmp" <<<"
import array, json, math, sys
a, b = array.array(\"f\"), array.array(\"f\")
a.frombytes(open(sys.argv[1] + \"/dump/rodinia-hs.temp.out.bin\", \"rb\").read())
b.frombytes(open(sys.argv[1] + \"/dump/rodinia-hs.temp.precise.bin\", \"rb\").read())
rmse = math.sqrt(sum((x - y) ** 2 for x, y in zip(a, b)) / len(a)) / (sum(map(abs, b)) / len(b)) * 100
said = json.load(open(sys.argv[1] + \"/run.json\"))[\"quality\"][\"outputs\"][0][\"error\"]
assert abs(rmse - said) < 1e-9 * rmse, (rmse, said)"'
first=$(python3 -c 'import json,sys; j=json.load(open(sys.argv[1])); print(j["quality"], j["stats"])' "$tmp/run.json")
ok "host threads change nothing" 'coarse --threads 2 --json "$tmp/run.json" workload:rodinia-hs && [ "$first" = "$(python3 -c "import json,sys; j=json.load(open(sys.argv[1])); print(j[\"quality\"], j[\"stats\"])" "$tmp/run.json")" ]'

# Programs through approximate instructions are judged against themselves, not against the CPU: an error that
# is the technique's alone.
# (sdk-bf loads by textures only, which coarse leaves alone; its exponential is not the CPU's.)
ok "approximate instructions are no error" 'coarse --json "$tmp/run.json" workload:sdk-bf && json "q[\"outputs\"][0][\"error\"] == 0 and s[\"quality\"][\"error\"] == 0"'
ok "each output by its own measure" 'coarse --set coarse.bits=31 --json "$tmp/run.json" workload:rodinia-km && json "[o[\"measure\"] for o in q[\"outputs\"]] == [\"wrong\", \"rmse\"]"'

# Bounds.
fails() { # CODE OPTIONS...
    local want=$1 code=0; shift
    coarse "$@" || code=$?
    [ $code = "$want" ]
}
ok "within its bound" 'fails 0 --max-error 5 workload:rodinia-hs'
ok "within bounds by measure" 'fails 0 --max-error squares=1,largest=10,wrong=100 workload:rodinia-hs'
ok "beyond its bound" 'fails 1 --quiet --max-error 0.01 --json "$tmp/run.json" workload:rodinia-hs'
ok "... which is said" 'grep -q "^parsim: output temp: rmse is 0\.0[0-9]*%, above the bound of 0.01% (--max-error 0.01)$" "$tmp/err"'
ok "... in the JSON too" 'json "q[\"max_error\"] == \"0.01\" and not q[\"outputs\"][0][\"within_bounds\"]"'
ok "beyond one by measure" 'fails 1 --max-error 5,wrong=50 workload:rodinia-hs && grep -q "output temp: wrong is .*%, above the bound of 50%" "$tmp/err"'
ok "what is no bound is refused" 'fails 2 --max-error rms=5 workload:rodinia-hs && grep -q "max-error: .rms=5. should be percent.*there are rmse, rmse_geometric, squares, wrong, largest" "$tmp/err"'
ok "from the environment" 'PARSIM_MAX_ERROR=0.01 fails 1 workload:rodinia-hs'

# Everything else demands equal bits.
ok "an output that is not judged" 'fails 1 --max-error 99 workload:sdk-tra && grep -q "elements are wrong; the first: out\[.*, the precise run has" "$tmp/err"'
ok "--no-check compares nothing" 'fails 0 --json "$tmp/run.json" workload:sdk-tra --no-check && json "q[\"outputs\"] == []"'
ok "a bound without anything judged" 'fails 1 --max-error 5 workload:sdk-tra --no-check && grep -q "coarse may change values, but the program has not judged an output" "$tmp/err"'
ok "memoized results of near inputs are judged" 'run --with caba-memo --set assist.memo_bits=16 --json "$tmp/run.json" workload:rodinia-srad && json "q[\"design\"] == \"assist\" and len(q[\"outputs\"]) == 2"'
ok "... those of equal inputs are not" 'run --with caba-memo --json "$tmp/run.json" workload:rodinia-srad && json "q is None"'
ok "a kernel alone is not judged" '! "$PARSIM_BIN" launch x.ptx k --grid 1 --block 1 --max-error 5 >"$tmp/out" 2>"$tmp/err" && grep -q "no program judges the outputs of a kernel alone" "$tmp/err"'

# A program of one's own, by parsim/program.h alone. Its argument: what it does wrong.
cat >"$tmp/own.c" <<'C'
#include <cuda.h>
#include <parsim/program.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    const float precise[] = {1, 2, 3, 4}, got[] = {1, 2, 3, 5};
    const char *wrong = argc > 1 ? argv[1] : "";
    struct parsim_output o = {"x", "f32", "wrong", precise, got, 4, 4};
    if (cuInit(0) || !parsim_changes_values || !parsim_judge)
        return 3;
    printf("%s %d", parsim_changes_values() ? parsim_changes_values() : "none", parsim_judge(&o));
    o.name = "y";
    o.count -= !strcmp(wrong, "count");
    o.type = strcmp(wrong, "type") ? o.type : "f33";
    o.precise = strcmp(wrong, "array") ? precise : NULL;
    o.name = strcmp(wrong, "name") ? o.name : "x";
    printf(" %d\n", parsim_judge(strcmp(wrong, "null") ? &o : NULL));
    return 0;
}
C
ok "it builds" '${CC:-cc} -std=c17 -Wall -Wextra -Werror -I "$PARSIM_TESTS/../include" -I "$PARSIM_TESTS/../include/cuda" -o "$tmp/own" "$tmp/own.c" -L "$(dirname "$PARSIM_BIN")/lib" -lcuda >"$tmp/err" 2>&1'
own() { # OUTPUT OPTIONS... : a run that ends well, with this line
    local want=$1; shift
    "$PARSIM_BIN" run --json "$tmp/run.json" "$@" >"$tmp/out" 2>"$tmp/err" && [ "$(cat "$tmp/out")" = "$want" ]
}
on_coarse="--gpu gtx480 --plugin $tmp/coarse.so --with coarse"
ok "a program of one's own judges" 'own "coarse 0 0" $on_coarse -- "$tmp/own" && json "[o[\"error\"] for o in q[\"outputs\"]] == [25, 25]"'
ok "... also where nothing changes values, and the JSON says so" 'own "none 0 0" --gpu gtx480 -- "$tmp/own" && json "q[\"design\"] is None and len(q[\"outputs\"]) == 2"'
refused() { # WRONG MESSAGE: -1, said; the run ends well without a bound, and fails with one
    own "coarse 0 -1" $on_coarse -- "$tmp/own" "$1" && grep -qF "parsim: $2" "$tmp/err" && fails 1 --max-error 99 -- "$tmp/own" "$1" &&
        grep -q "^parsim: --max-error 99: 1 output could not be judged$" "$tmp/err"
}
ok "another number of elements" 'refused count "output y: 3 elements, but the precise array has 4"'
ok "an unknown type" 'refused type "output y: type '"'f33'"' is none of"'
ok "no array" 'refused array "output y: an array is missing"'
ok "a name twice" 'refused name "output x was judged already"'
ok "no output at all" 'refused null "parsim_judge: there is no output"'
echo "$passed passed, $failed failed"
exit $((failed > 0))
