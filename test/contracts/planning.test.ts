// What an agent that only plans may run: the real parser, a real folder and real programs.
import { afterEach, expect, test } from 'vitest';
import type { LanguageModel } from '../../src/agents/native/model.ts';
import { canonical } from '../../src/io/files/canonical.ts';
import { parseCommand } from '../../src/io/processes/parseCommand.ts';
import { testClient } from '../kit/host.ts';
import { nativeRig } from '../kit/nativeRig.ts';
import type { NativeRig } from '../kit/nativeRig.ts';

let rig: NativeRig;
afterEach(() => rig.close());

test.each([
  ['pwd', 'done'],
  ['ls -a', 'done'],
  ['find . -name x', 'done'],
  ['cd . && ls 2>/dev/null', 'done'],
  ['git log --oneline', 'failed'],
  ['git diff | cat', 'asked'],
  ['cat a', 'asked'],
  ['ls ..', 'asked'],
  ['find . -delete', 'denied'],
  ['git log --output=x', 'denied'],
  ['rm a', 'denied'],
])('whoever plans runs %j: %s', async (command, came) => {
  const model: LanguageModel = {
    id: 'm/m',
    name: 'Em',
    async *stream({ messages }) {
      const called = messages.at(-1)?.role === 'tool';
      yield called
        ? { type: 'text', text: 'Done.' }
        : { type: 'tool-call', id: '', name: 'shell_command', input: JSON.stringify({ command }) };
      yield { type: 'finish', reason: called ? 'stop' : 'calls' };
    },
  };
  rig = await nativeRig([model], {}, () => ({ paths: { canonical }, parseCommand }));
  rig.session.dispatch({ kind: 'changeSession', changes: { mode: 'plan' } }, testClient);
  const {
    items: [call],
  } = await rig.prompt('Look.');
  if (call?.type !== 'tool') throw new Error('no call');
  expect(call.basis?.how === 'ask' ? 'asked' : call.result?.status).toBe(came);
});
