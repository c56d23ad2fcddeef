// Writes a loop over fixed words as the list of its commands, which is what the shell runs. Only loops whose
// text can be replaced without any doubt; every other line is left as it is.

/** Other names may have a meaning for the shell or for programs, such as PATH or, in zsh, path. */
const name = '[a-z]|file|dir|item|name|pkg|target|version|num';
const word = String.raw`[\w./@:+,%-]+`;
const loop = new RegExp(
  String.raw`^[ \t\n]*for[ \t]+(${name})[ \t]+in((?:[ \t]+${word})+)[ \t]*[;\n][ \t\n]*do[ \t\n]+` +
    String.raw`([\w./@:+,%="$\{\} \t\n;&|<>-]+?)[ \t]*[;\n][ \t\n]*done[ \t\n]*$`,
);

/** Words that are a part of the grammar where a command could begin. */
const grammar =
  /(?:^|[\s;&|])(?:do|done|for|while|until|if|then|elif|else|fi|case|esac|select|function|time|coproc|in|\{|\}|break|continue)(?=$|[\s;&|<>])/;

const mostRounds = 100;

/** Undefined if the line is no such loop. */
export function unrollLoop(text: string): string | undefined {
  const [, variable = '', list = '', body = ''] = loop.exec(text) ?? [];
  const values = list.split(/[ \t]+/).filter((value) => value !== '');
  if (values.length === 0 || values.length > mostRounds || grammar.test(body)) return undefined;
  const used = new RegExp(String.raw`\$(?:${variable}(?!\w)|\{${variable}\})`, 'g');
  // Any other dollar sign or brace has a meaning that is not replaced here.
  if (/[${}]/.test(body.replaceAll(used, ''))) return undefined;
  // What a variable stands for is never a variable before a command, nor a part of the grammar.
  if (new RegExp(String.raw`${used.source}[^\s;&|<>]*=`).test(body)) return undefined;
  const commands = values.map((value) => body.replaceAll(used, () => value)).join('\n');
  return grammar.test(commands) ? undefined : commands;
}
