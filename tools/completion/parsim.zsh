#compdef parsim
# Completion for zsh: commands and options are asked of the program itself.
local program=${words[1]} command=${words[2]} before=${words[CURRENT-1]}
if (( ${words[(I)--]} && ${words[(I)--]} < CURRENT )); then
    _files
elif (( CURRENT == 2 )); then
    compadd -- ${(f)"$($program --help 2>/dev/null | sed -n 's/^  \([a-z]\{1,\}\)  .*/\1/p')"} --help --version
elif [[ $before == --gpu ]]; then
    compadd -- ${(f)"$($program gpus 2>/dev/null | sed -n 's/^\([a-z0-9-]\{1,\}\) .*/\1/p')"}
elif [[ $before == --size ]]; then
    compadd -- tiny small medium large paper
elif [[ $before == --with || $before == --designs ]]; then
    compadd -- base ${(f)"$($program gpus --designs 2>/dev/null | sed -n 's/^ *\([a-z0-9-]\{1,\}\) .*/\1/p')"}
elif [[ ${words[CURRENT]} == -* ]]; then
    compadd -- ${(f)"$($program $command --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*' | sort -u)"}
elif [[ $command == (compare|sweep|characterize|workloads) ]]; then
    compadd -- ${(f)"$($program workloads 2>/dev/null | sed -n 's/^\([a-z]\{1,\}-[a-z0-9-]*\) .*/\1/p')"}
else
    _files
fi
