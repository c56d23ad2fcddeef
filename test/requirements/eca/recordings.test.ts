// Our server against recordings of the real one: the same client messages, the same kinds of messages in the same order with the same members.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newHome } from '../../kit/parley.ts';
import type { Home } from '../../kit/parley.ts';
import { differences } from './compare.ts';
import { accepted } from './differences.ts';
import { recordedSteps } from './recorded.ts';
import { mcpSample } from './mcpSample.ts';
import { replay, sampleServer, scriptFor } from './replay.ts';

const files = ['probe.jsonl', 'probe2.jsonl'];
const incomparable = new Set(accepted.flatMap(({ steps = [], differences: some }) => (some ? [] : steps)));

/** What the recorded server had in its workspace. */
const tree = {
  'src/a.txt': 'one\ntwo\nthree\n', 'a.txt': 'one\n', 'AGENTS.md': 'A project.\n',
  '.eca/commands/greet.md': '---\ndescription: Say hi\n---\nSay hi to {{who}}',
  '.eca/skills/lint/SKILL.md': '---\nname: lint\ndescription: Lint things\n---\nRun lint on $1',
};

const found = new Map<string, readonly string[]>();
let home: Home;

beforeAll(async () => {
  home = newHome();
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(home.workspace, path)), { recursive: true });
    writeFileSync(join(home.workspace, path), text);
  }
  writeFileSync(sampleServer(home), mcpSample);
  home.env['PARLEY_SCRIPT'] = scriptFor(home, files, recordedSteps);
  await home.serve();
  for (const file of files) {
    for (const { step, theirs, ours } of await replay(home, recordedSteps(file), incomparable)) found.set(`${file}: ${step}`, differences(theirs, ours));
  }
}, 240_000);

afterAll(() => home.dispose());

const names = files.flatMap((file) => recordedSteps(file).map(({ name }) => ({ file, name })));

test('there are many steps', () => expect(names.length).toBeGreaterThan(45));

describe('every step differs from the recording in accepted ways only', () => {
  test.each(names)('$file: $name', ({ file, name }) => {
    const fine = accepted.filter(({ steps }) => !steps || steps.includes(name));
    const known = new Set(fine.flatMap(({ differences: some = [] }) => some));
    const rest = fine.some(({ differences: some }) => !some) ? [] : (found.get(`${file}: ${name}`) ?? []).filter((difference) => !known.has(difference));
    expect(rest).toEqual([]);
  });
});

test('every accepted difference is still there', () => {
  const stale = accepted.flatMap(({ steps, differences: some, reason }) => {
    const places = [...found].filter(([key]) => !steps || steps.some((step) => key.endsWith(`: ${step}`)));
    const all = places.flatMap(([, list]) => list);
    if (!some) return steps?.filter((step) => [...found].every(([key, list]) => !key.endsWith(`: ${step}`) || list.length === 0)).map((step) => `${step}: ${reason}`) ?? [];
    return some.filter((difference) => !all.includes(difference));
  });
  expect(stale).toEqual([]);
});
