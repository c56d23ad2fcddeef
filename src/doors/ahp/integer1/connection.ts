// One client of version 1: its greeting, its requests and the resources it enters and leaves. It sees every
// chat as a session of its own.
import type { Catching } from '../delivery/resume.ts';
import { present } from '../../../base/present.ts';
import type { SessionId } from '../../../model/event.ts';
import type { Customization } from '../../../protocols/ahp/v1_0/customization.ts';
import type { Requests } from '../../../protocols/ahp/integer1/commands.ts';
import { messageChecks } from '../../../protocols/ahp/integer1/schema.ts';
import { rootResource } from '../../../protocols/ahp/integer1/state.ts';
import type { Snapshot } from '../../../protocols/ahp/integer1/state.ts';
import { encodeNotification } from '../../../rpc/envelope.ts';
import { answerSynchronously } from '../delivery/answers.ts';
import type { SynchronousAnswer } from '../delivery/answers.ts';
import { AhpConnection } from '../connection.ts';
import type { ResolvedChannel } from '../connection.ts';
import type { Opening, VersionConnection } from '../protocolVersion.ts';
import { answerRequest, checkedParams } from '../inbound/answerRequest.ts';
import { projectionsByRole } from '../outbound/offeredAnswers.ts';
import { passOthers } from '../delivery/passOthers.ts';
import { terminalState } from '../v1_0/outbound/terminalState.ts';
import { thinTerminal } from './outbound/terminalState.ts';
import { flatCustomizations } from './outbound/customizations.ts';
import { dispatched } from './inbound/dispatchedActions.ts';
import { find, stateOf } from './findResource.ts';
import { locate } from './inbound/locate.ts';
import { project } from './outbound/entries.ts';
import { reconnect } from './reconnect.ts';
import { requests } from './methods.ts';
import { Integer1Watch } from './outbound/hostWatch.ts';

const projections = projectionsByRole(project);

export class Integer1Connection extends AhpConnection implements VersionConnection {
  readonly watch: Integer1Watch;

  constructor(opening: Opening) {
    super(opening, {
      projections,
      lost: 'contentNotFound',
      terminal: (state, nameOf) => thinTerminal(terminalState(state, nameOf)),
      encode: (terminal, action, envelope) =>
        encodeNotification('action', { action: { ...action, terminal }, ...envelope }),
    });
    this.watch = new Integer1Watch({
      host: this.host,
      sendQueue: this.sendQueue,
      followsRoot: () => this.followsRoot,
      isLive: () => this.subscriptions.isLive,
      nameOf: ({ agent }, { id }) => this.names.of({ id, agent }),
      terminals: () => this.liveResources.terminals,
      signIns: opening.options.signIns,
    });
  }

  initialize(params: unknown): SynchronousAnswer<Requests['initialize']['result']> {
    const { initialSubscriptions } = checkedParams(messageChecks.parseRequest('initialize', params));
    const { options } = this.opening;
    return answerSynchronously(async (answer) => {
      await passOthers(this.host);
      const found = await this.findAll(initialSubscriptions);
      const snapshots = found.flatMap((channel) => this.enter(channel) ?? []);
      answer({
        protocolVersion: 1,
        serverSeq: this.sawAll(),
        snapshots,
        ...present({ defaultDirectory: options.defaultDirectory }),
      });
    });
  }

  reconnect(params: unknown, catching: Catching): unknown {
    return reconnect(this, checkedParams(messageChecks.parseRequest('reconnect', params)), catching);
  }

  request(method: string, params: unknown): unknown {
    return answerRequest<Integer1Connection>(
      this,
      { handlers: requests, checks: messageChecks },
      { method, params },
    );
  }

  notification(method: string, params: unknown): void {
    if (method === 'dispatchAction') dispatched(this, params);
    if (method !== 'unsubscribe') return;
    const parsed = messageChecks.parseNotification('unsubscribe', params);
    if (parsed.ok) this.leave(parsed.value.resource);
  }

  refuse(params: unknown, reason: string): void {
    const parsed = messageChecks.parseNotification('dispatchAction', params);
    if (parsed.ok) this.reject(parsed.value, reason, this.host.own);
  }

  find(uri: string): Promise<ResolvedChannel | undefined> {
    return find(this, uri);
  }

  protected sessionAt(uri: string): SessionId | undefined {
    const located = locate(this.host, uri);
    return located === 'root' ? undefined : located?.id;
  }

  /** Subscribes and takes the snapshot in one step; undefined if the chat was deleted in the meantime. */
  enter({ uri, session, target }: ResolvedChannel): Snapshot | undefined {
    // Outside the logs this version knows only terminals.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    if (target.kind === 'live') return this.followLive(uri) as Snapshot | undefined;
    const found = { uri, session, target };
    const state = stateOf(this, found);
    return state && this.follow(found, state);
  }

  get followsRoot(): boolean {
    return this.subscriptions.follows(rootResource);
  }

  protected get rootWatch(): Integer1Watch {
    return this.watch;
  }

  protected sendCustomizations(session: string, customizations: readonly Customization[]): void {
    this.sendQueue.tell((seq) =>
      encodeNotification('action', {
        action: {
          type: 'session/customizationsChanged',
          session,
          customizations: flatCustomizations(customizations),
        },
        serverSeq: seq(),
      }),
    );
  }
}
