// The files in deploy/ can be read, and start the host with options that it has.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { cliCommands } from '../src/cli/commands.ts';

const folder = join(import.meta.dirname, '..', 'deploy');

interface Container {
  readonly command?: readonly string[];
  readonly args?: readonly string[];
}

test.each([
  ['compose.yaml', 2],
  ['kubernetes.yaml', 1],
])('%s', (file, hosts) => {
  const documents = parseAllDocuments(readFileSync(join(folder, file), 'utf8'), { merge: true });
  expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
  const commands = documents.flatMap((document) => containersIn(document.toJS()));
  expect(commands).toHaveLength(hosts);
  for (const [command = '', ...words] of commands) {
    const flags = words.filter((word) => word.startsWith('--'));
    expect(flags.length).toBeGreaterThan(0);
    for (const flag of flags) expect(cliCommands[command]?.usage).toContain(flag);
  }
});

test('Dockerfile', () => {
  const text = readFileSync(join(folder, 'Dockerfile'), 'utf8');
  const words: unknown = JSON.parse(/^CMD (\[.*\])$/m.exec(text)?.[1] ?? '[]');
  expect(words).toEqual(['serve', '--host', '0.0.0.0', '--port', '4517', '--no-open']);
});

/** The command lines of our own containers, wherever they are. */
function containersIn(value: unknown): readonly (readonly string[])[] {
  if (Array.isArray(value)) return value.flatMap(containersIn);
  if (typeof value !== 'object' || value === null) return [];
  const { command, args }: Container = value;
  const words = command ?? args;
  const inside = Object.entries(value)
    .filter(([name]) => !name.startsWith('x-'))
    .flatMap(([, each]) => containersIn(each));
  return Array.isArray(words) && words[0] === 'serve' ? [words, ...inside] : inside;
}
