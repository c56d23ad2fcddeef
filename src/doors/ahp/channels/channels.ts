// Channel URIs in every spelling that clients use. Does not check whether the channel exists.
import type { ChatId, SessionId } from '../../../model/event.ts';

export type Channel =
  | { readonly kind: 'root' }
  | { readonly kind: 'session'; readonly session: SessionId }
  | { readonly kind: 'chat'; readonly chat: ChatId }
  /** A chat named through its session: the chat of that name there, or else the default chat. */
  | { readonly kind: 'chatOf'; readonly session: SessionId; readonly name: string };

export function readChannel(uri: string): Channel | undefined {
  if (uri === 'ahp-root://' || uri === 'ahp-root:') return { kind: 'root' };
  const [, scheme, rest] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(uri) ?? [];
  if (scheme === undefined || rest === undefined) return undefined;
  const name = scheme.toLowerCase();
  if (name === 'ahp-chat') return readChat(rest);
  return reserved.has(name) ? undefined : readSession(rest);
}

/**
 * The spelling of the specification, for clients that use it and for agents whose name cannot be a scheme.
 */
export const sessionScheme = 'ahp-session';

export function sessionUri(session: SessionId, scheme: string): string {
  return `${canBeScheme(scheme) ? scheme : sessionScheme}:/${encodeURIComponent(session)}`;
}

export function chatUri(chat: ChatId): string {
  return `ahp-chat:/${encodeURIComponent(chat)}`;
}

/** The scheme of an URI, which for a session may be the name of its agent. */
export function schemeOf(uri: string): string {
  return uri.slice(0, Math.max(0, uri.indexOf(':'))).toLowerCase();
}

function canBeScheme(name: string): boolean {
  return /^[a-z][a-z0-9+.-]*$/.test(name) && !reserved.has(name) && name !== 'ahp-chat';
}

/** Schemes that name other things, now or in the specification, and therefore never a session. */
const reserved: ReadonlySet<string> = new Set([
  'ahp-root',
  'ahp-terminal',
  'ahp-resource-watch',
  'ahp-otlp',
  'ahp-changeset',
  'ahp-canvas',
  'ahp-automations',
  'agenthost',
  'mcp',
  'file',
  'data',
  'http',
  'https',
  'parley-content',
]);

function readSession(rest: string): Channel | undefined {
  const id = /^\/([^/]+)$/.exec(rest)?.[1];
  const session = id === undefined ? undefined : decoded(id);
  return session === undefined ? undefined : { kind: 'session', session };
}

/**
 * VS Code derives the default chat from the session:
 * `ahp-chat://<any name>/<base64url of the session's URI>`.
 */
function readChat(rest: string): Channel | undefined {
  const [, name, encoded] = /^\/\/([^/]*)\/([\w-]+={0,2})$/.exec(rest) ?? [];
  if (name !== undefined && encoded !== undefined) {
    const session = readChannel(Buffer.from(encoded, 'base64url').toString('utf8'));
    return session?.kind === 'session'
      ? { kind: 'chatOf', session: session.session, name: decoded(name) ?? name }
      : undefined;
  }
  const plain = readSession(rest);
  return plain?.kind === 'session' ? { kind: 'chat', chat: plain.session } : undefined;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
