// Creates a session on the host and sends its first message.
import { present } from '../../../src/base/present.ts';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { SessionState } from '../../../src/protocols/ahp/v1_0/state.ts';
import { effect } from '@preact/signals';
import type { Channel } from '../../../client/connection/channel.ts';
import type { Client } from '../../../client/connection/client.ts';
import { freshId } from '../../../client/connection/freshId.ts';
import { toast } from '../../state/toasts.ts';
import { draftOf } from '../compose/drafts.ts';
import type { MessageDraft } from '../compose/drafts.ts';
import { messageOf, sendMessage } from '../compose/sending.ts';

export interface NewSession {
  readonly provider: string;
  readonly directory?: URI;
  readonly config: Readonly<Record<string, unknown>>;
  /** The first message. */
  readonly draft: MessageDraft;
}

export interface StartedSession {
  readonly session: URI;
  readonly chat: URI | undefined;
}

export async function startSession(
  client: Client,
  { provider, directory, config, draft }: NewSession,
): Promise<StartedSession> {
  const session = `ahp-session:/${freshId()}`;
  await client.request('createSession', {
    channel: session,
    provider,
    ...present({
      workingDirectories: directory === undefined ? undefined : [directory],
      config: Object.keys(config).length === 0 ? undefined : config,
    }),
  });
  const channel = client.open('session', session);
  try {
    const chat = await defaultChat(channel);
    await sendFirstMessage(client, chat, draft);
    return { session, chat };
  } finally {
    client.release(channel);
  }
}

async function sendFirstMessage(client: Client, uri: URI, draft: MessageDraft): Promise<void> {
  const chat = client.open('chat', uri);
  const settlement = await sendMessage({ client, channel: chat }, messageOf(draft));
  client.release(chat);
  if (settlement.kind === 'accepted') return;
  // The session exists, so the message goes into its composer.
  draftOf(uri).value = draft;
  toast(
    'problem',
    settlement.kind === 'rejected'
      ? settlement.reason
      : 'The connection was lost. The message is in the message field.',
  );
}

const creationTimeoutMs = 20_000;

function defaultChat({ state, status }: Channel<SessionState>): Promise<URI> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error('The host did not create the session in time.')),
      creationTimeoutMs,
    );
    const stop = effect(() => {
      const chat = state.value?.defaultChat ?? state.value?.chats[0]?.resource;
      const failed = status.value.kind === 'gone' ? status.value.reason : state.value?.creationError?.message;
      if (chat === undefined && failed === undefined) return;
      clearTimeout(timer);
      // `stop` is not assigned yet if the first run of the effect settles.
      queueMicrotask(() => stop());
      if (chat !== undefined) resolve(chat);
      else reject(new Error(failed));
    });
  });
}
