import { describe, expect, test } from 'vitest';
import type { UserMessage } from '../../../model/event.ts';
import type { Message, MessageAttachment } from '../../../protocols/ahp/v1_0/message.ts';
import { inputFrom, inputText } from './content.ts';
import { fromMessage, toMessage, toTurnMessage } from './messages.ts';

const range = { start: { line: 4, character: 0 }, end: { line: 6, character: 2 } };

describe('a message comes back as it was sent, and we understand its attachments', () => {
  const cases: readonly (readonly [MessageAttachment, unknown])[] = [
    [
      { type: 'simple', label: 'note', modelRepresentation: 'the text', _meta: { a: 1 } },
      { type: 'text', label: 'note', text: 'the text' },
    ],
    [
      { type: 'resource', label: 'a.ts', uri: 'file:///w/a.ts', displayKind: 'document' },
      { type: 'file', path: '/w/a.ts' },
    ],
    [
      { type: 'resource', label: 'a.ts', uri: 'file:///w/a.ts', selection: { range } },
      { type: 'file', path: '/w/a.ts', lines: { start: 5, end: 7 } },
    ],
    [
      { type: 'resource', label: 'src', uri: 'file:///w/src', displayKind: 'directory' },
      { type: 'directory', path: '/w/src' },
    ],
    [
      { type: 'resource', label: 'page', uri: 'https://example.com/', contentType: 'text/html' },
      { type: 'link', uri: 'https://example.com/', name: 'page', mediaType: 'text/html' },
    ],
    [
      {
        type: 'embeddedResource',
        label: 'shot',
        data: 'AAAA',
        contentType: 'image/png',
        displayKind: 'image',
      },
      { type: 'image', mediaType: 'image/png', data: 'AAAA' },
    ],
    [
      { type: 'embeddedResource', label: 'voice', data: 'AAAA', contentType: 'audio/wav' },
      { type: 'audio', mediaType: 'audio/wav', data: 'AAAA' },
    ],
    [
      { type: 'embeddedResource', label: 'log', data: 'aGk=', contentType: 'text/plain' },
      { type: 'text', label: 'log', text: 'hi' },
    ],
    [
      { type: 'embeddedResource', label: 'zip', data: 'AAAA', contentType: 'application/zip' },
      { type: 'link', uri: 'data:application/zip;base64,AAAA', name: 'zip', mediaType: 'application/zip' },
    ],
    [
      { type: 'annotations', label: 'feedback', resource: 'script:/s/annotations' },
      { type: 'text', label: 'feedback', text: 'feedback', uri: 'script:/s/annotations' },
    ],
    [
      { type: 'chat', label: 'that chat', resource: 'ahp-chat:/c', endTurn: 't' },
      { type: 'text', label: 'that chat', text: 'that chat', uri: 'ahp-chat:/c' },
    ],
    [{ type: 'from-the-future', label: 'new' } as never, { type: 'text', label: 'new', text: 'new' }],
  ];
  test.each(cases)('%j', (attachment, ours) => {
    const message: Message = { text: 'hi', origin: { kind: 'user' }, attachments: [attachment] };
    const kept = fromMessage(message, 'm');
    expect(kept.attachments).toEqual([ours]);
    expect(toMessage(kept)).toEqual(message);
  });

  test('with everything else it may have', () => {
    const message: Message = {
      text: 'hi',
      origin: { kind: 'automation' },
      model: { id: 'm1', config: { effort: 'high' } },
      agent: { uri: 'x:/y' },
      _meta: { deep: { er: 1 } },
    };
    const kept = fromMessage(message, 'm');
    expect([kept.id, kept.text, kept.model]).toEqual(['m', 'hi', 'm1']);
    expect(toMessage(kept)).toEqual(message);
  });

  test('a plain one carries nothing besides', () => {
    expect(fromMessage({ text: 'hi', origin: { kind: 'user' } }, 'm')).toEqual({ id: 'm', text: 'hi' });
  });
});

test('what other doors wrote is shown as well as AHP can', () => {
  const message: UserMessage = {
    id: 'm',
    text: 'hi',
    extensions: { other: 1 },
    attachments: [
      { type: 'file', path: '/w/a b.ts', lines: { start: 2, end: 3 } },
      { type: 'directory', path: '/w' },
      { type: 'cursor', path: '/w/a', line: 3, character: 1 },
      { type: 'text', label: 'l', text: 't' },
      { type: 'image', mediaType: 'image/png', data: 'AA' },
      { type: 'link', uri: 'https://x/' },
    ],
  };
  expect(toMessage(message).attachments).toEqual([
    {
      type: 'resource',
      label: 'a b.ts',
      uri: 'file:///w/a%20b.ts',
      displayKind: 'document',
      selection: { range: { start: { line: 1, character: 0 }, end: { line: 2, character: 0 } } },
    },
    { type: 'resource', label: 'w', uri: 'file:///w', displayKind: 'directory' },
    {
      type: 'resource',
      label: 'a',
      uri: 'file:///w/a',
      displayKind: 'document',
      selection: { range: { start: { line: 2, character: 0 }, end: { line: 2, character: 0 } } },
    },
    { type: 'simple', label: 'l', modelRepresentation: 't' },
    { type: 'embeddedResource', label: 'image', data: 'AA', contentType: 'image/png', displayKind: 'image' },
    { type: 'resource', label: 'https://x/', uri: 'https://x/' },
  ]);
});

describe('arguments are edited in the shape they have', () => {
  const cases = [
    ['plain text', 'edited', 'edited'],
    [{ command: 'ls' }, 'ls -la', { command: 'ls -la' }],
    [{ command: 'ls', cwd: '/w' }, '{"command":"pwd"}', { command: 'pwd' }],
    [{ command: 'ls', cwd: '/w' }, 'not json', undefined],
    [undefined, '[1]', [1]],
  ] as const;
  test.each(cases)('%j', (old, text, expected) => {
    expect(inputFrom(text, old)).toEqual(expected);
  });

  test.each(['x', { command: 'ls' }, { a: [1, null] }, 7, null])('%j unchanged is the same', (input) => {
    expect(inputFrom(inputText(input), input)).toEqual(input);
  });
});

test('who wrote a message: its user, the agent that a subagent works for, or nobody', () => {
  const by = { kind: 'agent', agent: 'script' } as const;
  const message: UserMessage = { id: 'm', text: 'A command changed files.', from: 'agent' };
  const kind = (origin: Parameters<typeof toTurnMessage>[0]['origin'], from: UserMessage = message) =>
    toTurnMessage({ origin }, { message: from, by }).origin.kind;
  expect(kind({ type: 'user' }, { id: 'm', text: 'hi' })).toBe('user');
  expect(kind({ type: 'user' })).toBe('systemNotification');
  expect(kind({ type: 'tool', chat: 'c', tool: 't' })).toBe('agent');
  expect(toMessage(message).origin).toEqual({ kind: 'systemNotification' });
});
