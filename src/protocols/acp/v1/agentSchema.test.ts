// Walks the schema that the SDK ships: every value it forgives must be forgiven by ours, every
// other must be refused.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type * as z from 'zod';
import {
  authenticateParams,
  initializeParams,
  listSessionsParams,
  newSessionParams,
  openSessionParams,
  permissionResult,
  promptParams,
  sessionParams,
  setConfigOptionParams,
  setModeParams,
} from './agentSchema.ts';

const cwd = '/w';
const annotations = { audience: ['user'], lastModified: 'now', priority: 1 };
const mcpServers = [{ name: 'x', command: '/x', args: ['a'], env: [{ name: 'A', value: 'b' }] }];

/** A definition of the shipped schema, ours, and a value with every member in it. */
const definitions: readonly (readonly [string, z.ZodType, object])[] = [
  [
    'InitializeRequest',
    initializeParams,
    {
      protocolVersion: 1,
      clientInfo: { name: 'x', title: 'X', version: '1' },
      clientCapabilities: {
        fs: { readTextFile: true, writeTextFile: true },
        terminal: true,
        auth: { terminal: true },
        elicitation: { form: {}, url: {} },
        session: { notices: {}, compaction: {}, configOptions: { boolean: {} } },
      },
    },
  ],
  ['AuthenticateRequest', authenticateParams, { methodId: 'x' }],
  ['NewSessionRequest', newSessionParams, { cwd, mcpServers, additionalDirectories: ['/x'] }],
  [
    'LoadSessionRequest',
    openSessionParams,
    { sessionId: 's', cwd, mcpServers, additionalDirectories: ['/x'] },
  ],
  [
    'ResumeSessionRequest',
    openSessionParams,
    { sessionId: 's', cwd, mcpServers: [], additionalDirectories: ['/x'] },
  ],
  ['ListSessionsRequest', listSessionsParams, { cwd, cursor: 'x' }],
  ['CloseSessionRequest', sessionParams, { sessionId: 's' }],
  ['DeleteSessionRequest', sessionParams, { sessionId: 's' }],
  ['CancelNotification', sessionParams, { sessionId: 's' }],
  ['SetSessionModeRequest', setModeParams, { sessionId: 's', modeId: 'm' }],
  ['SetSessionConfigOptionRequest', setConfigOptionParams, { sessionId: 's', configId: 'c', value: 'v' }],
  ['RequestPermissionResponse', permissionResult, { outcome: { outcome: 'selected', optionId: 'o' } }],
  ['PromptRequest', promptParams, { sessionId: 's', prompt: [{ type: 'text', text: 'x', annotations }] }],
  [
    'PromptRequest',
    promptParams,
    {
      sessionId: 's',
      prompt: [{ type: 'image', data: 'AA', mimeType: 'image/png', uri: 'x:y', annotations }],
    },
  ],
  [
    'PromptRequest',
    promptParams,
    { sessionId: 's', prompt: [{ type: 'audio', data: 'AA', mimeType: 'audio/wav' }] },
  ],
  [
    'PromptRequest',
    promptParams,
    {
      sessionId: 's',
      prompt: [
        {
          type: 'resource_link',
          uri: 'x:y',
          name: 'y',
          mimeType: 'a/b',
          title: 't',
          description: 'd',
          size: 5,
        },
      ],
    },
  ],
  [
    'PromptRequest',
    promptParams,
    { sessionId: 's', prompt: [{ type: 'resource', resource: { uri: 'x:y', text: 't', mimeType: 'a/b' } }] },
  ],
  [
    'PromptRequest',
    promptParams,
    { sessionId: 's', prompt: [{ type: 'resource', resource: { uri: 'x:y', blob: 'AA', mimeType: 'a/b' } }] },
  ],
];

test.each(definitions)('%s, whole', (_, ours, value) => {
  expect(ours.safeParse(value)).toMatchObject({ success: true, data: value });
  expect(ours.safeParse({ ...value, _meta: { a: [1] }, stranger: 1 })).toMatchObject({
    success: true,
    data: { _meta: { a: [1] } },
  });
});

