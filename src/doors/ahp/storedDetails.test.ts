// What clients say comes back from the log as they said it, in a shape of ours, which logs of
// format 1 are brought into.
import { describe, expect, test } from 'vitest';
import { upgrade } from '../../model/upgrade.ts';
import type { EventOf, Json } from '../../model/event.ts';
import type { Message, MessageAttachment } from '../../protocols/ahp/v1_0/message.ts';
import type { ToolCallResult, ToolResultContent } from '../../protocols/ahp/v1_0/toolCall.ts';
import { clientResult, fromToolContent, fromToolResult } from './outbound/content.ts';
import { fromMessage, toMessage } from './outbound/messages.ts';
import { json } from './outbound/wireJson.ts';

const range = { start: { line: 4, character: 0 }, end: { line: 6, character: 2, later: 1 } };

const attachments: readonly MessageAttachment[] = [
  { type: 'simple', label: 'note', modelRepresentation: 'the text', range, _meta: { a: 1 } },
  { type: 'simple', label: 'note', ...{ text: 'from the future', place: 1, meta: 2, other: [3] } },
  {
    type: 'resource',
    label: 'a.ts',
    uri: 'file:///w/a.ts',
    displayKind: 'document',
    selection: { range, ...{ active: true } },
    sizeHint: 3,
    contentType: 'text/plain',
    nonce: 'n',
  },
  {
    type: 'resource',
    label: 'a',
    uri: 'file:///w/a',
    _meta: { 'ahp.v1': { type: 'selection', uri: 'file:///w/a', displayName: 'A', more: 1 }, mine: 2 },
  },
  { type: 'embeddedResource', label: 'shot', data: 'AAAA', contentType: 'image/png', displayKind: 'image' },
  { type: 'embeddedResource', label: 'log', data: 'aGk=', contentType: 'text/plain', selection: { range } },
  { type: 'annotations', label: 'feedback', resource: 'script:/s/annotations', annotationIds: ['1'] },
  { type: 'chat', label: 'that chat', resource: 'ahp-chat:/c', endTurn: 't' },
  { type: 'from-the-future', label: 'new' } as never,
];

const side = {
  uri: 'file:///a',
  content: { uri: 'x:/a', sizeHint: 1, contentType: 'text/plain', nonce: 'n' },
};

const contents: readonly ToolResultContent[] = [
  { type: 'text', text: 'hi', ...{ later: 1, data: 'x' } },
  { type: 'embeddedResource', data: 'AAAA', contentType: 'image/png', ...{ later: { a: 1 } } },
  { type: 'embeddedResource', data: 'AAAA', contentType: 'application/zip' },
  { type: 'resource', uri: 'https://x/', sizeHint: 3, contentType: 'text/html', nonce: 'n' },
  { type: 'fileEdit', before: side, after: side, diff: { added: 1, removed: 2 } },
  {
    type: 'terminal',
    resource: 'ahp-terminal:/1',
    title: 'sh',
    isPty: true,
    result: { exitCode: 0, preview: 'ok', truncated: false },
  },
  { type: 'subagent', resource: 'ahp-chat:/c', title: 'Task', agentName: 'a', description: 'd' },
  { type: 'from-the-future', deep: { er: 1 } } as never,
];

const messages: readonly Message[] = [
  ...attachments.map((each): Message => ({ text: 'hi', origin: { kind: 'user' }, attachments: [each] })),
  {
    text: 'hi',
    origin: { kind: 'automation', ...{ by: 'timer' } },
    attachments: [...attachments],
    model: { id: 'm1', config: { effort: 'high', fast: true, limit: 3, none: null } },
    agent: { uri: 'x:/y', ...{ later: 1 } },
    _meta: { deep: { er: 1 } },
  },
];

const results: readonly ToolCallResult[] = [
  { success: true, pastTenseMessage: 'Did it' },
  {
    success: true,
    pastTenseMessage: { markdown: '*Did* it', ...{ later: 1 } },
    content: [...contents],
    structuredContent: { a: [1] },
  },
  { success: false, pastTenseMessage: 'Failed', content: [], error: { message: 'No.', code: 'E1' } },
  { success: false, pastTenseMessage: { markdown: 'Failed' } },
];

const protocols =
  /"(?:ahp|acp|eca)[^"]*":|"_meta"|displayKind|pastTenseMessage|embeddedResource|modelRepresentation/;

