// The recordings of a real ECA server: labelled steps, and what either side said in them. Read from
// outside the repository.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Loose } from '../../kit/wire.ts';

export interface Line {
  readonly from: 'client' | 'server';
  readonly message: Loose;
}

export interface RecordedStep {
  readonly name: string;
  readonly lines: readonly Line[];
}

const folder = join(
  import.meta.dirname,
  '..',
  '..',
  '..',
  '..',
  'shared',
  'conformance',
  'eca',
  'recordings',
);

export function recordedSteps(file: string): readonly RecordedStep[] {
  const steps: { name: string; lines: Line[] }[] = [{ name: 'initialize', lines: [] }];
  for (const text of readFileSync(join(folder, file), 'utf8').trim().split('\n')) {
    const { dir, m } = JSON.parse(text) as { dir: string; m: Loose };
    if (dir !== '##') steps.at(-1)?.lines.push({ from: dir === 'c>s' ? 'client' : 'server', message: m });
    else if (m !== steps.at(-1)?.name) steps.push({ name: String(m), lines: [] });
  }
  return steps.filter(({ lines }) => lines.length > 0);
}
