// What zsh reads at its start so that it says when commands begin and end; the user's own files are read at their usual time.
import { filled } from './shellStart.ts';
import type { ShellFacts, ShellStart } from './shellStart.ts';

export function zshStart(facts: ShellFacts): ShellStart {
  return { files: { '.zshenv': filled(environment, facts), '.zshrc': filled(script, facts) }, args: ['-i'], env: { ZDOTDIR: facts.directory } };
}

/** zsh finds its files by ZDOTDIR, which the user's first file may change; it must point to us once more for the next one. */
const environment = String.raw`
ZDOTDIR=HOME
[[ -r $ZDOTDIR/.zshenv ]] && . $ZDOTDIR/.zshenv
__parley_home=@{ZDOTDIR:-HOME}
ZDOTDIR=DIRECTORY
`;

const script = String.raw`
[[ $HISTFILE == DIRECTORY/* ]] && HISTFILE=$__parley_home/@{HISTFILE##*/}
ZDOTDIR=$__parley_home
unset __parley_home
[[ -r $ZDOTDIR/.zshrc ]] && . $ZDOTDIR/.zshrc
command rm -rf -- DIRECTORY
typeset -g __parley_mark=MARK __parley_ran=
__parley_escaped() {
  local text=@{1[1,8000]}
  text=@{text//\\/\\\\}
  text=@{text//$'\n'/\\x0a}
  text=@{text//$'\t'/\\x09}
  REPLY=@{text//[[:cntrl:]]/}
}
__parley_precmd() {
  local code=$? REPLY
  emulate -L zsh
  [[ -n $__parley_ran ]] && builtin printf '%sD;%s\a' "$__parley_mark" "$code"
  __parley_ran=
  __parley_escaped "$PWD"
  builtin printf '%sP;%s\a' "$__parley_mark" "$REPLY"
}
__parley_preexec() {
  emulate -L zsh
  local REPLY
  __parley_ran=1
  __parley_escaped "$1"
  builtin printf '%sC;%s\a' "$__parley_mark" "$REPLY"
}
precmd_functions=(__parley_precmd $precmd_functions)
preexec_functions+=(__parley_preexec)
`;
