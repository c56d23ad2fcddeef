// The names that are allowed at a place of the settings, for messages about a name that is not.
import * as z from 'zod';
import { sections } from '../../host/settings/schema/sections.ts';
import type { SectionName } from '../../host/settings/schema/sections.ts';

/** The keys of the object at a path inside a section. */
export function keysAt(section: SectionName, path: readonly string[]): readonly string[] {
  let here: readonly unknown[] = objectsIn(sections[section]);
  for (const step of path) here = here.flatMap((schema) => objectsIn(memberOf(schema, step)));
  return here.flatMap((schema) => (schema instanceof z.ZodObject ? Object.keys(schema.shape) : []));
}

function memberOf(schema: unknown, step: string): unknown {
  if (schema instanceof z.ZodObject)
    return Object.hasOwn(schema.shape, step) ? schema.shape[step] : undefined;
  if (schema instanceof z.ZodRecord) return schema.valueType;
  return schema instanceof z.ZodArray ? schema.element : undefined;
}

/** The schemas with members behind optional values, alternatives and conversions. */
function objectsIn(schema: unknown): readonly unknown[] {
  if (schema instanceof z.ZodExactOptional || schema instanceof z.ZodNullable)
    return objectsIn(schema.unwrap());
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(objectsIn);
  if (schema instanceof z.ZodPipe) return [...objectsIn(schema.in), ...objectsIn(schema.out)];
  return [schema];
}
