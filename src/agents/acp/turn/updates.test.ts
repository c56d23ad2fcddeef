import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import type { AgentReport } from '../../../model/command.ts';
import { decide } from '../../../model/decide.ts';
import { isRejection } from '../../../model/command.ts';
import { reduce } from '../../../model/reduce.ts';
import { emptyState } from '../../../model/state.ts';
import type { State } from '../../../model/state.ts';
import { readUpdate } from '../../../protocols/acp/v1/updateSchema.ts';
import { TranscriptUpdates } from './updates.ts';

type SentUpdate = { readonly sessionUpdate: string; readonly [key: string]: unknown };

const say = (text: string, more: object = {}): SentUpdate => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
  ...more,
});
const think = (text: string, more: object = {}): SentUpdate => ({
  sessionUpdate: 'agent_thought_chunk',
  content: { type: 'text', text },
  ...more,
});
const call = (more: object = {}): SentUpdate => ({
  sessionUpdate: 'tool_call',
  toolCallId: 'c',
  title: 'Look',
  ...more,
});
const update = (more: object = {}): SentUpdate => ({
  sessionUpdate: 'tool_call_update',
  toolCallId: 'c',
  ...more,
});
const text = (words: string) => ({ type: 'content', content: { type: 'text', text: words } });

function hear(updates: readonly unknown[], refused?: (report: AgentReport) => void): readonly AgentReport[] {
  const reports: AgentReport[] = [];
  let id = 0;
  const transcript = new TranscriptUpdates({
    ids: { next: () => `i${(id += 1)}` },
    name: 'Agent',
    costBefore: 1,
    cwd: '/w',
    report: (report) => {
      reports.push(report);
      refused?.(report);
    },
    terminal: (terminal) => (terminal === 't' ? { title: 'ls', output: 'a\n' } : undefined),
    follow: (terminal, print) => (terminal === 't' ? print('a\n') : undefined),
  });
  for (const each of updates) {
    const read = readUpdate(each);
    if (read) transcript.take(read);
  }
  return reports;
}

function check(
  name: string,
  updates: readonly unknown[],
  expected: { readonly reports?: readonly object[] },
): void {
  test(`${name} as the log has it`, () => {
    expect(hear(updates)).toEqual(expected.reports ?? []);
  });
}

describe('words', () => {
  const answer = (item: string, words: string, more: object = {}) => ({
    kind: 'text.added',
    item,
    channel: 'answer',
    text: words,
    ...more,
  });
  const thought = (item: string, words: string) => ({
    kind: 'text.added',
    item,
    channel: 'reasoning',
    text: words,
  });

  check('pieces in a row', [say('a'), say('b')], { reports: [answer('i1', 'a'), answer('i1', 'b')] });
  check('pieces of two kinds', [think('a'), say('b'), think('c')], {
    reports: [thought('i1', 'a'), answer('i2', 'b'), thought('i3', 'c')],
  });
  check(
    'pieces of two messages',
    [say('a', { messageId: '1' }), say('b', { messageId: '2' }), say('c', { messageId: '1' })],
    { reports: [answer('i1', 'a'), answer('i2', 'b'), answer('i1', 'c')] },
  );
  check(
    'one message in two channels',
    [think('a', { messageId: '1' }), say('b', { messageId: '1' }), think('c', { messageId: '1' })],
    { reports: [thought('i1', 'a'), answer('i2', 'b'), thought('i1', 'c')] },
  );
  check('a message around a call', [say('a', { messageId: '1' }), call(), say('b', { messageId: '1' })], {
    reports: [
      answer('i1', 'a'),
      expect.objectContaining({ kind: 'tool.started' }) as object,
      answer('i2', 'b'),
    ],
  });
  check(
    'words without what an agent attaches to them',
    [say('a', { _meta: { x: 1 } }), say(''), say('', { _meta: { y: 1 } })],
    { reports: [answer('i1', 'a')] },
  );
  check(
    'a picture, a link and a file',
    [
      say('', { content: { type: 'image', data: 'aGk=', mimeType: 'image/png' } }),
      say('', { content: { type: 'resource_link', uri: 'file:///a', name: 'a' } }),
      say('', { content: { type: 'resource', resource: { uri: 'file:///b', text: 'x ``` y' } } }),
    ],
    {
      reports: [
        answer('i1', '![image](data:image/png;base64,aGk=)'),
        answer('i1', '[a](file:///a)'),
        answer('i1', '\nfile:///b:\n````\nx ``` y\n````'),
      ],
    },
  );
  check(
    'a picture that can be shown, between words',
    [
      say('a'),
      say('', { content: { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/jpeg' } }),
      say('b'),
    ],
    {
      reports: [
        answer('i1', 'a'),
        { kind: 'image.added', item: 'i2', mediaType: 'image/png', data: 'iVBORw0KGgo=' },
        answer('i3', 'b'),
      ],
    },
  );
  check('content nobody knows', [say('', { content: { type: 'hologram', beam: 1 } })], {
    reports: [answer('i1', '\nunknown content:\n```\n{\n  "type": "hologram",\n  "beam": 1\n}\n```')],
  });
  check(
    'the user repeated',
    [
      { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'Do it ' } },
      { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'please' } },
    ],
    {},
  );
  check(
    'another user',
    [{ sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'Somebody else' } }],
    {},
  );
});

