// Parses JSON-RPC messages from the host into results, errors, requests and notifications.

import { isRecord } from '../../src/base/isRecord.ts';

export type Incoming =
  | { readonly kind: 'answer'; readonly id: number; readonly result: unknown }
  | {
      readonly kind: 'failure';
      readonly id: number;
      readonly code: number;
      readonly message: string;
      readonly data: unknown;
    }
  | { readonly kind: 'request'; readonly id: string | number; readonly method: string }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject };

export type JsonObject = Readonly<Record<string, unknown>>;

/** Undefined for text that is not a JSON-RPC message; the caller drops it. */
export function readIncoming(text: string): Incoming | undefined {
  const message = parseJson(text);
  if (!isRecord(message)) return undefined;
  const { id, method, params, error } = message;
  if (typeof method === 'string') {
    if (typeof id === 'string' || typeof id === 'number') return { kind: 'request', id, method };
    return { kind: 'notification', method, params: isRecord(params) ? params : {} };
  }
  if (typeof id !== 'number') return undefined;
  if (!isRecord(error)) return { kind: 'answer', id, result: message['result'] };
  const code = typeof error['code'] === 'number' ? error['code'] : 0;
  return { kind: 'failure', id, code, message: String(error['message']), data: error['data'] };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
