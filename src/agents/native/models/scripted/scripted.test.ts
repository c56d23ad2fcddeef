import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ModelMessage, ModelPart } from '../../model.ts';
import { pieces } from './pieces.ts';
import { parseScript } from './script.ts';
import type { ScriptRule } from './script.ts';
import { scriptedModel } from './scripted.ts';

interface ScriptCase {
  readonly rules?: readonly ScriptRule[];
  /** What came after the message that began the turn. */
  readonly later?: readonly ModelMessage[];
}

async function play(
  message: string,
  { rules = [], later = [] }: ScriptCase = {},
): Promise<readonly ModelPart[]> {
  const slept: number[] = [];
  const model = scriptedModel({
    rules,
    sleep: (milliseconds) => (slept.push(milliseconds), Promise.resolve()),
  });
  const messages: ModelMessage[] = [{ role: 'user', content: [{ type: 'text', text: message }] }, ...later];
  const parts: ModelPart[] = [];
  for await (const part of model.stream({
    system: '',
    messages,
    start: 0,
    tools: [],
    roots: ['/w'],
    signal: new AbortController().signal,
  }))
    parts.push(part);
  return slept.length === 0 ? parts : [...parts, { type: 'text', text: `slept ${slept.join(' ')}` }];
}

/** Parts in a form that can be read: neighbouring text is joined, its number of pieces kept. */
function brief(parts: readonly ModelPart[]): readonly string[] {
  const lines: { kind: string; text: string; count: number }[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    const [kind, text] = describePart(part);
    if (last?.kind === kind && (kind === 'text' || kind === 'reasoning'))
      Object.assign(last, { text: last.text + text, count: last.count + 1 });
    else lines.push({ kind, text, count: 1 });
  }
  return lines.map(({ kind, text, count }) =>
    kind === 'text' || kind === 'reasoning'
      ? `${kind} ${count}: ${text.length > 60 ? `${text.length} letters` : text}`
      : `${kind} ${text}`,
  );
}

function describePart(part: ModelPart): readonly [string, string] {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return [part.type, part.text];
    case 'tool-start':
      return ['start', `${part.id}${part.name}`];
    case 'tool-input':
      return ['input', part.delta];
    case 'tool-call':
      return ['call', `${part.id}${part.name} ${part.input}`];
    case 'served-call':
    case 'served-result':
    case 'image':
      return [part.type, ''];
    case 'usage':
      return ['usage', JSON.stringify(part.usage)];
    case 'finish':
      return ['finish', part.reason];
    case 'error':
      return ['error', `${part.code} ${part.message} ${part.retryable}`];
    default:
      return part satisfies never;
  }
}

const ended = (status: 'done' | 'denied', text = 'hi'): readonly ModelMessage[] => [
  { role: 'assistant', content: [] },
  { role: 'tool', results: [{ id: 'c', name: 'shell_command', status, text }] },
];

describe('a message as a script', () => {
  check('say Hello there', {}, ['text 2: Hello there\n', 'finish stop']);
  check('stream 5000', {}, ['text 5000: 25000 letters', 'finish stop']);
  check('stream 3 ab', {}, ['text 3: ab ab ab ', 'finish stop']);
  check('reason So it is\nsay Yes', {}, ['reasoning 3: So it is', 'text 1: Yes\n', 'finish stop']);
  check('tool shell_command {"command":"echo hi"}', {}, [
    'start shell_command',
    'input {"command":',
    'input "echo hi"}',
    'call shell_command {"command":"echo hi"}',
    'finish calls',
  ]);
  check('tool shell_command {"command":"echo hi"}', { later: ended('done') }, [
    'text 2: shell_command: done.\n',
    'finish stop',
  ]);
  check('tool shell_command {}\nsay bye', { later: ended('denied') }, [
    'text 3: shell_command: denied.\nbye\n',
    'finish stop',
  ]);
  check('tool a', {}, ['start a', 'input {', 'input }', 'call a {}', 'finish calls']);
  check('tool a {"p":"{{workspace}}/x"}\nalso b [', {}, [
    'start a',
    'input {"p":"',
    'input /w/x"}',
    'call a {"p":"/w/x"}',
    'start b',
    'input [',
    'call b [',
    'finish calls',
  ]);
  check('tool a {}\ntool b {}', { later: ended('done') }, [
    'text 2: a: done.\n',
    'start b',
    'input {',
    'input }',
    'call b {}',
    'finish calls',
  ]);
  check('tool a {}\ntool b {}', { later: [...ended('done'), ...ended('denied')] }, [
    'text 2: b: denied.\n',
    'finish stop',
  ]);
  check('fail', {}, ['error scripted The script says so. false']);
  check('say a\nfail auth No key here', {}, ['text 1: a\n', 'error auth No key here false']);
  check('pause 20\nsay x', {}, ['text 1: x\n', 'finish stop', 'text 1: slept 20']);
  check('usage 10 5', {}, ['usage {"input":10,"output":5}', 'finish stop']);
  check('finish length', {}, ['finish length']);
  check('What is this?', {}, ['text 5: You said: What is this?', 'finish stop']);
  check('say a\nand so on', {}, ['text 4: a\nand so on\n', 'finish stop']);
  check('stream many', {}, ['text 4: You said: stream many', 'finish stop']);
  check(
    'tool a {}',
    { later: [...ended('done'), { role: 'user', content: [{ type: 'text', text: 'faster' }] }] },
    ['text 3: Steered: faster\na: done.\n', 'finish stop'],
  );

  function check(message: string, given: ScriptCase, expected: readonly string[]): void {
    test(`${message} ${given.later?.length ?? 0}`, async () => {
      expect(brief(await play(message, given))).toEqual(expected);
    });
  }
});