test.each(definitions)('%s, with one wrong value at a time', (name, ours, value) => {
  const found = spots(definition(name), value);
  expect(found.length).toBeGreaterThan(0);
  for (const { path, forgives } of found)
    expect({ path, read: ours.safeParse(withWrong(value, path)).success }).toEqual({ path, read: forgives });
});

test('null and nothing are empty lists', () => {
  for (const nothing of [null, undefined]) {
    expect(newSessionParams.parse({ cwd, mcpServers: nothing, additionalDirectories: nothing })).toEqual({
      cwd,
      mcpServers: [],
      additionalDirectories: [],
    });
  }
  expect(
    newSessionParams.parse({ cwd, mcpServers: [{ name: 'x', command: '/x', args: null, env: null }] })
      .mcpServers,
  ).toEqual([{ name: 'x', command: '/x', args: [], env: [] }]);
});

interface Node {
  readonly $ref?: string;
  readonly properties?: { readonly [name: string]: Node };
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
  readonly oneOf?: readonly Node[];
  readonly allOf?: readonly Node[];
  readonly const?: unknown;
  readonly 'x-deserialize-default-on-error'?: boolean;
  readonly 'x-deserialize-skip-invalid-items'?: boolean;
}

function definition(name: string): Node {
  return schema.$defs[name] ?? {};
}

const schema = JSON.parse(
  readFileSync(
    new URL('../../../../node_modules/@agentclientprotocol/sdk/schema/v1/schema.json', import.meta.url),
    'utf8',
  ),
) as {
  readonly $defs: { readonly [name: string]: Node };
};

interface Spot {
  readonly path: readonly (string | number)[];
  /** Whether a wrong value there leaves the message readable. */
  readonly forgives: boolean;
}

/** Every place in the value, and whether it or anything around it is forgiven. */
function spots(
  node: Node,
  value: unknown,
  around = { path: [] as readonly (string | number)[], forgives: false },
): readonly Spot[] {
  if (Array.isArray(value)) {
    const item = parts(node, value).find(({ items }) => items)?.items ?? {};
    const forgives =
      around.forgives || parts(node, value).some((part) => part['x-deserialize-skip-invalid-items']);
    return value.flatMap((each: unknown, i) => {
      const here = { path: [...around.path, i], forgives };
      return [here, ...spots(item, each, here)];
    });
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    const member = parts(node, value)
      .flatMap(({ properties }) => properties?.[name] ?? [])
      .at(0);
    if (!member) return [];
    const here = {
      path: [...around.path, name],
      forgives: around.forgives || member['x-deserialize-default-on-error'] === true,
    };
    return [here, ...spots(member, each, here)];
  });
}

/** A node with everything it is made of, as far as it speaks of this value. */
function parts(node: Node, value: unknown): readonly Node[] {
  const target = node.$ref === undefined ? [] : [definition(node.$ref.replace('#/$defs/', ''))];
  const branches = [...(node.anyOf ?? []), ...(node.oneOf ?? [])].filter((branch) => isMeant(branch, value));
  return [node, ...[...target, ...branches, ...(node.allOf ?? [])].flatMap((part) => parts(part, value))];
}

/** A branch of a union names its kind by a constant. */
function isMeant({ properties }: Node, value: unknown): boolean {
  return Object.entries(properties ?? {}).every(
    ([name, member]) =>
      member.const === undefined || (Object(value) as { [key: string]: unknown })[name] === member.const,
  );
}

/** The value with one place set to what no member could be. */
function withWrong(value: unknown, [first, ...rest]: readonly (string | number)[]): unknown {
  if (first === undefined) return Symbol('wrong');
  const change = (each: unknown) => withWrong(each, rest);
  if (Array.isArray(value)) return value.map((each: unknown, i) => (i === first ? change(each) : each));
  return Object.fromEntries(
    Object.entries(value as object).map(([name, each]) => [
      name,
      name === first ? change(each) : (each as unknown),
    ]),
  );
}
