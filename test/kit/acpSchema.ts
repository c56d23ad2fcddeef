// Holds everything an ACP agent of ours sends against the JSON Schema that the official SDK ships.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from '@agentclientprotocol/sdk/experimental/nes';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { pipeMethods } from '../../src/host/door.ts';
import type { PermissionRequest, SessionNotification } from '../../src/protocols/acp/v1/messages.ts';
import { observeTransport } from '../../src/rpc/transports/observe.ts';
import type { Transport } from '../../src/rpc/transports/transport.ts';

export interface Message {
  readonly jsonrpc?: '2.0';
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: Partial<SessionNotification & PermissionRequest> & { readonly requestId?: unknown };
  readonly result?: object | null;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface Checked {
  readonly transport: Transport;
  /** Everything the agent said, in order. */
  readonly sent: readonly Message[];
  /** What the schema has against it, one sentence each. */
  readonly problems: readonly string[];
}

/**
 * One end of a connection with everything the agent says held against the schema. Answers belong to the
 * schema of their request, and what is unstable may be said only to a client that knows it.
 */
export function checkedTransport(transport: Transport, end: 'agent' | 'client' = 'agent'): Checked {
  const { sent, problems, fromAgent, fromClient } = checker();
  const [outgoing, incoming] = end === 'agent' ? [fromAgent, fromClient] : [fromClient, fromAgent];
  return { sent, problems, transport: observeTransport(transport, { outgoing, incoming }) };
}

/**
 * What the host has written down of its ACP connections, held against the schema; clients that bring their
 * own connection are checked so. What the host tells the pipe between them does not reach the client.
 */
export function checkedTraces(folder: string): Pick<Checked, 'sent' | 'problems'> {
  const all = readdirSync(folder)
    .filter((name) => name.endsWith('-acp.jsonl'))
    .map((name) => {
      const check = checker();
      for (const line of readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean)) {
        const { direction, text } = JSON.parse(line) as { direction: 'in' | 'out'; text: string };
        if (direction === 'in') check.fromClient(text);
        else if (!toPipe.has(parsed(text)?.method)) check.fromAgent(text);
      }
      return check;
    });
  return { sent: all.flatMap(({ sent }) => sent), problems: all.flatMap(({ problems }) => problems) };
}

const toPipe = new Set<string | undefined>([pipeMethods.keep, pipeMethods.taken]);

function checker() {
  const asked = new Map<unknown, string>();
  const sent: Message[] = [];
  const problems: string[] = [];
  let file: SchemaFile = 'stable';
  return {
    sent,
    problems,
    fromAgent: (text: string) => {
      const message = JSON.parse(text) as Message;
      sent.push(message);
      problems.push(...problemsOf(message, message.method ?? asked.get(message.id), file));
    },
    fromClient: (text: string) => {
      const message = parsed(text);
      if (message?.method !== undefined && message.id !== undefined) asked.set(message.id, message.method);
      if (message && knowsUnstable(message)) file = 'unstable';
    },
  };
}

/** Next-edit suggestions have a schema of their own. */
const nesAnswers: {
  readonly [method: string]: { safeParse(value: unknown): { readonly success: boolean } };
} = {
  'nes/start': validate.zStartNesResponse,
  'nes/suggest': validate.zSuggestNesResponse,
  'nes/close': validate.zCloseNesResponse,
};

/** The form that messages to servers of the client had before; the schema has forgotten it. */
const earlier: { readonly [method: string]: readonly string[] } = {
  'mcp/connect': ['serverId', 'acpId'],
  'mcp/message': ['connectionId', 'method', 'params'],
  'mcp/disconnect': ['connectionId'],
};

function isEarlier({ params = {} }: Message, method: string | undefined): boolean {
  const known = earlier[method ?? ''];
  return (
    known !== undefined &&
    !('requestId' in params) &&
    Object.keys(params).every((name) => known.includes(name))
  );
}

/** Broken input is part of some tests; its answer carries no id. */
function parsed(text: string): Message | undefined {
  try {
    return JSON.parse(text) as Message | undefined;
  } catch {
    return undefined;
  }
}

