// Holds everything that our agent sends against the JSON Schema of version 2 that the official SDK ships.
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { observeTransport } from '../../src/rpc/transports/observe.ts';
import type { Transport } from '../../src/rpc/transports/transport.ts';

interface Frame {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** The end of the agent; every frame that it sends is checked. */
export function checkedV2(transport: Transport): {
  readonly transport: Transport;
  readonly frames: readonly Frame[];
  readonly problems: readonly string[];
} {
  const asked = new Map<unknown, string>();
  const frames: Frame[] = [];
  const problems: string[] = [];
  return {
    frames,
    problems,
    transport: observeTransport(transport, {
      outgoing: (text) => {
        const frame = JSON.parse(text) as Frame;
        frames.push(frame);
        problems.push(...problemsOf(frame, frame.method ?? asked.get(frame.id)));
      },
      incoming: (text) => {
        const frame = JSON.parse(text) as Frame;
        if (frame.method !== undefined && frame.id !== undefined) asked.set(frame.id, frame.method);
      },
    }),
  };
}

const schema = JSON.parse(
  readFileSync(
    new URL('../../node_modules/@agentclientprotocol/sdk/schema/v2/schema.json', import.meta.url),
    'utf8',
  ),
) as { $defs: { [name: string]: { 'x-method'?: string } } };
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
ajv.addSchema(schema, 'acp');

function checkOf(name: string): ValidateFunction {
  return ajv.compile({ $ref: `acp#/$defs/${name}` });
}

const byMethod = (names: RegExp) =>
  new Map(
    Object.entries(schema.$defs).flatMap(([name, node]) =>
      node['x-method'] !== undefined && names.test(name) ? [[node['x-method'], checkOf(name)] as const] : [],
    ),
  );
const params = byMethod(/(?:Request|Notification)$/);
const results = byMethod(/Response$/);
const envelopes = {
  notification: checkOf('AgentNotification'),
  request: checkOf('AgentRequest'),
  response: checkOf('AgentResponse'),
};
/** The open variants accept an update of any name, so the names are compared as well. */
const updates = new Set(
  JSON.stringify((schema.$defs as { SessionUpdate?: unknown }).SessionUpdate)
    .match(/"sessionUpdate":\{"type":"string","const":"\w+"/g)
    ?.map((found) => /"const":"(\w+)"/.exec(found)?.[1]),
);

/** What the schema says about one update of a session. */
export function updateProblems(update: object): readonly string[] {
  const frame = { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update } };
  return problemsOf(frame, frame.method);
}

function problemsOf(frame: Frame, method = ''): readonly string[] {
  const envelope = kindOf(frame);
  const check = envelopes[envelope];
  if (!check(frame)) return [`${method}: ${ajv.errorsText(check.errors)}`];
  if (frame.error !== undefined) return [];
  const part = envelope === 'response' ? results.get(method) : params.get(method);
  const value = envelope === 'response' ? frame.result : frame.params;
  if (!part) return [`${method}: the schema knows no such method`];
  if (!part(value)) return [`${method}: ${ajv.errorsText(part.errors)}`];
  const kind = (value as { update?: { sessionUpdate?: string } } | undefined)?.update?.sessionUpdate;
  return method === 'session/update' && !updates.has(kind) ? [`${kind} is no update of version 2`] : [];
}

function kindOf({ id, method }: Frame): keyof typeof envelopes {
  if (method === undefined) return 'response';
  return id === undefined ? 'notification' : 'request';
}
