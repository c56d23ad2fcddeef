// Two ECA editors and one AHP client on one chat: whoever answers first has answered, and whoever stops has
// stopped, for all of them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contentLength } from '../../src/rpc/framing/contentLength.ts';
import { ahpClient, spawned } from '../kit/clients.ts';
import type { AhpClient } from '../kit/clients.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';
import { wire } from '../kit/wire.ts';
import type { Loose, ReceivedNotification, Wire } from '../kit/wire.ts';

let home: Home;
let emacs: Editor;
let code: Editor;
let ahp: AhpClient;
let chats = 0;

/** An editor that leaves questions open until it is told what to answer. */
interface Editor extends Wire {
  answer(answer: string): void;
}

async function editor(name: string): Promise<Editor> {
  let settle: (answer: object) => void = () => {};
  const answers = (method: string) =>
    method === 'chat/askQuestion'
      ? new Promise((resolve) => {
          settle = resolve;
        })
      : {};
  const made = wire(spawned(home, ['server'], contentLength), answers);
  await made.request('initialize', {
    processId: process.pid,
    clientInfo: { name },
    capabilities: { codeAssistant: { chat: true, chatCapabilities: { askQuestion: true } } },
    workspaceFolders: [{ name: 'w', uri: `file://${home.workspace}` }],
  });
  made.notify('initialized', {});
  return { ...made, answer: (answer) => settle({ answer, cancelled: false }) };
}

beforeAll(async () => {
  home = newHome();
  const host = await home.serve();
  [emacs, code, ahp] = await Promise.all([editor('emacs'), editor('vscode'), ahpClient(host)]);
});

afterAll(async () => {
  await Promise.all([emacs.close(), code.close(), ahp.close()]);
  await home.dispose();
});

/** A chat that all three have open, with a turn that runs. */
async function shared(
  message: string,
): Promise<{ chat: string; channel: string; from: { emacs: number; code: number } }> {
  const chat = `together-${(chats += 1)}`;
  const from = { emacs: emacs.said.length, code: code.said.length };
  await emacs.request('chat/prompt', { chatId: chat, message });
  await code.request('chat/open', { chatId: chat });
  const added = await ahp.wait(
    ({ method, params }) => method === 'root/sessionAdded' && String(params.summary.resource).includes(chat),
  );
  const { defaultChat: channel } = await ahp.subscribe(added.params.summary.resource as string);
  await ahp.subscribe(channel);
  return { chat, channel, from };
}

const content =
  (chat: string, type: string) =>
  ({ params }: ReceivedNotification) =>
    params?.chatId === chat && params.content?.type === type;
const isFinished =
  (chat: string) =>
  ({ params }: ReceivedNotification) =>
    params?.chatId === chat && params.content?.state === 'finished';

async function overForAll({ chat, channel, from }: Awaited<ReturnType<typeof shared>>): Promise<Loose> {
  await Promise.all([emacs.wait(isFinished(chat), from.emacs), code.wait(isFinished(chat), from.code)]);
  return (await ahp.until(channel, (state) => !state.activeTurn && state.turns.length > 0)).turns.at(-1);
}

const callOf = (state: Loose) =>
  state.activeTurn?.responseParts.find((part: Loose) => part.toolCall?.status === 'pending-confirmation');
const command = (text: string) => `tool shell_command ${JSON.stringify({ command: `echo ${text}` })}`;

const everybody = ['emacs', 'vscode', 'ahp'] as const;

describe('an approval', () => {
  test.each(everybody)('from %s runs the call for all, and the others come too late', async (who) => {
    const place = await shared(command(who));
    const { chat, channel, from } = place;
    const { params } = await code.wait(content(chat, 'toolCallRun'), from.code);
    const state = await ahp.until(channel, (now) => callOf(now) !== undefined);
    const [toolCallId, part] = [params.content.id as string, callOf(state)];
    const confirm = () =>
      ahp.dispatch(channel, {
        type: 'chat/toolCallConfirmed',
        turnId: state.activeTurn.id,
        toolCallId: part.toolCall.toolCallId,
        approved: true,
        confirmed: 'user-action',
      });
    if (who === 'ahp') confirm();
    else (who === 'emacs' ? emacs : code).notify('chat/toolCallApprove', { chatId: chat, toolCallId });
    await Promise.all([
      emacs.wait(content(chat, 'toolCalled'), from.emacs),
      code.wait(content(chat, 'toolCalled'), from.code),
    ]);
    await overForAll(place);
    const late = who === 'emacs' ? code : emacs;
    const heard = late.said.length;
    late.notify('chat/toolCallReject', { chatId: chat, toolCallId });
    expect((await late.wait(({ method }) => method === '$/showMessage', heard)).params.message).toMatch(
      /already.*allowed by/,
    );
    const seq = confirm();
    expect(
      (await ahp.wait(({ method, params: said }) => method === 'action' && said.origin?.clientSeq === seq))
        .params.rejectionReason,
    ).toMatch(/.+/);
  });

  test.each(everybody)('that %s refuses ends the turn for all of them', async (who) => {
    const place = await shared(command('no'));
    const { params } = await code.wait(content(place.chat, 'toolCallRun'), place.from.code);
    if (who === 'ahp') {
      const { activeTurn } = await ahp.until(place.channel, (now) => callOf(now) !== undefined);
      ahp.dispatch(place.channel, {
        type: 'chat/toolCallConfirmed',
        turnId: activeTurn.id,
        toolCallId: callOf({ activeTurn }).toolCall.toolCallId,
        approved: false,
        reason: 'denied',
      });
    } else
      (who === 'emacs' ? emacs : code).notify('chat/toolCallReject', {
        chatId: place.chat,
        toolCallId: params.content.id,
      });
    await Promise.all([
      emacs.wait(content(place.chat, 'toolCallRejected'), place.from.emacs),
      code.wait(content(place.chat, 'toolCallRejected'), place.from.code),
    ]);
    expect((await overForAll(place)).state).toBe('complete');
  });
});

