import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { testClient } from '../../../../test/kit/host.ts';
import { briefItems, nativeRig } from '../../../../test/kit/nativeRig.ts';
import type { NativeRig } from '../../../../test/kit/nativeRig.ts';
import type { LanguageModel, ModelRequest } from '../model.ts';

let rig: NativeRig;
afterEach(() => rig.close());

test('a session plans without changing anything, and the same conversation goes on in code', async () => {
  const requests: ModelRequest[] = [];
  const model: LanguageModel = {
    id: 'm/m',
    name: 'Em',
    async *stream(request) {
      requests.push(request);
      const called = request.messages.at(-1)?.role === 'tool';
      if (called) yield { type: 'text', text: 'Done.' };
      else
        yield {
          type: 'tool-call',
          id: '',
          name: 'shell_command',
          input: JSON.stringify({ command: 'echo hi > made.txt' }),
        };
      yield { type: 'finish', reason: called ? 'stop' : 'calls' };
    },
  };
  rig = await nativeRig([model]);
  const set = async (mode: string) => {
    rig.session.dispatch({ kind: 'changeSession', changes: { mode } }, testClient);
    await rig.session.settled();
  };
  const names = () => requests.at(-1)?.tools.map(({ name }) => name) ?? [];
  const made = () => existsSync(join(rig.place.root, 'made.txt'));
  await set('plan');
  expect(briefItems((await rig.prompt('Plan it.')).items)).toEqual(['shell_command denied', 'answer: Done.']);
  expect([
    names().includes('write_file'),
    names().includes('read_file'),
    made(),
    requests.at(-1)?.system.includes('You are planning'),
  ]).toEqual([false, true, false, true]);
  await set('code');
  expect(briefItems((await rig.prompt('Do it.')).items)).toEqual(['shell_command done', 'answer: Done.']);
  expect([
    names().includes('write_file'),
    made(),
    requests.at(-1)?.system.includes('You are planning'),
  ]).toEqual([true, true, false]);
  expect(requests.at(-1)?.messages.length).toBe(7);
});
