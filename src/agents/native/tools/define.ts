// Builds a tool from its parameters as data: the schema for the model and the check of its arguments
// have the same source.
import { isRecord } from '../../../base/isRecord.ts';
import type { Json } from '../../../model/event.ts';
import type { PreparedCall, ToolRefusal, Tool, ToolContext } from './tool.ts';

export interface Parameter {
  readonly type: 'string' | 'integer' | 'boolean';
  readonly description: string;
  readonly optional?: true;
  readonly options?: readonly string[];
}

type Parameters = { readonly [name: string]: Parameter };

type Value<P extends Parameter> = P['type'] extends 'string'
  ? string
  : P['type'] extends 'integer'
    ? number
    : boolean;

export type Arguments<P extends Parameters> = {
  readonly [K in keyof P]: P[K] extends { readonly optional: true } ? Value<P[K]> | undefined : Value<P[K]>;
};

export interface Definition<P extends Parameters> extends Omit<Tool, 'parameters' | 'prepare'> {
  readonly parameters: P;
  prepare(values: Arguments<P>, context: ToolContext): Promise<PreparedCall | ToolRefusal>;
}

export function defineTool<const P extends Parameters>(definition: Definition<P>): Tool {
  const { name, description, kind, preparing, parameters, needs } = definition;
  return {
    name,
    description,
    kind,
    preparing,
    ...(needs ? { needs } : {}),
    parameters: schemaOf(parameters),
    prepare: (input, context) => {
      const values = readArguments(parameters, input);
      return isComplete(parameters, values)
        ? definition.prepare(values, context)
        : Promise.resolve({ refused: complaint(parameters, values) });
    },
  };
}

function schemaOf(parameters: Parameters): Json {
  const properties = Object.entries(parameters).map(
    ([name, { type, description, options }]) =>
      [name, { type, description, ...(options ? { enum: options } : {}) }] as const,
  );
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: Object.keys(parameters).filter((name) => !parameters[name]?.optional),
  };
}

type Values = { readonly [name: string]: string | number | boolean | undefined };

/** Arguments of the wrong type count as missing, and so does an empty text for an optional parameter. */
function readArguments(parameters: Parameters, input: Json): Values {
  const given = isRecord(input) ? new Map(Object.entries(input)) : new Map<string, Json>();
  return Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => [name, readValue(parameter, given.get(name))]),
  );
}

/** Some models send numbers and booleans as text. */
function readValue(
  { type, optional, options }: Parameter,
  value: Json | undefined,
): string | number | boolean | undefined {
  if (optional && value === '') return undefined;
  if (type === 'string')
    return typeof value === 'string' && (!options || options.includes(value)) ? value : undefined;
  const plain =
    typeof value === 'string' && /^(?:-?\d+|true|false)$/.test(value)
      ? (JSON.parse(value) as unknown)
      : value;
  if (type === 'boolean') return typeof plain === 'boolean' ? plain : undefined;
  return typeof plain === 'number' && Number.isSafeInteger(plain) ? plain : undefined;
}

function missing(parameters: Parameters, values: Values): readonly string[] {
  return Object.keys(parameters).filter((name) => values[name] === undefined && !parameters[name]?.optional);
}

function isComplete<P extends Parameters>(parameters: P, values: Values): values is Values & Arguments<P> {
  return missing(parameters, values).length === 0;
}

function complaint(parameters: Parameters, values: Values): string {
  const wrong = missing(parameters, values).map((name) => `${name} (${parameters[name]?.type})`);
  return `INVALID_ARGS: missing or of the wrong type: ${wrong.join(', ')}`;
}
