// Any action that the published schemas allow, on any state of the public cases: reducers never throw, never
// write to their input, say the same twice, and leave plain data.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { reducers as newest } from '../../../src/protocols/ahp/v1_0/reduce.ts';
import { reducers as v1 } from './integer1/reduce.ts';

const shared = join(dirname(fileURLToPath(import.meta.url)), '../../../../shared/conformance/ahp');

interface Schema {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

/** Few words, so that ids meet. */
const words = fc.constantFrom(
  't1',
  'turn-1',
  'tc-1',
  'part-1',
  'q-1',
  '',
  '__proto__',
  'client-1',
  '2026-01-01T00:00:00.000Z',
);

const simple: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: words,
  number: fc.oneof(fc.nat(200), fc.integer()),
  integer: fc.nat(200),
  boolean: fc.boolean(),
  null: fc.constant(undefined),
  array: fc.constant([]),
  object: fc.constant({}),
};

/** Values that a schema allows; below a few levels only what is required. */
function valuesOf(
  schema: Schema,
  defs: Readonly<Record<string, Schema>>,
  depth: number,
): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return namedValues(schema.$ref.replace('#/$defs/', ''), defs, depth);
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = (schema.oneOf ?? schema.anyOf)?.filter(({ $ref }) => $ref !== '#/$defs/');
  if (choices) return fc.oneof(...choices.map((choice) => valuesOf(choice, defs, depth)));
  if (schema.allOf)
    return fc
      .tuple(...schema.allOf.map((part) => valuesOf(part, defs, depth)))
      .map((parts) => Object.assign({}, ...parts) as unknown);
  if (schema.properties) return objectsOf(schema, defs, depth);
  if (schema.items)
    return depth <= 0 ? fc.constant([]) : fc.array(valuesOf(schema.items, defs, depth - 1), { maxLength: 2 });
  const [type = 'object'] = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  return simple[type] ?? fc.constant(undefined);
}

/** Words of enumerations are not all written out; their names say them in one of two ways. */
function namedValues(
  name: string,
  defs: Readonly<Record<string, Schema>>,
  depth: number,
): fc.Arbitrary<unknown> {
  const known = defs[name];
  if (known) return depth < -4 ? fc.constant({}) : valuesOf(known, defs, depth - 1);
  const [owner = '', word = ''] = name.split('.');
  if (owner === 'ActionType') return fc.constant(actionType(word));
  const camel = `${word.slice(0, 1).toLowerCase()}${word.slice(1)}`;
  return fc.constantFrom(
    camel,
    camel.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  );
}

function actionType(word: string): string {
  const [, channel = '', name = ''] = /^([A-Z][a-z]+)(.*)$/.exec(word) ?? [];
  return `${channel.toLowerCase()}/${name.slice(0, 1).toLowerCase()}${name.slice(1)}`;
}

function objectsOf(
  { properties = {}, required = [] }: Schema,
  defs: Readonly<Record<string, Schema>>,
  depth: number,
): fc.Arbitrary<unknown> {
  const wanted = Object.entries(properties).filter(([key]) => depth > 0 || required.includes(key));
  return fc.record(
    Object.fromEntries(wanted.map(([key, schema]) => [key, valuesOf(schema, defs, depth - 1)])),
    { requiredKeys: wanted.map(([key]) => key).filter((key) => required.includes(key)) },
  );
}

type Action = { readonly type: string };

/** Every action of the schema file that belongs to one kind of channel, by its type. */
function actionsOf(
  version: string,
  kind: string,
): readonly (readonly [type: string, values: fc.Arbitrary<Action>])[] {
  const { $defs: defs } = JSON.parse(
    readFileSync(join(shared, version, 'schema/actions.schema.json'), 'utf8'),
  ) as { $defs: Record<string, Schema> };
  return Object.entries(defs).flatMap(([name, schema]) => {
    const said = schema.properties?.['type'];
    const type =
      said?.$ref === undefined ? said?.const : actionType(said.$ref.replace('#/$defs/ActionType.', ''));
    if (!name.endsWith('Action') || typeof type !== 'string' || !type.startsWith(`${kind}/`)) return [];
    return [[type, valuesOf(schema, defs, 3).map((value) => ({ ...(value as object), type }))] as const];
  });
}

/** The states that the public cases begin with. */
function initialStates(version: string, kind: string): readonly unknown[] {
  const folder = join(shared, version, 'reducers');
  return readdirSync(folder).flatMap((name) => {
    const { reducer, initial } = JSON.parse(
      readFileSync(join(folder, name), 'utf8'),
      (_, value: unknown) => value ?? undefined,
    ) as { reducer: string; initial: unknown };
    return reducer === kind ? [deepFreeze(initial)] : [];
  });
}

const dialects = [
  { schemas: 'v1', cases: 'v1', reducers: v1, least: 52 },
  { schemas: 'v0.8', cases: 'v1.0', reducers: newest, least: 85 },
] as const;

describe.each(dialects)('actions of $schemas', ({ schemas, cases, reducers, least }) => {
  const kinds = Object.keys(reducers);
  const all = kinds
    .map((kind) => [kind, actionsOf(schemas, kind), initialStates(cases, kind)] as const)
    .filter(([, actions, states]) => actions.length > 0 && states.length > 0);

  test('are all there', () => {
    expect(new Set(all.flatMap(([, actions]) => actions.map(([type]) => type))).size).toBeGreaterThanOrEqual(
      least,
    );
  });

  test.each(all)('%s', (kind, actions, states) => {
    const reduce = Reflect.get(reducers, kind) as (state: unknown, action: Action, now: number) => unknown;
    fc.assert(
      fc.property(
        fc.constantFrom(...states),
        fc.array(fc.oneof(...actions.map(([, values]) => values)), { maxLength: 8 }),
        (initial, said) => {
          let state = initial;
          for (const action of said.map(deepFreeze)) {
            const next = deepFreeze(reduce(state, action, 9999));
            expect(reduce(state, action, 9999)).toEqual(next);
            state = next;
          }
          expect(JSON.parse(JSON.stringify(state))).toEqual(state);
          expect(reduce(state, deepFreeze({ type: `${kind}/x-unheard-of` }), 9999)).toBe(state);
        },
      ),
      { numRuns: 120 },
    );
  });
});

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
