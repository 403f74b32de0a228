#!/usr/bin/env bash
# A selection of tests/data/statistics.list: nothing has moved. tools/check_statistics --all takes minutes.
set -eu
exec "$PARSIM_TESTS/../tools/check_statistics" --parsim "$PARSIM_BIN" --jobs 2
