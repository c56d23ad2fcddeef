// One client of AHP 1.0: its greeting, its requests and the channels it enters and leaves.
import type { Catching } from '../delivery/resume.ts';
import { present } from '../../../base/present.ts';
import type { Summary } from '../../../host/session/summary.ts';
import type { SessionId } from '../../../model/event.ts';
import type { Requests } from '../../../protocols/ahp/v1_0/commands.ts';
import type { Customization } from '../../../protocols/ahp/v1_0/customization.ts';
import { messageChecks } from '../../../protocols/ahp/v1_0/schema.ts';
import { rootChannel } from '../../../protocols/ahp/v1_0/state.ts';
import type { ChatState, SessionState, SessionSummary, Snapshot } from '../../../protocols/ahp/v1_0/state.ts';
import { encodeNotification } from '../../../rpc/envelope.ts';
import { answerSynchronously } from '../delivery/answers.ts';
import type { SynchronousAnswer } from '../delivery/answers.ts';
import { AhpConnection } from '../connection.ts';
import type { ResolvedChannel } from '../connection.ts';
import type { Opening, VersionConnection } from '../protocolVersion.ts';
import { answerRequest, checkedParams } from '../inbound/answerRequest.ts';
import { locate } from '../channels/locate.ts';
import { shownTo } from '../outbound/offeredAnswers.ts';
import type { ProjectionsByRole } from '../outbound/offeredAnswers.ts';
import { passOthers } from '../delivery/passOthers.ts';
import { terminalState } from './outbound/terminalState.ts';
import { triggerCharacters } from './inbound/completions.ts';
import { dispatched } from './inbound/dispatchedActions.ts';
import { find, stateOf } from './findChannel.ts';
import { DeliveryOptions } from './outbound/deliveryOptions.ts';
import type { DeliveryRequest } from './outbound/deliveryOptions.ts';
import { reconnect } from './reconnect.ts';
import { requests } from './methods.ts';
import { RootWatch } from './outbound/rootWatch.ts';
import { sessionSummary } from './outbound/sessionState.ts';

/** How a version that shares the requests of 1.0 shows entries and states. */
export interface Translation {
  readonly projections: ProjectionsByRole;
  readonly session: (state: SessionState) => SessionState;
  readonly chat: (state: ChatState) => ChatState;
  readonly summary: (summary: SessionSummary) => SessionSummary;
}

export class V1_0Connection extends AhpConnection implements VersionConnection {
  readonly translation: Translation;
  readonly deliveryOptions: DeliveryOptions;
  #root: RootWatch | undefined;

  constructor(opening: Opening, translation: Translation) {
    const deliveryOptions = new DeliveryOptions();
    super(opening, {
      projections: translation.projections,
      lost: 'notFound',
      terminal: terminalState,
      deliveryForm: (channel, outgoing, state) =>
        deliveryOptions.of(channel, outgoing, state && shownTo(this.role, state)),
      encode: (channel, action, envelope) => encodeNotification('action', { channel, action, ...envelope }),
    });
    this.deliveryOptions = deliveryOptions;
    this.translation = translation;
  }

  initialize(params: unknown): SynchronousAnswer<Requests['initialize']['result']> {
    const { initialSubscriptions } = checkedParams(messageChecks.parseRequest('initialize', params));
    const { version, options } = this.opening;
    return answerSynchronously(async (answer) => {
      await passOthers(this.host);
      const found = await this.findAll(initialSubscriptions);
      const snapshots = found.flatMap((channel) => this.enter(channel) ?? []);
      answer({
        protocolVersion: version,
        serverSeq: this.sawAll(),
        snapshots,
        serverInfo: { name: 'parley', version: options.version },
        completionTriggerCharacters: triggerCharacters,
        ...present({ defaultDirectory: options.defaultDirectory }),
      });
    });
  }

  reconnect(params: unknown, catching: Catching): unknown {
    return reconnect(this, checkedParams(messageChecks.parseRequest('reconnect', params)), catching);
  }

  request(method: string, params: unknown): unknown {
    return answerRequest<V1_0Connection>(
      this,
      { handlers: requests, checks: messageChecks },
      { method, params },
    );
  }

  notification(method: string, params: unknown): void {
    if (method === 'dispatchAction') dispatched(this, params);
    if (method !== 'unsubscribe') return;
    const parsed = messageChecks.parseNotification('unsubscribe', params);
    if (parsed.ok) this.leave(parsed.value.channel);
  }

  refuse(params: unknown, reason: string): void {
    const parsed = messageChecks.parseNotification('dispatchAction', params);
    if (parsed.ok) this.reject(parsed.value, reason);
  }

  find(uri: string): Promise<ResolvedChannel | undefined> {
    return find(this, uri);
  }

  protected sessionAt(uri: string): SessionId | undefined {
    const located = locate(this, uri);
    return located === 'root' ? undefined : located?.id;
  }

  /** Subscribes and takes the snapshot in one step; undefined if the chat was deleted in the meantime. */
  enter({ uri, session, target }: ResolvedChannel, request: DeliveryRequest = {}): Snapshot | undefined {
    // What is outside the logs has the states of terminals and watches.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    if (target.kind === 'live') return this.followLive(uri) as Snapshot | undefined;
    const found = { uri, session, target };
    const state = stateOf(this, found, request.turns);
    if (!state) return undefined;
    const snapshot = this.follow(found, state);
    if (target.kind === 'root') this.watchRoot();
    this.deliveryOptions.set(uri, request, state);
    return snapshot;
  }

  override leave(uri: string): void {
    const isRoot = locate(this, uri) === 'root';
    this.deliveryOptions.forget(uri);
    super.leave(isRoot ? rootChannel : uri);
    if (!isRoot) return;
    this.#root?.close();
    this.#root = undefined;
  }

  get followsRoot(): boolean {
    return this.#root !== undefined;
  }

  protected get rootWatch(): RootWatch | undefined {
    return this.#root;
  }

  summaryOf(summary: Summary): SessionSummary {
    return this.translation.summary(sessionSummary(summary, this.names.of(summary)));
  }

  watchRoot(): void {
    this.#root ??= new RootWatch({
      host: this.host,
      sendQueue: this.sendQueue,
      summaryOf: (summary) => this.summaryOf(summary),
      isLive: () => this.subscriptions.isLive,
      terminals: () => this.liveResources.terminals,
      signIns: this.opening.options.signIns,
    });
  }

  protected sendCustomizations(channel: string, customizations: readonly Customization[]): void {
    this.sendQueue.tell((seq) =>
      encodeNotification('action', {
        channel,
        action: { type: 'session/customizationsChanged', customizations },
        serverSeq: seq(),
      }),
    );
  }
}