const question = `tool ask_user ${JSON.stringify({ question: 'Which colour?', options: [{ label: 'red' }, { label: 'blue' }] })}`;

describe('a question', () => {
  test.each(everybody)('is answered by %s and taken from the others', async (who) => {
    const place = await shared(question);
    const asked = ({ method, params }: ReceivedNotification) =>
      method === 'chat/askQuestion' && params.chatId === place.chat;
    const [{ params }] = await Promise.all([
      emacs.wait(asked, place.from.emacs),
      code.wait(asked, place.from.code),
    ]);
    expect(params).toMatchObject({
      question: 'Which colour?',
      allowFreeform: true,
      options: [{ label: 'red' }, { label: 'blue' }],
      requestId: expect.any(String) as string,
      toolCallId: expect.any(String) as string,
    });
    await ahp.until(place.channel, (state) =>
      state.activeTurn?.responseParts.some((part: Loose) => part.kind === 'inputRequest'),
    );
    if (who === 'ahp')
      ahp.dispatch(place.channel, {
        type: 'chat/inputCompleted',
        requestId: params.requestId,
        response: 'accept',
        answers: { answer: { state: 'submitted', value: { kind: 'selected', value: 'blue' } } },
      });
    else (who === 'emacs' ? emacs : code).answer('blue');
    const { params: called } = await emacs.wait(content(place.chat, 'toolCalled'), place.from.emacs);
    expect(called.content.outputs).toEqual([{ type: 'text', text: 'User answered: blue' }]);
    await overForAll(place);
    // The answer of whoever comes later changes nothing.
    (who === 'emacs' ? code : emacs).answer('red');
    expect(code.said.slice(place.from.code).filter(content(place.chat, 'toolCalled'))).toHaveLength(1);
  });
});

describe('a stop', () => {
  const moments = [
    ['while words come', 'stream 3\nhang'],
    ['while an approval is awaited', command('never')],
    ['while a question is open', question],
  ] as const;
  test.each(everybody.flatMap((who) => moments.map(([when, message]) => ({ who, when, message }))))(
    'from $who $when is one for all',
    async ({ who, message }) => {
      const place = await shared(message);
      const { activeTurn } = await ahp.until(
        place.channel,
        (state) => state.activeTurn?.responseParts.length > 0,
      );
      const asked = ({ method, params }: ReceivedNotification) =>
        method === 'chat/askQuestion' && params.chatId === place.chat;
      if (message === question)
        await Promise.all([emacs.wait(asked, place.from.emacs), code.wait(asked, place.from.code)]);
      if (message === command('never'))
        await Promise.all([
          emacs.wait(content(place.chat, 'toolCallRun'), place.from.emacs),
          code.wait(content(place.chat, 'toolCallRun'), place.from.code),
        ]);
      if (who === 'ahp')
        ahp.dispatch(place.channel, { type: 'chat/turnCancelled', turnId: activeTurn.id, duration: 0 });
      else (who === 'emacs' ? emacs : code).notify('chat/promptStop', { chatId: place.chat });
      expect((await overForAll(place)).state).toBe('cancelled');
      for (const [client, from] of [
        [emacs, place.from.emacs],
        [code, place.from.code],
      ] as const) {
        expect(
          client.said
            .slice(from)
            .filter(({ method, params }) => method === 'chat/statusChanged' && params.chatId === place.chat)
            .at(-1)?.params.status,
        ).toBe('stopping');
      }
    },
  );
});
