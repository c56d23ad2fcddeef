// The host's one policy held against the cases: the real judge, the real parser, and real
// links on a real disk.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ToolIntent } from '../../src/host/policy/toolRequest.ts';
import { judge } from '../../src/host/policy/policy.ts';
import type { PolicyContext } from '../../src/host/policy/policy.ts';
import { parseRule } from '../../src/host/policy/ruleText.ts';
import { canonical } from '../../src/io/files/canonical.ts';
import { holdsLinks } from '../../src/io/files/holdsLinks.ts';
import { parseCommand } from '../../src/io/processes/parseCommand.ts';
import type { Autonomy, Rule } from '../../src/model/event.ts';
import { commandCases } from './policyCommands.ts';
import { indirectCases } from './policyIndirect.ts';
import { evasionCases } from './policyEvasions.ts';
import { movedLinkCases } from './policyMovedLinks.ts';
import { links, pathCases } from './policyPaths.ts';

let base: string;
let root: string;

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'parley-policy-')));
  root = join(base, 'app');
  for (const folder of ['app/src/secret', 'app/.git/hooks', 'app/own', 'outside', 'app-twin', 'home/.ssh'])
    mkdirSync(join(base, folder), { recursive: true });
  for (const file of [
    'app/a',
    'app/src/x.ts',
    'outside/secret',
    'outside/x',
    'app-twin/x',
    'app/.git/config',
  ])
    writeFileSync(join(base, file), file);
  for (const [name, target] of Object.entries(links)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    symlinkSync(target, join(root, name));
  }
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface PolicyCase {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  readonly mode?: string;
  readonly trusted?: boolean;
  readonly autonomy?: Autonomy;
}

function groundOf({
  allow = [],
  ask = [],
  deny = [],
  mode,
  autonomy,
  trusted = false,
}: PolicyCase): PolicyContext {
  const rules = [
    ['allow', allow],
    ['ask', ask],
    ['deny', deny],
  ].flatMap(([effect, texts]) =>
    (texts as readonly string[]).map((text) => {
      const parsed = parseRule(text);
      if (!parsed) throw new Error(`${text} is no rule`);
      return { id: text, effect: effect as Rule['effect'], ...parsed };
    }),
  );
  return {
    roots: [root],
    rules,
    mode,
    autonomy,
    trusted,
    own: [join(root, 'own')],
    home: join(base, 'home'),
    canonical,
    holdsLinks,
  };
}

function check(intent: ToolIntent, given: PolicyCase, effect: string): void {
  expect(judge(intent, groundOf(given)).effect).toBe(effect);
}

describe.each([...commandCases, ...evasionCases, ...indirectCases, ...movedLinkCases])(
  'commands: $name',
  ({ cases, ...given }) => {
    test.each(cases)('%j: %s', (command, effect) => {
      check(
        {
          name: 'shell_command',
          toolKind: 'execute',
          input: { command },
          paths: [root],
          command,
          sandbox: {},
          line: parseCommand(command, 'linux'),
        },
        given,
        effect,
      );
    });
  },
);

describe.each(pathCases)('paths: $name', ({ cases, tool, kind, ...given }) => {
  test.each(cases)('%j: %s', (path, effect) => {
    const real = canonical(path.startsWith('/') ? path : `${root}/${path}`);
    check({ name: tool, toolKind: kind, input: { path }, paths: [real] }, given, effect);
  });
});

test('there are enough of both', () => {
  expect(commandCases.flatMap(({ cases }) => cases).length).toBeGreaterThanOrEqual(120);
  expect(pathCases.flatMap(({ cases }) => cases).length).toBeGreaterThanOrEqual(60);
});
