// Real clients of the real program, one per protocol: ECA and ACP by starting `parley`, AHP over a WebSocket.
import { client, methods, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import type { ClientContext, SessionNotification } from '@agentclientprotocol/sdk';
import { WebSocket } from 'ws';
import { reducers } from '../../src/protocols/ahp/v1_0/reduce.ts';
import { createChildTransport } from '../../src/rpc/transports/child.ts';
import { contentLength } from '../../src/rpc/framing/contentLength.ts';
import type { Framing } from '../../src/rpc/framing/framing.ts';
import { ndjson } from '../../src/rpc/framing/ndjson.ts';
import { observeTransport } from '../../src/rpc/transports/observe.ts';
import { createWebSocketTransport } from '../../src/rpc/transports/websocket.ts';
import type { CloseReason, Transport, TransportListener } from '../../src/rpc/transports/transport.ts';
import { problemsOf } from './acpSchema.ts';
import type { Message } from './acpSchema.ts';
import { sdkStream } from './acpStream.ts';
import type { Home, Served } from './parley.ts';
import { wire } from './wire.ts';
import type { Answers, Loose, Wire } from './wire.ts';

export interface Program extends Transport {
  /** Resolves when the program has ended and everything it said was read; its last words are in `detail`. */
  readonly gone: Promise<CloseReason>;
}

export function spawned(home: Home, args: readonly string[], framing: Framing): Program {
  const said: string[] = [];
  let leave: (reason: CloseReason) => void = () => {};
  const gone = new Promise<CloseReason>((resolve) => {
    leave = resolve;
  });
  const transport = createChildTransport({
    command: process.execPath,
    args: [home.program, ...args],
    cwd: home.dir,
    env: home.env,
    framing,
    stderr: (line) => void said.splice(0, Math.max(0, said.push(line) - 5)),
  });
  const listen = (listener: TransportListener) =>
    transport.listen({
      message: (text) => listener.message(text),
      problem: (problem) => listener.problem(problem),
      closed: (reason) => {
        const last = { ...reason, detail: [reason.detail ?? reason.kind, ...said].join('; ') };
        listener.closed(last);
        leave(last);
      },
    });
  return Object.assign(observeTransport(transport, {}), { listen, gone });
}

export async function ecaClient(
  home: Home,
  options: { args?: readonly string[]; answers?: Answers; capabilities?: object } = {},
): Promise<Wire> {
  const eca = wire(spawned(home, ['server', ...(options.args ?? [])], contentLength), options.answers);
  await eca.request('initialize', {
    processId: process.pid,
    capabilities: { codeAssistant: { chat: true, chatCapabilities: options.capabilities } },
    workspaceFolders: [{ name: 'w', uri: `file://${home.workspace}` }],
  });
  eca.notify('initialized', {});
  return eca;
}

export interface AhpClient extends Wire {
  /** The reduced state of every channel subscribed to. */
  readonly states: Map<string, Loose>;
  readonly seqs: number[];
  /** The highest sequence number seen. */
  last(): number;
  subscribe(channel: string): Promise<Loose>;
  dispatch(channel: string, action: object): number;
  /** Resolves when the state of a channel satisfies a condition. */
  until(channel: string, holds: (state: Loose) => boolean): Promise<Loose>;
}

let names = 0;

interface AhpResume {
  clientId: string;
  lastSeenServerSeq: number;
  subscriptions: readonly string[];
}

export async function ahpClient({ port, token }: Served, resume?: AhpResume): Promise<AhpClient> {
  return ahpOn(new WebSocket(`ws://127.0.0.1:${port}/ahp?tkn=${token}`), resume);
}

/** The same on a socket that is being opened. */
export async function ahpOn(socket: WebSocket, resume?: AhpResume): Promise<AhpClient> {
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  return ahpOver(createWebSocketTransport(socket), resume);
}

/** The same on the standard streams of `parley ahp`. */
export function ahpOnStdio(home: Home): Promise<AhpClient> {
  return ahpOver(spawned(home, ['ahp'], ndjson));
}

async function ahpOver(transport: Transport, resume?: AhpResume): Promise<AhpClient> {
  const states = new Map<string, Loose>();
  const seqs: number[] = [];
  let clientSeq = 0;
  const base = wire(transport);
  const apply = ({ method, params }: { method: string; params: Loose }) => {
    if (method !== 'action') return;
    seqs.push(params.serverSeq);
    const kind = kindOf(params.channel);
    const state = states.get(params.channel);
    if (state && params.rejectionReason === undefined)
      states.set(params.channel, reducers[kind](state, params.action));
  };
  let applied = 0;
  const catchUp = () => {
    for (; applied < base.said.length; applied += 1) apply(base.said[applied] as never);
  };
  const take = (snapshots: readonly Loose[]) => {
    catchUp();
    for (const { resource, state } of snapshots) states.set(resource, state);
  };
  const ahp: AhpClient = {
    ...base,
    states,
    seqs,
    last: () => {
      catchUp();
      return Math.max(0, ...seqs);
    },
    async subscribe(channel) {
      const { snapshot } = await base.request('subscribe', { channel });
      take([{ ...snapshot, resource: channel }]);
      return snapshot.state;
    },
    dispatch(channel, action) {
      clientSeq += 1;
      base.notify('dispatchAction', { channel, clientSeq, action });
      return clientSeq;
    },
    async until(channel, holds) {
      for (;;) {
        catchUp();
        const state = states.get(channel);
        if (state && holds(state)) return state;
        await base.wait(() => true, base.said.length);
      }
    },
  };
  const clientId = resume?.clientId ?? `test-${process.pid}-${(names += 1)}`;
  if (resume) {
    const result = await base.request('reconnect', { channel: 'ahp-root://', ...resume });
    if (result.type === 'snapshot') take(result.snapshots);
    return Object.assign(ahp, { clientId, resumed: result });
  }
  const hello = await base.request('initialize', {
    channel: 'ahp-root://',
    protocolVersions: ['1.0.0'],
    clientId,
    initialSubscriptions: ['ahp-root://'],
  });
  take(hello.snapshots);
  return Object.assign(ahp, { clientId });
}

function kindOf(channel: string): 'root' | 'session' | 'chat' | 'terminal' {
  if (channel.startsWith('ahp-root')) return 'root';
  if (channel.startsWith('ahp-terminal')) return 'terminal';
  return channel.startsWith('ahp-chat') ? 'chat' : 'session';
}

export interface AcpEditor {
  readonly agent: ClientContext;
  readonly updates: SessionNotification[];
  readonly asked: Loose[];
  readonly problems: readonly unknown[];
  readonly gone: Program['gone'];
  close(): Promise<void>;
}

/**
 * An editor built on the official SDK. Its permission answers come from `permit`; the
 * default leaves them open.
 */
export async function acpEditor(
  home: Home,
  permit: (params: Loose) => Promise<Loose> = () => new Promise(() => {}),
  args: readonly string[] = [],
): Promise<AcpEditor> {
  const problems: string[] = [];
  const program = spawned(home, ['acp', ...args], ndjson);
  const transport = checking(program, problems);
  const updates: SessionNotification[] = [];
  const asked: Loose[] = [];
  let leave = () => {};
  const stay = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const app = client({ name: 'editor' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params))
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      asked.push(params);
      return permit(params);
    });
  let ended: Promise<unknown> = Promise.resolve();
  const agent = await new Promise<ClientContext>((resolve, reject) => {
    ended = app
      .connectWith(sdkStream(transport), async (context) => {
        await context.request(methods.agent.initialize, {
          protocolVersion: PROTOCOL_VERSION,
          clientInfo: { name: 'editor', version: '1' },
          clientCapabilities: {},
        });
        resolve(context);
        await stay;
      })
      .catch(reject);
  });
  return {
    agent,
    updates,
    asked,
    problems,
    gone: program.gone,
    async close() {
      leave();
      await ended;
    },
  };
}

/** Holds everything that arrives against the schema of the official SDK. */
function checking(transport: Transport, problems: string[]): Transport {
  const asked = new Map<unknown, string>();
  return observeTransport(transport, {
    outgoing(text) {
      const { id, method } = JSON.parse(text) as Message;
      if (method !== undefined && id !== undefined) asked.set(id, method);
    },
    incoming(text) {
      const message = JSON.parse(text) as Message;
      problems.push(...problemsOf(message, message.method ?? asked.get(message.id)));
    },
  });
}
