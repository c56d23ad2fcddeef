// Turns with rarer kinds of content: edits, pictures, terminals, sub-agents, references, long input.
import type { ResponsePart, Turn } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { ToolResultContent } from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import { fileEdit, folder, textUri } from './files.ts';
import { call, edited, ended, running, shell } from './turns.ts';
import type { ShownTurn } from './turns.ts';

/** A grey square. */
export const picture =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAAAAAA6mKC9AAAAEElEQVR4nGNoQAMMowLDVAAAgBL/AUJLqTEAAAAASUVORK5CYII=';

const editTool = { toolName: 'edit_file', displayName: 'Edit file' } as const;

function done(id: string, title: string, content: readonly ToolResultContent[]): ResponsePart {
  return call({
    ...{ toolName: id, displayName: title, toolCallId: id, status: 'completed', confirmed: 'setting' },
    ...{ invocationMessage: title, pastTenseMessage: title, success: true, content },
  });
}

const pictureSide = {
  uri: `${folder}/logo.png`,
  content: { uri: `data:image/png;base64,${picture}`, contentType: 'image/png' },
};

const notice = 'The job reads the same page twice when the clock goes back.\n'.repeat(6);

/** Of calls that wait together. */
const onceOrNot = [
  { id: 'once', label: 'Allow once', kind: 'approve', _meta: { effect: 'allow' } },
  { id: 'no', label: 'Deny', kind: 'deny', _meta: { effect: 'deny' } },
] as const;

export const moreTurns: readonly ShownTurn[] = [
  {
    title: 'Right to left',
    turn: ended('rtl', 'اشرح لي دالة total في cart.js', [
      {
        ...{ kind: 'markdown', id: 'rtl' },
        content:
          'تجمع الدالة `total` الأسعار **دون** الكمية.\n\n- اقرأ `src/cart.js`\n- می‌خواهم\n\n' +
          'And in English.\n\n' +
          '| السلعة | السعر |\n|:--|--:|\n| شاي | 3 |',
      },
    ]),
  },
  {
    title: 'Long text',
    turn: ended(
      'long',
      'Explain `a/path/that/is/longer/than/the/column/on/a/phone/and/has/no/place/to/break.js`',
      [
        {
          ...{ kind: 'markdown', id: 'long' },
          content: `AVeryLongWordWithoutAnyPlaceToBreak${'AndOn'.repeat(20)}\n\n\`\`\`sh\nnpm run ${'--flag=value '.repeat(16)}\n\`\`\``,
        },
      ],
    ),
  },
  {
    title: 'Edits',
    turn: ended('edits', 'Fix it', [
      call({
        ...{ ...editTool, toolCallId: 'e1', status: 'completed', confirmed: 'user-action', success: true },
        ...{ invocationMessage: 'Editing src/cart.js', pastTenseMessage: 'Edited src/cart.js' },
        content: [{ type: 'fileEdit', ...fileEdit('src/cart.js', edited.before, edited.after) }],
      }),
      done('logo', 'Drew a logo', [{ type: 'fileEdit', before: pictureSide, after: pictureSide }]),
    ]),
  },
  {
    title: 'Results',
    presses: ['Searched the web', 'Took a picture', 'general: audit', 'Asked docs', 'Arguments'],
    turn: ended('results', 'Look around', [
      done('pages', 'Searched the web', [
        { type: 'resource', uri: 'https://example.com/prices' },
        { type: 'resource', uri: `${folder}/prices.txt`, contentType: 'text/plain', sizeHint: 2048 },
      ]),
      done('shot', 'Took a picture', [{ type: 'embeddedResource', data: picture, contentType: 'image/png' }]),
      done('job', '$ npm run check', [
        {
          ...{ type: 'terminal', resource: 'ahp-terminal:/checks', title: 'npm run check' },
          result: { exitCode: 0, preview: '12 tests passed' },
        },
      ]),
      done('helper', 'general: audit', [
        { type: 'subagent', resource: 'ahp-chat:/audit', title: 'general: audit' },
      ]),
      done('helpers', 'Asked two sub-agents', [
        { type: 'subagent', resource: 'ahp-chat:/audit', title: 'audit', description: 'Reads the tests' },
        { type: 'subagent', resource: 'ahp-chat:/audit', title: 'ابحث' },
      ]),
      call({
        ...{ ...shell, toolCallId: 'referenced', status: 'completed', confirmed: 'setting', success: true },
        ...{
          invocationMessage: { markdown: 'Asked `docs`' },
          pastTenseMessage: { markdown: 'Asked `docs`' },
        },
        toolInput: { uri: textUri(JSON.stringify({ query: notice })), contentType: 'application/json' },
      }),
      { kind: 'contentRef', uri: `${folder}/chart.png`, contentType: 'image/png', sizeHint: 2048 },
    ]),
  },
  {
    title: 'Command and terminal at work',
    turn: running('live', 'Start it', [
      call({
        ...{ ...shell, toolCallId: 'live', status: 'running', confirmed: 'setting' },
        invocationMessage: '$ npm run dev',
        content: [{ type: 'terminal', resource: 'ahp-terminal:/server', title: 'npm run dev' }],
      }),
    ]),
  },
  {
    title: 'Approval of a long command',
    turn: running('longask', 'Write the notice', [
      call({
        ...{ ...shell, toolCallId: 'longask', status: 'pending-confirmation', editable: true },
        invocationMessage: '$ cat > notice.txt',
        toolInput: JSON.stringify({
          command: `cat > notice.txt <<'END'\n${notice}END`,
          cwd: '/home/ada/code',
        }),
        riskAssessment: { kind: 'judge', status: 'loading' },
      }),
    ]),
  },
  {
    title: 'Approval of an edit with its diff',
    turn: running('diffask', 'Fix it', [
      call({
        ...{ ...editTool, toolCallId: 'diffask', status: 'pending-confirmation' },
        invocationMessage: 'Editing src/cart.js',
        edits: { items: [fileEdit('src/cart.js', edited.before, edited.after)] },
        toolInput: { uri: textUri('{"path":"src/cart.js"}'), contentType: 'application/json' },
      }),
    ]),
  },
  {
    title: 'Approval of calls that wait together',
    turn: running('batch', 'Commit it', [
      waitingShell('batch-1', 'npm test'),
      waitingShell('batch-2', 'git commit -a'),
      waitingEdit('batch-3', 'src/cart.js'),
    ]),
  },
  {
    title: 'Sign-in of a tool',
    turn: running('auth', 'Look into the tickets', [
      call({
        ...{ toolName: 'tickets', displayName: 'Read tickets', toolCallId: 'auth', status: 'auth-required' },
        ...{ confirmed: 'setting', invocationMessage: 'Reading tickets' },
        contributor: { kind: 'mcp', customizationId: 'tickets' },
        auth: {
          reason: 'required',
          resource: { resource: 'https://mcp.example.com', resource_name: 'Tickets' },
        },
      }),
    ]),
  },
  {
    title: 'Question with a page',
    turn: running('visit', 'Pay the bill', [
      {
        kind: 'inputRequest',
        request: {
          id: 'visit',
          message: 'ادفع الفاتورة في الصفحة',
          url: 'https://example.com/bill',
          questions: [],
        },
      },
    ]),
  },
];

