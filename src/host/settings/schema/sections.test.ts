import { expect, test } from 'vitest';
import * as z from 'zod';
import { sections } from './sections.ts';

interface Described {
  readonly path: string;
  readonly schema: z.ZodType;
}

const settings = Object.entries(sections).flatMap(([name, schema]) => [
  { path: name, schema },
  ...settingsIn(schema, name),
]);

test('every setting has a meaning, in sentences', () => {
  const without = settings.filter(({ schema }) => !/^\S.*\.$/.test(schema.meta()?.description ?? ''));
  expect(paths(without)).toEqual([]);
  expect(settings.length).toBeGreaterThan(150);
});

test('every setting has an example that it accepts', () => {
  const without = settings.filter(({ schema }) => !schema.safeParse(exampleOf(schema)).success);
  expect(paths(without)).toEqual([]);
});

/** Every setting below this place; the choices of a union are in the same place. */
function settingsIn(schema: unknown, path: string): readonly Described[] {
  if (schema instanceof z.ZodExactOptional) return settingsIn(schema.unwrap(), path);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((choice) => settingsIn(choice, path));
  if (schema instanceof z.ZodRecord) return settingsIn(schema.valueType, `${path}.<name>`);
  if (schema instanceof z.ZodArray) return settingsIn(schema.element, `${path}[]`);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).flatMap(([name, inner]) =>
    inner instanceof z.ZodType
      ? [{ path: `${path}.${name}`, schema: inner }, ...settingsIn(inner, `${path}.${name}`)]
      : [],
  );
}

/** A setting that may be absent would accept no value; null is never valid. */
function exampleOf(schema: z.ZodType): unknown {
  const examples = schema.meta()?.['examples'];
  return Array.isArray(examples) ? examples[0] : null;
}

function paths(some: readonly Described[]): readonly string[] {
  return some.map(({ path }) => path);
}
