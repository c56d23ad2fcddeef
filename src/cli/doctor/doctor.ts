// `parley doctor`: checks the installation and suggests fixes. Changes nothing.
import { errorText } from '../../base/errorText.ts';
import { noMore, readArgs, safe } from '../say.ts';
import { checks } from './checks.ts';
import type { CheckOutcome } from './checks.ts';
import { paintFor, print, wipeLine } from '../output.ts';
import { jsonText } from '../../base/jsonText.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(args, { json: { type: 'boolean' } });
  noMore(positionals);
  const report = values.json ? () => {} : reporter();
  const findings: CheckOutcome[] = [];
  for (const name of Object.keys(checks)) {
    report({ checking: name });
    const results = await findingsOf(name);
    findings.push(...results);
    report({ findings: results });
  }
  const count = findings.filter(({ state }) => state === 'broken').length;
  if (values.json) print(`${jsonText({ ok: count === 0, findings }, 2)}\n`);
  else print(`\n${conclusion(count)}\n`);
  return count > 0 ? 1 : 0;
}

function conclusion(count: number): string {
  if (count === 0) return 'No problems found.';
  return count === 1 ? '1 problem found.' : `${count} problems found.`;
}

async function findingsOf(name: string): Promise<readonly CheckOutcome[]> {
  try {
    return ((await checks[name]?.()) ?? []).map((finding) => ({ name, ...finding }));
  } catch (error) {
    return [{ name, state: 'broken', words: errorText(error, String(error)) }];
  }
}

type Progress = { readonly checking: string } | { readonly findings: readonly CheckOutcome[] };

/** Prints each finding immediately; on a terminal also the running check, since some take long. */
function reporter(): (progress: Progress) => void {
  const paint = paintFor(process.stdout);
  const marks = { ok: paint.green('ok     '), note: paint.yellow('note   '), broken: paint.red('broken ') };
  const width = Math.max(...Object.keys(checks).map((name) => name.length)) + 2;
  const wipe = process.stdout.isTTY ? wipeLine : '';
  return (progress) => {
    if ('checking' in progress) {
      if (wipe !== '') print(paint.dim(`checking ${progress.checking} …`));
      return;
    }
    const lines = progress.findings.flatMap(({ name, state, words, fix }) => [
      `${marks[state]} ${name.padEnd(width)}${safe(words)}`,
      ...(fix === undefined ? [] : [`${' '.repeat(8 + width)}${paint.dim(safe(fix))}`]),
    ]);
    print(`${wipe}${lines.map((line) => `${line}\n`).join('')}`);
  };
}
