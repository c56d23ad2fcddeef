// One client of version 1: its greeting, its requests and the resources it enters and leaves. It sees every chat as a session of its own.
import { shareLive } from '../../../host/session/live.ts';
import type { Customization } from '../../../protocols/ahp/v1_0/customization.ts';
import type { RequestMethod, Requests } from '../../../protocols/ahp/integer1/commands.ts';
import { isRequestMethod, parseNotification, parseRequest } from '../../../protocols/ahp/integer1/schema.ts';
import { rootResource } from '../../../protocols/ahp/integer1/state.ts';
import type { Snapshot } from '../../../protocols/ahp/integer1/state.ts';
import { encodeNotification } from '../../../rpc/envelope.ts';
import { answered } from '../delivery/answers.ts';
import type { Answering } from '../delivery/answers.ts';
import { Connection } from '../connection.ts';
import type { ResolvedChannel } from '../connection.ts';
import type { Opening, VersionConnection } from '../protocolVersion.ts';
import { refused } from '../errors.ts';
import { seqUpTo } from '../delivery/serverSeq.ts';
import { terminalState } from './outbound/terminalState.ts';
import { thin } from './outbound/customizations.ts';
import { dispatched } from './inbound/dispatchedActions.ts';
import { find, stateOf } from './findResource.ts';
import { project } from './outbound/entries.ts';
import { reconnect } from './reconnect.ts';
import { requests } from './methods.ts';
import { Watch } from './outbound/hostWatch.ts';

const liveOf = shareLive(project);

export class Integer1Connection extends Connection implements VersionConnection {
  readonly watch: Watch;

  constructor(opening: Opening) {
    super(opening, {
      project,
      liveOf,
      lost: 'contentNotFound',
      terminal: terminalState,
      encode: (terminal, action, envelope) =>
        encodeNotification('action', { action: { ...action, terminal }, ...envelope }),
    });
    this.watch = new Watch({
      host: this.host,
      outlet: this.outlet,
      followsRoot: () => this.followsRoot,
      isLive: () => this.subscriptions.isLive,
      nameOf: ({ agent }, { id }) => this.names.of({ id, agent }),
      terminals: () => this.outside.terminals,
      signIns: opening.options.signIns,
    });
  }

  initialize(params: unknown): Answering<Requests['initialize']['result']> {
    const { initialSubscriptions } = checked('initialize', params);
    const directory = this.opening.options.defaultDirectory;
    return answered(async (answer) => {
      const found = await Promise.all([...new Set(initialSubscriptions)].map((uri) => this.find(uri)));
      const snapshots = found.flatMap((one) => (one && this.enter(one)) ?? []);
      answer({
        protocolVersion: 1,
        serverSeq: seqUpTo(this.host.shown),
        snapshots,
        ...(directory === undefined ? {} : { defaultDirectory: directory }),
      });
    });
  }

  reconnect(params: unknown): unknown {
    return reconnect(this, checked('reconnect', params));
  }

  request(method: string, params: unknown): unknown {
    const handle = isRequestMethod(method) ? requests[method] : undefined;
    if (!handle || !isRequestMethod(method))
      throw refused('methodNotFound', `This host has no method ${method.slice(0, 64)}.`);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the method chooses params and handle alike, which the compiler cannot follow
    return handle(this, checked(method, params) as never);
  }

  notification(method: string, params: unknown): void {
    if (method === 'dispatchAction') dispatched(this, params);
    if (method !== 'unsubscribe') return;
    const parsed = parseNotification('unsubscribe', params);
    if (parsed.ok) this.leave(parsed.value.resource);
  }

  refuse(params: unknown, reason: string): void {
    const parsed = parseNotification('dispatchAction', params);
    if (parsed.ok) this.reject(parsed.value, reason, this.host.own);
  }

  find(uri: string): Promise<ResolvedChannel | undefined> {
    return find(this, uri);
  }

  /** Subscribes and takes the snapshot in one step; nothing where the chat has gone in the meantime. */
  enter({ uri, session, target }: ResolvedChannel): Snapshot | undefined {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- outside the logs this version knows only terminals
    if (target.kind === 'live') return this.followOutside(uri) as Snapshot | undefined;
    const found = { uri, session, target };
    const state = stateOf(this, found);
    return state && this.follow(found, state);
  }

  get followsRoot(): boolean {
    return this.subscriptions.follows(rootResource);
  }

  protected get rootWatch(): Watch {
    return this.watch;
  }

  protected tellExtended(session: string, customizations: readonly Customization[]): void {
    this.outlet.tell((seq) =>
      encodeNotification('action', {
        action: { type: 'session/customizationsChanged', session, customizations: thin(customizations) },
        serverSeq: seq(),
      }),
    );
  }
}

/** The params of a request, or the error that says what is wrong with them. */
function checked<Method extends RequestMethod>(method: Method, params: unknown): Requests[Method]['params'] {
  const parsed = parseRequest(method, params);
  if (!parsed.ok) throw refused('invalidParams', parsed.problem);
  return parsed.value;
}
