// A pipe between stdio and the host's private socket. Starts the host if none is running, also when it was
// killed or updated in between: the client stays connected.
import type { Socket } from 'node:net';
import { brokenInput } from '../../app/brokenInput.ts';
import { doors } from '../../app/doors.ts';
import { errorText } from '../../base/errorText.ts';
import { isRecord } from '../../base/isRecord.ts';
import { present } from '../../base/present.ts';
import { encodeHello, farewellMark } from '../../io/local/socketGreeting.ts';
import type { Farewell, Hello } from '../../io/local/socketGreeting.ts';
import { socketPath } from '../../io/settings/dataPaths.ts';
import { encodeError } from '../../rpc/envelope.ts';
import type { Framing } from '../../rpc/framing/framing.ts';
import { defaultLimits } from '../../rpc/transports/transport.ts';
import { unreadableError } from '../../rpc/unreadable.ts';
import type { LogView } from './logView.ts';
import { pipedProtocols } from './relay/pipedProtocols.ts';
import { Relay } from './relay/relay.ts';
import type { RelayFailure, RelayOptions } from './relay/relay.ts';
import { connectToHost, FailedStartError, silentHost, tryConnect } from './reachHost.ts';

export async function pipe(wants: string, options: Hello['options'] = {}, view?: LogView): Promise<number> {
  const [framing, protocol] = [doors[wants]?.framing, pipedProtocols[wants]];
  if (!framing || !protocol) throw new Error(`Unknown door "${wants}".`);
  const running = await tryConnect(socketPath(process.env));
  // A host takes a while to start. The client's first request does not wait for it.
  const greet = running ? undefined : await doors[wants]?.greeting?.(options);
  const hello = encodeHello(wants, { ...options, resume: 'yes' });
  return new Pipe({ framing, protocol, greet, view, hello }).run(running);
}

interface PipeOptions {
  readonly framing: Framing;
  readonly protocol: NonNullable<(typeof pipedProtocols)[string]>;
  readonly greet: RelayOptions['greet'];
  readonly view: LogView | undefined;
  readonly hello: string;
}

/** Why a pipe ends: what the host says, the client has gone, or nobody can go on. */
type End = Farewell | 'unread';

/** How many hosts in a row may be lost before one has continued the connection. */
const maxLosses = 10;

/** How often the start of the next host may fail before the pipe gives up. */
const failedStarts = 5;

/** How long we wait after a failed start, or for a host that cannot continue yet, in milliseconds. */
const restartDelay = 1_000;

/** How often we look whether a host that was stopped is running again, in milliseconds. */
const lookAgainDelay = 1_000;

/** How long a client that gets no host may take for the request that we answer with the reason. */
const refusalTime = 1_000;

const lostHost: Farewell = {
  exit: 1,
  message: 'Lost the connection to the host. Nothing is lost; start this command again.',
};