describe('calls', () => {
  const started = {
    kind: 'tool.started',
    tool: 'c',
    name: 'Look',
    title: 'Look',
    toolKind: 'other',
    source: 'agent',
  };
  const running = { kind: 'tool.running', tool: 'c', basis: { how: 'agent' } };
  const done = (content: readonly object[] = [], more: object = {}) => ({
    kind: 'tool.ended',
    tool: 'c',
    result: { status: 'done', content, ...more },
  });
  const ready = (more: object = {}) => ({
    kind: 'tool.ready',
    tool: 'c',
    input: {},
    title: 'Look',
    toolKind: 'other',
    ...more,
  });

  check('from start to end', [call(), update({ status: 'in_progress' }), update({ status: 'completed' })], {
    reports: [started, running, done()],
  });
  check('told only at its end', [update({ title: 'Look', status: 'completed', content: [text('x')] })], {
    reports: [started, done([{ type: 'text', text: 'x' }])],
  });
  check(
    'with everything',
    [
      call({
        name: 'Read',
        kind: 'read',
        rawInput: { path: '/w/a' },
        locations: [{ path: '/w/a', line: 3 }, { line: 1 }],
        _meta: { m: 1 },
      }),
      update({ status: 'in_progress', content: [text('half')] }),
      update({ title: 'Looked', content: [text('whole')] }),
      update({ status: 'completed', rawOutput: { ok: true } }),
    ],
    {
      reports: [
        { ...started, name: 'Read', toolKind: 'read' },
        ready({
          toolKind: 'read',
          input: { path: '/w/a' },
          locations: [{ path: '/w/a', line: 3 }],
        }),
        running,
        { kind: 'tool.output', tool: 'c', output: { replace: [{ type: 'text', text: 'half' }] } },
        ready({ toolKind: 'read', input: { path: '/w/a' }, title: 'Looked' }),
        { kind: 'tool.output', tool: 'c', output: { replace: [{ type: 'text', text: 'whole' }] } },
        done([{ type: 'text', text: 'whole' }], { raw: { ok: true } }),
      ],
    },
  );
  check(
    'with a change of a file',
    [
      call({
        kind: 'edit',
        content: [
          { type: 'diff', path: '/w/a', oldText: 'x', newText: 'y' },
          { type: 'diff', path: '/w/b', oldText: null, newText: 'z' },
        ],
      }),
      update({ status: 'completed' }),
    ],
    {
      reports: [
        { ...started, name: 'edit', toolKind: 'edit' },
        ready({
          toolKind: 'edit',
          preview: [
            { type: 'edit', path: '/w/a', before: 'x', after: 'y' },
            { type: 'edit', path: '/w/b', before: null, after: 'z' },
          ],
        }),
        done([
          { type: 'edit', path: '/w/a', before: 'x', after: 'y' },
          { type: 'edit', path: '/w/b', before: null, after: 'z' },
        ]),
      ],
    },
  );
  check(
    'with the change of a file that is only named',
    [
      call({
        locations: [{ path: '/w/src/a.ts' }],
        content: [
          { type: 'diff', path: 'a.ts', newText: '' },
          { type: 'diff', path: 'b.ts', newText: '' },
        ],
        status: 'completed',
      }),
    ],
    {
      reports: [
        started,
        ready({ locations: [{ path: '/w/src/a.ts' }] }),
        done([
          { type: 'edit', path: '/w/src/a.ts', before: null, after: '' },
          { type: 'edit', path: '/w/b.ts', before: null, after: '' },
        ]),
      ],
    },
  );
  check(
    'in a terminal',
    [
      call({ status: 'in_progress', content: [{ type: 'terminal', terminalId: 't' }] }),
      update({ status: 'completed' }),
    ],
    {
      reports: [
        started,
        running,
        { kind: 'tool.output', tool: 'c', output: { append: 'a\n' } },
        {
          kind: 'tool.output',
          tool: 'c',
          output: { replace: [{ type: 'terminal', terminal: 't', title: 'ls' }] },
        },
        done([
          { type: 'terminal', terminal: 't', title: 'ls' },
          { type: 'text', text: '```\na\n```' },
        ]),
      ],
    },
  );
  check(
    'with a recording and an archive',
    [
      call({
        content: [
          { type: 'content', content: { type: 'audio', data: 'AA==', mimeType: 'audio/wav' } },
          { type: 'content', content: { type: 'resource', resource: { uri: 'x:/a', blob: 'AA==' } } },
        ],
        status: 'completed',
      }),
    ],
    {
      reports: [
        started,
        done([
          { type: 'blob', mediaType: 'audio/wav', data: 'AA==' },
          { type: 'link', uri: 'x:/a' },
          { type: 'blob', mediaType: 'application/octet-stream', data: 'AA==' },
        ]),
      ],
    },
  );
  check(
    'with one bad item',
    [
      call({
        content: [text('good'), { type: 'mystery', x: 1 }, { type: 'text', text: 'bare' }, 7],
        locations: 'nowhere',
        kind: 5,
        status: 'odd',
      }),
      update({ status: 'completed' }),
    ],
    {
      reports: [
        started,
        expect.objectContaining({ kind: 'tool.output' }) as object,
        done([
          { type: 'text', text: 'good' },
          { type: 'text', text: '\nunknown content:\n```\n{\n  "type": "mystery",\n  "x": 1\n}\n```' },
          { type: 'text', text: 'bare' },
          { type: 'text', text: '\nunknown content:\n```\n7\n```' },
        ]),
      ],
    },
  );
  check(
    'whose arguments are shown while they come',
    [call({ content: [text('{"command":')] }), update({ content: [text('{"command":"ls"}')] })],
    {
      reports: [
        started,
        { kind: 'tool.output', tool: 'c', output: { replace: [{ type: 'text', text: '{"command":' }] } },
        ready({ input: { command: 'ls' } }),
        { kind: 'tool.output', tool: 'c', output: { replace: [{ type: 'text', text: '{"command":"ls"}' }] } },
      ],
    },
  );
  check('that failed', [call(), update({ status: 'failed', rawOutput: { error: 'No such file' } })], {
    reports: [
      started,
      {
        kind: 'tool.ended',
        tool: 'c',
        result: { status: 'failed', content: [], error: 'No such file', raw: { error: 'No such file' } },
      },
    ],
  });
  check('that failed without a word', [call(), update({ status: 'failed' })], {
    reports: [
      started,
      { kind: 'tool.ended', tool: 'c', result: { status: 'failed', content: [], error: 'The call failed.' } },
    ],
  });
  check(
    'that go on after their end',
    [call({ status: 'completed' }), update({ status: 'completed' }), update({ rawOutput: 1 })],
    { reports: [started, done()] },
  );
  check('under a name used before', [call({ status: 'completed' }), call({ title: 'Again' })], {
    reports: [started, done(), { ...started, tool: 'c~2', name: 'Again', title: 'Again' }],
  });
  check('named in an extension', [call({ _meta: { claudeCode: { toolName: 'Bash' } } })], {
    reports: [{ ...started, name: 'Bash' }],
  });
});

