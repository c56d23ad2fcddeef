// The zsh start-up files that report when commands begin and end. They run the user's own
// files at their usual time.
import { fillScript } from './shellStart.ts';
import type { ShellFacts, ShellStart } from './shellStart.ts';

export function zshStart(facts: ShellFacts): ShellStart {
  return {
    files: { '.zshenv': fillScript(environment, facts), '.zshrc': fillScript(script, facts) },
    args: ['-i'],
    env: { ZDOTDIR: facts.directory },
  };
}

/** zsh finds its files by ZDOTDIR, which the user's .zshenv may change; we set it again for .zshrc. */
const environment = String.raw`
ZDOTDIR=USERS
[[ -r $ZDOTDIR/.zshenv ]] && . $ZDOTDIR/.zshenv
__parley_home=@{ZDOTDIR:-USERS}
ZDOTDIR=DIRECTORY
`;

/**
 * zsh marks an unfinished last line before it runs precmd functions, so the mark would count as output of the
 * program. We turn it off and print the same mark slightly later.
 */
const script = String.raw`
[[ $HISTFILE == DIRECTORY/* ]] && HISTFILE=$__parley_home/@{HISTFILE##*/}
ZDOTDIR=$__parley_home
[[ $ZDOTDIR == $HOME ]] && unset ZDOTDIR
unset __parley_home
[[ -r @{ZDOTDIR-$HOME}/.zshrc ]] && . @{ZDOTDIR-$HOME}/.zshrc
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
  if [[ -n $__parley_eol ]]; then
    setopt extendedglob
    local eol=@{PROMPT_EOL_MARK-'%B%S%#%s%b'}
    eol=@{(%)eol}
    local -i width=@{(m)#@{eol//$'\e'\[[0-9;]#m/}}
    builtin print -nr -- "$eol@{(l:COLUMNS - width:: :):-}"$'\r'"@{(l:width:: :):-}"$'\r'
  fi
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
__parley_eol=
if [[ -o prompt_sp ]]; then
  __parley_eol=1
  unsetopt prompt_sp
fi
precmd_functions=(__parley_precmd $precmd_functions)
preexec_functions+=(__parley_preexec)
`;
