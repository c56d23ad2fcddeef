// What a hostile folder cannot do by the files that it brings along for agents.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { bundle } from '../../../test/kit/bundle.ts';
import type { Bundle } from '../../../test/kit/bundle.ts';
import { workspace } from '../../../test/kit/workspace.ts';
import type { Workspace } from '../../../test/kit/workspace.ts';
import { openSettings } from '../settings/open.ts';
import type { OpenSettings } from '../settings/open.ts';
import type { SettingsProblem } from '../../host/settings/settings.ts';
import { openKnowledge } from './open.ts';

const run = promisify(execFile);

let place: Workspace | undefined;
let settings: OpenSettings | undefined;

afterEach(() => {
  settings?.close();
  place?.close();
});

interface Hostile {
  readonly files?: { readonly [path: string]: string };
  /** Where links lead, by their paths; a path without a slash in front lies beside the workspace. */
  readonly links?: { readonly [path: string]: string };
  readonly pipes?: readonly string[];
}

/** Gives the folder that the paths begin in. */
function make({ files = {}, links = {}, pipes = [] }: Hostile): string {
  const { root } = (place = workspace(files));
  const at = (path: string) => join(root, path);
  for (const path of [...Object.keys(links), ...pipes, 'w/x'])
    mkdirSync(dirname(at(path)), { recursive: true });
  for (const [path, to] of Object.entries(links)) symlinkSync(to.startsWith('/') ? to : at(to), at(path));
  for (const path of pipes) execFileSync('mkfifo', [at(path)]);
  return root;
}

/** Everything that agents would be told of the workspace `w`, as text. */
async function toldOf(hostile: Hostile): Promise<string> {
  const root = make(hostile);
  const env = { PARLEY_HOME: join(root, 'home') };
  settings = openSettings({ env });
  const knowledge = openKnowledge({
    settings,
    env,
    report: (problem) => {
      throw problem;
    },
  });
  const { agents, ...rest } = await knowledge.of([join(root, 'w')]);
  return JSON.stringify({
    ...rest,
    agents: agents.filter(({ source }) => source !== undefined),
    settings: settings.of([join(root, 'w')]).approvals,
  });
}

const secret = { 'outside/secret.md': 'OUTSIDE-SECRET', 'outside/skill/SKILL.md': 'OUTSIDE-SECRET' };

test.each<[string, Hostile['links']]>([
  ['instructions', { 'w/AGENTS.md': 'outside/secret.md' }],
  ['other instructions', { 'w/CLAUDE.md': 'outside/secret.md' }],
  ['a rule', { 'w/.parley/rules/r.md': 'outside/secret.md' }],
  ['a rule for ECA', { 'w/.eca/rules/r.md': 'outside/secret.md' }],
  ['the folder of the rules', { 'w/.parley/rules': 'outside' }],
  ['a skill', { 'w/.agents/skills/s/SKILL.md': 'outside/secret.md' }],
  ['the folder of a skill', { 'w/.agents/skills/s': 'outside/skill' }],
  ['the folder of all skills', { 'w/.agents/skills': 'outside' }],
  ['all that is for agents', { 'w/.agents': 'outside' }],
  ['a command', { 'w/.eca/commands/c.md': 'outside/secret.md' }],
  ['an agent', { 'w/.eca/agents/a.md': 'outside/secret.md' }],
  [
    'a link to a link',
    { 'w/.eca/rules/r.md': 'w/.eca/rules/s.md', 'w/.eca/rules/s.md': 'outside/secret.md' },
  ],
])('%s that leads out of the folder is not read', async (_, links) => {
  expect(await toldOf({ files: secret, links: links ?? {} })).not.toMatch(/OUTSIDE-SECRET|secret\.md/);
});

test.each([
  ['config.jsonc of ours', 'w/.parley/config.jsonc', '{"approvals": {"deny": ["OUTSIDE"]}}'],
  ['config.json of ECA', 'w/.eca/config.json', '{"toolCall": {"approval": {"deny": {"OUTSIDE": {}}}}}'],
])('%s that leads out of the folder is not read, and says so', async (_, path, text) => {
  expect(await toldOf({ files: { 'outside/c': text }, links: { [path]: 'outside/c' } })).not.toContain(
    'OUTSIDE',
  );
  expect(settings?.problems().map(({ message }) => message)).toEqual([
    `${join(place?.root ?? '', path)} leads outside its folder and is not read.`,
  ]);
});

