// Tells apart what arrives from the host: answers, failures, requests and notifications. It trusts nothing but JSON.
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
  | { readonly kind: 'notification'; readonly method: string; readonly params: Fields };

export type Fields = Readonly<Record<string, unknown>>;

/** Nothing for text that is no message: such text is dropped. */
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
