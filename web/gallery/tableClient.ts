// A client whose host is a table: it never connects, and every state and answer is written down.
import { signal } from '@preact/signals';
import type { RequestMethod, Requests } from '../../src/protocols/ahp/v1_0/commands.ts';
import type { ProtectedResourceMetadata, URI } from '../../src/protocols/ahp/v1_0/content.ts';
import { rootChannel } from '../../src/protocols/ahp/v1_0/state.ts';
import type { ChannelStates, RootState, SessionSummary } from '../../src/protocols/ahp/v1_0/state.ts';
import type { Channel, ChannelKind } from '../../client/connection/channel.ts';
import { LiveChannel } from '../../client/connection/channel.ts';
import type { Client } from '../../client/connection/client.ts';
import type { Access, ExtensionMethod, ExtensionRequests } from '../../client/connection/extensions.ts';
import type { ConnectionState } from '../../client/connection/hostConnection.ts';

type Answer<Params, Result> = (params: Params) => Result | Promise<Result>;

type Answers = {
  readonly [M in ExtensionMethod]?: Answer<ExtensionRequests[M]['params'], ExtensionRequests[M]['result']>;
};

type RequestAnswers = {
  readonly [M in RequestMethod]?: Answer<Requests[M]['params'], Requests[M]['result']>;
};

export interface Tables {
  readonly connection: ConnectionState;
  /** Absent for a host of another make. */
  readonly access?: Access | undefined;
  readonly root: RootState;
  readonly sessions: readonly SessionSummary[];
  readonly isListed: boolean;
  readonly authRequired: readonly ProtectedResourceMetadata[];
  /** A channel without a state goes on loading; with a text the host does not have it, for that reason. */
  readonly states: Readonly<Record<URI, ChannelStates[ChannelKind] | string>>;
  readonly answers: Answers;
  readonly requests: RequestAnswers;
}

export function tableClient(tables: Tables): Client {
  const channels = new Map<URI, LiveChannel>();
  const open = (kind: ChannelKind, uri: URI): Channel => {
    const channel = channels.get(uri) ?? new LiveChannel(uri, kind);
    if (!channels.has(uri)) fill(channel, uri === rootChannel ? tables.root : tables.states[uri]);
    channels.set(uri, channel);
    return channel;
  };
  return {
    clientId: 'gallery',
    connection: signal(tables.connection),
    host: signal({
      ...{ protocolVersion: '1.0.0', serverSeq: 0, snapshots: [], defaultDirectory: 'file:///home/ada' },
      ...{ serverInfo: { name: 'parley', title: 'Parley', version: '1.0.0' } },
    }),
    access: signal(tables.access),
    // A channel has the kind that it was opened as.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    root: open('root', rootChannel) as Channel<RootState>,
    sessions: signal(new Map(tables.sessions.map((summary) => [summary.resource, summary]))),
    listed: signal(tables.isListed),
    authRequired: signal(
      new Map(
        tables.authRequired.map((resource) => [
          resource.resource,
          { channel: rootChannel, resource, reason: 'required' },
        ]),
      ),
    ),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    open: (kind, uri) => open(kind, uri) as Channel<never>,
    request: (method, params) => answered(tables.requests[method], params),
    requestExtension: (method, params) => answered(tables.answers[method], params),
    dispatch: () => Promise.resolve({ kind: 'accepted' }),
    ...{ authDone: nothing, release: nothing, start: nothing, retryNow: nothing, stop: nothing },
  };
}

const nothing = () => undefined;

function fill(channel: LiveChannel, state: ChannelStates[ChannelKind] | string | undefined): void {
  if (typeof state === 'string') channel.lose(state);
  else if (state) channel.load({ resource: channel.uri, state, fromSeq: 0 });
}

async function answered<Params, Result>(
  answer: Answer<Params, Result> | undefined,
  params: Params,
): Promise<Result> {
  if (!answer) throw new Error('The host does not serve this.');
  return answer(params);
}
