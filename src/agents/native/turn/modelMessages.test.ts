import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { logs } from '../../../../test/kit/logs.ts';
import type { Outcome, UserMessage } from '../../../model/event.ts';
import type { EndedTurn, Item, ToolItem } from '../../../model/state.ts';
import { chatMessages, historyMessages, toUserMessage } from './modelMessages.ts';
import type { ModelMessage } from '../model.ts';

function turn(
  items: readonly Item[],
  more: { id?: string; message?: UserMessage; outcome?: Outcome } = {},
): EndedTurn {
  const id = more.id ?? 't';
  return {
    id,
    message: more.message ?? { id: 'm', text: 'do it' },
    by: { kind: 'host' },
    startedAt: 1,
    items,
    usage: undefined,
    outcome: more.outcome ?? { kind: 'completed' },
    endedAt: 2,
  };
}

function text(words: string, channel: 'answer' | 'reasoning' = 'answer'): Item {
  return { type: 'text', id: words, at: 1, channel, text: words };
}

function tool(id: string, more: Partial<ToolItem>): ToolItem {
  return {
    type: 'tool',
    id,
    at: 1,
    name: 'run',
    title: '',
    toolKind: 'execute',
    source: 'native',
    server: undefined,
    status: 'ended',
    inputText: '',
    input: { a: 1 },
    locations: [],
    preview: [],
    basis: undefined,
    approval: undefined,
    runningAt: undefined,
    endedAt: 2,
    output: '',
    content: [],
    result: undefined,
    ...more,
  };
}

/** One line a message. */
function brief(messages: readonly ModelMessage[]): readonly string[] {
  return messages.map((message) => {
    if (message.role === 'tool')
      return `tool ${message.results.map(({ id, status, text: words }) => `${id} ${status}: ${words}`).join(' / ')}`;
    const parts = message.content.map((part) => {
      if (part.type === 'call') return `call ${part.id} ${part.name} ${JSON.stringify(part.input)}`;
      if (part.type === 'served') return `served ${part.name}`;
      return part.type === 'image'
        ? `image ${part.mediaType}`
        : `${part.type === 'reasoning' ? '~' : ''}${part.text}`;
    });
    return `${message.role} ${parts.join(' / ')}`;
  });
}

describe('what a model is given of a turn', () => {
  check('words', [text('a'), text('hm', 'reasoning'), text('b')], ['user do it', 'assistant a / ~hm / b']);
  check('nothing', [], ['user do it']);
  check(
    'calls between words',
    [
      text('first'),
      tool('1', {
        result: {
          status: 'done',
          content: [
            { type: 'text', text: 'x' },
            { type: 'data', value: [1] },
            { type: 'blob', mediaType: 'audio/wav', data: 'AA==' },
          ],
        },
      }),
      tool('2', { result: { status: 'done', content: [] } }),
      text('then'),
      tool('3', { result: { status: 'failed', content: [], error: 'no' } }),
    ],
    [
      'user do it',
      'assistant first / call 1 run {"a":1} / call 2 run {"a":1}',
      'tool 1 done: x\n[1]\n[A file (audio/wav).] / 2 done: Done.',
      'assistant then / call 3 run {"a":1}',
      'tool 3 failed: no',
    ],
  );
  check(
    'a failure with words of its own',
    [
      tool('1', {
        result: {
          status: 'failed',
          content: [
            { type: 'text', text: 'Exit code: 1' },
            { type: 'text', text: 'Stderr:\nx' },
          ],
          error: 'Exit code: 1',
        },
      }),
    ],
    ['user do it', 'assistant call 1 run {"a":1}', 'tool 1 failed: Exit code: 1\nStderr:\nx'],
  );
  check(
    'a refusal',
    [tool('1', { result: { status: 'denied', reason: 'Not now.' } })],
    [
      'user do it',
      'assistant call 1 run {"a":1}',
      'tool 1 denied: This call was refused. It did not run and nothing has changed. Reason: Not now.',
    ],
  );
  check(
    'a stop while it ran',
    [tool('1', { result: { status: 'cancelled' }, runningAt: 1, output: 'half' })],
    [
      'user do it',
      'assistant call 1 run {"a":1}',
      'tool 1 cancelled: The user stopped this call while it ran; it may have done a part of its work.\nhalf',
    ],
  );
  check(
    'a stop before its arguments were there',
    [tool('1', { result: { status: 'cancelled' }, input: undefined, inputText: '{"a' })],
    [
      'user do it',
      'assistant call 1 run {}',
      'tool 1 cancelled: The user stopped this call before it ran; nothing has changed.',
    ],
  );
  check(
    'a crash',
    [tool('1', { result: { status: 'interrupted' }, runningAt: 1 })],
    [
      'user do it',
      'assistant call 1 run {"a":1}',
      'tool 1 interrupted: This call was interrupted while it ran; it may have done a part of its work.',
    ],
  );
  check(
    'steering',
    [
      tool('1', { result: { status: 'done', content: [] } }),
      { type: 'message', id: 'm2', at: 1, message: { id: 'm2', text: 'faster' } },
      text('ok'),
    ],
    ['user do it', 'assistant call 1 run {"a":1}', 'tool 1 done: Done.', 'user faster', 'assistant ok'],
  );
  check(
    'notices and questions are not for models',
    [{ type: 'notice', id: 'n', at: 1, level: 'info', text: 'x' }, text('a')],
    ['user do it', 'assistant a'],
  );

  function check(name: string, items: readonly Item[], expected: readonly string[]): void {
    test(`${name} in a turn`, () => {
      expect(brief(historyMessages([turn(items)], undefined))).toEqual(expected);
    });
  }
});

