#!/usr/bin/env bash
# Compiles tests/cuda/programs/*.cu with nvcc and runs each, by default under `parsim run --`.
#   run_programs.sh [NAME...]       only these
# PARSIM_BIN    the parsim command; "none" runs the programs on the machine's own GPU
# PROGRAMS_OUT  where the executables go and stay (default: a temporary folder)
# NVCC          the compiler (default: nvcc from PATH, or of /usr/local/cuda)
set -u
here=$(cd "$(dirname "$0")" && pwd)
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
if ! command -v "$nvcc" >/dev/null; then
    echo "skipped: nvcc is not installed"
    exit 0
fi
parsim=${PARSIM_BIN:-parsim}
launch=("$parsim" run --)
[ "$parsim" = none ] && launch=()
out=${PROGRAMS_OUT:-}
if [ -z "$out" ]; then
    out=$(mktemp -d)
    trap 'rm -rf "$out"' EXIT
fi
mkdir -p "$out"
flags=(-std=c++17 -gencode arch=compute_75,code=compute_75 -cudart shared)

# An executable newer than every source here is kept.
compile() {
    local name=$1 src=("$here/programs/$1.cu") extra=()
    [ "$name" = rdc ] && src=("$here/programs/rdc_main.cu" "$here/programs/rdc_other.cu")
    [[ "$name" = rdc || "$name" = device_launch ]] && extra=(-rdc=true)
    [ -e "$out/$name" ] && [ -z "$(find "$here/programs" -newer "$out/$name" -type f)" ] && return 0
    (cd "$here/programs" && "$nvcc" "${flags[@]}" "${extra[@]}" "${src[@]##*/}" -o "$out/$name") \
        >"$out/$name.log" 2>&1
}

names=("$@")
if [ ${#names[@]} = 0 ]; then
    for f in "$here"/programs/*.cu; do
        name=$(basename "$f" .cu)
        [ "$name" = rdc_other ] || names+=("${name/rdc_main/rdc}")
    done
fi
failed=0
for name in "${names[@]}"; do
    if ! compile "$name"; then
        echo "FAIL $name: does not compile"
        sed 's/^/    /' "$out/$name.log"
        failed=$((failed + 1))
        continue
    fi
    text=$(timeout "${PROGRAMS_TIMEOUT:-120}" "${launch[@]}" "$out/$name" 2>"$out/$name.err")
    rc=$?
    if [ $rc = 0 ] && [ "$text" = "PASS $name" ]; then
        echo "$text"
    else
        [[ "$text" == *"FAIL $name"* ]] || text="FAIL $name: exit status $rc: $text"
        echo "$text"
        tail -n 40 "$out/$name.err" | sed 's/^/    /'
        failed=$((failed + 1))
    fi
done
echo "$((${#names[@]} - failed)) of ${#names[@]} programs pass"
[ $failed = 0 ]
