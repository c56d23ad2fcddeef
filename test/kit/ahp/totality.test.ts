// Whatever satisfies the schemas, the reducers take it: they never throw, never write to their input, and
// keep states well-formed.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { reducers as newest } from '../../../src/protocols/ahp/v1_0/reduce.ts';
import { clientActionSchemas } from '../../../src/protocols/ahp/v1_0/schema/actions.ts';
import { chatTypes } from './v1_0/schema/chat.ts';
import { hostActionSchemas } from './v1_0/schema/hostActions.ts';
import { wireTypes } from './v1_0/schema/wire.ts';
import { anything, parse } from '../../../src/protocols/ahp/shapes.ts';
import { reducers as v1 } from './integer1/reduce.ts';
import { clientActionSchemas as v1ClientActionSchemas } from '../../../src/protocols/ahp/integer1/schema/actions.ts';

/** Few words, so that ids meet, and some that are dangerous as keys. */
const words = fc.constantFrom(
  'a',
  'b',
  't',
  '',
  '__proto__',
  'constructor',
  'markdown',
  '2026-01-01T00:00:00.000Z',
);

const json = fc.jsonValue({ maxDepth: 1 });

interface Form {
  readonly type: string;
  readonly values?: readonly unknown[];
  readonly entries?: Readonly<Record<string, unknown>>;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly shape?: Readonly<Record<string, z.ZodType>>;
}

/** Values for the forms that our schemas are made of; another form is a gap in this test. */
function valuesOf(schema: z.ZodType): fc.Arbitrary<unknown> {
  const form: Form = schema.def;
  if (form.innerType !== undefined) return valuesOf(form.innerType);
  if (form.in !== undefined) return valuesOf(form.in);
  if (form.element !== undefined) return fc.array(valuesOf(form.element), { maxLength: 3 });
  if (form.valueType !== undefined) return fc.dictionary(words, valuesOf(form.valueType), { maxKeys: 2 });
  if (form.options !== undefined) return fc.oneof(...form.options.map(valuesOf));
  if (form.shape !== undefined) return objectsOf(form.shape);
  if (form.values !== undefined) return fc.constantFrom(...form.values);
  if (form.entries !== undefined) return fc.constantFrom(...Object.values(form.entries));
  const simple = simpleValues[form.type];
  if (simple === undefined) throw new Error(`no values for ${form.type}`);
  return simple;
}

const simpleValues: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: words,
  // JSON knows no negative zero that would survive a comparison.
  number: fc
    .oneof(fc.nat(200), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
    .map((value) => value + 0),
  boolean: fc.boolean(),
  null: fc.constant(null),
  unknown: json,
};

function objectsOf(shape: Readonly<Record<string, z.ZodType>>): fc.Arbitrary<unknown> {
  const entries = Object.entries(shape).map(([key, schema]) => [key, valuesOf(schema)] as const);
  const requiredKeys = Object.keys(shape).filter((key) => shape[key]?.def.type !== 'optional');
  return fc.record(Object.fromEntries(entries), { requiredKeys });
}

type Action = { readonly type: string };

function actionsOf(schemas: Readonly<Record<string, z.ZodType>>, prefix: string): fc.Arbitrary<Action> {
  const own = Object.entries(schemas).filter(([type]) => type.startsWith(`${prefix}/`));
  return fc.oneof(
    ...own.map(([, schema]) =>
      valuesOf(schema)
        .map((value) => schema.safeParse(value))
        .filter((result) => result.success)
        .map((result) => result.data as Action),
    ),
  );
}

const message = { text: 'm', origin: { kind: 'user' } };
const toolCall = (status: string) => ({
  kind: 'toolCall',
  toolCall: {
    status,
    toolCallId: 't',
    toolName: 'n',
    displayName: 'N',
    invocationMessage: 'i',
    confirmed: 'setting',
    success: true,
    pastTenseMessage: 'p',
    contributor: { kind: 'mcp', customizationId: 'a' },
    auth: { reason: 'required', resource: { resource: 'r' } },
  },
});

const activeTurn = {
  id: 't',
  startedAt: '2026-01-01T00:00:00.000Z',
  message,
  responseParts: [
    { kind: 'markdown', id: 'a', content: '' },
    { kind: 'inputRequest', request: { id: 'a' } },
    ...['streaming', 'running', 'pending-confirmation', 'pending-result-confirmation', 'auth-required'].map(
      toolCall,
    ),
  ],
};

const turn = {
  id: 'a',
  message,
  responseParts: [{ kind: 'error', error: { errorType: 'e', message: 'm' }, resumable: true }],
  state: 'error',
};

const customizations = [
  {
    type: 'plugin',
    id: 'a',
    uri: 'u',
    name: 'n',
    children: [{ type: 'mcpServer', id: 't', uri: 'u', name: 'n', state: { kind: 'ready' } }],
  },
  { type: 'mcpServer', id: 'b', uri: 'u', name: 'n', state: { kind: 'starting', blocking: true } },
];