describe('a message', () => {
  test.each(messages)('%j', (message) => {
    const ours = fromMessage(message, 'm');
    expect(toMessage(logged(ours))).toEqual(message);
    expect(JSON.stringify(ours)).not.toMatch(protocols);
    expect(upgraded('turn.started', { message: oldMessage(message) }).message.details).toEqual(ours.details);
  });

  test.each([7, 'x', [], { attachments: 1 }, { attachments: [{ kind: 'unknown' }] }])(
    'with details %j, which nobody wrote, is shown without them',
    (details) => {
      expect(toMessage({ text: 'hi', details })).toEqual({ text: 'hi', origin: { kind: 'user' } });
    },
  );
});

test('fields of another kind with values of their own come back, and values nested very deep', () => {
  const deep = json(JSON.parse(`${'['.repeat(2000)}${']'.repeat(2000)}`));
  const message: Message = {
    text: 'hi',
    origin: { kind: 'tool' },
    attachments: [
      { type: 'simple', label: 'odd', ...{ uri: 5, selection: 'x' } },
      { type: 'simple', label: 'fine', _meta: { deep } },
    ],
    _meta: { deep },
  };
  expect(JSON.stringify(toMessage(fromMessage(message, 'm')))).toHaveLength(JSON.stringify(message).length);
  const content = { type: 'resource', uri: 'x:/', ...{ title: 5 } } as const;
  const result = { success: true, pastTenseMessage: 'Did it', content: [content] };
  expect(clientResult(fromToolResult(result))).toEqual(result);
});

test('an attachment that cannot be read is shown as the model has it, the others as they came', () => {
  const fine = { type: 'simple', label: 'a', _meta: { mine: 1 } } as const;
  const { details, ...ours } = fromMessage(
    { text: '', origin: { kind: 'user' }, attachments: [fine, fine] },
    'm',
  );
  const [first] = (details as { readonly attachments: readonly Json[] }).attachments;
  expect(toMessage({ ...ours, details: { attachments: [first ?? null, { kind: 1 }] } }).attachments).toEqual([
    fine,
    { type: 'simple', label: 'a', modelRepresentation: 'a' },
  ]);
});

describe('a result of a tool', () => {
  test.each(results)('%j', (result) => {
    const ours = fromToolResult(result);
    expect(clientResult(logged(ours))).toEqual(result);
    expect(JSON.stringify(ours)).not.toMatch(protocols);
    const { structured: _, details: __, ...rest } = ours;
    const old = { ...rest, content: (result.content ?? []).map(oldContent), raw: { ahp: json(result) } };
    expect(upgraded('tool.ended', { result: json(old) }).result).toEqual(ours);
    const note = { note: 'result', chat: 'c', turn: 't', tool: 'x', result: json(result) };
    expect(upgrade({ kind: 'note', door: 'ahp', key: 'result', value: note }, 1)).toMatchObject({
      kind: 'tool.held',
      result: ours,
    });
  });

  test('in the middle of a call', () => {
    const replace = contents.map(oldContent);
    expect(upgraded('tool.output', { output: { replace } }).output).toEqual({
      replace: contents.map(fromToolContent),
    });
  });

  test('that no client has reported has none of its words', () => {
    const content = [{ type: 'text', text: 'x' }] as const;
    expect(clientResult({ status: 'done', content, raw: { exitCode: 0 } })).toBeUndefined();
    expect(clientResult({ status: 'done', content, details: { summary: 'x' } })).toBeUndefined();
  });
});

/** As it is after it was on disk. */
function logged<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** A message as format 1 had it; the data of images and sounds was in its attachments only. */
function oldMessage(message: Message): Json {
  const { text, origin, attachments: all, model, agent, _meta } = message;
  const kept = all?.map((each) =>
    each.type === 'embeddedResource' && each.contentType === 'image/png' ? { ...each, data: '' } : each,
  );
  const ahp = {
    ...(origin.kind === 'user' ? {} : { origin }),
    attachments: kept,
    ...(model ? { model: { config: model.config } } : {}),
    ...(agent ? { agent } : {}),
    ...(_meta ? { _meta } : {}),
  };
  return logged(json({ id: 'm', text, meta: { ahp } }));
}

function oldContent(content: ToolResultContent): Json {
  const ours = fromToolContent(content);
  const isKnown = ours.type === 'text' || ours.type === 'image';
  return json(isKnown ? ours : { type: 'data', value: { ahp: content } });
}

function upgraded<K extends 'turn.started' | 'tool.output' | 'tool.ended'>(
  kind: K,
  event: { readonly [key: string]: Json },
): EventOf<K> {
  return upgrade({ kind, chat: 'c', turn: 't', tool: 'x', ...event }, 1) as EventOf<K>;
}
