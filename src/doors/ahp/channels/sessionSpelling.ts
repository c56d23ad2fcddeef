// The session URIs of one client: each session in the spelling that the client used first, others like the
// first session it named. Before that they are spelled as in the specification, except for a VS Code that
// derives sessions from the names of agents.
import type { SessionId } from '../../../model/event.ts';
import { readChannel, schemeOf, sessionScheme, sessionUri } from './channels.ts';

type Style = 'agent' | 'specification';

export class SessionUris {
  readonly #used = new Map<SessionId, string>();
  #style: Style;
  #hasChosen: boolean;

  constructor(client: SpelledFor) {
    this.#style = styleOf(client);
    this.#hasChosen = client.meta?.['vscode.ahpSessionUris'] === true;
  }

  /** The client has used this URI. */
  remember(uri: string): void {
    const channel = readChannel(uri);
    if (channel?.kind !== 'session') return;
    if (!this.#hasChosen) this.#style = schemeOf(uri) === sessionScheme ? 'specification' : 'agent';
    this.#hasChosen = true;
    if (!this.#used.has(channel.session)) this.#used.set(channel.session, uri);
  }

  of({ id, agent }: { readonly id: SessionId; readonly agent: string }): string {
    return this.#used.get(id) ?? sessionUri(id, this.#style === 'specification' ? sessionScheme : agent);
  }
}

/** What a client has said about itself. */
interface SpelledFor {
  readonly version: string;
  readonly client: { readonly name?: string };
  readonly meta: Readonly<Record<string, unknown>> | undefined;
}

/** Version 1 knows only the spelling with the agent. A client that comes back says only its name. */
function styleOf({ version, client: { name = '' }, meta = {} }: SpelledFor): Style {
  if (meta['vscode.ahpSessionUris'] === true) return 'specification';
  const isVsCode =
    Object.keys(meta).some((key) => key.startsWith('vscode.')) || /^vs ?code|^visual studio code/i.test(name);
  return version === '1' || isVsCode ? 'agent' : 'specification';
}
