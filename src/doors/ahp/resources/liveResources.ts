// Terminals and file watches of one client: not logged, own sequence numbers, never replayed.
import type { Host } from '../../../host/host.ts';
import { isResourceProblem } from '../../../host/workspace/resourceFiles.ts';
import type { ResourceChange } from '../../../host/workspace/resourceFiles.ts';
import { isRefusal } from '../../../host/terminals/terminal.ts';
import type {
  Owner,
  TerminalEvent,
  TerminalRefusal,
  TerminalState,
} from '../../../host/terminals/terminal.ts';
import type { LiveTerminal } from '../../../host/terminals/liveTerminal.ts';
import type { TerminalHub } from '../../../host/terminals/terminalHub.ts';
import type { ErrorName } from '../../../protocols/ahp/errors.ts';
import { present } from '../../../base/present.ts';
import type { Requests } from '../../../protocols/ahp/v1_0/commands.ts';
import type { ResourceWatchState, TerminalInfo } from '../../../protocols/ahp/v1_0/state.ts';
import type { Peer } from '../../../rpc/peer.ts';
import { ahpError } from '../errors.ts';
import { filePath, fileUri } from '../../../base/fileUri.ts';
import { globs } from './globs.ts';
import type { Action, ActionOrigin } from '../delivery/outgoing.ts';
import type { SendQueue } from '../delivery/sendQueue.ts';
import { filesOf, isRecorded, realPathInside, resourceError } from './resources.ts';
import type { ResourceScope } from './resources.ts';
import { isTerminalUri, terminalId, terminalUri } from '../channels/terminalUri.ts';
import { terminalActions, terminalInfo } from '../outbound/terminalView.ts';
import type { NameOf } from '../outbound/terminalView.ts';

export interface LiveResourcesOptions {
  readonly host: Host;
  readonly peer: Peer;
  readonly sendQueue: SendQueue;
  readonly client: string;
  readonly hub: TerminalHub | undefined;
  readonly scope: ResourceScope;
  readonly nameOf: NameOf;
  /** One message in the version of the client. */
  readonly encode: (
    uri: string,
    action: Action,
    envelope: {
      readonly serverSeq: number;
      readonly origin?: ActionOrigin;
      readonly rejectionReason?: string;
    },
  ) => string;
  /** A terminal's state in the version of the client. */
  readonly show: (state: TerminalState) => object;
  /** The list in the root has changed. */
  readonly terminalsChanged: (terminals: readonly TerminalInfo[]) => void;
}

/** The limits of one client. */
const maxWatches = 64;

/** The maximum number of rows or columns of a terminal. */
const maxSide = 1_000;

interface Watched {
  readonly state: ResourceWatchState;
  stop(): void;
}

interface Dispatched {
  readonly clientSeq: number;
  readonly action: Action & { readonly [key: string]: unknown };
  /** Whose the terminal is to be, where it is to change hands. */
  readonly next: Owner | undefined;
}

interface TerminalRequest {
  readonly uri: string;
  readonly owner: Owner;
  readonly name: string | undefined;
  readonly cwd: string | undefined;
  readonly cols: number | undefined;
  readonly rows: number | undefined;
}

export class LiveResources {
  readonly #options: LiveResourcesOptions;
  readonly #followed = new Map<string, () => void>();
  readonly #watches = new Map<string, Watched>();
  /** Pending actions of this client on its terminals, until their echo. */
  readonly #wishes: { readonly uri: string; readonly type: string; readonly clientSeq: number }[] = [];
  readonly #leave: () => void;
  #telling = false;

  constructor(options: LiveResourcesOptions) {
    this.#options = options;
    this.#leave = options.hub?.follow(() => this.#listChanged()) ?? (() => {});
  }

  /** The terminals as the root shows them; nothing where this host has none to offer. */
  get terminals(): readonly TerminalInfo[] | undefined {
    return this.#options.hub?.list().map((terminal) => terminalInfo(terminal, this.#options.nameOf));
  }

  get count(): number {
    return this.#followed.size;
  }

  follows(uri: string): boolean {
    return this.#followed.has(uri);
  }

  knows(uri: string): boolean {
    return this.#watches.has(uri) || this.#terminal(uri) !== undefined;
  }

