// Converts a JSON Schema to the OpenAPI subset that Google accepts for function parameters. Pure.
import { fields, isFields, list, text } from '../shared/jsonFields.ts';
import type { JsonFields } from '../shared/jsonFields.ts';

/** Undefined if there are no parameters; `inexpressible` if the subset cannot express the schema. */
export function openApiSchema(schema: unknown): object | 'inexpressible' | undefined {
  if (isEmptyObject(fields(schema))) return undefined;
  const conversion = new Conversion(fields(schema));
  const converted = conversion.convert(schema, []);
  return conversion.isComplete ? converted : 'inexpressible';
}

type SchemaObject = { [name: string]: unknown };

class Conversion {
  readonly #root: JsonFields;
  isComplete = true;

  constructor(root: JsonFields) {
    this.#root = root;
  }

  /** `open` contains the definitions that are being converted, to detect recursion. */
  convert(schema: unknown, open: readonly string[]): SchemaObject {
    if (!isFields(schema)) return { type: 'boolean', properties: {} };
    const {
      $ref: reference,
      description,
      required,
      format,
      type,
      properties,
      items,
      oneOf,
      allOf,
      minLength,
    } = schema;
    if (reference !== undefined) return this.#refer(schema, text(reference), open);
    if (isEmptyObject(schema)) return { type: 'object', ...(description ? { description } : {}) };
    const each = (value: unknown) => this.convert(value, open);
    const written: SchemaObject = {
      ...(description ? { description } : {}),
      ...(required ? { required } : {}),
      ...(format ? { format } : {}),
      ...typeOf(type),
    };
    this.#addValues(schema, written);
    if (isFields(properties)) written['properties'] = mapped(properties, each);
    if (items) written['items'] = Array.isArray(items) ? items.map(each) : each(items);
    if (Array.isArray(allOf)) written['allOf'] = allOf.map(each);
    if (Array.isArray(schema['anyOf'])) Object.assign(written, anyOf(schema['anyOf'], each));
    if (Array.isArray(oneOf)) written['oneOf'] = oneOf.map(each);
    if (minLength !== undefined) written['minLength'] = minLength;
    return written;
  }

  /** Only definitions at the top of the schema are resolved. */
  #refer({ $ref: _, ...beside }: JsonFields, reference: string, open: readonly string[]): SchemaObject {
    const [, place = '', encoded = ''] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(reference) ?? [];
    const name = decoded(encoded);
    const definitions = fields(this.#root[place]);
    if (open.includes(reference) || !Object.hasOwn(definitions, name)) {
      this.isComplete = false;
      return {};
    }
    const definition = definitions[name];
    if (definition === false) return this.convert(false, open);
    return this.convert({ ...fields(definition), ...beside }, [...open, reference]);
  }

  /** Google's enumerations are strings, whatever their values are. */
  #addValues({ enum: values, const: value, type }: JsonFields, written: SchemaObject): void {
    const all = allowedValues(values, value);
    if (!all) return;
    const types = type === undefined ? undefined : [type].flat();
    const nullable = types?.includes('null') ?? all.includes(null);
    const rest = nullable ? all.filter((each) => each !== null) : all;
    if (Array.isArray(type)) delete written['anyOf'];
    if (all.length > 0 && rest.length === 0) {
      written['type'] = 'null';
      return;
    }
    const common = commonType(rest, types);
    if (common === undefined) this.isComplete = false;
    written['type'] = common;
    if (nullable && type !== 'null') written['nullable'] = true;
    if (common !== 'string') written['format'] = 'enum';
    written['enum'] = rest.map(String);
  }
}

/** The values of `enum` or `const`; undefined if the schema has neither. */
function allowedValues(values: unknown, value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(values)) return list(values);
  return value === undefined ? undefined : [value];
}

function typeOf(type: unknown): SchemaObject {
  if (!Array.isArray(type)) return type ? { type } : {};
  const types = list(type);
  const rest = types.filter((each) => each !== 'null');
  const [first, ...more] = rest;
  if (first === undefined) return { type: 'null' };
  const nullable = rest.length < types.length ? { nullable: true } : {};
  return more.length === 0
    ? { type: first, ...nullable }
    : { anyOf: rest.map((each) => ({ type: each })), ...nullable };
}

/** A single alternative besides `null` becomes a nullable type. */
function anyOf(alternatives: readonly unknown[], convert: (schema: unknown) => SchemaObject): SchemaObject {
  const rest = alternatives.filter((each) => fields(each)['type'] !== 'null');
  if (rest.length === alternatives.length) return { anyOf: rest.map(convert) };
  return rest.length === 1
    ? { nullable: true, ...convert(rest[0]) }
    : { anyOf: rest.map(convert), nullable: true };
}

/** The one type that all values have and that the schema allows. */
function commonType(values: readonly unknown[], types: readonly unknown[] | undefined): string | undefined {
  const allowed = (name: string) => types?.includes(name) ?? true;
  const all = (name: string) => values.length > 0 && values.every((value) => typeof value === name);
  if (all('string') && allowed('string')) return 'string';
  if (all('boolean') && allowed('boolean')) return 'boolean';
  if (!all('number')) return undefined;
  if (allowed('number')) return 'number';
  return allowed('integer') && values.every(Number.isInteger) ? 'integer' : undefined;
}

function mapped(properties: JsonFields, convert: (schema: unknown) => SchemaObject): SchemaObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]: [string, unknown]) => [name, convert(schema)]),
  );
}

function isEmptyObject({ type, properties, additionalProperties }: JsonFields): boolean {
  return type === 'object' && Object.keys(fields(properties)).length === 0 && !additionalProperties;
}

/** A name in a JSON pointer; empty if it cannot be decoded. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return '';
  }
}
