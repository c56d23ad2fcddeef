import { expect, test } from 'vitest';
import { connect } from '../../../../test/kit/ahp.ts';
import type { AhpClient } from '../../../../test/kit/ahp.ts';
import { nativeRig } from '../../../../test/kit/nativeRig.ts';
import type { NativeRig } from '../../../../test/kit/nativeRig.ts';
import type { Loose } from '../../../../test/kit/wire.ts';
import type { ToolItem } from '../../../model/state.ts';
import { clientTools } from './clientTools.ts';
import { scriptedModel } from '../models/scripted/scripted.ts';

const tool = {
  name: 'open_view',
  title: 'Open a view',
  description: 'Opens a view of the editor.',
  inputSchema: { type: 'object', properties: { view: { type: 'string' } } },
};

/** An editor that lends a tool to a session with the native agent, and somebody who looks on. */
async function lending(
  work: (on: {
    rig: NativeRig;
    editor: AhpClient;
    other: AhpClient;
    chat: string;
    call: () => Promise<Loose>;
    item: () => ToolItem | undefined;
  }) => Promise<void>,
): Promise<void> {
  const rig = await nativeRig([scriptedModel({ sleep: () => Promise.resolve() })]);
  const [session, chat] = [`parley:/${rig.session.id}`, `ahp-chat:/${rig.session.id}`];
  const [editor, other] = [
    await connect(rig.host, { id: 'editor' }),
    await connect(rig.host, { id: 'other' }),
  ];
  for (const client of [editor, other])
    for (const channel of [session, chat]) await client.subscribe(channel);
  await editor.echo(
    editor.dispatch(session, {
      type: 'session/activeClientSet',
      activeClient: { clientId: 'editor', displayName: 'Editor', tools: [tool] },
    }),
  );
  const shown = (client: AhpClient) =>
    client.views.get(chat)?.activeTurn?.responseParts.findLast(({ kind }: Loose) => kind === 'toolCall')
      ?.toolCall;
  const call = async () => {
    for (const client of [editor, other])
      await client.wait(() => shown(client)?.status === 'pending-confirmation');
    await other.echo(
      other.dispatch(chat, {
        type: 'chat/toolCallConfirmed',
        turnId: 't1',
        toolCallId: shown(other).toolCallId,
        approved: true,
        confirmed: 'user-action',
      }),
    );
    await editor.wait(() => shown(editor)?.status === 'running');
    return shown(editor);
  };
  const item = () => rig.chat().turns[0]?.items.find((each): each is ToolItem => each.type === 'tool');
  try {
    await editor.echo(
      editor.dispatch(chat, {
        type: 'chat/turnStarted',
        turnId: 't1',
        startedAt: '2026-01-01T00:00:00.000Z',
        message: {
          text: 'tool open_view {"view":"tests"}\nsay It said {{result}}',
          origin: { kind: 'user' },
        },
      }),
    );
    await work({ rig, editor, other, chat, call, item });
    expect([...rig.problems, ...editor.problems, ...other.problems]).toEqual([]);
  } finally {
    await editor.close();
    await other.close();
    await rig.close();
  }
}

