// The pure parts behind the views: stretches of a long history, completions, answers,
// addresses, changed files.
import { describe, expect, test } from 'vitest';
import { withoutCode } from '../../client/callText.ts';
import { present } from '../../src/base/present.ts';
import type { ChatInputQuestion } from '../../src/protocols/ahp/v1_0/message.ts';
import type { FileEdit } from '../../src/protocols/ahp/v1_0/content.ts';
import { summaryOf, turnOf } from '../../test/scenarios/console/states.ts';
import { addressOf, addressOfLine, lineIn, readRoute } from '../state/route.ts';
import type { Route } from '../state/route.ts';
import { placeOfLine } from './transcript/findLine.ts';
import {
  initialEntries,
  needsControl,
  offeredQuestions,
  validationError,
  answersToSend,
} from './ask/answers.ts';
import { complete, triggerAt } from './compose/completion.ts';
import { editsIn } from './review/editsIn.ts';
import { proposeMessage } from './review/reviewFiles.ts';
import { titleText } from '../state/pageTitle.ts';
import { scopeOf } from './ask/scopes.ts';
import { chosenLabel, configPickers, modelPicker, nextOption, withChooser } from './compose/pickers.ts';
import { groupSessions } from './pages/sessionGroups.ts';
import { callLine, approvalHeading } from './tools/callLine.ts';
import { shareOf, sumsBy } from './usage/spending.ts';
import { sandboxMark } from './tools/sandboxMark.ts';
import { runLine, withRuns } from './tools/lookRuns.ts';
import { chunkTurns, partRanges } from './transcript/turnChunks.ts';
import type { ResponsePart } from '../../src/protocols/ahp/v1_0/state.ts';
import type { CompletedToolCall } from '../../src/protocols/ahp/v1_0/toolCall.ts';

describe('addresses', () => {
  const routes: readonly Route[] = [
    { page: 'sessions' },
    { page: 'inbox' },
    { page: 'inbox', view: 'answered' },
    { page: 'new' },
    { page: 'settings' },
    { page: 'session', session: 'ahp-session:/a b' },
    { page: 'session', session: 'x:/1', chat: 'ahp-chat://default/eA' },
  ];
  test.each(routes)('%j comes back', (route) => {
    expect(readRoute(addressOf(route))).toEqual(route);
  });

  test('of a line leads to its session', () => {
    const session = 'ahp-session:/a b';
    const address = addressOfLine({ session, line: 'a/b ?line= #1' });
    expect(readRoute(address)).toEqual({ page: 'session', session });
    expect(lineIn(address)).toBe('a/b ?line= #1');
    expect(lineIn(addressOf({ page: 'session', session }))).toBeUndefined();
  });

  test.each(['', '#', '#/', '#/session', '#tkn=x', '#/unknown/x'])('%j is the list', (hash) => {
    expect(readRoute(hash)).toEqual({ page: 'sessions' });
  });
});

describe('a line that a search has found', () => {
  const parts = (...texts: readonly string[]): readonly ResponsePart[] =>
    texts.map((content, index) => ({ kind: 'markdown', id: `p${index}`, content }));
  const turns = [
    turnOf('t0', 'What is here?', { responseParts: parts('Nothing.') }),
    turnOf('t1', 'And there?', { responseParts: parts('Look:', 'A **grey** [sea](x).\n\nΟΔΟΣ 𠀀 İ') }),
  ];
  test.each([
    ['What is here?', { turn: 't0', part: undefined }],
    ['…what is HERE', { turn: 't0', part: undefined }],
    ['A **grey** [sea](x).', { turn: 't1', part: 1 }],
    ['οδος 𠀀', { turn: 't1', part: 1 }],
    ['A green sea', undefined],
    ['?!', undefined],
  ])('%j is at %j', (line, place) => {
    expect(placeOfLine(turns, line)).toEqual(place);
  });
});

