// Parses, validates and serialises one JSON-RPC 2.0 message. Knows no connection and no method name.

import { hasMoreValuesThan, membersIn, nestsDeeperThan } from '../base/jsonSize.ts';
import { RpcError, rpcCodes } from './rpcError.ts';

export type RequestId = number | string | null;

export type Incoming =
  | { readonly kind: 'request'; readonly id: RequestId; readonly method: string; readonly params: unknown }
  | { readonly kind: 'notification'; readonly method: string; readonly params: unknown }
  | { readonly kind: 'result'; readonly id: unknown; readonly result: unknown }
  | { readonly kind: 'error'; readonly id: unknown; readonly error: unknown }
  /** To be answered with this error. */
  | { readonly kind: 'refused'; readonly id: RequestId; readonly error: RpcError }
  /** An invalid notification, which must not be answered. */
  | { readonly kind: 'dropped'; readonly detail: string };

export interface EnvelopeRules {
  readonly maxDepth: number;
  /** In a request or a notification, and in an answer that nobody waits for. */
  readonly maxValues: number;
  /** Accepts a message without a `jsonrpc` member. */
  readonly lenient: boolean;
  /** Whether a request with this id waits for its answer; without it every answer is read. */
  readonly awaits?: (id: unknown) => boolean;
}

export function readEnvelope(text: string, rules: EnvelopeRules): Incoming {
  if (nestsDeeperThan(text, rules.maxDepth)) return refuse(null, 'Message nests too deeply');
  const tooLarge = hasMoreValuesThan(text, rules.maxValues) ? refuseLarge(text, rules) : undefined;
  if (tooLarge) return tooLarge;
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return { kind: 'refused', id: null, error: new RpcError(rpcCodes.parseError, 'Parse error') };
  }
  if (Array.isArray(message)) return refuse(null, 'Batches are not supported');
  if (typeof message !== 'object' || message === null) return refuse(null, 'Message is not an object');
  return readObject(message, rules);
}

/** A message has five members at most; others are ignored. */
const mostMembers = 100;

/**
 * Who asks waits for long answers; what somebody else asks must not take long to parse and to check, nor what
 * nobody waits for.
 */
function refuseLarge(text: string, { maxValues, awaits = () => true }: EnvelopeRules): Incoming | undefined {
  const members = membersIn(text, mostMembers);
  const id = shortValue(members?.get('id'));
  const message = `Message has more than ${maxValues} values`;
  if (!members || members.has('method')) return refuse(knownId(id), message);
  return awaits(id) ? undefined : { kind: 'dropped', detail: 'Nobody waits for this answer' };
}

function shortValue(text: string | undefined): unknown {
  if (text === undefined || text.length > 1_000) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text of a notification, to be encoded once and sent to many. */
export function encodeNotification(method: string, params?: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params });
}

export function encodeRequest(id: number, method: string, params?: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

export function encodeResult(id: RequestId, result: unknown): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${JSON.stringify(result) ?? 'null'}}`;
}

export function encodeError(id: RequestId, error: RpcError): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${JSON.stringify(error.body) ?? '{}'}}`;
}

/** The unvalidated members. */
interface Members {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

const notVersion2 = new RpcError(rpcCodes.invalidRequest, 'Member jsonrpc is not "2.0"');
const emptyAnswer = new RpcError(rpcCodes.invalidRequest, 'The answer has neither a result nor an error');

function readObject(message: Members, rules: EnvelopeRules): Incoming {
  const { method, id, params } = message;
  const versionFits = message.jsonrpc === '2.0' || (rules.lenient && message.jsonrpc === undefined);
  if (method === undefined && isResponse(message, rules)) {
    return versionFits ? readResponse(message) : { kind: 'error', id, error: notVersion2.body };
  }
  if (!versionFits) return { kind: 'refused', id: knownId(id), error: notVersion2 };
  if (typeof method !== 'string') return refuse(knownId(id), 'Member method is not a string');
  if (id !== undefined && !isRequestId(id))
    return refuse(null, 'Member id is not a string, an integer or null');
  if (params !== undefined && typeof params !== 'object') return refuseParams(id);
  const given = params ?? undefined;
  return id === undefined
    ? { kind: 'notification', method, params: given }
    : { kind: 'request', id, method, params: given };
}

/** A JavaScript client may leave out both. The request must end all the same, so this counts as an error. */
function isResponse({ id, result, error }: Members, { awaits }: EnvelopeRules): boolean {
  return result !== undefined || error !== undefined || awaits?.(id) === true;
}

function readResponse({ id, result, error }: Members): Incoming {
  if (result === undefined && error === undefined) return { kind: 'error', id, error: emptyAnswer.body };
  return error === undefined || error === null
    ? { kind: 'result', id, result }
    : { kind: 'error', id, error };
}

function refuse(id: RequestId, message: string): Incoming {
  return { kind: 'refused', id, error: new RpcError(rpcCodes.invalidRequest, message) };
}

function refuseParams(id: RequestId | undefined): Incoming {
  const message = 'Member params is neither an object nor an array';
  if (id === undefined) return { kind: 'dropped', detail: message };
  return { kind: 'refused', id, error: new RpcError(rpcCodes.invalidParams, message) };
}

/** An integer beyond the safe range could not be sent back unchanged. */
function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id) || id === null;
}

function knownId(id: unknown): RequestId {
  return isRequestId(id) ? id : null;
}
