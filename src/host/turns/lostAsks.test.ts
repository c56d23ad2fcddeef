import { expect, test } from 'vitest';
import { rig, testClient, until } from '../../../test/kit/host.ts';
import { MemoryStore } from '../../../test/kit/memoryStore.ts';

test('what waited for an answer of an agent that ends with its host is told by the next one', async () => {
  const store = new MemoryStore();
  const first = await rig(store);
  first.scripts.set('go', async (turn) => {
    turn.report({ kind: 'text.added', item: 'a', channel: 'answer', text: 'I will.' });
    const call = { tool: 't', title: '$ rm -r x', toolKind: 'execute' } as const;
    turn.report({ kind: 'tool.started', ...call, name: 'shell', source: 'agent' });
    const intent = { name: 'shell', toolKind: 'execute', input: {}, paths: [] } as const;
    await turn.approve({ tool: 't', intent, title: '$ rm -r x' });
  });
  const session = await first.create('s');
  session.dispatch(
    { kind: 'startTurn', chat: 's', turn: 't1', message: { id: 'm', text: 'go' } },
    testClient,
  );
  await until(session, ({ chats }) => Object.keys(chats['s']?.asks ?? {}).length === 1);
  const copy = new MemoryStore();
  for (const id of ['$host', 's'])
    copy.write({
      entries: [...store.read(id)].map((entry) => ({ session: id, entry })),
      summaries: [],
      sync: 'disk',
    });
  copy.write({ entries: [], summaries: store.summaries(), sync: 'disk' });
  await first.close();

  const second = await rig(copy);
  const again = await second.host.open('s');
  if (!again || 'rejected' in again) throw new Error('not there');
  await until(again, ({ chats }) => chats['s']?.turns.length === 1);
  const [turn] = again.state.chats['s']?.turns ?? [];
  expect(turn?.outcome).toEqual({ kind: 'interrupted' });
  expect(turn?.items.filter(({ type }) => type === 'notice')).toMatchObject([
    {
      level: 'warning',
      text: expect.stringMatching(/^\$ rm -r x\nwaited for your approval .* It was not run\. Script cannot/s),
    },
  ]);
  await second.close();
});
