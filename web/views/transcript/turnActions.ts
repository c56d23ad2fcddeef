// What the user can do with a turn; provided by pages whose chat accepts messages.
import { signal } from '@preact/signals';
import { createContext } from 'preact';
import { errorText } from '../../../src/base/errorText.ts';
import { present } from '../../../src/base/present.ts';
import { errorCodes } from '../../../src/protocols/ahp/errors.ts';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { SessionState, Turn } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Channel } from '../../../client/connection/channel.ts';
import { freshId } from '../../../client/connection/freshId.ts';
import { RequestError } from '../../../client/connection/rpc.ts';
import { goTo } from '../../state/route.ts';
import { toast } from '../../state/toasts.ts';
import { draftOf, editOf } from '../compose/drafts.ts';
import { sendMessage, truncateBefore } from '../compose/sending.ts';
import type { ChatTarget } from '../compose/sending.ts';

export type RewindWhat = 'conversation' | 'files' | 'both';

export interface TurnActions {
  /** Sends the message of that turn again, at the end of the conversation. */
  repeat(turnId: string): void;
  /** Asks the agent to continue. */
  resume(): void;
  /** Puts its message into the composer; sending it replaces the turn and all after it. */
  edit(turnId: string): void;
  /** A new chat that begins with the conversation up to the end of that turn. */
  fork(turnId: string): Promise<void>;
  /** Goes back to before the turn. */
  rewind(turnId: string, what: RewindWhat): Promise<void>;
  /** Whether files can be put back. */
  readonly hasFiles: boolean;
}

export const TurnActionsContext = createContext<TurnActions | undefined>(undefined);

export function turnActionsIn(target: ChatTarget, session: Channel<SessionState>): TurnActions {
  const turns = (): readonly Turn[] => target.channel.state.peek()?.turns ?? [];
  const turnOf = (turnId: string) => turns().find(({ id }) => id === turnId);
  const template = session.state
    .peek()
    ?.changesets?.find(({ changeKind }) => changeKind === 'turn')?.uriTemplate;
  const rewind = async (turnId: string, what: RewindWhat): Promise<void> => {
    const from = turns().findIndex(({ id }) => id === turnId);
    if (from < 0) return;
    if (what !== 'conversation' && !(await undoFiles(target, turns().slice(from), template))) return;
    if (what === 'files') return;
    const truncated = await truncateBefore(target, turnId);
    if (truncated.kind === 'rejected') toast('problem', truncated.reason);
  };
  return {
    hasFiles: template !== undefined,
    repeat: (turnId) => {
      const turn = turnOf(turnId);
      if (turn) void sendMessage(target, turn.message);
    },
    resume: () =>
      void sendMessage(target, { text: 'Please continue where you stopped.', origin: { kind: 'user' } }),
    edit: (turnId) => {
      const turn = turnOf(turnId);
      if (!turn) return;
      const { text, attachments = [] } = turn.message;
      const { model } = draftOf(target.channel.uri).peek();
      const draft = signal({ text, attachments, ...present({ model }) });
      editOf(target.channel.uri).value = { turnId, draft };
    },
    fork: (turnId) => forkChat(target, session.uri, turnId),
    rewind,
  };
}

/** Undoes the edits of the turns, the last turn first. Turns without edits are left out. */
async function undoFiles(
  { client }: ChatTarget,
  turns: readonly Turn[],
  template: string | undefined,
): Promise<boolean> {
  if (template === undefined) return false;
  let count = 0;
  try {
    for (const { id } of turns.toReversed()) {
      const channel = template.replace('{turnId}', encodeURIComponent(id));
      const undone = client.request('invokeChangesetOperation', { channel, operationId: 'undo' });
      count += await undone.then(
        () => 1,
        (error: unknown) => {
          if (error instanceof RequestError && error.code === errorCodes.notFound) return 0;
          throw error;
        },
      );
    }
    toast(
      'info',
      count === 0
        ? 'No file was edited since this message.'
        : 'The files are as they were before this message, unless they were edited since.',
    );
    return true;
  } catch (error) {
    toast('problem', errorText(error));
    return false;
  }
}

async function forkChat({ client, channel }: ChatTarget, session: URI, turnId: string): Promise<void> {
  const chat = `ahp-chat:/${freshId()}`;
  try {
    const source = { kind: 'fork' as const, chat: channel.uri, turnId };
    await client.request('createChat', { channel: session, chat, source });
    goTo({ page: 'session', session, chat });
  } catch (error) {
    toast('problem', errorText(error));
  }
}
