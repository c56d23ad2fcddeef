// The fuzzer of command lines as a program: `npm run fuzz:commands -- --lines 1000000 --seed 1`.
import { parseArgs } from 'node:util';
import { fuzzCommands } from './commandFuzz.ts';

const { values } = parseArgs({
  options: {
    lines: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
});
const [lines, seed] = [Number(values.lines), Number(values.seed)];
if (!Number.isSafeInteger(lines) || !Number.isSafeInteger(seed) || lines < 1)
  throw new Error('--lines and --seed take whole numbers.');

let told = 0;
const { tried, allowed, violations } = await fuzzCommands({
  lines,
  seed,
  progress: (report) => {
    for (const violation of report.violations.slice(told))
      process.stdout.write(`${JSON.stringify(violation)}\n`);
    told = report.violations.length;
  },
});
process.stdout.write(
  `seed ${seed}: ${tried} lines tried, ${allowed} allowed, ${violations.length} violations\n`,
);
process.exitCode = violations.length > 0 ? 1 : 0;
