// Creates a session on the host and says the first message in it.
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { SessionState } from '../../../src/protocols/ahp/v1_0/state.ts';
import { effect } from '@preact/signals';
import type { Channel } from '../../client/channel.ts';
import type { Client } from '../../client/client.ts';
import { freshId } from '../../client/freshId.ts';
import { toast } from '../../state/toasts.ts';
import { draftOf } from '../compose/drafts.ts';
import { ask, messageOf } from '../compose/sending.ts';

export interface NewSession {
  readonly provider: string;
  readonly model?: string;
  readonly directory?: URI;
  readonly config: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export interface Started {
  readonly session: URI;
  readonly chat: URI | undefined;
}

export async function startSession(
  client: Client,
  { provider, model, directory, config, text }: NewSession,
): Promise<Started> {
  const session = `ahp-session:/${freshId()}`;
  await client.request('createSession', {
    channel: session,
    provider,
    ...(directory === undefined ? {} : { workingDirectories: [directory] }),
    ...(Object.keys(config).length === 0 ? {} : { config }),
  });
  const channel = client.open('session', session);
  try {
    const chat = await defaultChat(channel);
    if (text !== '')
      await say(
        client,
        chat,
        messageOf({ text, attachments: [], ...(model === undefined ? {} : { model }) }),
      );
    return { session, chat };
  } finally {
    client.release(channel);
  }
}

async function say(client: Client, uri: URI, message: ReturnType<typeof messageOf>): Promise<void> {
  const chat = client.open('chat', uri);
  const settlement = await ask({ client, channel: chat }, message);
  client.release(chat);
  if (settlement.kind === 'accepted') return;
  // The session is there; its first message waits in the composer.
  draftOf(uri).value = { text: message.text, attachments: [] };
  toast(
    'problem',
    settlement.kind === 'rejected' ? settlement.reason : 'The connection was lost; the message was kept.',
  );
}

const patienceMs = 20_000;

function defaultChat({ state, condition }: Channel<SessionState>): Promise<URI> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error('The host did not create the session in time.')),
      patienceMs,
    );
    const stop = effect(() => {
      const chat = state.value?.defaultChat ?? state.value?.chats[0]?.resource;
      const failed =
        condition.value.kind === 'gone' ? condition.value.why : state.value?.creationError?.message;
      if (chat === undefined && failed === undefined) return;
      clearTimeout(timer);
      // Not before the effect exists, which may settle in its first run.
      queueMicrotask(() => stop());
      if (chat !== undefined) resolve(chat);
      else reject(new Error(failed));
    });
  });
}