/** By a capability, or by using what only the unstable file has. */
function knowsUnstable({ method, params }: Message): boolean {
  const { clientCapabilities, mcpServers } = Object(params) as {
    clientCapabilities?: object;
    mcpServers?: unknown;
  };
  if (method === 'initialize')
    return ['plan', 'subagents'].some((name) => name in Object(clientCapabilities));
  return (
    method === 'auth/status' ||
    (Array.isArray(mcpServers) &&
      mcpServers.some((server: unknown) => (Object(server) as { type?: unknown }).type === 'acp'))
  );
}

type SchemaFile = 'stable' | 'unstable';

/**
 * What is wrong with one message that an agent sends. Methods that our answer to initialize offers are
 * checked by the unstable file.
 */
export function problemsOf(
  message: Message,
  method: string | undefined,
  file: SchemaFile = 'stable',
): readonly string[] {
  const where = `${method ?? 'an answer'}: `;
  if (isEarlier(message, method)) return [];
  const suggestion = message.method === undefined ? nesAnswers[method ?? ''] : undefined;
  if (suggestion)
    return message.error || suggestion.safeParse(message.result).success
      ? []
      : [`${where}no answer of next-edit suggestions`];
  const { wire, params, result } = schemas[message.method === undefined ? 'unstable' : file];
  if (!wire(message)) return [where + reasons(wire)];
  if (message.error) return [];
  const [part, value] =
    message.method === undefined
      ? (['result', message.result] as const)
      : (['params', message.params] as const);
  const known = { params, result }[part].get(method ?? '');
  if (!known) return method === 'session/set_model' ? [] : [`${where}the schema knows no such method`];
  if (!known.check(value)) return [where + reasons(known.check)];
  const strange = Object.keys(value ?? {}).filter(
    (key) => !known.keys.has(key) && !(part === 'result' && key === 'models'),
  );
  return strange.map((key) => `${where}${key} is no member of ${part}`);
}

interface Part {
  readonly check: ValidateFunction;
  readonly keys: ReadonlySet<string>;
}

interface Node {
  readonly 'x-method'?: string;
  readonly $ref?: string;
  readonly properties?: object;
  readonly anyOf?: readonly Node[];
  readonly allOf?: readonly Node[];
}

const schemas = { stable: read('schema.json'), unstable: read('schema.unstable.json') };

function read(file: string): {
  wire: ValidateFunction;
  params: ReadonlyMap<string, Part>;
  result: ReadonlyMap<string, Part>;
} {
  const schema = JSON.parse(
    readFileSync(
      new URL(`../../node_modules/@agentclientprotocol/sdk/schema/v1/${file}`, import.meta.url),
      'utf8',
    ),
  ) as { $defs: { [name: string]: Node } };
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
  ajv.addSchema(schema, 'acp');
  const partsOf = (names: RegExp) =>
    new Map(
      Object.entries(schema.$defs).flatMap(([name, node]) => {
        const method = node['x-method'];
        if (method === undefined || !names.test(name)) return [];
        return [
          [
            method,
            {
              check: ajv.compile({ $ref: `acp#/$defs/${name}` }),
              keys: new Set([...keysOf(node, schema.$defs), '_meta']),
            },
          ] as const,
        ];
      }),
    );
  return {
    wire: ajv.compile({ $ref: 'acp' }),
    params: partsOf(/(Request|Notification)$/),
    result: partsOf(/Response$/),
  };
}

/** Every member a definition knows, in whichever of its parts. */
function keysOf(
  { $ref, properties, anyOf = [], allOf = [] }: Node,
  defs: { readonly [name: string]: Node },
): readonly string[] {
  const target = $ref === undefined ? undefined : defs[$ref.replace('#/$defs/', '')];
  return [
    ...Object.keys(properties ?? {}),
    ...(target ? keysOf(target, defs) : []),
    ...[...anyOf, ...allOf].flatMap((node) => keysOf(node, defs)),
  ];
}

function reasons({ errors }: ValidateFunction): string {
  return (errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`).join('; ');
}
