// One connection to one server: the handshake, what it offers, calls, and its questions. The only file that runs the protocol's library; loaded with the first server.
import { isRecord } from '../../base/isRecord.ts';
import {
  Client,
  InsufficientScopeError,
  ProtocolError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/client';
import type { ClientOptions, Transport } from '@modelcontextprotocol/client';
import { withoutHidden } from '../../host/policy/hiddenText.ts';
import type {
  PromptMessage,
  PromptWish,
  ServerCall,
  ServerPrompt,
  ServerResource,
  ServerResult,
  ServerTool,
} from '../../host/tools/toolServers.ts';
import type { Content } from '../../model/event.ts';
import type { Secrets } from '../auth/secrets.ts';
import { messagesOf, promptOf, readOf, resourceOf, resultOf, templateOf, toolOf } from './content.ts';
import { ChannelTransport } from './channel.ts';
import { ProgramTransport } from './program.ts';
import { answerRequests, isVisitable } from './requests.ts';
import type { Helpers } from './requests.ts';
import { isSignedIn } from './kept.ts';
import type { Lent } from './lent.ts';
import { ToolList } from './lists.ts';
import { mendIncoming } from './mend.ts';
import { subscriptions } from './subscriptions.ts';
import { Identity, known, quietly } from './tokens.ts';
import { watchedFetch } from './watchedFetch.ts';
import type { WatchedFetch } from './watchedFetch.ts';
import type { Environment, Plan, Way } from './wanted.ts';

export interface Offer {
  readonly tools: readonly ServerTool[];
  readonly prompts: readonly ServerPrompt[];
  readonly resources: readonly ServerResource[];
  readonly templates: readonly ServerResource[];
  readonly instructions?: string;
}

export interface Link {
  readonly offer: Offer;
  /** Throws where the connection fails; `lost` tells whether another connection could do better. */
  call(call: Pick<ServerCall, 'tool' | 'input' | 'signal' | 'progress'>): Promise<ServerResult>;
  prompt(wish: Omit<PromptWish, 'server'>): Promise<readonly PromptMessage[]>;
  read(uri: string, signal: AbortSignal): Promise<readonly Content[]>;
  /** Has the server say when a resource has changed, where it can. */
  subscribe(uri: string): void;
  /** Rejects where the server does not even answer that. */
  ping(signal: AbortSignal): Promise<void>;
  /** The server has forgotten us, or does not take our word any more. */
  readonly lost: boolean;
  readonly unauthorized: boolean;
  close(): Promise<void>;
}

/** `crashed` may go better another time, `hopeless` will not. */
export interface NoLink {
  readonly kind: 'crashed' | 'hopeless' | 'auth';
  readonly problem: string;
  /** It is a server, but not of the kind we took it for. */
  readonly foreign?: true;
}

export interface LinkOptions {
  readonly env: Environment;
  /** Our own, for servers to know. */
  readonly version: string;
  /** How long the handshake may take, in milliseconds. */
  readonly patience: number;
  readonly signal: AbortSignal;
  changed(offer: Offer): void;
  closed(problem: string): void;
  /** What the server says about its work. */
  heard(remark: string): void;
  /** A resource that we wanted to hear about has changed. */
  updated(uri: string): void;
  readonly helpers: Helpers;
  readonly fetch: typeof fetch;
  readonly secrets?: Secrets | undefined;
  readonly lent: Lent;
}

/** How long a server may be silent on the newest way to greet before it is greeted the old way, in milliseconds. */
const probePatience = 3_000;

/** Nobody can choose among more. */
const mostListed = 1_000;
const longestInstructions = 8_000;

export async function connect(plan: Plan, options: LinkOptions): Promise<Link | NoLink> {
  const first = await attempt(plan, options, 'auto');
  if ('kind' in first && first.foreign && plan.way.type === 'http' && !options.signal.aborted) {
    // Servers of the older kind answer to another greeting; where that fails too, the first answer says more.
    const older = await attempt({ ...plan, way: { ...plan.way, type: 'sse' } }, options, 'legacy');
    return 'offer' in older ? older : first;
  }
  // Some programs leave when they hear a word they do not know; they are greeted the old way from the start.
  const shy =
    'kind' in first && first.kind === 'crashed' && plan.way.type === 'process' && !options.signal.aborted;
  return shy ? attempt(plan, options, 'legacy') : first;
}

async function attempt(plan: Plan, options: LinkOptions, mode: 'auto' | 'legacy'): Promise<Link | NoLink> {
  const network = watchedFetch(options.fetch);
  const transport = transportTo(plan, options, network);
  const state: LinkState = {
    offer: { tools: [], prompts: [], resources: [], templates: [] },
    up: false,
    unauthorized: false,
  };
  const list = new ToolList();
  const client = clientFor(plan, options, {
    mode,
    list,
    changed: (change) => {
      state.offer = { ...state.offer, ...change };
      if (state.up) options.changed(state.offer);
    },
  });
  const late = AbortSignal.timeout(options.patience);
  const signal = AbortSignal.any([late, options.signal]);
  try {
    await untilAborted(client.connect(transport, { timeout: options.patience, signal }), signal);
    mendIncoming(transport);
    state.offer = { ...state.offer, ...(await untilAborted(offerOf(client), signal)) };
  } catch (error) {
    await close(client, transport);
    return whyNot(error, { transport, network, late, patience: options.patience });
  }
  state.up = true;
  list.watch(client);
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the library has no other way to listen
  client.onclose = () => options.closed(endOf(transport));
  return linkTo({ client, transport, network, state, list }, options);
}

interface LinkState {
  offer: Offer;
  /** Whether the handshake is over, so that changes of the offer are reported. */
  up: boolean;
  unauthorized: boolean;
}

interface LinkParts {
  readonly client: Client;
  readonly transport: ReturnType<typeof transportTo>;
  readonly network: ReturnType<typeof watchedFetch>;
  readonly state: LinkState;
  readonly list: ToolList;
}

function linkTo({ client, transport, network, state, list }: LinkParts, options: LinkOptions): Link {
  const recognised = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      state.unauthorized = isUnknown(error, network);
      throw error;
    }
  };
  return {
    get offer() {
      return state.offer;
    },
    get lost() {
      return network.lost;
    },
    get unauthorized() {
      return state.unauthorized;
    },
    call: async (call) => {
      const result = await recognised(run(client, call, options.helpers));
      await list.fresh(call.signal);
      return result;
    },
    prompt: async ({ prompt, arguments: values, signal }) => {
      const answer = client.getPrompt({ name: prompt, arguments: { ...values } }, { signal });
      return messagesOf(await untilAborted(answer, signal));
    },
    read: async (uri, signal) =>
      readOf(await untilAborted(client.readResource({ uri }, { signal, cacheMode: 'bypass' }), signal)),
    subscribe: subscriptions(client, (uri) => options.updated(uri)),
    ping: (signal) => recognised(untilAborted(signOfLife(client, signal), signal)),
    async close() {
      delete client.onclose;
      if (transport instanceof StreamableHTTPClientTransport)
        await untilAborted(transport.terminateSession(), AbortSignal.timeout(farewell)).catch(() => {});
      await close(client, transport);
    },
  };
}

