// Holds everything an ACP agent of ours sends against the JSON Schema that the official SDK ships.
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { PermissionRequest, SessionNotification } from '../../src/protocols/acp/v1/clientMessages.ts';
import type { Transport } from '../../src/rpc/transport.ts';

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
  /** Everything that was sent, in order. */
  readonly sent: readonly Message[];
  /** What the schema has against it, one sentence each. */
  readonly problems: readonly string[];
}

/** The agent's end of a connection; its answers are held against the schema of the request they belong to. */
export function checkedTransport(transport: Transport): Checked {
  const asked = new Map<unknown, string>();
  const sent: Message[] = [];
  const problems: string[] = [];
  return {
    sent, problems,
    transport: {
      get buffered() {
        return transport.buffered;
      },
      ready: () => transport.ready(),
      onDrain: (callback) => transport.onDrain(callback),
      close: (reason) => transport.close(reason),
      send(text) {
        const message = JSON.parse(text) as Message;
        sent.push(message);
        problems.push(...problemsOf(message, message.method ?? asked.get(message.id)));
        transport.send(text);
      },
      listen(listener) {
        transport.listen({
          ...listener,
          message(text) {
            note(text, asked);
            listener.message(text);
          },
        });
      },
    },
  };
}

function note(text: string, asked: Map<unknown, string>): void {
  try {
    const { id, method } = JSON.parse(text) as Message;
    if (method !== undefined && id !== undefined) asked.set(id, method);
  } catch {
    // Broken input is part of some tests; its answer carries no id.
  }
}

/** What is wrong with one message that an agent sends. */
export function problemsOf(message: Message, method: string | undefined): readonly string[] {
  const where = `${method ?? 'an answer'}: `;
  if (!wire(message)) return [where + reasons(wire)];
  if (message.error) return [];
  const [part, value] = message.method === undefined ? (['result', message.result] as const) : (['params', message.params] as const);
  const known = parts[part].get(method ?? '');
  if (!known) return method === 'session/set_model' ? [] : [`${where}the schema knows no such method`];
  if (!known.check(value)) return [where + reasons(known.check)];
  const strange = Object.keys(value ?? {}).filter((key) => !known.keys.has(key) && !(part === 'result' && key === 'models'));
  return strange.map((key) => `${where}${key} is no member of ${part}`);
}

interface Part {
  readonly check: ValidateFunction;
  readonly keys: ReadonlySet<string>;
}

const schema = JSON.parse(readFileSync(new URL('../../node_modules/@agentclientprotocol/sdk/schema/v1/schema.json', import.meta.url), 'utf8')) as Schema;

interface Schema {
  readonly $defs: { readonly [name: string]: { readonly 'x-method'?: string; readonly properties?: object } };
}

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
ajv.addSchema(schema, 'acp');
const wire = ajv.compile({ $ref: 'acp' });

const parts = { params: partsOf(/(Request|Notification)$/), result: partsOf(/Response$/) };

function partsOf(names: RegExp): ReadonlyMap<string, Part> {
  return new Map(Object.entries(schema.$defs).flatMap(([name, { 'x-method': method, properties }]) => {
    if (method === undefined || !names.test(name)) return [];
    return [[method, { check: ajv.compile({ $ref: `acp#/$defs/${name}` }), keys: new Set([...Object.keys(properties ?? {}), '_meta']) }] as const];
  }));
}

function reasons({ errors }: ValidateFunction): string {
  return (errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`).join('; ');
}
