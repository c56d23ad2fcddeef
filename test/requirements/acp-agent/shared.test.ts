// Sections 5.1, 7.4 and 18: a session that several clients have open at once shows each what the others do.
import { expect, test } from 'vitest';
import type { AcpClient } from '../../kit/acpClient.ts';
import { verifies } from '../acp-agent.ts';
import { editor, selected, shell, working } from './harness.ts';

const notices = { clientCapabilities: { session: { notices: {} } } };

function titles(client: AcpClient, sessionId: string): readonly string[] {
  return client
    .updates(sessionId)
    .flatMap((update) => (update.sessionUpdate === 'notice' ? [update.title] : []));
}

async function together(): Promise<{ client: AcpClient; other: AcpClient; sessionId: string }> {
  const { client, sessionId, cwd } = await working({
    ...notices,
    clientInfo: { name: 'one', title: 'Editor One', version: '1' },
  });
  await client.prompt(sessionId, 'say Hello.');
  const other = await editor({ ...notices, clientInfo: { name: 'two', title: 'Editor Two', version: '1' } });
  await other.call('session/resume', { sessionId, cwd });
  return { client, other, sessionId };
}

test(`ACP: ${verifies('shared.queue')}`, async () => {
  const { client, other, sessionId } = await together();
  const running = client.prompt(sessionId, 'say Begun.\nhang');
  await other.seen(({ params }) => JSON.stringify(params?.update ?? null).includes('Begun.'));
  const waiting = other.peer.request('session/prompt', {
    sessionId,
    prompt: [{ type: 'text', text: 'say Later.' }],
  });
  await client.seen(({ params }) => params?.update?.sessionUpdate === 'notice');
  expect(titles(client, sessionId)).toEqual(['Queued: say Later.']);
  expect(titles(other, sessionId)).toEqual([]);
  other.peer.notify('session/cancel', { sessionId });
  expect(await Promise.all([running, waiting])).toEqual([
    expect.objectContaining({ stopReason: 'cancelled' }),
    expect.objectContaining({ stopReason: 'cancelled' }),
  ]);
  await client.seen(
    ({ params }) => params?.update?.sessionUpdate === 'notice' && params.update.title.startsWith('Removed'),
  );
  expect(titles(client, sessionId)).toEqual(['Queued: say Later.', 'Removed from the queue: say Later.']);
});

test(`ACP: ${verifies('shared.answers')}`, async () => {
  const { client, other, sessionId } = await together();
  let takenBack = false;
  client.permission = (_, signal) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        takenBack = true;
        resolve({ outcome: { outcome: 'cancelled' } });
      });
    });
  other.permission = () => selected('allow');
  expect(await client.prompt(sessionId, shell('echo shared'))).toMatchObject({ stopReason: 'end_turn' });
  expect(titles(client, sessionId)).toEqual([expect.stringMatching(/^Editor Two: Allow/)]);
  expect(titles(other, sessionId)).toEqual([]);
  expect(takenBack).toBe(true);
});