describe('turn chunks', () => {
  const turns = Array.from({ length: 100 }, (_, index) => turnOf(`t${index}`, ''));
  const cuts = (list: readonly (readonly { readonly id: string }[])[]) =>
    list.map((stretch) => stretch[0]?.id);

  test('hold every turn once, in order', () => {
    expect(chunkTurns(turns, 't0').flat()).toEqual(turns);
    expect(chunkTurns(turns, 't40').flat()).toEqual(turns);
    expect(chunkTurns([], undefined)).toEqual([]);
  });

  test('keep their cuts when turns are added at either end', () => {
    const before = cuts(chunkTurns(turns.slice(40, 90), 't40'));
    expect(cuts(chunkTurns(turns, 't40'))).toEqual(expect.arrayContaining(before));
  });
});

describe('completions', () => {
  const item = { insertText: '@file.ts', attachment: { type: 'simple', label: 'file.ts' } } as const;

  test('are asked for at a word that begins with a trigger', () => {
    const found = [
      ['look @re', 8],
      ['@', 1],
      ['mail a@b', 8],
      ['/help', 5],
      ['a /b c', 6],
      ['line\n@x', 7],
    ] as const;
    expect(found.map(([text, caret]) => triggerAt(text, caret, ['@', '/']))).toEqual([
      5,
      0,
      undefined,
      0,
      undefined,
      5,
    ]);
  });

  test('take the place of what was typed', () => {
    expect(complete('see @fi now', { caret: 7, start: 4 }, item)).toEqual({
      text: 'see @file.ts now',
      caret: 12,
    });
    expect(complete('@fi', { caret: 3, start: 0 }, item)).toEqual({ text: '@file.ts ', caret: 9 });
    expect(complete('@di', { caret: 3, start: 0 }, { ...item, insertText: '@dir/' })).toEqual({
      text: '@dir/',
      caret: 5,
    });
    expect(complete('abc @x', { caret: 6, start: 4 }, { ...item, rangeStart: 0, rangeEnd: 6 })).toEqual({
      text: '@file.ts ',
      caret: 9,
    });
  });
});

describe('answers', () => {
  check({ id: 'q', kind: 'text', message: '', required: true }, { text: '' }, 'This answer is required.');
  check({ id: 'q', kind: 'text', message: '', min: 3 }, { text: 'ab' }, 'At least 3 characters.');
  check({ id: 'q', kind: 'text', message: '', format: 'email' }, { text: 'ab' }, 'Enter an email address.');
  check({ id: 'q', kind: 'number', message: '' }, { text: 'x' }, 'Enter a number.');
  check({ id: 'q', kind: 'integer', message: '' }, { text: '1.5' }, 'Enter a whole number.');
  check({ id: 'q', kind: 'number', message: '', max: 1 }, { text: '2' }, 'At most 1.');
  check(
    { id: 'q', kind: 'multi-select', message: '', options: [], max: 1 },
    { chosen: ['a', 'b'] },
    'At most 1 choices.',
  );
  check(
    { id: 'q', kind: 'single-select', message: '', options: [], required: true },
    { text: 'own' },
    undefined,
  );
  check({ id: 'q', kind: 'boolean', message: '', required: true }, {}, undefined);

  function check(
    question: ChatInputQuestion,
    entry: { text?: string; chosen?: string[] },
    problem: string | undefined,
  ): void {
    test(`${question.kind} ${JSON.stringify(entry)}`, () => {
      expect(validationError(question, { text: '', chosen: [], ...entry })).toBe(problem);
    });
  }

  test('begin with defaults, recommendations and what others began', () => {
    const questions: readonly ChatInputQuestion[] = [
      { id: 'a', kind: 'text', message: '', defaultValue: 'x' },
      { id: 'b', kind: 'boolean', message: '', defaultValue: true },
      {
        id: 'c',
        kind: 'single-select',
        message: '',
        options: [
          { id: '1', label: '' },
          { id: '2', label: '', recommended: true },
        ],
      },
      { id: 'd', kind: 'number', message: '' },
    ];
    const entries = initialEntries(questions, { d: { state: 'draft', value: { kind: 'number', value: 4 } } });
    expect(answersToSend(questions, entries)).toEqual({
      a: { state: 'submitted', value: { kind: 'text', value: 'x' } },
      b: { state: 'submitted', value: { kind: 'boolean', value: true } },
      c: { state: 'submitted', value: { kind: 'selected', value: '2' } },
      d: { state: 'submitted', value: { kind: 'number', value: 4 } },
    });
  });
});