test('the environment of the host is not read', async () => {
  const links = {
    'w/AGENTS.md': '/proc/self/environ',
    'w/.parley/rules/r.md': '/proc/self/environ',
    'w/.agents/skills/env/SKILL.md': '/proc/self/environ',
    'w/.eca/agents/a.md': '/proc/self/environ',
  };
  expect(await toldOf({ links })).not.toContain('PATH=');
});

test('the secrets of the folder are not read, whether a text mentions them or leads to them', async () => {
  const told = await toldOf({
    files: {
      'w/.env.local': 'OWN-SECRET',
      'w/keys/server.pem': 'OWN-SECRET',
      'w/notes.md': 'NOTES',
      'w/AGENTS.md': 'See @.env.local and @keys/server.pem and @notes.md here.',
    },
    links: { 'w/.parley/rules/r.md': 'w/.env.local', 'w/.agents/skills/env/SKILL.md': 'w/keys/server.pem' },
  });
  expect(told).toContain('NOTES');
  expect(told).not.toContain('OWN-SECRET');
});

test('not even where the user has a link to it', async () => {
  expect(
    await toldOf({
      links: { 'home/AGENTS.md': '/proc/self/environ', 'home/rules/r.md': '/proc/self/environ' },
    }),
  ).not.toContain('PATH=');
});

test("links that stay inside, and all of the user's own, are followed", async () => {
  const told = await toldOf({
    files: {
      'w/docs/AGENTS.md': 'Inside one.',
      'w/docs/rules/r.md': 'Inside two.',
      'outside/mine.md': 'Mine elsewhere.',
    },
    links: {
      'w/CLAUDE.md': 'w/docs/AGENTS.md',
      'w/.parley/rules': 'w/docs/rules',
      'home/rules/m.md': 'outside/mine.md',
    },
  });
  expect(told).toContain('Inside one.');
  expect(told).toContain('Inside two.');
  expect(told).toContain('Mine elsewhere.');
});

// A test that hangs in open cannot be ended by its time limit: the threads of the pool stay taken.
describe.skipIf(process.platform === 'win32')('in a process of its own', () => {
  let program: Bundle;
  beforeAll(async () => {
    program = await bundle('test/kit/toldOfFolder.ts');
  });
  afterAll(() => program.dispose());

  test('pipes are not waited for', async () => {
    const skills = ['a', 'b', 'c', 'd', 'e'].map((name) => `w/.agents/skills/${name}/SKILL.md`);
    const root = make({
      files: { 'w/.eca/rules/r.md': 'A rule.' },
      pipes: [
        'w/AGENTS.md',
        'w/.parley/config.jsonc',
        'w/.eca/config.json',
        'w/.parley/rules/p.md',
        ...skills,
      ],
    });
    // Rejects if the process had to be ended, because it waited.
    const ended = { timeout: 60_000, killSignal: 'SIGKILL' } as const;
    const { stdout } = await run(process.execPath, [program.path, join(root, 'w')], ended);
    const { told, problems } = JSON.parse(stdout) as {
      readonly told: string;
      readonly problems: readonly SettingsProblem[];
    };
    expect(told).toContain('A rule.');
    expect(
      problems
        .filter(({ kind }) => kind === 'unreadable')
        .map(({ message }) => message.replace(/^.*\/w\//, '')),
    ).toEqual([
      '.parley/config.jsonc is not a regular file and is not read.',
      '.eca/config.json is not a regular file and is not read.',
    ]);
  });
});

test('folders with very many texts are cut short', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 40 }, (_, folder) =>
      Array.from({ length: 20 }, (__, file) => [`w/.parley/rules/${folder}/${file}.md`, 'One of many.']),
    ).flat(),
  );
  const told = await toldOf({ files });
  expect(told.split('One of many.').length - 1).toBeLessThanOrEqual(500);
});
