// Prints what agents would be told of a folder, and the problems of its settings, as JSON. A program of its
// own, because a file that is waited for stops a whole process.
import { join } from 'node:path';
import { openKnowledge } from '../../src/io/knowledge/open.ts';
import { openSettings } from '../../src/io/settings/open.ts';

const folder = process.argv[2] ?? '';
const env = { PARLEY_HOME: join(folder, '../home') };
const settings = openSettings({ env });
const report = (problem: unknown) => {
  throw problem;
};

async function print(): Promise<void> {
  const told = await openKnowledge({ settings, env, report }).of([folder]);
  settings.of([folder]);
  process.stdout.write(JSON.stringify({ told: JSON.stringify(told), problems: settings.problems() }));
  settings.close();
}

void print();
