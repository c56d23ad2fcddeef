// A stop at any moment, in every wire format: the turn is over at once, no process is left behind, and the
// next request is one that a provider takes.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundle } from '../kit/bundle.ts';
import type { Bundle } from '../kit/bundle.ts';
import { brief, formats, startConversation } from '../kit/conversation.ts';
import type { Talking } from '../kit/conversation.ts';
import type { Reply } from '../kit/provider/reply.ts';
import { malformed } from '../kit/provider/wellFormed.ts';
import type { Loose } from '../kit/wire.ts';
import { eventually } from '../kit/patience.ts';

let rig: Talking;
let raw: Bundle;

beforeAll(async () => {
  raw = await bundle(join(import.meta.dirname, '..', 'kit', 'mcpRawServer.ts'));
  rig = await startConversation({
    settings: {
      approvals: { allow: ['raw__left'] },
      mcpServers: { raw: { command: process.execPath, args: [raw.path] } },
    },
  });
});
afterAll(async () => {
  await rig.close();
  raw.dispose();
});

interface Moment {
  /** What the model does first. */
  readonly reply: (chat: string) => Reply;
  /** Resolves when it is the moment to stop. */
  readonly reached: (chat: string, from: number, hasBegun: () => boolean) => Promise<unknown>;
  /** What has to be true after the stop, sooner or later. */
  readonly left?: (chat: string) => boolean;
}

const heard = (chat: string, from: number, fits: (content: Loose) => boolean) =>
  rig.eca.wait(
    ({ method, params }) =>
      method === 'chat/contentReceived' && params.chatId === chat && fits(params.content),
    from,
  );

async function approved(chat: string, from: number): Promise<void> {
  const { params } = await heard(
    chat,
    from,
    ({ type, manualApproval }) => type === 'toolCallRun' && manualApproval === true,
  );
  rig.eca.notify('chat/toolCallApprove', { chatId: chat, toolCallId: params.content.id });
  await heard(chat, from, ({ type }) => type === 'toolCallRunning');
}

const markOf = (chat: string) => join(rig.home.workspace, `${chat}.called`);
const command = (chat: string) => `echo $$ > ${chat}.a; sleep 600 & echo $! > ${chat}.b; echo up; wait`;
const hanging: Reply = [{ idle: true }];

const moments: { readonly [name: string]: Moment } = {
  'while it waits for the model': {
    reply: () => hanging,
    reached: (_chat, _from, hasBegun) => eventually(hasBegun, 'the request'),
  },
  'in the middle of an answer': {
    reply: () => [{ text: 'Well, ' }, { idle: true }],
    reached: (chat, from) => heard(chat, from, ({ type, text }) => type === 'text' && text.includes('Well')),
  },
  'in the middle of a thought': {
    reply: () => [{ think: 'Hm.', seal: 's' }, { idle: true }],
    reached: (chat, from) => heard(chat, from, ({ type }) => type === 'reasonText'),
  },
  'in the middle of a call': {
    reply: () => [{ text: 'I look. ' }, { call: 'read_file', input: { path: 'a.txt' } }, { idle: true }],
    reached: (chat, from) => heard(chat, from, ({ type }) => type === 'toolCallPrepare'),
  },
  'while it asks for permission': {
    reply: () => [
      { call: 'read_file', input: { path: 'none.txt' } },
      { call: 'shell_command', input: { command: 'ls' } },
      { call: 'read_file', input: { path: 'none.txt' } },
    ],
    reached: (chat, from) =>
      heard(chat, from, ({ type, manualApproval }) => type === 'toolCallRun' && manualApproval === true),
  },
  'while a command runs': {
    reply: (chat) => [{ call: 'shell_command', input: { command: command(chat) } }],
    reached: async (chat, from) => {
      await approved(chat, from);
      await eventually(() => pids(chat).every((pid) => pid > 0), 'the processes');
    },
    left: (chat) => pids(chat).every((pid) => !isAlive(pid)),
  },
  'while a server of tools works': {
    reply: (chat) => [{ call: 'raw__hang', input: { mark: markOf(chat) } }],
    reached: async (chat, from) => {
      await approved(chat, from);
      await eventually(() => existsSync(markOf(chat)), 'the call');
    },
  },
  'while another agent works': {
    reply: () => [{ call: 'spawn_agent', input: { agent: 'general', task: 'HANG' } }],
    reached: (chat, from) =>
      rig.eca.wait(
        ({ method, params }) =>
          method === 'chat/contentReceived' &&
          params.parentChatId === chat &&
          params.content.text?.includes('Working'),
        from,
      ),
  },
};

describe.each(Object.keys(moments))('%s', (name) => {
  test.each(formats)('%s', async (format, model) => {
    const moment = moments[name];
    if (!moment) throw new Error(name);
    const chat = `${name} ${format}`.replaceAll(' ', '-');
    let begun = false;
    rig.answer = ({ asked }) => {
      if (asked?.prompt.includes('HANG')) return [{ text: 'Working. ' }, { idle: true }];
      if (begun || asked?.prompt !== 'Begin.')
        return asked?.prompt.includes('Go on.') ? [{ text: 'Going on.' }] : undefined;
      begun = true;
      return moment.reply(chat);
    };
    const sent = rig.provider.requests.length;
    const from = await rig.send(chat, 'Begin.', model);
    await moment.reached(chat, from, () => begun);
    rig.eca.notify('chat/promptStop', { chatId: chat });
    const said = brief(await rig.finished(chat, from));
    expect(said).toContain('system: Prompt stopped');
    if (moment.left) await eventually(() => moment.left?.(chat) === true, 'the end of what ran');
    expect(brief(await rig.prompt(chat, 'Go on.', model)).at(-1)).toBe('assistant: Going on.');
    const problems = rig.provider.requests
      .slice(sent)
      .filter(({ asked }) => asked !== undefined)
      .flatMap(({ path, body }) => malformed(path, body));
    expect(problems).toEqual([]);
  });
});

test('and all requests to providers that were under way have been left', async () => {
  const idle = rig.asked().filter(({ asked }) => asked?.prompt.includes('HANG'));
  expect(idle.length).toBe(formats.length);
  expect(await Promise.all(idle.map(({ ended }) => ended))).toEqual(idle.map(() => 'left'));
});

test('and the server of tools was told of every call that was given up', async () => {
  rig.answer = ({ asked }) => (asked?.results.length === 0 ? [{ call: 'raw__left', input: {} }] : undefined);
  await rig.prompt('told', 'What was given up?', formats[0][1]);
  expect(rig.asked().at(-1)?.asked?.results).toEqual([`${JSON.stringify(formats.map(() => 'hang'))}\n`]);
});

function pids(chat: string): readonly number[] {
  return ['a', 'b'].map((name) => {
    try {
      return Number(readFileSync(join(rig.home.workspace, `${chat}.${name}`), 'utf8'));
    } catch {
      return 0;
    }
  });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
