#!/usr/bin/env bash
# Every block of commands in the documents is tagged, and those tagged `run` give what is shown.
set -u
root=$(cd "$PARSIM_TESTS/.." && pwd)
command -v python3 >/dev/null && command -v clang >/dev/null || exit 0
grep -q 'PARSIM_SANITIZE:BOOL=ON' "$(dirname "$PARSIM_BIN")/CMakeCache.txt" && exit 0 # speeds and libraries are other there
exec "$root/tools/docs_run" --parsim "$PARSIM_BIN"
