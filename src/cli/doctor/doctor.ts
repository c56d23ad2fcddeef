// `parley doctor`: checks the installation and suggests fixes. Changes nothing.
import { constants } from 'node:os';
import { errorText } from '../../base/errorText.ts';
import { jsonText } from '../../base/jsonText.ts';
import { print, paintFor, wipeLine } from '../output.ts';
import { counted, noMore, readArgs, safe } from '../say.ts';
import { checks } from './checks.ts';
import type { CheckOutcome } from './checks.ts';
import { notKnown, timeLeft, timeToEnd } from './timeLeft.ts';

/** How long programs that were started may take to end afterwards, in milliseconds. */
const exitTime = 300;

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(args, { json: { type: 'boolean' }, bundle: { type: 'boolean' } });
  noMore(positionals);
  endTidily();
  const report = values.json ? () => {} : reporter();
  const names = Object.keys(checks);
  const results = await Promise.all(
    names.map(async (name) => {
      const found = await findingsOf(name);
      report(found);
      return found;
    }),
  );
  const findings = results.flat();
  const count = findings.filter(({ state }) => state === 'broken').length;
  const unknown = findings.filter(({ state }) => state === 'unknown').length;
  if (values.json) print(`${jsonText({ ok: count === 0, findings }, 2)}\n`);
  else print(`\n${conclusion(count, unknown)}\n`);
  if (values.bundle) {
    const file = (await import('./bundle.ts')).writeBundle(findings);
    if (!values.json)
      print(`Wrote ${file}. Read it before you share it; keys, tokens and texts are left out.\n`);
  }
  // What a check has left open must not keep the program running.
  setTimeout(() => process.exit(), Math.min(exitTime, timeToEnd())).unref();
  return count > 0 ? 1 : 0;
}

/** What the checks have started and written goes with them, also when the user does not wait. */
function endTidily(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
}

function conclusion(problems: number, unknown: number): string {
  const found = problems === 0 ? 'No problems found' : `${counted(problems, 'problem')} found`;
  return unknown === 0 ? `${found}.` : `${found}; ${counted(unknown, 'check')} did not end in time.`;
}

async function findingsOf(name: string): Promise<readonly CheckOutcome[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly CheckOutcome[]>((resolve) => {
    timer = setTimeout(() => resolve([{ name, ...notKnown }]), timeLeft());
  });
  try {
    const found = Promise.resolve(checks[name]?.() ?? []).then((all) =>
      all.map((finding) => ({ name, ...finding })),
    );
    return await Promise.race([found, late]);
  } catch (error) {
    return [{ name, state: 'broken', words: errorText(error, String(error)) }];
  } finally {
    clearTimeout(timer);
  }
}

/** Prints each finding as soon as it is known; on a terminal also what is still missing. */
function reporter(): (findings: readonly CheckOutcome[]) => void {
  const paint = paintFor(process.stdout);
  const marks = {
    ok: paint.green('ok     '),
    note: paint.yellow('note   '),
    broken: paint.red('broken '),
    unknown: paint.yellow('unknown'),
  };
  const names = Object.keys(checks);
  const width = Math.max(...names.map((name) => name.length)) + 2;
  const wipe = process.stdout.isTTY ? wipeLine : '';
  const missing = new Set(names);
  const wait = () => {
    if (wipe !== '' && missing.size > 0) print(paint.dim(`checking ${[...missing].join(', ')} …`));
  };
  wait();
  return (findings) => {
    const lines = findings.flatMap(({ name, state, words, fix }) => [
      `${marks[state]} ${name.padEnd(width)}${safe(words)}`,
      ...(fix === undefined ? [] : [`${' '.repeat(8 + width)}${paint.dim(safe(fix))}`]),
    ]);
    for (const { name } of findings) missing.delete(name);
    print(`${wipe}${lines.map((line) => `${line}\n`).join('')}`);
    wait();
  };
}
