# Prints what bash would complete, a line each: capture.bash COMPLETION WORD..., the last of the words
# being typed. What is left to readline stands in parentheses.
source "$1"
shift
compopt() { printf '(%s)\n' "$2"; }
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_pagewatch
[[ ${#COMPREPLY[@]} == 0 ]] || printf '%s\n' "${COMPREPLY[@]}"