test('changes of a file are joined from its first state to its last', () => {
  const side = (uri: string, content: string) => ({ uri, content: { uri: content } });
  const edits: readonly FileEdit[] = [
    { after: side('f:/new', '1') },
    { before: side('f:/new', '1'), after: side('f:/new', '2') },
    { before: side('f:/old', '3'), after: side('f:/old', '4'), diff: { added: 1 } },
  ];
  const parts = edits.map((edit, index) => ({
    kind: 'toolCall' as const,
    toolCall: {
      status: 'completed' as const,
      toolCallId: `c${index}`,
      toolName: 'edit',
      displayName: 'Edit',
      invocationMessage: '',
      confirmed: 'setting' as const,
      success: true,
      pastTenseMessage: '',
      content: [{ type: 'fileEdit' as const, ...edit }],
    },
  }));
  expect(editsIn({ turns: [turnOf('t', '', { responseParts: parts })] })).toMatchObject([
    { uri: 'f:/new', edit: { after: side('f:/new', '2') } },
    { uri: 'f:/old', edit: edits[2] },
  ]);
});

test('spending is added up by day, model, agent or session', () => {
  const row = { session: 's', title: 'Cart', agent: 'parley', turns: 1, input: 10, output: 1 };
  const rows = [
    { ...row, day: '2026-01-09', model: 'a/b', cost: 0.5 },
    { ...row, day: '2026-01-10', model: 'a/b', cost: 1 },
    { ...row, day: '2026-01-10', model: 'demo/demo', session: 't', title: '', input: 100 },
  ];
  const brief = (by: Parameters<typeof sumsBy>[1]) =>
    sumsBy(rows, by).map(({ title, turns, cost }) => [title, turns, cost]);
  expect(brief('day')).toEqual([
    ['2026-01-10', 2, 1],
    ['2026-01-09', 1, 0.5],
  ]);
  expect(brief('model')).toEqual([
    ['a/b', 2, 1.5],
    ['demo/demo', 1, undefined],
  ]);
  expect(brief('session').map(([title]) => title)).toEqual(['Cart', 'New session']);
  expect(sumsBy(rows, 'day').map((sum, _, all) => shareOf(sum, all))).toEqual([100, 50]);
  const free = sumsBy(rows.slice(2), 'model');
  expect(free.map((sum) => shareOf(sum, free))).toEqual([100]);
});

