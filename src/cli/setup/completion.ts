// `parley completion`: prints a script that completes commands, words, options and their values in a shell.
// It is made from the table of commands.
import { builtInProviders } from '../../agents/native/models/providers/providers.ts';
import { cliCommands } from '../commands.ts';
import { print } from '../output.ts';
import { onlyWord, readArgs } from '../say.ts';
import { optionsOf, unknownWord, subcommandsOf } from '../suggest.ts';

export async function run(args: readonly string[]): Promise<number> {
  const shell = onlyWord(readArgs(args, {}).positionals, 'shell: bash, zsh or fish');
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (!script) throw unknownWord('completion', shell);
  print(script());
  return 0;
}

const scripts: { readonly [shell: string]: (() => string) | undefined } = { bash, zsh, fish };

const globalOptions = ['--no-open', '--help', '--version'];

interface Completed {
  readonly name: string;
  readonly summary: string;
  readonly words: readonly string[];
  readonly options: readonly string[];
  readonly values: readonly (readonly [option: string, values: readonly string[]])[];
}

function completed(): readonly Completed[] {
  const named = Object.entries(cliCommands).filter(([name]) => name !== '');
  const providers = builtInProviders.map(({ id }) => id);
  const other: { readonly [name: string]: readonly string[] | undefined } = {
    login: providers,
    logout: providers,
  };
  return [
    ...named.map(([name, command]) => ({
      name,
      summary: command.summary,
      words: other[name] ?? subcommandsOf(command),
      options: optionsOf(command),
      values: Object.entries(command.values ?? {}),
    })),
    {
      name: 'help',
      summary: 'print the help of a command',
      words: named.map(([name]) => name),
      options: [],
      values: [],
    },
  ];
}

function bash(): string {
  const all = completed();
  const cases = all.map(
    ({ name, words, options }) => `      ${name}) words="${[...words, ...options].join(' ')}" ;;`,
  );
  const values = all.flatMap((command) =>
    command.values.map(([option, some]) => `    "${command.name} ${option}") words="${some.join(' ')}" ;;`),
  );
  return `# Completion of parley for bash.
_parley() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${[...all.map(({ name }) => name), ...globalOptions].join(' ')}"
  else
    case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
      *) words="" ;;
    esac
  fi
  case "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD-1]}" in
${values.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _parley parley
`;
}

function zsh(): string {
  const all = completed();
  const commands = all.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`);
  const cases = all.map(
    ({ name, words, options }) => `    ${name}) compadd -- ${[...words, ...options].join(' ')} ;;`,
  );
  const values = all.flatMap((command) =>
    command.values.map(
      ([option, some]) =>
        `    ${quoted(`${command.name} ${option}`)}) compadd -- ${some.join(' ')}; return ;;`,
    ),
  );
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
  case "$words[2] $words[CURRENT-1]" in
${values.join('\n')}
  esac
  case "$words[2]" in
${cases.join('\n')}
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
  const lines = completed().flatMap(({ name, summary, words, options, values }) => {
    const after = `complete -c parley -n '__fish_seen_subcommand_from ${name}'`;
    const known = new Map(values);
    return [
      `complete -c parley -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
      ...words.map((word) => `${after} -f -a ${word}`),
      ...options.map((option) => {
        const some = known.get(option);
        return `${after} -l ${option.slice(2)}${some ? ` -x -a ${quoted(some.join(' '))}` : ''}`;
      }),
    ];
  });
  return ['# Completion of parley for fish.', ...lines, ''].join('\n');
}

/** In single quotes, for zsh and fish. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
