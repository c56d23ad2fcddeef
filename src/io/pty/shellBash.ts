// What bash reads at its start so that it says when commands begin and end; the user's own file comes first.
import { filled } from './shellStart.ts';
import type { ShellFacts, ShellStart } from './shellStart.ts';

export function bashStart(facts: ShellFacts): ShellStart {
  return {
    files: { rc: filled(script, facts) },
    args: ['--init-file', `${facts.directory}/rc`, '-i'],
    env: {},
  };
}

/**
 * PS0 is shown after a line was read and before it runs: it notes that something runs, and says the line as the history has it. Where
 * the history did not grow, the line was either the same again or one that the history shall not know; the small letter says so, and the
 * word at the end of PS1 lets the reader see how the typed line began. Older shells have no PS0 and stay as they are.
 */
const script = String.raw`
[ -r ~/.bashrc ] && . ~/.bashrc
command rm -rf -- DIRECTORY
if [[ $- == *i* ]] && (( BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404 )); then
__parley_mark=MARK
__parley_ran=0
__parley_seen=
__parley_none=
__parley_typing="$__parley_mark"$'B\a'
__parley_escaped() {
  local text=@{1:0:8000}
  text=@{text//\\/\\\\}
  text=@{text//$'\n'/\\x0a}
  text=@{text//$'\t'/\\x09}
  REPLY=@{text//[[:cntrl:]]/}
}
__parley_starting() {
  local line kind=C REPLY
  line=$(HISTTIMEFORMAT= builtin history 1 2>/dev/null)
  [[ $line == "$__parley_seen" ]] && kind=c
  [[ -n @{HISTIGNORE-} && $kind == c ]] && line=
  [[ $line =~ ^\ *[0-9]+..(.*)$ ]] && line=@{BASH_REMATCH[1]}
  __parley_escaped "$line"
  builtin printf '%s%s;%s\a' "$__parley_mark" "$kind" "$REPLY"
}
__parley_first() {
  local code=$?
  [[ $__parley_ran == 1 ]] && builtin printf '%sD;%s\a' "$__parley_mark" "$code"
  __parley_ran=0
  return "$code"
}
__parley_last() {
  local code=$? REPLY
  __parley_escaped "$PWD"
  builtin printf '%sP;%s\a' "$__parley_mark" "$REPLY"
  __parley_seen=$(HISTTIMEFORMAT= builtin history 1 2>/dev/null)
  [[ @{PS1-} == *__parley_typing* ]] || PS1="@{PS1-}"'\[@{__parley_typing-}\]'
  [[ @{PS0-} == *__parley_starting* ]] || PS0="@{PS0-}"'@{__parley_none:$((__parley_ran=1)):0}$(__parley_starting)'
  return "$code"
}
if [[ $(declare -p PROMPT_COMMAND 2>/dev/null) == 'declare -a'* ]]; then
  PROMPT_COMMAND=(__parley_first "@{PROMPT_COMMAND[@]}" __parley_last)
else
  PROMPT_COMMAND=__parley_first$'\n'"@{PROMPT_COMMAND-}"$'\n'__parley_last
fi
fi
`;
