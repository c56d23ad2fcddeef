// One connected ECA client: the objects that its features work with, each with one concern.
import type { Host } from '../../host/host.ts';
import type { Peer } from '../../rpc/peer.ts';
import { ClientProfile } from './client/clientProfile.ts';
import { KeptValues } from './client/keptValues.ts';
import { Lifetime } from './client/lifetime.ts';
import { NumberedChats } from './client/numberedChats.ts';
import { Selection } from './client/selection.ts';
import { Workspace } from './client/workspace.ts';
import { OpenLogins } from './commands/openLogins.ts';
import { OpenModeQuestions } from './commands/openModeQuestions.ts';
import { StartedChats } from './inbound/startedChats.ts';
import { SentSteering } from './inbound/steering.ts';
import { UnsentPrompts } from './inbound/unsentPrompts.ts';
import type { EcaOptions } from './options.ts';
import { Announcer } from './outbound/announcer.ts';
import { FollowedChats } from './outbound/followedChats.ts';
import { Sender } from './outbound/sender.ts';
import { ServerUpdates } from './outbound/serverUpdates.ts';
import { usageFacts } from './outbound/usageFacts.ts';
import { RemoteApi } from './remote/remoteApi.ts';

export interface EcaConnection {
  readonly host: Host;
  readonly peer: Peer;
  readonly options: EcaOptions;
  readonly profile: ClientProfile;
  readonly workspace: Workspace;
  readonly selection: Selection;
  readonly lifetime: Lifetime;
  readonly sender: Sender;
  readonly updates: ClientUpdates;
  /** The chats that the client sees. */
  readonly chats: FollowedChats;
  readonly ownChats: OwnChats;
  /** What lets browsers reach this client's chats, where the configuration enables it. */
  readonly remote: RemoteApi;
}

/** What the client is told without asking, besides its chats. */
interface ClientUpdates {
  readonly announcer: Announcer;
  readonly servers: ServerUpdates;
}

/** What the host remembers about chats for this client alone. */
interface OwnChats {
  readonly numbered: NumberedChats;
  /** The chats that were created here and have this client's workspace. */
  readonly started: StartedChats;
  readonly steering: SentSteering;
  readonly unsent: UnsentPrompts;
  readonly logins: OpenLogins;
  readonly modeQuestions: OpenModeQuestions;
  /** The commands that only this client was shown, by content id, and the stored content before each. */
  readonly shownCommands: Map<string, string | undefined>;
}

export function openConnection(host: Host, peer: Peer, options: EcaOptions): EcaConnection {
  const profile = new ClientProfile(host.ids.next());
  const workspace = new Workspace(host, options.workspaceFiles?.repositoryOf);
  const remote = new RemoteApi(host);
  const keptValues = new KeptValues(peer, options.resumable ?? false);
  const selection = new Selection(host, workspace, (choice) => keptValues.keep('selection', choice));
  const sender = new Sender({
    peer,
    profile,
    workspace,
    mirror: remote,
    usageFacts: (state) => usageFacts(host, options, { state, workspace }),
    answer: (chat, ask, answer) => void chats.dispatch(chat, { kind: 'answer', chat, ask, answer }),
  });
  const chats = new FollowedChats({
    host,
    peer,
    profile,
    deliver: (message) => sender.deliver(message),
    seen: (chat, seq) => keptValues.keep(`seen:${chat}`, seq),
  });
  return {
    host,
    peer,
    options,
    profile,
    workspace,
    selection,
    lifetime: new Lifetime(),
    sender,
    updates: {
      announcer: new Announcer({ host, options, workspace, selection, sender, chats }),
      servers: new ServerUpdates(sender, workspace, options.mcp),
    },
    chats,
    ownChats: {
      numbered: new NumberedChats(peer, {
        newId: () => host.ids.next(),
        numbered: (number, id) => keptValues.keep(`number:${number}`, id),
      }),
      started: new StartedChats(host, profile),
      steering: new SentSteering(),
      unsent: new UnsentPrompts(),
      logins: new OpenLogins((chat, dialogue) => keptValues.keep(`login:${chat}`, dialogue)),
      modeQuestions: new OpenModeQuestions((chat, id) => keptValues.keep(`mode:${chat}`, id)),
      shownCommands: new Map(),
    },
    remote,
  };
}

/** The chats are left without a word: the pipe of the client opens them again with the next host. */
export function closeConnection({ lifetime, chats, sender, updates }: EcaConnection): void {
  lifetime.end();
  chats.close();
  sender.close();
  updates.servers.close();
}