/** The newest protocol knows no ping. A server that refuses the question has answered it. */
async function signOfLife(client: Client, signal: AbortSignal): Promise<void> {
  try {
    await (client.getProtocolEra() === 'modern' ? client.discover({ signal }) : client.ping({ signal }));
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
  }
}

/** How long a server on the network may take to hear that we leave, in milliseconds. */
const farewell = 500;

interface ClientWishes {
  readonly mode: 'auto' | 'legacy';
  readonly list: ToolList;
  readonly changed: (change: Partial<Offer>) => void;
}

function clientFor({ roots }: Plan, options: LinkOptions, { mode, list, changed }: ClientWishes): Client {
  const settings: ClientOptions = {
    capabilities: { roots: {}, elicitation: { form: {}, url: {} }, sampling: {} },
    versionNegotiation: { mode, probe: { timeoutMs: probePatience } },
    // The model reads what a tool says; whether that fits a schema of its own is the server's business.
    jsonSchemaValidator: {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nobody looks at what is said to be checked here
      getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
    },
    listChanged: {
      tools: {
        debounceMs: listPause,
        onChanged: (_, items) => {
          if (items) changed({ tools: items.slice(0, mostListed).map(toolOf) });
          list.renewed();
        },
      },
      prompts: {
        debounceMs: listPause,
        onChanged: (_, items) => items && changed({ prompts: items.slice(0, mostListed).map(promptOf) }),
      },
      resources: {
        debounceMs: listPause,
        onChanged: (_, items) => {
          if (items) changed({ resources: items.slice(0, mostListed).map(resourceOf) });
          void templatesOf(client).then((templates) => changed({ templates }));
        },
      },
    },
  };
  const client = new Client({ name: 'parley', title: 'Parley', version: options.version }, settings);
  answerRequests(client, roots, options.helpers);
  client.setNotificationHandler('notifications/message', ({ params: { level, logger, data } }) =>
    options.heard(
      `${level}${logger === undefined ? '' : ` (${logger})`}: ${typeof data === 'string' ? data : JSON.stringify(data)}`.slice(
        0,
        longestRemark,
      ),
    ),
  );
  return client;
}

/** Of what a server says about its work no more is shown at a time, in characters. */
const longestRemark = 2_000;

/** A server that changes many tools at once says so many times, in milliseconds. */
const listPause = 50;

/** The library speaks on the console where a server is asked for what it does not have, so it is not asked. */
async function offerOf(client: Client): Promise<Offer> {
  const can = client.getServerCapabilities();
  const [{ tools }, { prompts }, { resources }, templates] = await Promise.all([
    can?.tools ? client.listTools() : { tools: [] },
    can?.prompts ? client.listPrompts().catch(() => ({ prompts: [] })) : { prompts: [] },
    can?.resources ? client.listResources().catch(() => ({ resources: [] })) : { resources: [] },
    can?.resources ? templatesOf(client) : [],
  ]);
  const instructions = withoutHidden(client.getInstructions() ?? '')
    .trim()
    .slice(0, longestInstructions);
  return {
    tools: tools.slice(0, mostListed).map(toolOf),
    prompts: prompts.slice(0, mostListed).map(promptOf),
    resources: resources.slice(0, mostListed).map(resourceOf),
    templates,
    ...(instructions ? { instructions } : {}),
  };
}

