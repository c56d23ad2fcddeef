// Agents that work for others, through the real program and every door: chats of their own, live progress,
// questions that reach whoever watches, one stop for all.
import { methods } from '@agentclientprotocol/sdk';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { acpEditor, ahpClient } from '../kit/clients.ts';
import { brief, formats, startConversation } from '../kit/conversation.ts';
import type { Talking } from '../kit/conversation.ts';
import type { Loose } from '../kit/wire.ts';
import type { Json } from '../../src/model/event.ts';
import { eventually } from '../kit/patience.ts';

let rig: Talking;

beforeEach(async () => {
  rig = await startConversation({ host: 'shared' });
});
afterEach(() => rig.close());

const model = formats[0][1];
const spawn = (task: string) =>
  `TOOL:spawn_agent ${JSON.stringify({ agent: 'general', task, activity: 'helping' } satisfies Json)}`;

/** What a chat inside the chat was told, and by which name. */
function inside(rigs: Talking, parent: string): { readonly id: string; readonly said: readonly Loose[] } {
  const said = rigs.eca.said.flatMap(({ method, params }) =>
    method === 'chat/contentReceived' && params.parentChatId === parent ? [params] : [],
  );
  return { id: said[0]?.chatId, said };
}

test('ECA: the chat inside is shown with its parent, step by step, and nested when it is opened again', async () => {
  const said = await rig.prompt('parent', spawn('READ:a.txt'), model);
  const child = inside(rig, 'parent');
  expect(brief(child.said)).toEqual([
    'user: READ:a.txt',
    'read_file failed',
    expect.stringMatching(/^assistant: The tool said: /),
  ]);
  const details = said.flatMap(({ content }: Loose) =>
    content.type === 'toolCallRunning' && content.details ? [content.details] : [],
  );
  expect(details.at(-1)).toEqual({
    type: 'subagent',
    subagentChatId: child.id,
    model,
    agentName: 'general',
    step: 2,
    maxSteps: null,
  });
  expect(details.every(({ step }: Loose, at: number) => at === 0 || step >= details[at - 1].step)).toBe(true);
  expect(brief(said).at(-1)).toContain("## Agent 'general' Result");
  const from = rig.eca.said.length;
  await rig.eca.request('chat/open', { chatId: 'parent' });
  expect(
    rig.eca.said
      .slice(from)
      .some(({ params }) => params.parentChatId === 'parent' && params.chatId === child.id),
  ).toBe(true);
  const { chats } = await rig.eca.request('chat/list', {});
  expect(chats.map(({ id }: Loose) => id)).toEqual(['parent']);
});

test('ACP: what is asked inside is asked in the session around it, and the progress is part of the call', async () => {
  const editor = await acpEditor(rig.home, () =>
    Promise.resolve({ outcome: { outcome: 'selected', optionId: 'allow' } }),
  );
  const { sessionId } = (await editor.agent.request(methods.agent.session.new, {
    cwd: rig.home.workspace,
    mcpServers: [],
  })) as Loose;
  await editor.agent.request(methods.agent.session.prompt, {
    sessionId,
    prompt: [{ type: 'text', text: spawn('WRITE:b.txt') }],
  });
  expect(editor.asked).toMatchObject([{ sessionId, toolCall: { title: expect.stringContaining('b.txt') } }]);
  expect(existsSync(join(rig.home.workspace, 'b.txt'))).toBe(true);
  const shown = editor.updates.filter(
    ({ update }: Loose) =>
      update.sessionUpdate === 'tool_call_update' &&
      JSON.stringify(update.content ?? '').includes('Creating'),
  );
  expect(shown.length).toBeGreaterThan(0);
  expect(editor.problems).toEqual([]);
  await editor.close();
});

test('AHP: the call links to a chat that can be followed, and stopping the turn stops it', async () => {
  const ahp = await ahpClient(rig.served());
  rig.answer = ({ asked }) => (asked?.prompt === 'Wait.' ? [{ text: 'Hm' }, { idle: true }] : undefined);
  await rig.send('parent', spawn('Wait.'), model);
  const uri = await eventually(async () => {
    const { state } = (await ahp.request('subscribe', { channel: 'ahp-session:/parent' })).snapshot;
    return state.chats
      .map(({ resource }: Loose) => resource)
      .find((resource: string) => resource.includes('subagent-')) as string | undefined;
  }, 'the chat of the sub-agent');
  await ahp.subscribe(uri);
  await ahp.until(uri, (state) => JSON.stringify(state.activeTurn ?? '').includes('Hm'));
  rig.eca.notify('chat/promptStop', { chatId: 'parent' });
  const stopped = await ahp.until(uri, (state) => state.activeTurn === undefined);
  expect(stopped.turns.at(-1).state).toBe('cancelled');
  expect(await rig.asked().at(-1)?.ended).toBe('left');
  await ahp.close();
});
