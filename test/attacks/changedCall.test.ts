// An agent that changes a call while its user is asked about it: what was shown is what may run.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { brief, chatOf, ended, send } from '../kit/agentRig.ts';
import { start } from '../kit/agentStart.ts';
import { testClient, until } from '../kit/host.ts';

const options = [
  { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
  { optionId: 'no', name: 'Deny', kind: 'reject_once' },
];

test('a command that replaces the approved one while the question is open is asked about anew', async () => {
  const { rig, session } = await start();
  const call = { toolCallId: 'c', title: 'ls', kind: 'execute', rawInput: { command: 'ls' } };
  const changed = { sessionUpdate: 'tool_call_update', toolCallId: 'c', rawInput: { command: 'touch evil' } };
  const turn = send(
    session,
    [
      `update ${JSON.stringify({ sessionUpdate: 'tool_call', status: 'pending', ...call })}`,
      `late 20 update ${JSON.stringify({ ...changed, title: 'touch evil' })}`,
      'late 60 say The call has changed.',
      `call session/request_permission ${JSON.stringify({ toolCall: call, options })}`,
      `call terminal/create ${JSON.stringify({ command: 'touch', args: ['evil'] })}`,
    ].join('\n'),
  );
  const asks = () => Object.values(chatOf(session).asks);
  await until(session, () => asks().length === 1);
  const [shown] = asks();
  // What the agent says after the change arrives after it.
  await until(session, () => JSON.stringify(chatOf(session).active?.items).includes('has changed'));
  expect(JSON.stringify(asks()[0]?.ask)).toBe(JSON.stringify(shown?.ask));
  const answer = { kind: 'option', option: 'yes' } as const;
  session.dispatch({ kind: 'answer', chat: session.id, ask: shown?.ask.id ?? '', answer }, testClient);
  await until(session, () => asks().some(({ ask }) => ask.id !== shown?.ask.id));
  expect(JSON.stringify(asks().map(({ ask }) => ask))).toContain('touch evil');
  const { items } = await ended(session, turn, { kind: 'declined', reason: 'No.' });
  expect(brief(items)).toContain('shell_command denied [$ touch evil]');
  expect(existsSync(join(rig.place.root, 'evil'))).toBe(false);
});
