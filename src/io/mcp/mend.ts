// Mends what servers say about their tools before the protocol's library looks at it: one tool that is written wrongly must not cost all the others. Pure.
import { isRecord } from '../../base/isRecord.ts';
import type { Transport } from '@modelcontextprotocol/client';

/** To be called as soon as the connection stands. */
export function mendIncoming(transport: Transport): void {
  const hear = transport.onmessage;
  if (!hear) return;
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the library has no other way to listen
  transport.onmessage = (message, extra) => hear(mended(message), extra);
}

function mended<T extends object>(message: T): T {
  const result: unknown = Reflect.get(message, 'result');
  if (!isRecord(result) || !Array.isArray(result['tools'])) return message;
  return { ...message, result: { ...result, tools: result['tools'].flatMap(mendedTool) } };
}

/** A tool without a name is none; whatever else is wrong is left out. */
export function mendedTool(tool: unknown): readonly object[] {
  if (!isRecord(tool) || typeof tool['name'] !== 'string' || tool['name'] === '') return [];
  const { inputSchema, outputSchema: _, annotations, description, title, icons: __, ...rest } = tool;
  return [
    {
      ...rest,
      inputSchema: usableSchema(inputSchema),
      ...(isRecord(annotations) ? { annotations: mendedAnnotations(annotations) } : {}),
      ...(typeof description === 'string' ? { description } : {}),
      ...(typeof title === 'string' ? { title } : {}),
    },
  ];
}

function mendedAnnotations({ title }: { readonly [name: string]: unknown }): object {
  return typeof title === 'string' ? { title } : {};
}

/** What no provider takes at the top of a schema. */
const refused: ReadonlySet<string> = new Set([
  'oneOf',
  'anyOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
  'enum',
  'const',
  '$schema',
  '$id',
]);

/** An object with named arguments, whatever it was; a model that guesses wrong is told so by the server. */
export function usableSchema(schema: unknown): object {
  const given = isRecord(schema) ? schema : {};
  const {
    type: _,
    properties,
    required,
    ...rest
  } = Object.fromEntries(Object.entries(given).filter(([name]) => !refused.has(name)));
  const places = isRecord(properties)
    ? Object.fromEntries(
        Object.entries(properties).filter(([, place]) => isRecord(place) || typeof place === 'boolean'),
      )
    : {};
  const needed = Array.isArray(required)
    ? required.filter((name) => typeof name === 'string' && name in places)
    : [];
  return {
    ...rest,
    type: 'object',
    properties: {
      ...optional(given, 'anyOf'),
      ...optional(given, 'oneOf'),
      ...optional(given, 'allOf'),
      ...places,
    },
    ...(needed.length > 0 ? { required: needed } : {}),
  };
}

/** The arguments of all that a schema may be, so that the model knows of them. */
function optional(given: { readonly [name: string]: unknown }, kind: 'anyOf' | 'oneOf' | 'allOf'): object {
  const each = given[kind];
  return Object.fromEntries(
    (Array.isArray(each) ? each : []).flatMap((one: unknown) =>
      isRecord(one) && isRecord(one['properties'])
        ? Object.entries(one['properties']).filter(([, place]) => isRecord(place))
        : [],
    ),
  );
}
