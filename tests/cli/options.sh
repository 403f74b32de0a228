#!/usr/bin/env bash
# What commands say of an option that they do not know: the word that was wrong, not one beside it.
set -u
failed=0
# refuses WORD ARGUMENTS: exit code 2, and the message names WORD.
refuses() {
    local word=$1 said
    shift
    said=$("$PARSIM_BIN" "$@" 2>&1 >/dev/null)
    [ $? = 2 ] && grep -qF -- "option '$word' is not known" <<<"$said" || { echo "FAIL: $*: $said"; failed=1; }
}
for command in run launch compare figure characterize workloads "cpu run" codec "codec encode"; do
    refuses --nonsense $command --nonsense word
    refuses -x $command -x word
    refuses -xy $command -xy word
    refuses -é $command -é word
done
refuses -xy run --quiet -xy word
refuses -xy compare sdk-tra --size tiny -xy word
refuses --size compare sdk-tra --size
refuses --codec codec encode --codec
refuses -c codec encode -c
if [ -x "$(dirname "$PARSIM_BIN")/bin/parsim-workloads" ]; then
    refuses -xy run --quiet workload:sdk-tra --no-check -xy
fi
exit $failed
