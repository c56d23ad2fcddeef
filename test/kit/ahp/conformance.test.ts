// Runs the public cases that lie beside the repository, and our own for what those leave out.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { runFile } from './conformance.ts';

const here = dirname(fileURLToPath(import.meta.url));
const shared = join(here, '../../../../shared/conformance/ahp');

/** The least number of cases in each set, so that a set that went missing is a failure and not a silence. */
const sets: readonly (readonly [path: string, least: number])[] = [
  [join(shared, 'v1/reducers'), 105],
  [join(shared, 'v1.0/reducers'), 190],
  [join(shared, 'v1.0/derived'), 29],
  [join(shared, 'v1.0/round-trips'), 34],
  [join(shared, 'v1.0/version-negotiation.json'), 19],
  [join(here, 'cases'), 31],
];

for (const [path, least] of sets) {
  describe(`cases in ${path.slice(path.lastIndexOf('/ahp/') + 1)}`, () => {
    const results = files(path).flatMap((file) => {
      const outcome = runFile(JSON.parse(readFileSync(file, 'utf8')), file);
      return outcome.kind === 'cases' ? outcome.results : [{ name: file, problems: [outcome.kind] }];
    });

    test(`has at least ${least} cases`, () => {
      expect(results.length).toBeGreaterThanOrEqual(least);
    });

    test.each(results)('$name', ({ problems }) => {
      expect(problems).toEqual([]);
    });
  });
}

describe('what the runner says about files', () => {
  const chat = { resource: 'c:/1', title: 'T', status: 1, modifiedAt: 'now', turns: [] };
  const session = { provider: 'p', title: 'T', status: 1, lifecycle: 'ready', activeClients: [], chats: [] };

  test.each([
    ['a schema is no case', { $schema: 'x' }, { kind: 'noCases' }],
    ['a form nobody knows', { hello: 1 }, { kind: 'unknownForm' }],
    ['not even an object', 'text', { kind: 'unknownForm' }],
    [
      'a wrong expectation',
      { reducer: 'chat', initial: chat, actions: [], expected: { ...chat, title: 'U' } },
      ['.title: expected "U", got "T"'],
    ],
    [
      'a field too many',
      { reducer: 'chat', initial: chat, actions: [], expected: { ...chat, title: null } },
      ['.title: expected nothing, got "T"'],
    ],
    [
      'a reducer that is not there',
      { reducer: 'sky', initial: {}, actions: [], expected: {} },
      ['newest has no reducer called sky'],
    ],
    [
      'a reducer that cannot go on',
      { reducer: 'chat', initial: null, actions: [{ type: 'chat/delta' }], expected: {} },
      [expect.stringContaining('threw TypeError')],
    ],
    ['an entry that is no case', [{ hello: 1 }], ['not a case of a known form']],
    [
      'a type without a name here',
      { type: 'Nothing', input: 1, acceptableOutputs: [1] },
      ['no wire type is called Nothing'],
    ],
    [
      'a malformed value',
      { type: 'ContentRef', input: {}, acceptableOutputs: [{}] },
      ['uri: Invalid input: expected string, received undefined'],
    ],
    [
      'an output nobody accepts',
      { type: 'URI', input: 'a', acceptableOutputs: ['b'] },
      ['value: expected "b", got "a"'],
    ],
    [
      'a codec that drops what it should keep',
      {
        type: 'ContentRef',
        input: { uri: 'a', x: 1 },
        acceptableOutputs: [{ uri: 'a' }],
        preservedOutput: { uri: 'a', x: 1 },
      },
      [],
    ],
    [
      'another choice of version',
      { offered: ['1.0.0'], expected: '0.9.0' },
      ['value: expected "0.9.0", got "1.0.0"'],
    ],
    [
      'a session without signs of a dialect is taken by its actions',
      { reducer: 'session', initial: session, actions: [{ type: 'session/ready' }], expected: session },
      [],
    ],
  ])('%s', (_name, content, expected) => {
    const outcome = runFile(content, 'somewhere');
    expect(outcome.kind === 'cases' ? outcome.results.flatMap((result) => result.problems) : outcome).toEqual(
      expected,
    );
  });
});

function files(path: string): string[] {
  if (path.endsWith('.json')) return [path];
  return readdirSync(path)
    .toSorted()
    .map((name) => join(path, name));
}
