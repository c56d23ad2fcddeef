// The agents that a benchmark compares on one model: the floor, ours with settings and knowledge, and the
// peer of `--peer`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Editor } from './editor.ts';
import { floorAgent } from './floorAgent.ts';
import { leanEnvironment } from './kit.ts';
import type { PacedModel } from './model.ts';

export type AgentName = 'floor' | 'parley' | 'peer';

export interface BenchAgents {
  readonly names: readonly AgentName[];
  /** The folder of all sessions, with a file. */
  readonly work: string;
  start(name: AgentName): Promise<Editor>;
}

export function benchAgents(dir: string, model: PacedModel): BenchAgents {
  const work = join(dir, 'work');
  const home = join(dir, 'home');
  for (const folder of [work, home]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(work, 'a.txt'), 'One line.\n');
  writeFileSync(join(home, 'AGENTS.md'), 'Write plain words.\n');
  const lab = { api: 'openai-chat', url: model.url, key: '${env:LAB_KEY}', models: { m: {} } };
  writeFileSync(
    join(home, 'config.jsonc'),
    JSON.stringify({ defaultModel: 'lab/m', providers: { lab } }, undefined, 2),
  );
  const { PARLEY_SCRIPTED: _, ...env } = leanEnvironment(home);
  Object.assign(env, {
    LAB_KEY: 'k',
    JOURNAL: join(dir, 'journal'),
    MODEL_URL: model.url,
    PARLEY_PRICES_URL: 'off',
    PARLEY_FETCH_MODELS: 'off',
  });
  const peer = process.env['PARLEY_BENCH_PEER'];
  const commands: { readonly [name in AgentName]: readonly string[] } = {
    floor: [process.execPath, '-e', floorAgent],
    parley: [process.execPath, resolve('bin/parley.js'), 'acp', '--standalone'],
    peer: ['sh', '-c', `exec ${peer ?? 'false'}`],
  };
  return {
    names: ['floor', 'parley', ...(peer === undefined ? [] : (['peer'] as const))],
    work,
    start: async (name) => {
      const editor = new Editor(commands[name], env, work);
      await editor.initialize();
      return editor;
    },
  };
}
