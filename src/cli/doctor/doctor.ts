// `parley doctor`: looks at everything that can be wrong on this machine, says how to mend it, and changes nothing.
import { jsonText, paintFor, print, wipeLine } from '../output.ts';
import { noMore, readArgs, safe } from '../say.ts';
import { checks } from './checks.ts';
import type { Finding } from './checks.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(args, { json: { type: 'boolean' } });
  noMore(positionals);
  const tell = values.json ? () => {} : teller();
  const findings: Finding[] = [];
  for (const name of Object.keys(checks)) {
    tell({ looking: name });
    const found = await findingsOf(name);
    findings.push(...found);
    tell({ found });
  }
  const count = findings.filter(({ state }) => state === 'broken').length;
  if (values.json) print(`${jsonText({ ok: count === 0, findings }, 2)}\n`);
  else
    print(
      `\n${count === 0 ? 'Nothing is broken.' : `${count === 1 ? 'One thing is' : `${count} things are`} broken.`}\n`,
    );
  return count > 0 ? 1 : 0;
}

async function findingsOf(name: string): Promise<readonly Finding[]> {
  try {
    return ((await checks[name]?.()) ?? []).map((finding) => ({ name, ...finding }));
  } catch (error) {
    return [{ name, state: 'broken', words: error instanceof Error ? error.message : String(error) }];
  }
}

type News = { readonly looking: string } | { readonly found: readonly Finding[] };

/** Prints what was found at once; on a terminal also what is being looked at, since some of it takes its time. */
function teller(): (news: News) => void {
  const paint = paintFor(process.stdout);
  const marks = { ok: paint.green('ok     '), note: paint.yellow('note   '), broken: paint.red('broken ') };
  const width = Math.max(...Object.keys(checks).map((name) => name.length)) + 2;
  const wipe = process.stdout.isTTY ? wipeLine : '';
  return (news) => {
    if ('looking' in news) {
      if (wipe !== '') print(paint.dim(`looking at ${news.looking} …`));
      return;
    }
    const lines = news.found.flatMap(({ name, state, words, fix }) => [
      `${marks[state]} ${name.padEnd(width)}${safe(words)}`,
      ...(fix === undefined ? [] : [`${' '.repeat(8 + width)}${paint.dim(safe(fix))}`]),
    ]);
    print(`${wipe}${lines.map((line) => `${line}\n`).join('')}`);
  };
}
