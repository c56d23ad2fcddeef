// `parley completion`: prints a script that completes commands, words and options in a shell. It is made from
// the table of commands.
import { cliCommands } from '../commands.ts';
import type { CliCommand } from '../commands.ts';
import { print } from '../output.ts';
import { onlyWord, readArgs } from '../say.ts';
import { optionsOf, unknownWord, wordsOf } from '../suggest.ts';

export async function run(args: readonly string[]): Promise<number> {
  const shell = onlyWord(readArgs(args, {}).positionals, 'shell: bash, zsh or fish');
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (!script) throw unknownWord('completion', shell);
  print(script());
  return 0;
}

const scripts: { readonly [shell: string]: (() => string) | undefined } = { bash, zsh, fish };

const named = Object.entries(cliCommands).filter(([name]) => name !== '');
const globalOptions = ['--no-open', '--help', '--version'];

function bash(): string {
  return `# Completion of parley for bash.
_parley() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${[...named.map(([name]) => name), ...globalOptions].join(' ')}"
  else
    case "\${COMP_WORDS[1]}" in
${named.map(([name, command]) => `      ${name}) words="${candidates(command).join(' ')}" ;;`).join('\n')}
      *) words="" ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _parley parley
`;
}

function zsh(): string {
  const commands = named.map(([name, { summary }]) => `    ${quoted(`${name}:${summary}`)}`);
  return `#compdef parley
# Completion of parley for zsh.
_parley() {
  local -a commands
  commands=(
${commands.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    compadd -- ${globalOptions.join(' ')}
    return
  fi
  case "$words[2]" in
${named.map(([name, command]) => `    ${name}) compadd -- ${candidates(command).join(' ')} ;;`).join('\n')}
  esac
  _files
}
if [ "$funcstack[1]" = "_parley" ]; then
  _parley "$@"
else
  compdef _parley parley
fi
`;
}

function fish(): string {
  const lines = named.flatMap(([name, command]) => [
    `complete -c parley -n __fish_use_subcommand -f -a ${name} -d ${quoted(command.summary)}`,
    ...wordsOf(command).map(
      (word) => `complete -c parley -n '__fish_seen_subcommand_from ${name}' -f -a ${word}`,
    ),
    ...optionsOf(command).map(
      (option) => `complete -c parley -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`,
    ),
  ]);
  return ['# Completion of parley for fish.', ...lines, ''].join('\n');
}

function candidates(command: CliCommand): readonly string[] {
  return [...wordsOf(command), ...optionsOf(command)];
}

/** In single quotes, for zsh and fish. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
