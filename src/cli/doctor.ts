// `parley doctor`: looks at everything that can be wrong on this machine, says how to mend it, and changes nothing.
import { noMore, paintFor, readArgs, safe } from './say.ts';
import type { Paint } from './say.ts';
import { checks } from './doctorChecks.ts';
import type { Finding } from './doctorChecks.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(args, { json: { type: 'boolean' } });
  noMore(positionals);
  const findings: Finding[] = [];
  for (const [name, check] of Object.entries(checks)) {
    try {
      findings.push(...(await check()).map((finding) => ({ name, ...finding })));
    } catch (error) {
      findings.push({ name, state: 'broken', words: error instanceof Error ? error.message : String(error) });
    }
  }
  const broken = findings.some(({ state }) => state === 'broken');
  if (values.json) process.stdout.write(`${JSON.stringify({ ok: !broken, findings }, null, 2)}\n`);
  else process.stdout.write(textOf(findings, paintFor(process.stdout)));
  return broken ? 1 : 0;
}

function textOf(findings: readonly Finding[], paint: Paint): string {
  const marks = { ok: paint.green('ok     '), note: paint.yellow('note   '), broken: paint.red('broken ') };
  const width = Math.max(...findings.map(({ name }) => name.length)) + 2;
  const lines = findings.flatMap(({ name, state, words, fix }) => [
    `${marks[state]} ${name.padEnd(width)}${safe(words)}`, ...(fix === undefined ? [] : [`${' '.repeat(8 + width)}${paint.dim(safe(fix))}`]),
  ]);
  const count = findings.filter(({ state }) => state === 'broken').length;
  return `${lines.join('\n')}\n\n${count === 0 ? 'Nothing is broken.' : `${count === 1 ? 'One thing is' : `${count} things are`} broken.`}\n`;
}