  async createTerminal({ uri, owner, name, cwd, cols, rows }: TerminalRequest): Promise<null> {
    const { hub, host, client } = this.#options;
    if (!hub) throw ahpError('methodNotFound', 'This host has no terminals.');
    if (!isTerminalUri(uri)) throw ahpError('invalidParams', 'A terminal is named as ahp-terminal:/<id>');
    if (owner.kind === 'client' && owner.client !== client)
      throw ahpError('permissionDenied', 'A client can only claim a terminal for itself.');
    const usual =
      owner.kind === 'session' ? host.summary(owner.session)?.roots[0] : host.summaries()[0]?.roots[0];
    const path = cwd === undefined ? (usual ?? '/') : filePath(cwd);
    if (path === undefined) throw ahpError('invalidParams', 'cwd: only a file URI of this machine');
    checkSize({ cols, rows });
    if (cwd !== undefined) await this.#checkFolder(path);
    const opened = await hub.open(
      present({ id: terminalId(uri), owner, title: name, cwd: path, cols, rows }),
    );
    if (isRefusal(opened)) throw terminalError(opened);
    this.#options.sendQueue.flush();
    return null;
  }

  async #checkFolder(path: string): Promise<void> {
    const { files } = this.#options.scope;
    const info = await files?.info(await files.realPath(path));
    if (info && (isResourceProblem(info) || info.type !== 'directory'))
      throw ahpError('notFound', 'cwd: there is no such folder');
  }

  async disposeTerminal(uri: string): Promise<null> {
    const { hub, client } = this.#options;
    if (!hub) throw ahpError('methodNotFound', 'This host has no terminals.');
    const refusedBy = await hub.remove(terminalId(uri), { kind: 'client', client });
    if (refusedBy) throw terminalError(refusedBy);
    this.leave(uri);
    this.#options.sendQueue.flush();
    return null;
  }

  async createWatch({
    uri,
    recursive = false,
    includes,
    excludes,
  }: Requests['createResourceWatch']['params']): Promise<{ readonly channel: string }> {
    const { scope, host } = this.#options;
    if (this.#watches.size >= maxWatches)
      throw ahpError('permissionDenied', `A client can have at most ${maxWatches} watches.`);
    const channel = `ahp-resource-watch:/${host.ids.next()}`;
    if (isRecorded(uri)) {
      // What is recorded never changes; VS Code watches whatever it shows.
      this.#watches.set(channel, {
        state: present({ root: uri, recursive, includes, excludes }),
        stop: () => {},
      });
      return { channel };
    }
    const path = await realPathInside(scope, { uri, read: true });
    const wanted = globs({ root: path, includes: includes?.items, excludes: excludes?.items });
    const stop = await filesOf(scope).watch(path, {
      recursive,
      changed: (changes) =>
        this.#changed(
          channel,
          changes.filter((change) => wanted(change.path)),
        ),
    });
    if (isResourceProblem(stop)) throw resourceError(stop);
    this.#watches.set(channel, {
      state: present({ root: fileUri(path), recursive, includes, excludes }),
      stop,
    });
    return { channel };
  }

  /** Subscribes from now on and returns the current state. */
  enter(uri: string): object | undefined {
    const watched = this.#watches.get(uri);
    if (watched) {
      this.#followed.set(uri, () => {});
      return watched.state;
    }
    const terminal = this.#terminal(uri);
    if (!terminal) return undefined;
    this.#followed.get(uri)?.();
    this.#followed.set(uri, this.#attach(uri, terminal));
    return this.#options.show(terminal.state);
  }

  /** A watch ends with its last subscriber. */
  leave(uri: string): void {
    this.#followed.get(uri)?.();
    this.#followed.delete(uri);
    this.#watches.get(uri)?.stop();
    this.#watches.delete(uri);
  }

  close(): void {
    this.#leave();
    for (const uri of [...this.#followed.keys(), ...this.#watches.keys()]) this.leave(uri);
  }

  /** Applies a client's action to a terminal; a rejection goes only to that client. */
  dispatch(uri: string, { clientSeq, action, next }: Dispatched): void {
    const terminal = this.#terminal(uri);
    if (!terminal) return;
    const wish = { uri, type: action.type, clientSeq };
    this.#wishes.push(wish);
    const reason = this.#perform(terminal, action, next);
    const silent = reason === undefined && action.type === 'terminal/input';
    const unchanged =
      reason === undefined && action.type === 'terminal/titleChanged' && terminal.title === action['title'];
    if (reason === undefined && !silent && !unchanged) return;
    this.#wishes.splice(this.#wishes.indexOf(wish), 1);
    if (!this.follows(uri) && reason === undefined) return;
    this.#send(uri, action, { clientSeq, ...(reason === undefined ? {} : { reason }) });
  }

  #perform(
    terminal: LiveTerminal,
    action: Action & { readonly [key: string]: unknown },
    next: Owner | undefined,
  ): string | undefined {
    const by = { kind: 'client', client: this.#options.client } as const;
    switch (action.type) {
      case 'terminal/input':
        return terminal.write(String(action['data']), by)?.message;
      case 'terminal/resized':
        return terminal.resize({ cols: Number(action['cols']), rows: Number(action['rows']) }, by)?.message;
      case 'terminal/titleChanged':
        return terminal.rename(String(action['title']), by)?.message;
      case 'terminal/cleared':
        return terminal.clear(by)?.message;
      case 'terminal/claimed':
        return next ? terminal.claim(next, by)?.message : 'There is no such session to claim it for.';
      default:
        return `${action.type} does not belong on this channel.`;
    }
  }

  #attach(uri: string, terminal: LiveTerminal): () => void {
    const { peer, sendQueue } = this.#options;
    return terminal.attach({
      deliver: (events) => events.forEach((event) => this.#hear(uri, event)),
      ready: () => peer.ready() && !sendQueue.waiting,
      whenReady: (resume) => {
        void sendQueue.waiting?.then(resume);
        if (sendQueue.waiting) return;
        const waiting = peer.onDrain(() => {
          waiting[Symbol.dispose]();
          resume();
        });
      },
    });
  }

  #hear(uri: string, event: TerminalEvent): void {
    for (const action of terminalActions(event, this.#options.nameOf)) {
      const index = this.#wishes.findIndex((wish) => wish.uri === uri && wish.type === action.type);
      const [wish] = index < 0 ? [] : this.#wishes.splice(index, 1);
      this.#send(uri, action, wish ? { clientSeq: wish.clientSeq } : {});
    }
  }

  #send(
    uri: string,
    action: Action,
    { clientSeq, reason }: { readonly clientSeq?: number; readonly reason?: string },
  ): void {
    const { sendQueue, encode, client } = this.#options;
    const origin = clientSeq === undefined ? {} : { origin: { clientId: client, clientSeq } };
    const why = reason === undefined ? {} : { rejectionReason: reason };
    const text = (serverSeq: number) => encode(uri, action, { serverSeq, ...origin, ...why });
    if (reason === undefined) sendQueue.tell((seq) => text(seq()));
    else sendQueue.notify(() => text(sendQueue.last));
  }

  #changed(channel: string, changes: readonly ResourceChange[]): void {
    if (changes.length === 0 || !this.follows(channel)) return;
    const items = changes.map(({ path, type }) => ({ uri: fileUri(path), type }));
    this.#send(channel, Object.assign({ type: 'resourceWatch/changed' }, { changes: { items } }), {});
  }

  /** Changes in the same moment are one notification. */
  #listChanged(): void {
    if (this.#telling) return;
    this.#telling = true;
    queueMicrotask(() => {
      this.#telling = false;
      for (const uri of this.#followed.keys()) if (!this.knows(uri)) this.leave(uri);
      this.#options.terminalsChanged(this.terminals ?? []);
    });
  }

  #terminal(uri: string): LiveTerminal | undefined {
    const terminal = isTerminalUri(uri) ? this.#options.hub?.get(terminalId(uri)) : undefined;
    return terminal && terminalUri(terminal.id) === uri ? terminal : undefined;
  }
}

function checkSize(size: { readonly [side: string]: number | undefined }): void {
  for (const [side, length] of Object.entries(size))
    if (length !== undefined && !(Number.isInteger(length) && length > 0 && length <= maxSide))
      throw ahpError('invalidParams', `${side}: a whole number from 1 to ${maxSide}`);
}

function terminalError({ refused: why, message }: TerminalRefusal): Error {
  return ahpError(errors[why], message);
}

const errors: Record<TerminalRefusal['refused'], ErrorName> = {
  'not-found': 'notFound',
  'already-exists': 'alreadyExists',
  'not-yours': 'permissionDenied',
  'too-many': 'permissionDenied',
  ended: 'invalidParams',
  invalid: 'invalidParams',
  busy: 'permissionDenied',
  unavailable: 'methodNotFound',
  failed: 'internalError',
};
