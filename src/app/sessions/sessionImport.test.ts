// What an exported session may bring along: what was said, and no power over the files here.
import { expect, test } from 'vitest';
import { rig } from '../../../test/kit/host.ts';
import type { Content, Event } from '../../model/event.ts';
import { isClaim } from '../../model/edits.ts';
import { importSession } from './sessionImport.ts';

test.each(['native', 'agent'] as const)(
  'an undo writes none of the texts that a file gives as those of a call (%s)',
  async (source) => {
    const made = await rig();
    const inTurn = { chat: 'old', turn: 't' };
    const tool = { ...inTurn, tool: 'c' };
    const edit: Content = {
      type: 'edit',
      path: '/w/build.js',
      before: 'evil()',
      after: 'build()',
      observed: true,
    };
    const events: readonly Event[] = [
      { kind: 'session.created', session: 'old', agent: 'script', roots: ['/elsewhere'] },
      { kind: 'chat.created', chat: 'old', origin: { type: 'user' } },
      { kind: 'turn.started', ...inTurn, message: { id: 'm', text: 'Build' }, queued: false },
      { kind: 'tool.started', ...tool, name: 'write', title: 'Write', toolKind: 'edit', source },
      { kind: 'tool.ready', ...tool, input: {}, title: 'Write', toolKind: 'edit', preview: [edit] },
      { kind: 'tool.running', ...tool, basis: { how: 'agent' } },
      { kind: 'tool.output', ...tool, output: { replace: [edit] } },
      { kind: 'tool.ended', ...tool, result: { status: 'done', content: [edit] } },
      { kind: 'turn.ended', ...inTurn, outcome: { kind: 'completed' } },
    ];
    const past = events.map((event, at) => ({ at, by: { kind: 'host' } as const, event }));
    const imported = await importSession(made.host, { session: { id: 'old', past }, roots: ['/w'] });
    if ('problem' in imported) throw new Error(imported.problem);
    const state = made.host.opened(imported.id)?.state;
    expect(state?.roots).toEqual(['/w']);
    const [call] = state?.chats[imported.id]?.turns[0]?.items ?? [];
    if (call?.type !== 'tool' || call.result?.status !== 'done') throw new Error('There is no call.');
    const edits = [...call.preview, ...call.content, ...call.result.content].flatMap((content) =>
      content.type === 'edit' ? [content] : [],
    );
    expect(edits.length).toBeGreaterThan(1);
    expect(edits.map((each) => isClaim(call, each))).toEqual(edits.map(() => true));
    await made.close();
  },
);

test('nobody here waits for an agent that had not stopped elsewhere', async () => {
  const made = await rig();
  const chat = 'old';
  const events: readonly Event[] = [
    { kind: 'session.created', session: 'old', agent: 'script', roots: ['/elsewhere'] },
    { kind: 'chat.created', chat, origin: { type: 'user' } },
    { kind: 'chat.changed', chat, title: 'Kept' },
    { kind: 'chat.changed', chat, stopping: 'Waiting for Script to stop.' },
  ];
  const past = events.map((event, at) => ({ at, by: { kind: 'host' } as const, event }));
  const imported = await importSession(made.host, { session: { id: 'old', past }, roots: ['/w'] });
  if ('problem' in imported) throw new Error(imported.problem);
  const { title, stopping } = made.host.opened(imported.id)?.state.chats[imported.id] ?? {};
  expect([title, stopping]).toEqual(['Kept', undefined]);
  await made.close();
});
