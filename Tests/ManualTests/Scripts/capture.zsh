# Prints what zsh would complete, a line each: capture.zsh FOLDER LINE, with the completion as
# _pagewatch in the folder. Only a shell with a terminal completes: it gets one.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PROMPT= RPROMPT=; fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -u -D"
zpty -w shell 'typeset -ga found
compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
  local -a hits; builtin compadd -A hits "$@"; found+=($hits); builtin compadd "$@"
}
show() { zle complete-word; { print "<""<<"; print -rl -- $found; print ">"">>" } >/dev/tty; exit }
zle -N show; bindkey "^I" show; print rea""dy'
while zpty -r shell line; do [[ $line == ready* ]] && break; done
zpty -w -n shell "$2"$'\t'
inside=0
while zpty -r shell line; do
  line=${line//[$'\r\n']/}
  [[ $line == *'<<<' ]] && { inside=1; continue }
  [[ $line == '>>>' ]] && break
  (( inside )) && [[ -n $line ]] && print -r -- $line
done