describe('a call in one line', () => {
  const base = { toolCallId: 'c', toolName: 'edit_file', displayName: 'Edit file' };
  const over = { confirmed: 'setting', success: true } as const;

  check('$ npm test', 'Ran', 'npm test');
  check('Editing cart.js', 'Edited', 'cart.js');
  check('Took a picture', 'Took', 'a picture');
  check('<script>x</script>', '', '<script>x</script>');
  check('', 'Edit file', '');

  function check(title: string, verb: string, object: string): void {
    test(`for ${JSON.stringify(title)}`, () => {
      const call = { ...base, ...over, status: 'completed', invocationMessage: title } as const;
      expect(callLine({ ...call, pastTenseMessage: title })).toMatchObject({ verb, object });
    });
  }

  test.each([
    ['Preparing shell command', undefined, 'Shell command', ''],
    ['Preparing shell command', '{"comm', 'Shell command', ''],
    ['Preparing shell command', '{"command":"npm\\n test"}', 'Run', 'npm test'],
    ['Writing file', undefined, 'Write', 'file'],
    ['Writing file', '{"path":"src/a.ts","content":""}', 'Write', 'src/a.ts'],
    [undefined, undefined, 'Edit', 'file'],
  ])('says of a call that is still written what it will do: %s %s', (...given) => {
    const [title, partialInput, verb, object] = given;
    const call = {
      ...base,
      status: 'streaming',
      ...present({ invocationMessage: title, partialInput }),
    } as const;
    expect(callLine(call)).toMatchObject({ verb, object });
  });

  test('tells that a background job was started', () => {
    const call = { ...base, ...over, status: 'completed', invocationMessage: '$ make' } as const;
    const toolInput = '{"command":"make","background":"build"}';
    expect(callLine({ ...call, pastTenseMessage: '$ make', toolInput })).toMatchObject({ verb: 'Started' });
  });

  test('tells a stop, a denial and a question', () => {
    const call = { ...base, status: 'cancelled', invocationMessage: '$ make' } as const;
    expect(callLine({ ...call, reason: 'skipped' })).toMatchObject({ verb: 'Stopped', object: 'make' });
    expect(callLine({ ...call, reason: 'denied' })).toMatchObject({ verb: 'Denied', object: 'make' });
    const waiting = { ...base, status: 'pending-confirmation', invocationMessage: '' } as const;
    expect(
      ['$ make', 'Editing a.ts', 'Overwriting a.ts', 'Really?', ''].map((title) =>
        approvalHeading(waiting, title),
      ),
    ).toEqual(['Run make?', 'Edit a.ts?', 'Overwrite a.ts?', 'Really?', 'Allow Edit file?']);
    expect(approvalHeading({ ...waiting, toolInput: '{"command":"make"}' }, '$ make')).toBe(
      'Run this command?',
    );
  });
});

describe('calls that only looked at something', () => {
  const call = (toolName: string, title: string, more: Partial<CompletedToolCall> = {}): ResponsePart => ({
    kind: 'toolCall',
    toolCall: {
      ...{ toolCallId: title, toolName, displayName: toolName, status: 'completed', confirmed: 'not-needed' },
      ...{ success: true, invocationMessage: title, pastTenseMessage: title, ...more },
    },
  });
  const read = (name: string) => call('read_file', `Reading ${name}`);
  const search = call('grep', 'Searching for total');
  const text: ResponsePart = { kind: 'markdown', id: 'm', content: 'So' };
  const lines = (parts: readonly ResponsePart[]) =>
    withRuns(parts).map(({ at, run }) => (run ? Object.values(runLine(run)).join(' ') : at));

  test.each([
    [[read('a'), read('b')], ['Read a, b']],
    [[read('a'), read('b'), read('c'), read('d')], ['Read a, b and 2 more']],
    [[read('a'), search, read('b')], ['Read a and 1 more, searched for total']],
    [
      [text, read('a'), text],
      [0, 1, 2],
    ],
    [
      [read('a'), text, read('b')],
      [0, 1, 2],
    ],
    [
      [read('a'), call('read_file', 'Reading b', { success: false }), read('c')],
      [0, 1, 2],
    ],
    [
      [read('a'), call('read_and_delete', 'Deleting b'), read('c')],
      [0, 1, 2],
    ],
    [
      [read('a'), call('delete_file', 'Reading b'), read('c')],
      [0, 1, 2],
    ],
  ])('are one line: case %#', (parts, expected) => {
    expect(lines(parts)).toEqual(expected);
  });

  test('stay in one range of the turn, however many they are', () => {
    const reads = Array.from({ length: 9 }, (_, index) => read(`f${index}`));
    expect(partRanges([text, text, ...reads, text, text])).toEqual([
      [0, 11],
      [11, 13],
    ]);
    expect(partRanges([text, text, text, text, text])).toEqual([
      [0, 4],
      [4, 5],
    ]);
  });
});