class Pipe {
  readonly #options: PipeOptions;
  readonly #relay: Relay;
  #socket: Socket | undefined;
  #inputEnded = false;
  #isOver = false;
  /** Called when the client has sent something, or has gone. */
  #stirred = () => {};
  #end: (end: End) => void = () => {};
  readonly #ended = new Promise<End>((resolve) => {
    this.#end = resolve;
  });
  /** How many hosts were lost since the connection last continued. */
  #losses = 0;

  constructor(options: PipeOptions) {
    this.#options = options;
    this.#relay = new Relay({
      protocol: options.protocol,
      greet: options.greet,
      toClient: (text) => this.#toClient(text),
      // The global loads on first use; importing the module would delay every start.
      newKey: () => crypto.randomUUID(),
      failed: (failure) => void this.#failed(failure),
      live: () => {
        this.#losses = 0;
      },
    });
  }

  /** With the host that is running, or with one that it starts. */
  async run(running: Socket | undefined): Promise<number> {
    process.stdout.on('error', () => this.#end('unread'));
    process.stdout.on('drain', () => this.#socket?.resume());
    this.#readClient();
    void this.#serve(running).catch(async (error: unknown) => {
      const message = errorText(error, String(error));
      if (this.#relay.isIdle && !this.#inputEnded) await this.#stirs(refusalTime);
      this.#relay.interrupt(message);
      this.#end({ exit: 1, message });
    });
    const end = await this.#ended;
    this.#isOver = true;
    process.stdin.destroy();
    this.#socket?.destroy();
    if (end === 'unread') return 0;
    if (end.message !== undefined) await tell(end.message);
    return end.exit;
  }

  /** One host after the other, until one says that the connection is over. */
  async #serve(running: Socket | undefined): Promise<void> {
    const path = socketPath(process.env);
    const first = running ?? (await connectToHost(path));
    noticeSilence(first);
    for (let socket = first; ; socket = await this.#nextHost(path)) {
      // The client may have gone while the host was started.
      if (this.#isOver) return void socket.destroy();
      const farewell = await this.#follow(socket);
      if (this.#isOver) return;
      if (farewell && !farewell.stopped) return this.#end(farewell);
      this.#losses += 1;
      if (this.#inputEnded || this.#losses > maxLosses)
        return this.#end(this.#relay.isIdle ? { exit: 0 } : lostHost);
      if (farewell && !(await this.#isNeededAgain())) return this.#end({ exit: 0 });
    }
  }

  /**
   * A client that is connected would lose its agent, so it tries more often than a command that begins, and
   * waits for a database that is away.
   */
  async #nextHost(path: string): Promise<Socket> {
    for (let left = failedStarts; ;) {
      try {
        return await connectToHost(path);
      } catch (error) {
        if (!(error instanceof FailedStartError) || left === 0 || this.#inputEnded) throw error;
        if (!error.isStoreAway) left -= 1;
        await tell(`${error.message} It is started again.`);
        await new Promise((resolve) => setTimeout(resolve, restartDelay));
      }
    }
  }

  /** A host whose store is away is asked again, as the next one after a loss. */
  async #failed({ reason, isTemporary }: RelayFailure): Promise<void> {
    if (!isTemporary) return this.#end({ exit: 1, message: `${lostHost.message} (${reason})` });
    const socket = this.#socket;
    this.#losses = 0;
    await tell(reason);
    await new Promise((resolve) => setTimeout(resolve, restartDelay));
    socket?.destroy();
  }

  /** Passes messages until the host ends the connection, or disappears (undefined). */
  async #follow(socket: Socket): Promise<Farewell | undefined> {
    const { framing, hello } = this.#options;
    this.#socket = socket;
    socket.on('drain', () => process.stdin.resume());
    socket.write(hello);
    this.#relay.connected((text) => {
      this.#options.view?.messages?.incoming(text);
      if (!socket.write(framing.encode(text))) process.stdin.pause();
    });
    if (this.#inputEnded) socket.end();
    const farewell = await this.#readHost(socket);
    this.#relay.lost();
    process.stdin.resume();
    return farewell;
  }

  /**
   * A host that somebody has stopped is not started again before the client needs it. Requests under way are
   * answered, unless the user is about to answer a question of theirs. An answer that the host has not stored
   * needs the next one. False if the client goes before.
   */
  async #isNeededAgain(): Promise<boolean> {
    if (this.#relay.hasAnswer) return true;
    if (!this.#relay.hasQuestion) this.#relay.interrupt();
    await tell('The host was stopped. It is started again when it is needed.');
    for (;;) {
      const stirred = await this.#stirs(lookAgainDelay);
      if (this.#inputEnded) return false;
      const running = stirred ? undefined : await tryConnect(socketPath(process.env));
      running?.destroy();
      if (stirred || running) return true;
    }
  }

  /** Whether the client sends something, or goes, within a time in milliseconds. */
  #stirs(time: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), time);
      this.#stirred = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }

  #readClient(): void {
    const decoder = this.#options.framing.decoder(
      {
        message: (text) => {
          this.#relay.fromClient(text);
          this.#stirred();
        },
        problem: (problem) => {
          this.#toClient(encodeError(null, unreadableError(problem)));
          if (problem.kind === 'framing') this.#end({ exit: 1, message: brokenInput(problem.detail) });
        },
      },
      defaultLimits.maxMessageBytes,
    );
    process.stdin.on('data', (chunk: Buffer) => decoder.push(chunk));
    process.stdin.on('end', () => {
      decoder.end();
      this.#inputEnded = true;
      this.#socket?.end();
      this.#stirred();
    });
  }

  #toClient(text: string): void {
    this.#options.view?.messages?.outgoing(text);
    if (!process.stdout.write(this.#options.framing.encode(text))) this.#socket?.pause();
  }

  /** Reads messages, then the farewell, until the host has closed the connection. */
  #readHost(socket: Socket): Promise<Farewell | undefined> {
    const decoder = this.#options.framing.decoder(
      { message: (text) => this.#relay.fromHost(text), problem: () => {} },
      Number.MAX_SAFE_INTEGER,
    );
    return new Promise((resolve) => {
      let last: Buffer | undefined;
      socket.on('data', (chunk: Buffer) => {
        const mark = last ? 0 : chunk.indexOf(farewellMark);
        if (last) last = Buffer.concat([last, chunk]);
        else if (mark >= 0) last = chunk.subarray(mark + 1);
        if (!last || mark > 0) decoder.push(mark < 0 ? chunk : chunk.subarray(0, mark));
      });
      socket.once('close', () => resolve(last && parseFarewell(last.toString('utf8'))));
    });
  }
}

/** How long a host may take for its first answer before we say so, in milliseconds. */
const silenceTime = 3_000;

/** Says on stderr when a host has accepted the connection but answers nothing that the client has sent. */
function noticeSilence(socket: Socket): void {
  let timer: NodeJS.Timeout | undefined;
  const complain = () => void tell(`The host has not answered yet. ${silentHost}`);
  const asked = () => (timer ??= setTimeout(complain, silenceTime).unref());
  const stop = () => {
    clearTimeout(timer);
    process.stdin.off('data', asked);
  };
  process.stdin.on('data', asked);
  socket.once('data', stop).once('close', stop);
}

/** What makes text safe for a terminal takes milliseconds to load, and a pipe rarely says anything. */
async function tell(text: string): Promise<void> {
  const { printError } = await import('../output.ts');
  printError(`parley: ${text}\n`);
}

function parseFarewell(text: string): Farewell | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value) || typeof value['exit'] !== 'number') return undefined;
    const message = typeof value['message'] === 'string' ? value['message'] : undefined;
    return present({
      exit: value['exit'],
      message,
      stopped: value['stopped'] === true ? (true as const) : undefined,
    });
  } catch {
    return undefined;
  }
}