const config = { schema: { type: 'object', properties: {} }, values: {} };

const channels: readonly (readonly [kind: keyof typeof newest, schema: z.ZodType, initial: unknown])[] = [
  ['root', wireTypes.rootState, { agents: [], config }],
  [
    'session',
    wireTypes.sessionState,
    {
      provider: 'p',
      title: 'T',
      status: 1,
      lifecycle: 'ready',
      activeClients: [],
      chats: [],
      customizations,
      config,
    },
  ],
  [
    'chat',
    chatTypes.chatState,
    {
      resource: 'c',
      title: 'T',
      status: 8,
      modifiedAt: 'm',
      turns: [turn],
      activeTurn,
      queuedMessages: [{ id: 'a', message }],
    },
  ],
  [
    'terminal',
    wireTypes.terminalState,
    { title: 't', content: [], claim: { kind: 'client', clientId: 'c' }, lifecycle: { status: 'running' } },
  ],
  [
    'changeset',
    wireTypes.changesetState,
    {
      status: 'ready',
      files: [{ id: 'a', edit: {} }],
      operations: [{ id: 'a', label: 'l', scopes: [], status: 'idle' }],
    },
  ],
  [
    'annotations',
    wireTypes.annotationsState,
    {
      annotations: [
        {
          id: 'a',
          origin: { session: 's' },
          resource: 'r',
          resolved: false,
          entries: [{ id: 'a', text: 't' }],
        },
      ],
    },
  ],
  ['resourceWatch', wireTypes.resourceWatchState, { root: 'r', recursive: true }],
  ['canvas', wireTypes.canvasState, { instanceId: 'i', extensionId: 'e', canvasId: 'c' }],
  ['automation', anything, { entries: [] }],
  ['automationRun', anything, { sessions: ['a'], primarySession: 'a', lifecycle: { status: 'running' } }],
];

const newestSchemas = { ...clientActionSchemas, ...hostActionSchemas };

describe('the newest dialect', () => {
  test.each(channels)('%s', (kind, schema, initial) => {
    const given = deepFreeze(structuredClone(initial));
    fc.assert(
      fc.property(fc.array(actionsOf(newestSchemas, kind), { maxLength: 12 }), (actions) => {
        let state: unknown = given;
        for (const action of actions) state = deepFreeze(newest[kind](state as never, deepFreeze(action)));
        expect(parse(schema, state)).toMatchObject({ ok: true });
      }),
      { numRuns: 150 },
    );
  });
});

const v1Initial = {
  session: {
    summary: { resource: 'p', provider: 'p', title: 'T', status: 8, createdAt: 1, modifiedAt: 2 },
    lifecycle: 'ready',
    turns: [{ id: 'a', userMessage: { text: 'a' }, responseParts: [], state: 'complete' }],
    activeTurn: {
      id: 't',
      userMessage: { text: 'a' },
      responseParts: ['streaming', 'running', 'pending-confirmation', 'pending-result-confirmation'].map(
        toolCall,
      ),
    },
    inputRequests: [{ id: 'a' }],
    customizations: [{ customization: { uri: 'a', displayName: 'A' }, enabled: true }],
    config,
  },
  terminal: { title: 't', content: [], claim: { kind: 'client', clientId: 'c' } },
  root: { agents: [], config },
};

/**
 * What only a host sends has no schema in version 1; the actions of later chats stand in for
 * it, by the same names.
 */
function v1ActionsOf(kind: keyof typeof v1): fc.Arbitrary<Action> {
  const own = actionsOf(v1ClientActionSchemas, kind);
  if (kind !== 'session') return own;
  const hostLike = actionsOf(newestSchemas, 'chat').map((action) => ({
    userMessage: { text: 'a' },
    error: { errorType: 'e', message: 'm' },
    ...action,
    type: action.type.replace('chat/', 'session/'),
  }));
  return fc.oneof(own, hostLike);
}

describe('version 1', () => {
  test.each(['root', 'session', 'terminal'] as const)('%s', (kind) => {
    fc.assert(
      fc.property(fc.array(v1ActionsOf(kind), { maxLength: 12 }), (actions) => {
        let state: unknown = deepFreeze(structuredClone(v1Initial[kind]));
        for (const action of actions) state = deepFreeze(v1[kind](state as never, deepFreeze(action), 9999));
        expect(JSON.parse(JSON.stringify(state))).toEqual(state);
      }),
      { numRuns: 150 },
    );
  });
});

test('an action of any other type changes nothing', () => {
  const [, , chat] = channels[2] ?? [];
  fc.assert(
    fc.property(fc.string(), json, (type, payload) => {
      const action = { payload, turnId: 't', type: `future/${type}` };
      return newest.chat(chat as never, action) === chat;
    }),
  );
});

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