describe('the rest', () => {
  const notice = (level: string, words: string) => ({ kind: 'notice.added', level, text: words });

  check(
    'a plan',
    [
      {
        sessionUpdate: 'plan',
        entries: [
          { content: 'a', priority: 'high', status: 'in_progress' },
          { bad: true },
          { content: 'b', priority: 'odd', status: 'completed' },
        ],
      },
    ],
    {
      reports: [
        {
          kind: 'plan.set',
          entries: [
            { text: 'a', priority: 'high', status: 'active' },
            { text: 'b', priority: 'medium', status: 'done' },
          ],
        },
      ],
    },
  );
  check(
    'usage',
    [{ sessionUpdate: 'usage_update', used: 5, size: 10, cost: { amount: 3, currency: 'USD' } }],
    { reports: [{ kind: 'usage.reported', usage: { context: { used: 5, size: 10 }, cost: 2 } }] },
  );
  check(
    'another currency',
    [{ sessionUpdate: 'usage_update', used: 5, size: 10, cost: { amount: 3, currency: 'EUR' } }],
    { reports: [{ kind: 'usage.reported', usage: { context: { used: 5, size: 10 } } }] },
  );
  check(
    'a notice',
    [
      { sessionUpdate: 'notice', severity: 'warning', title: 'Careful', description: 'It is hot.' },
      { sessionUpdate: 'notice', severity: 'fancy', title: 'Hm' },
    ],
    { reports: [notice('warning', 'Careful\nIt is hot.'), notice('info', 'Hm')] },
  );
  check(
    'a summing up',
    [
      { sessionUpdate: 'compaction_update', compactionId: 'k', status: 'in_progress' },
      {
        sessionUpdate: 'compaction_summary_chunk',
        compactionId: 'k',
        content: { type: 'text', text: 'So far' },
      },
      {
        sessionUpdate: 'compaction_summary_chunk',
        compactionId: 'k',
        content: { type: 'text', text: ' so good' },
      },
      { sessionUpdate: 'compaction_update', compactionId: 'k', status: 'completed' },
      { sessionUpdate: 'compaction_update', compactionId: 'l', status: 'failed', error: 'full' },
    ],
    {
      reports: [
        notice('info', 'Agent is compacting the conversation.'),
        notice('info', 'Agent compacted the conversation.\n\nSo far so good'),
        notice('warning', 'Agent could not compact the conversation (full).'),
      ],
    },
  );
  check(
    'what nobody knows',
    [
      { sessionUpdate: 'session_message', _meta: { a: 1 }, x: 2 },
      { sessionUpdate: 'usage_update', used: 'many' },
      {},
      null,
      'x',
      { sessionUpdate: 3 },
    ],
    {},
  );
});