describe('a script of rules', () => {
  const rules: readonly ScriptRule[] = [
    {
      when: 'tree',
      steps: [
        { text: 'abcdef', split: 3 },
        { tool: 'x', input: { path: '{{workspace}}', deep: ['{{status}}', 1] }, id: 'k', deltas: 1 },
        { text: '{{result}}!' },
      ],
    },
    {
      when: '/^both$/i',
      steps: [{ tools: [{ tool: 'a' }, { tool: 'b', raw: '{' }] }, { usage: { cost: 1 } }],
    },
    {
      when: 'slow',
      steps: [
        { chunks: 2, text: 'x' },
        { reasoning: 'hm', split: 1 },
        { fail: { code: 'c', message: 'm', retryable: true } },
      ],
    },
  ];
  check('a tree', {}, [
    'text 3: abcdef',
    'start kx',
    'input {"path":"/w","deep":["none",1]}',
    'call kx {"path":"/w","deep":["none",1]}',
    'finish calls',
  ]);
  check('a tree', { later: ended('done', 'out') }, ['text 1: out!', 'finish stop']);
  check('BOTH', {}, [
    'start a',
    'input {',
    'input }',
    'call a {}',
    'start b',
    'input {',
    'call b {',
    'finish calls',
  ]);
  check('BOTH', { later: ended('done') }, ['usage {"cost":1}', 'finish stop']);
  check('slow', {}, ['text 2: xx', 'reasoning 1: hm', 'error c m true']);
  check('say nothing of it', {}, ['text 3: nothing of it\n', 'finish stop']);

  function check(message: string, given: ScriptCase, expected: readonly string[]): void {
    test(`${message} ${given.later?.length ?? 0}`, async () => {
      expect(brief(await play(message, { ...given, rules }))).toEqual(expected);
    });
  }
});

describe('the text of a script', () => {
  check('[]', 'fine');
  check(
    '[{"steps":[{"text":"a","split":2},{"chunks":2},{"reasoning":"b"},{"pause":1},{"usage":{"input":1}},{"hang":true},{"finish":"length"}]}]',
    'fine',
  );
  check(
    '[{"when":"/a/","steps":[{"tool":"a","input":{"b":[]}},{"tools":[{"tool":"a"}]},{"fail":{"code":"a","message":"b"}}]}]',
    'fine',
  );
  check('{}', 'A script is a list of rules.');
  check('[1]', 'Rule 1 of the script is not one: 1');
  check('[{"steps":[]},{"steps":[{"txt":"a"}]}]', 'Rule 2 of the script is not one: {"steps":[{"txt":"a"}]}');
  check(
    '[{"steps":[{"tools":[{"text":"a"}]}]}]',
    'Rule 1 of the script is not one: {"steps":[{"tools":[{"text":"a"}]}]}',
  );
  check(
    '[{"steps":[{"finish":"later"}]}]',
    'Rule 1 of the script is not one: {"steps":[{"finish":"later"}]}',
  );
  check('[{"steps":[{"fail":{}}]}]', 'Rule 1 of the script is not one: {"steps":[{"fail":{}}]}');
  check('[{"when":"/(/","steps":[]}]', 'Rule 1 of the script is not one: {"when":"/(/","steps":[]}');
  check('[{"steps":[],"more":1}]', 'Rule 1 of the script is not one: {"steps":[],"more":1}');

  function check(text: string, expected: string): void {
    test(`${text} is read`, () => {
      const read = parseScript(text);
      expect('problem' in read ? read.problem : 'fine').toBe(expected);
    });
  }

  test('that is no JSON', () => {
    expect(parseScript('[')).toEqual({
      problem: expect.stringMatching(/^The script is not JSON: /) as string,
    });
  });
});

test('a script that hangs goes on for nobody', async () => {
  const stop = new AbortController();
  const model = scriptedModel({ sleep: () => Promise.resolve() });
  const heard: ModelPart[] = [];
  const messages: ModelMessage[] = [
    { role: 'user', content: [{ type: 'text', text: 'say a\nhang\nsay b' }] },
  ];
  setTimeout(() => stop.abort(), 20);
  for await (const part of model.stream({
    system: '',
    messages,
    start: 0,
    tools: [],
    roots: [],
    signal: stop.signal,
  }))
    heard.push(part);
  expect(heard).toEqual([{ type: 'text', text: 'a\n' }]);
});

test('pieces are the text again when they are put together', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
      (text, count) => {
        const cut = pieces(text, count);
        expect(cut.join('')).toBe(text);
        expect(cut).not.toContain('');
      },
    ),
  );
});
