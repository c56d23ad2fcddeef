// The session URIs of one client: each session in the spelling that the client used first, others like the
// first session it named.
import type { SessionId } from '../../../model/event.ts';
import { readChannel, schemeOf, sessionScheme, sessionUri } from './channels.ts';

export class SessionUris {
  readonly #used = new Map<SessionId, string>();
  #style: 'agent' | 'specification' | undefined;

  /** Newer builds of VS Code say that they use the spelling of the specification. */
  constructor(meta: Readonly<Record<string, unknown>> | undefined) {
    this.#style = meta?.['vscode.ahpSessionUris'] ? 'specification' : undefined;
  }

  /** The client has used this URI. */
  remember(uri: string): void {
    const channel = readChannel(uri);
    if (channel?.kind !== 'session') return;
    this.#style ??= schemeOf(uri) === sessionScheme ? 'specification' : 'agent';
    if (!this.#used.has(channel.session)) this.#used.set(channel.session, uri);
  }

  of({ id, agent }: { readonly id: SessionId; readonly agent: string }): string {
    return this.#used.get(id) ?? sessionUri(id, this.#style === 'specification' ? sessionScheme : agent);
  }
}