test.each([
  ['INVALID_ARGS: missing: path', 'Missing: path'],
  ['There is no file a.ts.', 'There is no file a.ts.'],
  ['ENOENT: no such file', 'ENOENT: no such file'],
  ['NOT_FOUND: ', 'NOT_FOUND: '],
])('of the problem %j people read %j', (problem, shown) => {
  expect(withoutCode(problem)).toBe(shown);
});

test('sessions are grouped: pins, folders by their newest session, the archive', () => {
  const at = (resource: string, folder: string, { modifiedAt = '', status = 1 }) =>
    summaryOf(resource, { workingDirectories: [`file:///${folder}`], modifiedAt, status });
  const groups = groupSessions(
    [
      at('a', 'shop', { modifiedAt: '1' }),
      at('b', 'calc', { modifiedAt: '3' }),
      at('c', 'shop', { modifiedAt: '4' }),
      at('d', 'x', { modifiedAt: '9' }),
      at('e', 'x', { modifiedAt: '8', status: 65 }),
    ],
    new Set(['d']),
  );
  expect(
    groups.map(({ kind, folder, sessions }) => [kind, folder, sessions.map(({ resource }) => resource)]),
  ).toEqual([
    ['pinned', '', ['d']],
    ['folder', 'file:///shop', ['c', 'a']],
    ['folder', 'file:///calc', ['b']],
    ['archived', '', ['e']],
  ]);
});

test('pickers offer models by provider with context and price, and the values of settings', () => {
  const models = [
    {
      id: 'one/big',
      provider: 'p',
      name: 'Big',
      maxContextWindow: 200_000,
      _meta: { price: { input: 3, output: 15 } },
    },
    { id: 'two/small', provider: 'p', name: 'Small' },
  ];
  const picker = modelPicker(models, 'one/big', () => undefined);
  expect(picker.groups.map(({ title }) => title)).toEqual(['one', 'two']);
  expect(picker.groups[0]?.options[0]).toMatchObject({ label: 'Big', end: '200k · $3 / $15' });
  expect([chosenLabel(picker), nextOption(picker)]).toEqual(['Big', 'two/small']);
  // A model that nobody has chosen is not known.
  const unknown = modelPicker(models, undefined, () => undefined);
  expect([unknown.chosen, chosenLabel(unknown)]).toEqual([undefined, 'Default model']);
  const changes: unknown[] = [];
  const properties = {
    mode: { type: 'string' as const, title: 'Mode', enum: ['ask', 'plan'], enumLabels: ['Ask', 'Plan'] },
    free: { type: 'string' as const, title: 'Free' },
  };
  const [mode, ...others] = configPickers(properties, { mode: 'ask' }, (change) => changes.push(change));
  mode?.choose?.('plan');
  expect([mode && chosenLabel(mode), mode?.keys, others, changes]).toEqual([
    'Ask',
    'Shift Tab',
    [],
    [{ mode: 'plan' }],
  ]);
  const permissions = {
    ...{ type: 'string' as const, title: 'Permissions' },
    ...{ enum: ['ask', 'auto', 'full'], enumLabels: ['Ask', 'Auto', '🔴 Full'] },
  };
  const both = configPickers({ ...properties, permissions }, { permissions: 'auto' }, () => undefined);
  expect(withChooser(both, 'emacs').map(({ name, by }) => [name, by])).toEqual([
    ['Mode', undefined],
    ['Permissions', 'emacs'],
  ]);
  expect(withChooser(both, undefined)).toBe(both);
  // The mark is for clients that show no colour.
  expect(both[1]?.groups[0]?.options.map(({ label }) => label)).toEqual(['Ask', 'Auto', 'Full']);
});

