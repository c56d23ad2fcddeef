// Our server against recordings of the real one: the same client messages, the same kinds of messages in the
// same order with the same members.
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
/**
 * A server of tools is waited for all the same: how often it is begun differs, where it
 * stands in the end does not.
 */
const missing = (step: string, kind: string) =>
  !kind.startsWith('tool/serverUpdated mcp') &&
  accepted.some(
    ({ steps, differences: some }) =>
      (!steps || steps.includes(step)) && some.includes(`does not say ${kind}`),
  );

/** What the recorded server had in its workspace. */
const tree = {
  'src/a.txt': 'one\ntwo\nthree\n',
  'a.txt': 'one\n',
  'AGENTS.md': 'A project.\n',
  '.eca/commands/greet.md': '---\ndescription: Say hi\n---\nSay hi to {{who}}',
  '.eca/skills/lint/SKILL.md': '---\nname: lint\ndescription: Lint things\n---\nRun lint on $1',
};

/** How the second recorded server was configured. */
const config = {
  hooks: {
    start: {
      type: 'chatStart',
      actions: [
        { type: 'shell', shell: `echo '{"additionalContext":"hi","systemMessage":"hello from hook"}'` },
      ],
    },
    pre: {
      type: 'preToolCall',
      matcher: 'eca__read_file',
      actions: [{ type: 'shell', shell: 'echo nope >&2; exit 2' }],
    },
  },
  toolCall: { approval: { deny: { eca__shell_command: { argsMatchers: { command: ['rm.*'] } } } } },
};

const found = new Map<string, readonly string[]>();
const homes: Home[] = [];

beforeAll(async () => {
  for (const file of files) {
    const home = newHome();
    homes.push(home);
    const put = (path: string, text: string) => {
      mkdirSync(dirname(join(home.dir, path)), { recursive: true });
      writeFileSync(join(home.dir, path), text);
    };
    for (const [path, text] of Object.entries(tree)) put(join('workspace', path), text);
    const configure = (more: object) => put('config/eca/config.json', JSON.stringify({ ...config, ...more }));
    writeFileSync(sampleServer(home), mcpSample);
    Object.assign(home.env, {
      PARLEY_SCRIPT: scriptFor(home, files, recordedSteps),
      XDG_CONFIG_HOME: join(home.dir, 'config'),
    });
    if (file === 'probe2.jsonl') configure({});
    await home.run('trust', home.workspace, '--yes').done;
    await home.serve();
    const deeds = {
      'live config reload': () =>
        configure({ mcpServers: { foo: { command: process.execPath, args: [sampleServer(home)] } } }),
      'broken config': () => put('config/eca/config.json', '{ "hooks": '),
    };
    for (const { step, theirs, ours } of await replay(home, recordedSteps(file), { missing, deeds }))
      found.set(`${file}: ${step}`, differences(theirs, ours));
  }
}, 240_000);

afterAll(() => Promise.all(homes.map((home) => home.dispose())));

const names = files.flatMap((file) => recordedSteps(file).map(({ name }) => ({ file, name })));

test('there are many steps', () => expect(names.length).toBeGreaterThan(45));

describe('every step differs from the recording in accepted ways only', () => {
  test.each(names)('$file: $name', ({ file, name }) => {
    const fine = accepted.filter(({ steps }) => !steps || steps.includes(name));
    const known = new Set(fine.flatMap(({ differences: some }) => some));
    expect((found.get(`${file}: ${name}`) ?? []).filter((difference) => !known.has(difference))).toEqual([]);
  });
});

test('every accepted difference is still there', () => {
  const stale = accepted.flatMap(({ steps, differences: some }) => {
    const places = [...found].filter(([key]) => !steps || steps.some((step) => key.endsWith(`: ${step}`)));
    const all = places.flatMap(([, list]) => list);
    return some.filter((difference) => !all.includes(difference));
  });
  expect(stale).toEqual([]);
});