test('a summary stands for what it covers', () => {
  const turns = [
    turn([text('a')], { id: 't1' }),
    turn([text('b')], { id: 't2' }),
    turn([text('c')], { id: 't3' }),
  ];
  expect(brief(historyMessages(turns, { summary: 'All well.', after: 't2' }))).toEqual([
    'user Summary of the conversation so far:\n\nAll well.',
    'user do it',
    'assistant c',
  ]);
  expect(brief(historyMessages(turns.slice(0, 1), { summary: 'All well.', after: 'gone' }))).toEqual([
    'user do it',
    'assistant a',
  ]);
});

test('attachments become words, pictures stay', () => {
  const message: UserMessage = {
    id: 'm',
    text: 'see',
    attachments: [
      { type: 'file', path: '/a', lines: { start: 1, end: 2 } },
      { type: 'directory', path: '/d' },
      { type: 'cursor', path: '/c', line: 3, character: 4 },
      { type: 'text', label: 'Note', text: 'n' },
      { type: 'image', mediaType: 'image/png', data: '' },
      { type: 'link', uri: 'http://x', name: 'X' },
      { type: 'audio', mediaType: 'audio/wav', data: '' },
    ],
  };
  expect(brief([toUserMessage(message)])).toEqual([
    "user see / Attached file: /a (lines 1 to 2) / Attached directory: /d / The user's cursor is in /c, " +
      'line 3, column 4. / Note:\nn / image image/png / Attached link: X http://x / An audio recording ' +
      'was attached; it cannot be heard here.',
  ]);
});

test('whatever happened, every call has its result right after it, once', () => {
  fc.assert(
    fc.property(logs(), ({ states }) => {
      const chats = Object.values(states.at(-1)?.chats ?? {});
      for (const chat of chats) {
        const messages = historyMessages(chat.turns, chat.compaction);
        messages.forEach((message, at) => {
          const next = messages[at + 1];
          const called =
            message.role === 'assistant'
              ? message.content.flatMap((part) => (part.type === 'call' ? [part.id] : []))
              : [];
          const answered = next?.role === 'tool' ? next.results.map(({ id }) => id) : [];
          expect(answered).toEqual(called);
        });
        expect(messages[0]?.role ?? 'user').toBe('user');
      }
    }),
    { numRuns: 200 },
  );
});

test('the running turn comes after the history, which is converted once', () => {
  fc.assert(
    fc.property(logs(), ({ states }) => {
      for (const chat of Object.values(states.at(-1)?.chats ?? {})) {
        const { turns, active, compaction } = chat;
        const asked = new Map<string, number>();
        const { messages, start } = chatMessages(chat, (id) => void asked.set(id, (asked.get(id) ?? 0) + 1));
        expect(messages).toEqual(historyMessages(active ? [...turns, active] : turns, compaction));
        expect(messages.slice(0, start)).toEqual(
          compaction && compaction.after === active?.id
            ? messages.slice(0, 1)
            : historyMessages(turns, compaction),
        );
        expect([...asked.values()].filter((times) => times > 1)).toEqual([]);
      }
    }),
    { numRuns: 200 },
  );
});
