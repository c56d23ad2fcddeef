import { afterAll, afterEach, expect, test } from 'vitest';
import { agentRig, brief, disposeReference, prompt } from '../../../test/kit/agentRig.ts';
import type { AgentRig, RigOptions } from '../../../test/kit/agentRig.ts';

let rig: AgentRig | undefined;

afterEach(async () => {
  await rig?.close();
  rig = undefined;
});
afterAll(disposeReference);

async function start(options: RigOptions = {}) {
  rig = await agentRig(options);
  return rig.create();
}

test('a message is answered', async () => {
  const session = await start();
  const turn = await prompt(session, 'think Hm.\nsay Hello');
  expect([turn.outcome, brief(turn.items), rig?.problems]).toEqual([{ kind: 'completed' }, ['reasoning: Hm.', 'answer: Hello\n'], []]);
});

test('a command is asked for and done', async () => {
  const session = await start();
  const turn = await prompt(session, 'shell echo hi > b.txt; cat b.txt');
  expect([turn.outcome, brief(turn.items), rig?.problems]).toEqual([{ kind: 'completed' }, ['execute done [echo hi > b.txt; cat b.txt]', 'answer: Done.\n'], []]);
});