test('a client runs the tool it lends, and nobody else says what came of it', () =>
  lending(async ({ rig, editor, other, chat, call, item }) => {
    const running = await call();
    expect(running).toMatchObject({
      status: 'running',
      toolName: 'open_view',
      contributor: { kind: 'client', clientId: 'editor' },
    });
    const { toolCallId } = running;
    await editor.wait(
      () => editor.views.get(`parley:/${rig.session.id}`).inputNeeded?.[0]?.kind === 'toolClientExecution',
    );
    expect(editor.views.get(`parley:/${rig.session.id}`).inputNeeded).toMatchObject([
      { kind: 'toolClientExecution', clientId: 'editor', turnId: 't1' },
    ]);
    const result = {
      success: true,
      pastTenseMessage: 'Opened the view',
      content: [{ type: 'text', text: 'opened' }],
      structuredContent: { ok: true },
    };
    const forged = other.dispatch(chat, { type: 'chat/toolCallComplete', turnId: 't1', toolCallId, result });
    expect((await other.echo(forged)).params.rejectionReason).toMatch(/belongs to another client/);
    await editor.echo(
      editor.dispatch(chat, {
        type: 'chat/toolCallContentChanged',
        turnId: 't1',
        toolCallId,
        content: [{ type: 'text', text: 'opening' }],
      }),
    );
    expect(
      (
        await editor.echo(
          editor.dispatch(chat, { type: 'chat/toolCallComplete', turnId: 't1', toolCallId, result }),
        )
      ).params.rejectionReason,
    ).toBeUndefined();
    for (const client of [editor, other]) await client.wait(() => client.views.get(chat).turns.length === 1);
    expect(item()).toMatchObject({
      source: 'client',
      server: 'editor',
      result: { status: 'done', content: [{ type: 'text', text: 'opened' }] },
    });
    expect(other.views.get(chat).turns[0].responseParts).toMatchObject([
      { toolCall: { status: 'completed', ...result } },
      { kind: 'markdown', content: expect.stringContaining('It said opened') },
    ]);
    const late = editor.dispatch(chat, { type: 'chat/toolCallComplete', turnId: 't1', toolCallId, result });
    expect((await editor.echo(late)).params.rejectionReason).toMatch(/no such tool call/);
  }));

test.each([true, false])('a result that is to be confirmed waits for somebody, who says %s', (approved) =>
  lending(async ({ rig, editor, other, chat, call, item }) => {
    const { toolCallId } = await call();
    await editor.echo(
      editor.dispatch(chat, {
        type: 'chat/toolCallComplete',
        turnId: 't1',
        toolCallId,
        result: { success: true, pastTenseMessage: 'Opened', content: [] },
        requiresResultConfirmation: true,
      }),
    );
    await other.wait(() => other.views.get(chat).status === 24);
    expect(other.views.get(chat)).toMatchObject({
      status: 24,
      activeTurn: { responseParts: [{ toolCall: { status: 'pending-result-confirmation', success: true } }] },
    });
    expect(other.views.get(`parley:/${rig.session.id}`).inputNeeded).toMatchObject([
      { kind: 'toolConfirmation', toolCall: { status: 'pending-result-confirmation' } },
    ]);
    await other.echo(
      other.dispatch(chat, { type: 'chat/toolCallResultConfirmed', turnId: 't1', toolCallId, approved }),
    );
    for (const client of [editor, other]) await client.wait(() => client.views.get(chat).turns.length === 1);
    expect(item()?.result?.status).toBe(approved ? 'done' : 'denied');
    expect(editor.views.get(chat).turns[0].responseParts[0].toolCall).toMatchObject(
      approved ? { status: 'completed' } : { status: 'cancelled', reason: 'result-denied' },
    );
  }),
);

test('a call ends with the turn that is cancelled under it', () =>
  lending(async ({ editor, other, chat, call, item }) => {
    await call();
    await editor.echo(editor.dispatch(chat, { type: 'chat/turnCancelled', turnId: 't1', duration: 0 }));
    for (const client of [editor, other]) await client.wait(() => client.views.get(chat).turns.length === 1);
    expect(item()?.result?.status).toBe('cancelled');
  }));

test('a tool of a client does not take the name of another, and there are not too many', () => {
  const lent = ['read_file', 'a b', 'a_b', ...Array.from({ length: 200 }, (_, n) => `t${n}`)].map((name) => ({
    client: 'c',
    name,
    parameters: {},
  }));
  const names = clientTools(lent, new Set(['read_file'])).map(({ name }) => name);
  expect([names.slice(0, 3), names.length, new Set(names).size]).toEqual([
    ['read_file_2', 'a_b', 'a_b_2'],
    128,
    128,
  ]);
});