test('an approval says how long it holds, and the page what it shows', () => {
  const option = (label: string, effect?: string) =>
    scopeOf({ id: 'x', label, kind: 'approve', ...(effect === undefined ? {} : { _meta: { effect } }) })
      .label;
  expect([
    option('Allow once', 'allow'),
    option('Always allow', 'allow-always'),
    option('Allow in this session'),
  ]).toEqual(['Once', 'Everywhere', 'This session']);
  expect([titleText([], 0), titleText(['A', '', 'b'], 2)]).toEqual(['Parley', '(2) A · b · Parley']);
});

describe('how a call ran', () => {
  test.each([
    [{ confined: true, network: 'off' }, 'Inside the sandbox', 'plain'],
    [{ confined: true, network: 'on' }, 'Inside the sandbox, network on', 'plain'],
    [{ confined: true, network: 'ask' }, 'Inside the sandbox, network asked', 'plain'],
    [{ confined: false, allowedBy: 'emacs' }, 'Outside the sandbox, allowed by emacs', 'bad'],
    [{ confined: false }, 'Outside the sandbox', 'bad'],
    [
      { confined: false, because: 'ask', allowedBy: 'emacs' },
      'Outside the sandbox (permission mode ask)',
      'quiet',
    ],
    [{ confined: false, because: 'full' }, 'Outside the sandbox (permission mode full)', 'bad'],
    [{ confined: false, because: 'unavailable' }, 'Outside the sandbox (there is none here)', 'bad'],
    [{ confined: false, because: 'off' }, 'Outside the sandbox (it is off for this agent)', 'bad'],
    [{ confined: false, because: 'server' }, 'Outside the sandbox (a tool server)', 'quiet'],
    [{ confined: false, because: 'later' }, 'Outside the sandbox (later)', 'bad'],
  ])('%j', (told, text, tone) => {
    expect(sandboxMark(told)).toEqual({ text, tone });
  });

  test.each([undefined, null, 'x', {}, { confined: 1 }])('%j says nothing', (told) => {
    expect(sandboxMark(told)).toBeUndefined();
  });
});

test('a device that may not control the host is not asked for what it may not answer', () => {
  expect(needsControl({ _meta: { needs: 'control' } })).toBe(true);
  expect(needsControl({ _meta: { needs: 'approve' } })).toBe(false);
  const options = [
    { id: 'once', label: 'Once' },
    { id: 'always', label: 'Always', _meta: { needs: 'control' } },
  ];
  const request = {
    id: 'q',
    questions: [{ kind: 'single-select', id: 'a', message: 'M', options } as const],
  };
  const labels = (mayControl: boolean) =>
    offeredQuestions(request, mayControl).flatMap((question) =>
      'options' in question ? question.options.map(({ label }) => label) : [],
    );
  expect([labels(true), labels(false)]).toEqual([['Once', 'Always'], ['Once']]);
});

describe('the proposed message of a commit', () => {
  const long = 'mend the door, and then the window of the kitchen';
  const longer = `${long}, which does not close since the winter`;
  const cases: readonly (readonly [title: string, said: readonly string[], expected: string])[] = [
    ['Fix the total.', [], 'Fix the total'],
    ['', [], 'Change files'],
    ['mend the door, and then the window of…', ['hello', `> **${long}**`], `M${long.slice(1)}`],
    [
      'mend the door, and then the window of…',
      [`${longer}\nsoon`],
      `Mend the door, and then the window of the kitchen, which does not…\n\nM${longer.slice(1)}`,
    ],
    ['mend the door, and then the window of…', ['else'], 'Mend the door, and then the window of…'],
  ];
  test.each(cases)('for %j', (title, said, expected) => {
    expect(proposeMessage(title, ['a'], said)).toBe(expected);
  });

  test('lists the files where there are several', () => {
    expect(proposeMessage('x', ['a', 'b'])).toBe('X\n\n- a\n- b');
    const many = Array.from({ length: 14 }, (_, index) => `f${index}`);
    expect(proposeMessage('x', many)).toMatch(/- f11\n- 2 more files$/);
  });
});
