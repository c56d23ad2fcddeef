// JSON-RPC messages as a pipe sees them: unchecked, because client and host check them.
import { isRecord } from '../../../base/isRecord.ts';

export interface RpcMessage {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Undefined for text that is no single message; the host answers such text. */
export function parseMessage(text: string): RpcMessage | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function encodeMessage(message: RpcMessage): string {
  return JSON.stringify({ jsonrpc: '2.0', ...message });
}
