import { describe, expect, it } from 'vitest';
import {
  bareKnowledge,
  definitionOf,
  hasTool,
  isNamed,
  primaryAgents,
  spawnableAgents,
} from './projectKnowledge.ts';
import type { AgentDefinition } from './projectKnowledge.ts';

const names = (agents: readonly AgentDefinition[]) => agents.map(({ name }) => name);
const helper: AgentDefinition = {
  name: 'helper',
  description: 'Helps plans.',
  mode: 'subagent',
  rules: [],
  disabledTools: [],
  spawnableBy: ['plan'],
};

describe('what there is where nothing is written', () => {
  it('has two agents for people and two for tasks', () => {
    expect(names(primaryAgents(bareKnowledge))).toEqual(['code', 'plan']);
    expect(names(spawnableAgents(bareKnowledge, 'code'))).toEqual(['explorer', 'general']);
  });

  it('lets an agent say who may give it a task', () => {
    const known = { ...bareKnowledge, agents: [...bareKnowledge.agents, helper] };
    expect(names(spawnableAgents(known, 'plan'))).toEqual(['explorer', 'general', 'helper']);
    expect(names(spawnableAgents(known, 'code'))).toEqual(['explorer', 'general']);
  });

  it('works as the first one where a mode is not known', () => {
    expect(['plan', 'gone', undefined].map((mode) => definitionOf(bareKnowledge, mode)?.name)).toEqual([
      'plan',
      'code',
      'code',
    ]);
  });
});

describe('tools and patterns', () => {
  it.each([
    ['git', { name: 'git' }, true],
    ['git', { name: 'git_log' }, false],
    ['*_file', { name: 'edit_file' }, true],
    ['(edit|write)_file', { name: 'write_file' }, true],
    ['eca__grep', { name: 'grep' }, true],
    ['docs', { name: 'docs__search', server: 'docs' }, true],
    ['eca', { name: 'grep' }, true],
    ['eca', { name: 'docs__search', server: 'docs' }, false],
    ['docs__.*', { name: 'docs__search', server: 'docs' }, true],
    ['(', { name: '(' }, true],
    ['[', { name: 'grep' }, false],
  ])('%s and %j', (pattern, tool, expected) => {
    expect(isNamed([pattern], tool)).toBe(expected);
  });
});

it('an agent has the tools it names, without those it gives up', () => {
  const has = (tools: readonly string[] | undefined, disabledTools: readonly string[]) =>
    hasTool({ ...(tools ? { tools } : {}), disabledTools }, { name: 'grep' });
  // What cannot be tried takes a tool away and gives none.
  expect([has(['(gr)\\1|grep'], []), has(undefined, ['(gr)\\1|x'])]).toEqual([false, false]);
  expect([has(undefined, []), has(['read_file'], []), has(['gr*'], []), has(['grep'], ['grep'])]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});

it('a slow expression for names takes no time', () => {
  const start = performance.now();
  expect(isNamed(['(\\w+[. ]?)*#', '((_?\\w?){1,9}){1,9}#'], { name: `server__${'a'.repeat(56)}` })).toBe(
    false,
  );
  expect(performance.now() - start).toBeLessThan(2_000);
});
