// Repairs results before the MCP library validates them: one invalid tool must not make the whole list fail,
// and a list of any length must not keep the host busy.
import { isRecord } from '../../../base/isRecord.ts';
import type { Transport } from '@modelcontextprotocol/client';

/** Call it as soon as the client is connected. */
export function repairToolLists(transport: Transport): void {
  const hear = transport.onmessage;
  if (!hear) return;
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the library has no other way to listen
  transport.onmessage = (message, extra) => hear(repaired(message), extra);
}

function repaired<T extends object>(message: T): T {
  const result: unknown = Reflect.get(message, 'result');
  if (!isRecord(result)) return message;
  const lists = Object.entries(result).filter(
    ([, value]) => Array.isArray(value) && value.length > mostItems,
  );
  const tools = result['tools'];
  if (lists.length === 0 && !Array.isArray(tools)) return message;
  return {
    ...message,
    result: {
      ...result,
      ...Object.fromEntries(lists.map(([name, value]) => [name, shortened(value)])),
      ...(Array.isArray(tools) ? { tools: shortened(tools).flatMap(repairedTool) } : {}),
    },
  };
}

/** Larger than the limit of every reader of the list, so that each can report that there was more. */
const mostItems = 10_000;

function shortened(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list.slice(0, mostItems) : [];
}

/** Empty for a tool without a name; other invalid fields are left out. */
export function repairedTool(tool: unknown): readonly object[] {
  if (!isRecord(tool) || typeof tool['name'] !== 'string' || tool['name'] === '') return [];
  const { inputSchema, outputSchema: _, annotations, description, title, icons: __, ...rest } = tool;
  return [
    {
      ...rest,
      inputSchema: usableSchema(inputSchema),
      ...(isRecord(annotations) ? { annotations: repairedAnnotations(annotations) } : {}),
      ...(typeof description === 'string' ? { description } : {}),
      ...(typeof title === 'string' ? { title } : {}),
    },
  ];
}

function repairedAnnotations({ title }: { readonly [name: string]: unknown }): object {
  return typeof title === 'string' ? { title } : {};
}

/** Keywords that model providers reject at the top of a schema. */
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

/**
 * Always an object schema with named arguments. A model that then sends wrong arguments
 * gets the server's error.
 */
export function usableSchema(schema: unknown): object {
  const source = isRecord(schema) ? schema : {};
  const {
    type: _,
    properties,
    required,
    ...rest
  } = Object.fromEntries(Object.entries(source).filter(([name]) => !refused.has(name)));
  const fields = isRecord(properties)
    ? Object.fromEntries(
        Object.entries(properties).filter(([, field]) => isRecord(field) || typeof field === 'boolean'),
      )
    : {};
  const needed = Array.isArray(required)
    ? required.filter((name) => typeof name === 'string' && name in fields)
    : [];
  return {
    ...rest,
    type: 'object',
    properties: {
      ...alternatives(source, 'anyOf'),
      ...alternatives(source, 'oneOf'),
      ...alternatives(source, 'allOf'),
      ...fields,
    },
    ...(needed.length > 0 ? { required: needed } : {}),
  };
}

/** The arguments of all alternatives of a schema, so that the model knows their names. */
function alternatives(
  source: { readonly [name: string]: unknown },
  kind: 'anyOf' | 'oneOf' | 'allOf',
): object {
  const list = source[kind];
  return Object.fromEntries(
    (Array.isArray(list) ? list : []).flatMap((schema: unknown) =>
      isRecord(schema) && isRecord(schema['properties'])
        ? Object.entries(schema['properties']).filter(([, field]) => isRecord(field))
        : [],
    ),
  );
}
