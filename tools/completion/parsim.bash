# Completion for bash: commands and options are asked of the program itself.
_parsim() {
    local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words i
    for ((i = 2; i < COMP_CWORD; i++)); do # behind "--" a program of the user's
        [ "${COMP_WORDS[i]}" = -- ] && { compopt -o default; return; }
    done
    if [ "$COMP_CWORD" = 1 ]; then
        words="$("${COMP_WORDS[0]}" --help 2>/dev/null | sed -n 's/^  \([a-z]\{1,\}\)  .*/\1/p') --help --version"
    elif [ "$before" = --gpu ]; then
        words=$("${COMP_WORDS[0]}" gpus 2>/dev/null | sed -n 's/^\([a-z0-9-]\{1,\}\) .*/\1/p')
    elif [ "$before" = --size ]; then
        words="tiny small medium large paper"
    elif [ "$before" = --with ] || [ "$before" = --designs ]; then
        words="base $("${COMP_WORDS[0]}" gpus --designs 2>/dev/null | sed -n 's/^ *\([a-z0-9-]\{1,\}\) .*/\1/p')"
    elif [[ $cur == -* ]]; then
        words=$("${COMP_WORDS[0]}" "$command" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*' | sort -u)
    elif [[ " compare sweep characterize workloads " == *" $command "* ]]; then
        words=$("${COMP_WORDS[0]}" workloads 2>/dev/null | sed -n 's/^\([a-z]\{1,\}-[a-z0-9-]*\) .*/\1/p')
    else
        compopt -o default
        return
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -F _parsim parsim