async function templatesOf(client: Client): Promise<readonly ServerResource[]> {
  const { resourceTemplates } = await client.listResourceTemplates().catch(() => ({ resourceTemplates: [] }));
  return resourceTemplates.slice(0, mostListed).map(templateOf);
}

/** Whoever calls counts the time; the library must not do it a second time. */
const noTimeout = 2 ** 31 - 1;

async function run(
  client: Client,
  call: Parameters<Link['call']>[0],
  { visit }: Helpers,
): Promise<ServerResult> {
  try {
    return await callOnce(client, call);
  } catch (error) {
    if (!(error instanceof UrlElicitationRequiredError)) throw error;
    // The server can only do this once the user has been somewhere.
    for (const { message, url } of error.elicitations) {
      const answer = isVisitable(url) ? await visit(message, url) : { kind: 'declined' };
      if (answer.kind !== 'fields') throw error;
    }
    return callOnce(client, call);
  }
}

async function callOnce(
  client: Client,
  { tool, input, signal, progress }: Parameters<Link['call']>[0],
): Promise<ServerResult> {
  const args = isRecord(input) ? { arguments: input } : {};
  const result = await untilAborted(
    client.callTool(
      { name: tool, ...args },
      {
        signal,
        timeout: noTimeout,
        onprogress: ({ progress: done, total, message }) =>
          progress?.(message ?? `${done}${total === undefined ? '' : ` of ${total}`}`),
      },
    ),
    signal,
  );
  return resultOf(result);
}

function transportTo(plan: Plan, { env, secrets, lent }: LinkOptions, network: WatchedFetch): Transport {
  const { way } = plan;
  if (isProcess(way)) return new ProgramTransport({ ...plan, way }, env);
  if (isClients(way)) return new ChannelTransport(way);
  const own =
    secrets && isSignedIn(secrets, way.url) ? quietly(new Identity({ way, secrets }), way) : undefined;
  const options = {
    fetch: network.fetch,
    requestInit: { headers: way.headers },
    authProvider: known(way, lent, own),
  };
  return way.type === 'sse'
    ? new SSEClientTransport(new URL(way.url), options)
    : new StreamableHTTPClientTransport(new URL(way.url), options);
}

function isProcess(way: Way): way is Extract<Way, { type: 'process' }> {
  return way.type === 'process';
}

function isClients(way: Way): way is Extract<Way, { type: 'client' }> {
  return way.type === 'client';
}

async function close(client: Client, transport: Transport): Promise<void> {
  await client.close().catch(() => {});
  await transport.close().catch(() => {});
}

interface Circumstances {
  readonly transport: Transport;
  readonly network: WatchedFetch;
  readonly late: AbortSignal;
  readonly patience: number;
}

function whyNot(error: unknown, { transport, network, late, patience }: Circumstances): NoLink {
  if (isUnknown(error, network))
    return {
      kind: 'auth',
      problem:
        'The server wants to know who you are. Sign in with "parley mcp login NAME", or from your editor.',
    };
  if (late.aborted)
    return {
      kind: 'hopeless',
      problem: `The server did not answer within ${Math.round(patience / 1000)} seconds.`,
    };
  if (!(transport instanceof ProgramTransport))
    return {
      kind: 'crashed',
      problem: `The server could not be reached: ${wordsOf(error)}`,
      ...(network.foreign ? { foreign: true } : {}),
    };
  if (transport.end?.kind === 'failed')
    return {
      kind: 'hopeless',
      problem: `The program could not be started: ${transport.end.detail ?? 'unknown cause'}`,
    };
  if (transport.end?.kind === 'exited') return { kind: 'crashed', problem: endOf(transport) };
  return { kind: 'crashed', problem: `The server could not be used: ${wordsOf(error)}` };
}

/** The server does not know us, or not well enough. */
function isUnknown(error: unknown, { unauthorized }: WatchedFetch): boolean {
  return unauthorized || error instanceof UnauthorizedError || error instanceof InsufficientScopeError;
}

function endOf(transport: Transport): string {
  if (transport instanceof ChannelTransport) return transport.end ?? 'The connection was lost.';
  if (!(transport instanceof ProgramTransport)) return 'The connection was lost.';
  if (transport.end?.kind === 'tooLarge') return 'The server sent more than anybody could read.';
  const said = transport.said();
  return `The program has ended${transport.end?.detail === undefined ? '' : ` (${transport.end.detail})`}.${said === '' ? '' : ` It said: ${said}`}`;
}

function wordsOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return error instanceof Error ? `${error.message}${cause}` : 'unknown cause';
}

/** A promise that is given up with the signal, also where its maker does not notice. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Error('This took too long or was stopped.'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