/** Updates as an agent in any state of mind could send them. */
const content = fc.constantFrom(
  { type: 'text', text: 'x' },
  { type: 'image', data: 'aGk=', mimeType: 'image/png' },
  { type: 'resource_link', uri: 'u', name: 'n' },
  { type: 'odd' },
  null,
  3,
);
const callFields = fc.record(
  {
    toolCallId: fc.constantFrom('a', 'b'),
    title: fc.constantFrom('T', null, 7),
    kind: fc.constantFrom('read', 'edit', 'odd', null),
    status: fc.constantFrom('pending', 'in_progress', 'completed', 'failed', 'odd', null),
    content: fc.constantFrom(
      [text('x')],
      [{ type: 'diff', path: 'p', newText: 'n' }],
      [{ type: 'terminal', terminalId: 't' }],
      [{ type: 'terminal', terminalId: 'u' }],
      [null],
      null,
      'x',
    ),
    rawInput: fc.jsonValue({ maxDepth: 1 }),
    rawOutput: fc.jsonValue({ maxDepth: 1 }),
    locations: fc.constantFrom([{ path: 'p' }], [{}], null),
    _meta: fc.constantFrom(undefined, { a: 1 }, 4),
  },
  { requiredKeys: ['toolCallId'] },
);
const anything = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('agent_message_chunk', 'agent_thought_chunk', 'user_message_chunk'),
      content,
      fc.constantFrom(undefined, '1', '2', 5),
    )
    .map(([sessionUpdate, block, messageId]) => ({ sessionUpdate, content: block, messageId })),
  fc
    .tuple(fc.constantFrom('tool_call', 'tool_call_update'), callFields)
    .map(([sessionUpdate, fields]) => ({ sessionUpdate, ...fields })),
  fc.constantFrom<unknown>(
    { sessionUpdate: 'plan', entries: [{ content: 'x' }] },
    { sessionUpdate: 'plan', entries: 5 },
    { sessionUpdate: 'usage_update', used: 1, size: 2 },
    { sessionUpdate: 'what' },
    9,
  ),
  fc.jsonValue(),
);

test('whatever an agent sends, nothing throws and the log refuses nothing', () => {
  fc.assert(
    fc.property(fc.array(anything, { maxLength: 30, size: 'max' }), (updates) => {
      let state: State = emptyState('s');
      const apply = (command: Parameters<typeof decide>[1]) => {
        const events = decide(state, command);
        if (isRejection(events)) throw new Error(`${JSON.stringify(command)}: ${events.message}`);
        for (const event of events)
          state = reduce(state, {
            seq: state.seq + 1,
            pos: state.pos + 1,
            at: 1,
            by: { kind: 'host' },
            event,
          });
      };
      apply({ kind: 'createSession', session: 's', agent: 'a', roots: [] });
      apply({ kind: 'startTurn', chat: 's', turn: 't', message: { id: 'm', text: 'Do it please' } });
      hear(
        updates.map((each) => JSON.parse(JSON.stringify(each)) as unknown),
        (report) => apply({ kind: 'report', chat: 's', turn: 't', report }),
      );
    }),
    { numRuns: 500 },
  );
});
