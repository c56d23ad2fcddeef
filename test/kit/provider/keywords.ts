// What a fake provider answers where no script tells it: the prompt itself says what is wanted, so that
// agents we did not write can be driven too.
//
//   TOOL:name {"json":"arguments"}   calls that tool
//   WRITE:path  READ:path  RUN:command line     calls the offered tool that writes, reads or runs
//   EDIT:path  calls the offered tool that replaces a text of a file: the word "first"
//   THINK      thinks before it answers         SLOW      streams for several seconds
//   FAIL:429   fails with that status the first time it is asked so, then answers
// A request that ends with the result of a tool is answered with what the tool said. Anything else is
// answered with its own words.
import type { Json } from '../../../src/model/event.ts';
import type { JsonCursor } from './json.ts';
import type { ModelRequest, Move, Reply } from './reply.ts';

export interface Memory {
  /** How often each prompt was asked. */
  readonly asked: Map<string, number>;
}

export function answerByKeyword(asked: ModelRequest, { asked: counts }: Memory): Reply {
  const { prompt, results, system } = asked;
  if (/title generator/i.test(system)) return [{ text: 'A title from the fake provider' }];
  const last = results.at(-1);
  if (last !== undefined) return [{ text: `The tool said: ${last.slice(0, 200)}` }];
  const times = (counts.get(prompt) ?? 0) + 1;
  counts.set(prompt, times);
  const status = /FAIL:(\d{3})/.exec(prompt)?.[1];
  if (status !== undefined && times === 1)
    return [{ fail: { status: Number(status), message: `Asked to fail with ${status}.` } }];
  const call = callIn(asked);
  const thought: Reply = /\bTHINK\b/.test(prompt)
    ? [{ think: 'Let me think about this.', seal: 'sealed' }]
    : [];
  if (call) return [...thought, call];
  if (/\bSLOW\b/.test(prompt))
    return [
      ...thought,
      ...Array.from({ length: 40 }, (_, at): readonly Move[] => [
        { text: `word${at} ` },
        { pause: 100 },
      ]).flat(),
    ];
  return [...thought, { text: `You said: ${prompt.slice(0, 500)}` }];
}

/** The names of tools that fulfil a wish, best first: agents also offer tools that write lists of tasks. */
const wishes: readonly { readonly mark: RegExp; readonly tools: readonly RegExp[] }[] = [
  {
    mark: /\bWRITE:(\S+)/,
    tools: [/^write(?:_?file)?$/i, /^create(?:_?file)?$/i, /text_editor/i, /write|create/i],
  },
  { mark: /\bREAD:(\S+)/, tools: [/read|view|text_editor/i] },
  { mark: /\bEDIT:(\S+)/, tools: [/^(?:edit|replace|str_replace)/i] },
  { mark: /\bRUN:(.+)/, tools: [/shell|bash|exec|command|terminal/i] },
];

function callIn({ prompt, tools }: ModelRequest): Move | undefined {
  const named = /\bTOOL:\s*([\w.-]+)\s*(\{.*\})?/s.exec(prompt);
  if (named) return { call: named[1] ?? '', input: parse(named[2] ?? '{}') };
  for (const { mark, tools: known } of wishes) {
    const wanted = mark.exec(prompt)?.[1];
    const found = known.flatMap((pattern) => tools.filter(({ name }) => pattern.test(name)))[0];
    if (wanted !== undefined && found)
      return { call: found.name, input: fill(found.parameters, { wanted, tool: found.name }) };
  }
  return undefined;
}

/**
 * Arguments that fit the schema of a tool nobody told us about: names tell what a property is for, the rest
 * gets what its type allows.
 */
function fill(schema: JsonCursor, wish: KeywordRequest): Json {
  const properties = schema.at('properties');
  const required = schema.at('required').there
    ? schema
        .at('required')
        .list()
        .map((name) => name.text())
    : properties.keys();
  const names = properties
    .keys()
    .filter((name) => required.includes(name) || meanings.some(({ name: known }) => known.test(name)));
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = valueOf(name, properties.at(name), wish);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

const meanings: readonly {
  readonly name: RegExp;
  readonly value: (wish: KeywordRequest) => Json | undefined;
}[] = [
  { name: /^(?:path|file_?path|filename|file|target_file|absolute_path)$/i, value: ({ wanted }) => wanted },
  {
    name: /^(?:content|contents|text|file_text|new_str|new_string|data)$/i,
    value: ({ tool }) => (/read|view/i.test(tool) ? undefined : 'Written by the fake provider.\n'),
  },
  { name: /^old_str(?:ing)?$/i, value: () => 'first' },
  // Codex asks for permission only where its model says that a command needs it.
  { name: /^sandbox_permissions$/, value: () => 'require_escalated' },
  { name: /^justification$/, value: () => 'It has to be written.' },
  {
    name: /^(?:cmd|command|script)$/i,
    value: ({ tool, wanted }) => (/editor/i.test(tool) ? 'create' : wanted),
  },
];

interface KeywordRequest {
  readonly wanted: string;
  readonly tool: string;
}

function valueOf(name: string, schema: JsonCursor, wish: KeywordRequest): Json | undefined {
  const known = meanings.find((meaning) => meaning.name.test(name))?.value(wish);
  const type = (schema.at('type').list()[0] ?? schema.at('type')).text().toLowerCase();
  if (known !== undefined) return type === 'array' ? ['bash', '-lc', known] : known;
  return schema.at('enum').list()[0]?.text() ?? plain[type];
}

const plain: { readonly [type: string]: Json | undefined } = {
  string: 'from the fake provider',
  integer: 1,
  number: 1,
  boolean: false,
  array: [],
  object: {},
};

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
}