/** More than one chunk of them. */
export const manyTurns: readonly Turn[] = Array.from({ length: 12 }, (_, index) =>
  ended(`many-${index}`, `Message ${index + 1}`, [
    { kind: 'markdown', id: `many-${index}`, content: `Answer ${index + 1}.` },
    ...(index === 11
      ? [
          call({
            ...{
              ...editTool,
              toolCallId: 'reported',
              status: 'completed',
              confirmed: 'setting',
              success: true,
            },
            ...{ invocationMessage: 'Editing src/cart.js', pastTenseMessage: 'Edited src/cart.js' },
            _meta: { decidedBy: 'Safari on iPhone', decision: 'Allow once', effect: 'allow' },
            content: [{ type: 'fileEdit', ...fileEdit('src/cart.js', edited.before, edited.after) }],
          }),
        ]
      : []),
  ]),
);

function waitingEdit(toolCallId: string, path: string) {
  return call({
    ...{ ...editTool, toolCallId, status: 'pending-confirmation', invocationMessage: `Editing ${path}` },
    edits: { items: [fileEdit(path, edited.before, edited.after)] },
    options: onceOrNot,
  });
}

function waitingShell(toolCallId: string, command: string) {
  return call({
    ...{ ...shell, toolCallId, status: 'pending-confirmation', invocationMessage: `$ ${command}` },
    toolInput: JSON.stringify({ command }),
    _meta: { kind: 'execute', sandbox: { confined: false, because: 'ask' } },
    options: onceOrNot,
  });
}
