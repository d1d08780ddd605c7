# Prints what zsh offers for a line, a word a line. Usage: zsh -f zsh_completes.zsh COMPLETIONS FOLDER LINE
# An interactive zsh runs on a terminal of its own, with a compadd that prints what it is given; it ends after the first
# completion, so that nothing waits for a time.
zmodload zsh/zpty || exit 1
zpty z zsh -f -i
inner='PROMPT= ; RPROMPT= ; fpath=('$1' $fpath); autoload -Uz compinit; compinit -u -D; cd '$2'
null-line () { BUFFER= }
zle -N null-line; bindkey "^B" null-line; bindkey "^I" complete-word
zstyle ":completion:*" list-grouped false; zstyle ":completion:*" insert-tab false; zstyle ":completion:*" list-separator ""
zmodload zsh/zutil
compadd () {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return $?; fi
  typeset -a __hits; builtin compadd -A __hits "$@"
  (( ${#__hits} )) && print -rl -- "hit:"$^__hits
}
comppostfuncs=(done-now); done-now () { print -r -- "at-the-end"; exit }
print -r -- ready-to-complete'
zpty -w z $inner
while zpty -r z line; do [[ $line == *ready-to-complete* && $line != *print* ]] && break; done
zpty -w -n z "$3"$'\t'
while zpty -r z line; do
  [[ $line == *at-the-end* ]] && break
  [[ $line == *hit:* ]] && print -r -- ${${line##*hit:}%$'\r'*}
done
exit 0
