// The demo model's texts about tool results.
import type { CallResult } from '../../model.ts';

export const help = `I am the built-in demo model: no key, no network. I follow simple requests with real tools, and you are asked before anything changes. Try:
- what is in this folder
- read README.md
- find TODO
- create notes.txt with Remember the milk
- replace milk with bread in notes.txt
- run ls -la

For real work choose a model of a provider, or another agent.`;

export function describeResult(result: CallResult, root: string): string {
  const text = result.text.replaceAll(`${root}/`, '');
  if (result.status === 'denied') return 'You said no, so nothing was done and everything is as it was.';
  if (result.status !== 'done' && result.name !== 'shell_command') return `That did not work: ${text}`;
  const words = Object.hasOwn(conclusions, result.name) ? conclusions[result.name] : undefined;
  return words?.(text) ?? text;
}

/** The direct children of the listed directory. */
export function topOf(tree: string): readonly string[] {
  return tree
    .split('\n')
    .filter((line) => /^ \S/.test(line))
    .map((line) => line.slice(1));
}

export function nameList(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``);
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)}`;
}

const conclusions: { readonly [tool: string]: ((text: string) => string) | undefined } = {
  directory_tree: describeTree,
  read_file: describeFile,
  grep: describeMatches,
  shell_command: describeRun,
  write_file: (text) =>
    `Done: ${nameList([text.replace('Successfully wrote to ', '')])} is written. Ask me to read it if ` +
    'you like to see it.',
  edit_file: (text) =>
    `Done: ${nameList([text.replace('Successfully replaced content in ', '').replace(/\.$/, '')])} is ` +
    'changed.',
};

const shownNames = 12;
const shownLines = 15;

function describeTree(text: string): string {
  const names = topOf(text);
  const counts = text.trimEnd().split('\n').at(-1) ?? '';
  if (names.length === 0) return 'It is empty.';
  const more = names.length > shownNames ? `, and ${names.length - shownNames} more` : '';
  return `I see ${nameList(names.slice(0, shownNames))}${more}. In all: ${counts}.`;
}

function describeFile(text: string): string {
  const lines = text.split('\n');
  if (text === '') return 'The file is empty.';
  return (
    `It has ${count(lines.length, 'line')}${lines.length > shownLines ? ' and begins like this' : ''}:\n\n` +
    fenced(lines.slice(0, shownLines))
  );
}

function describeMatches(text: string): string {
  if (text === 'No matches found.') return 'I found nothing.';
  const lines = text.split('\n').filter(Boolean);
  const places = new Set(lines.map((line) => line.split(':')[0]));
  return (
    `I found ${count(lines.length, 'line')} in ${count(places.size, 'file')}:\n\n` +
    fenced(lines.slice(0, shownLines))
  );
}

function describeRun(text: string): string {
  const [end = '', ...output] = text.split('\n');
  const code = /^Exit code: (\d+)$/.exec(end)?.[1];
  const how = code === undefined ? end : describeExit(code);
  const lines = output.filter((line) => line !== 'Stdout:' && line !== 'Stderr:');
  return lines.length === 0
    ? `${how} It said nothing.`
    : `${how}${lines.length > shownLines ? ' The last lines:' : ' It said:'}\n\n` +
        fenced(lines.slice(-shownLines));
}

function describeExit(code: string): string {
  return code === '0' ? 'It ended well.' : `It ended with exit code ${code}.`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** The fence is longer than any fence in the text, so that the text cannot close it. */
function fenced(lines: readonly string[]): string {
  const text = lines.join('\n');
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
