import { expect, test } from 'vitest';
import { bareKnowledge } from '../settings/projectKnowledge.ts';
import type { ProjectKnowledge } from '../settings/projectKnowledge.ts';
import { leaveOut, leftOut, withoutLeftOut } from './disabledFeatures.ts';

const skill = (name: string) => ({ name, description: '', text: '', folder: `/w/${name}` });
const written: ProjectKnowledge = {
  ...bareKnowledge,
  instructions: [{ path: '/w/AGENTS.md', text: 'x' }],
  rules: [
    { id: 'tidy', path: '/w/r.md', name: 'tidy', text: '', agents: [], models: [], globs: [], enforce: [] },
  ],
  skills: [skill('release'), skill('review')],
  agents: [
    ...bareKnowledge.agents,
    { name: 'ours', description: '', mode: 'primary', rules: [], disabledTools: [], source: '/w/a.md' },
  ],
};

test.each([
  ['skill:release', { skills: 1 }],
  ['parley:skill', { skills: 0 }],
  ['rule:/w/AGENTS.md', { instructions: 0 }],
  ['rule:tidy', { rules: 0 }],
  ['parley:rule', { instructions: 0, rules: 0 }],
  ['agent:ours', { agents: bareKnowledge.agents.length }],
  ['agent:code', {}],
  ['skill:nothing', {}],
])('without %s', (id, fewer: Partial<Record<'skills' | 'rules' | 'instructions' | 'agents', number>>) => {
  const left = withoutLeftOut(written, new Set([id]));
  const count = (kind: 'skills' | 'rules' | 'instructions' | 'agents') => left[kind].length;
  for (const kind of ['skills', 'rules', 'instructions', 'agents'] as const)
    expect([kind, count(kind)]).toEqual([kind, fewer[kind] ?? written[kind].length]);
});

test('what is switched off is recorded in order, by id', () => {
  expect(leaveOut(new Set(['b', 'a']))).toEqual({
    kind: 'record',
    fact: { kind: 'features.disabled', ids: ['a', 'b'] },
  });
  expect([...leftOut({ disabledFeatures: ['a', 'b'] })]).toEqual(['a', 'b']);
});
