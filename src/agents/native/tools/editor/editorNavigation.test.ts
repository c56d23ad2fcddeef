import { afterAll, expect, test } from 'vitest';
import { workspace } from '../../../../../test/kit/workspace.ts';
import { Editors } from '../../../../host/workspace/attachedEditors.ts';
import type { CodeLocation, EditorAnswer } from '../../../../host/workspace/attachedEditors.ts';
import { resultText } from '../../turn/modelMessages.ts';
import type { CommandEnvironment } from '../tool.ts';
import { editorDefinition } from './editorNavigation.ts';

const place = workspace({ 'a.ts': 'one\nuse(two)\n', '.env': 'KEY=SECRET\n' });
afterAll(() => place.close());

async function find(
  answers: readonly EditorAnswer<CodeLocation>[],
  editorTimeout?: number,
  surroundings?: CommandEnvironment,
): Promise<readonly [string, number]> {
  const editors = new Editors();
  let [asked, slept] = [0, 0];
  editors.attach({
    roots: () => [place.root],
    definition: () => Promise.resolve(answers[Math.min(asked++, answers.length - 1)] ?? []),
  });
  const sleep = () => {
    slept += 1;
    return Promise.resolve();
  };
  const context = {
    tool: 't',
    requestName: (own: string) => `x__${own}`,
    roots: [place.root],
    files: place.files,
    processes: place.processes,
    signal: new AbortController().signal,
    sleep,
    settings: { commandTimeout: 1, editorTimeout },
    services: { editors },
  };
  const prepared = await editorDefinition.prepare({ path: 'a.ts', line: 2, symbol: 'two' }, context);
  if ('refused' in prepared) throw new Error(prepared.refused);
  return [resultText(await prepared.run(() => {}, surroundings)), slept];
}

const starting = { problem: 'not-ready', message: 'It is starting.' } as const;
const found = [{ path: `${place.root}/a.ts`, line: 1, character: 1 }];

test('a language server that is starting is asked again as long as an editor may take', async () => {
  expect(await find([starting, starting, found])).toEqual([`${place.root}/a.ts:1:1: one`, 2]);
  expect(await find([starting], 5_000)).toEqual([
    'Editor failed to find definition: It is starting. Use x__grep as fallback.',
    1,
  ]);
  expect(await find([starting], 1_000)).toEqual([expect.stringContaining('It is starting.'), 0]);
});

test('a failure is told with what to use instead, and asked about once', async () => {
  expect(await find([{ problem: 'unable', message: 'busy' }])).toEqual([
    'Editor failed to find definition: busy. Use x__grep as fallback.',
    0,
  ]);
});

test('places in files that must not be read unasked are left out, with their text', async () => {
  const places = [...found, { path: `${place.root}/.env`, line: 1, character: 5 }];
  const hides = (path: string) =>
    path.endsWith('.env') ? ({ effect: 'ask', rule: 'secret' } as const) : undefined;
  expect((await find([places], undefined, { hides }))[0]).toBe(
    `${place.root}/a.ts:1:1: one\n\n` +
      '[LEFT OUT] Places in protected files: 1 (denied by a rule, or files that hold secrets).',
  );
});
