// The bash start-up file that reports when commands begin and end. It runs the user's own file first.
import { fillScript } from './shellStart.ts';
import type { ShellFacts, ShellStart } from './shellStart.ts';

export function bashStart(facts: ShellFacts): ShellStart {
  return {
    files: { rc: fillScript(script, facts) },
    args: ['--init-file', `${facts.directory}/rc`, '-i'],
    env: {},
  };
}

/**
 * bash prints PS0 after it has read a line and before it runs it. We use it to report the command as the
 * history has it. If the history did not grow, the line was either repeated or excluded from the history:
 * then the report uses a lower-case letter, and the mark at the end of PS1 shows where the typed line began.
 * Shells without PS0 report nothing.
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
