// One connection to one server: the handshake, its offer, calls and its requests. Loaded with the first
// server, because the MCP library is large.
import { onAbort } from '../../../base/waiting.ts';
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
import { isRecord } from '../../../base/isRecord.ts';
import { withoutHidden } from '../../../host/policy/hiddenText.ts';
import type {
  PromptMessage,
  PromptWish,
  ServerCall,
  ServerPrompt,
  ServerResource,
  ServerResult,
  ServerTool,
} from '../../../host/tools/toolServers.ts';
import type { Content } from '../../../model/event.ts';
import type { Secrets } from '../../auth/secrets.ts';
import {
  listed,
  messagesOf,
  promptOf,
  readOf,
  resourceOf,
  serverResult,
  serverTool,
  templateOf,
} from './content.ts';
import { ChannelTransport } from './channelTransport.ts';
import { ProgramTransport } from './programTransport.ts';
import { answerRequests, isVisitable } from './requests.ts';
import type { RequestHandlers } from './requests.ts';
import { isSignedIn } from '../auth/storedSignIn.ts';
import type { LentTokens } from '../auth/lentTokens.ts';
import { ToolList } from './toolListUpdates.ts';
import { repairToolLists } from './repairTools.ts';
import { subscriptions } from './subscriptions.ts';
import { Identity, withLentTokens, withStoredTokens } from '../auth/clientIdentity.ts';
import { watchedFetch } from './watchedFetch.ts';
import type { WatchedFetch } from './watchedFetch.ts';
import type { Environment, ServerPlan, ServerEndpoint } from '../serverPlans.ts';

export interface ServerOffer {
  readonly tools: readonly ServerTool[];
  readonly prompts: readonly ServerPrompt[];
  readonly resources: readonly ServerResource[];
  readonly templates: readonly ServerResource[];
  readonly instructions?: string;
}

export interface ServerLink {
  readonly offer: ServerOffer;
  /** Throws when the connection fails; `lost` then tells whether a new connection may succeed. */
  call(call: Pick<ServerCall, 'tool' | 'input' | 'signal' | 'progress'>): Promise<ServerResult>;
  prompt(wish: Omit<PromptWish, 'server'>): Promise<readonly PromptMessage[]>;
  read(uri: string, signal: AbortSignal): Promise<readonly Content[]>;
  /** Asks for notifications about a resource, if the server supports them. */
  subscribe(uri: string): void;
  /** Rejects when the server does not answer. */
  ping(signal: AbortSignal): Promise<void>;
  /** The server does not know our session any more, or could not be reached. */
  readonly lost: boolean;
  readonly unauthorized: boolean;
  close(): Promise<void>;
}

/** `crashed` may succeed another time, `hopeless` will not. */
export interface ConnectFailure {
  readonly kind: 'crashed' | 'hopeless' | 'auth';
  readonly problem: string;
  /** The server seems to use the older HTTP+SSE transport. */
  readonly foreign?: true;
}

export interface LinkOptions {
  readonly env: Environment;
  /** Our own version, for the handshake. */
  readonly version: string;
  /** How long the handshake may take, in milliseconds. */
  readonly patience: number;
  readonly signal: AbortSignal;
  changed(offer: ServerOffer): void;
  closed(problem: string): void;
  /** A log message of the server. */
  logged(message: string): void;
  /** A subscribed resource has changed. */
  updated(uri: string): void;
  readonly helpers: RequestHandlers;
  readonly fetch: typeof fetch;
  readonly secrets?: Secrets | undefined;
  readonly lent: LentTokens;
}

/** How long a server may take to answer the new handshake before we try the old one, in milliseconds. */
const probePatience = 3_000;

const longestInstructions = 8_000;

export async function connect(plan: ServerPlan, options: LinkOptions): Promise<ServerLink | ConnectFailure> {
  const first = await attempt(plan, options, 'auto');
  if ('kind' in first && first.foreign && plan.endpoint.type === 'http' && !options.signal.aborted) {
    // Older servers need another transport. If that fails, too, the first problem is the more useful one.
    const older = await attempt({ ...plan, endpoint: { ...plan.endpoint, type: 'sse' } }, options, 'legacy');
    return 'offer' in older ? older : first;
  }
  // Some programs exit on an unknown method, so they get the old handshake.
  const exited =
    'kind' in first &&
    first.kind === 'crashed' &&
    plan.endpoint.type === 'process' &&
    !options.signal.aborted;
  return exited ? attempt(plan, options, 'legacy') : first;
}

async function attempt(
  plan: ServerPlan,
  options: LinkOptions,
  mode: 'auto' | 'legacy',
): Promise<ServerLink | ConnectFailure> {
  const network = watchedFetch(options.fetch, 'url' in plan.endpoint ? plan.endpoint.url : undefined);
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
    repairToolLists(transport);
    state.offer = { ...state.offer, ...(await untilAborted(offerOf(client), signal)) };
  } catch (error) {
    await close(client, transport);
    return failureOf(error, { transport, network, late, patience: options.patience });
  }
  state.up = true;
  list.watch(client);
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the library has no other way to listen
  client.onclose = () => options.closed(endOf(transport));
  return linkTo({ client, transport, network, state, list }, options);
}

interface LinkState {
  offer: ServerOffer;
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

function linkTo({ client, transport, network, state, list }: LinkParts, options: LinkOptions): ServerLink {
  const recognised = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      state.unauthorized = isUnauthorized(error, network);
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

/** The newest protocol has no ping. An error response is an answer, too. */
async function signOfLife(client: Client, signal: AbortSignal): Promise<void> {
  try {
    await (client.getProtocolEra() === 'modern' ? client.discover({ signal }) : client.ping({ signal }));
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
  }
}

/** How long a remote server may take to end our session, in milliseconds. */
const farewell = 500;

interface ClientWishes {
  readonly mode: 'auto' | 'legacy';
  readonly list: ToolList;
  readonly changed: (change: Partial<ServerOffer>) => void;
}

function clientFor(
  { roots }: ServerPlan,
  options: LinkOptions,
  { mode, list, changed }: ClientWishes,
): Client {
  const settings: ClientOptions = {
    capabilities: { roots: {}, elicitation: { form: {}, url: {} }, sampling: {} },
    versionNegotiation: { mode, probe: { timeoutMs: probePatience } },
    // The model reads the result as it is; whether it matches the server's own schema does not matter to us.
    jsonSchemaValidator: {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the checked value is not used
      getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
    },
    listChanged: {
      tools: {
        debounceMs: listPause,
        onChanged: (_, items) => {
          if (items) changed({ tools: listed(items, serverTool) });
          list.renewed();
        },
      },
      prompts: {
        debounceMs: listPause,
        onChanged: (_, items) => items && changed({ prompts: listed(items, promptOf) }),
      },
      resources: {
        debounceMs: listPause,
        onChanged: (_, items) => {
          if (items) changed({ resources: listed(items, resourceOf) });
          void templatesOf(client).then((templates) => changed({ templates }));
        },
      },
    },
  };
  const client = new Client({ name: 'parley', title: 'Parley', version: options.version }, settings);
  answerRequests(client, roots, options.helpers);
  client.setNotificationHandler('notifications/message', ({ params: { level, logger, data } }) =>
    options.logged(
      `${level}${logger === undefined ? '' : ` (${logger})`}: ${typeof data === 'string' ? data : JSON.stringify(data)}`.slice(
        0,
        longestLogMessage,
      ),
    ),
  );
  return client;
}

/** How many characters of a log message are shown. */
const longestLogMessage = 2_000;

/** Servers that change many tools announce it many times; one fetch per so many milliseconds is enough. */
const listPause = 50;

/** Asks only for what the server offers: otherwise the library prints to the console. */
async function offerOf(client: Client): Promise<ServerOffer> {
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
    tools: listed(tools, serverTool),
    prompts: listed(prompts, promptOf),
    resources: listed(resources, resourceOf),
    templates,
    ...(instructions ? { instructions } : {}),
  };
}

async function templatesOf(client: Client): Promise<readonly ServerResource[]> {
  const { resourceTemplates } = await client.listResourceTemplates().catch(() => ({ resourceTemplates: [] }));
  return listed(resourceTemplates, templateOf);
}

/** The caller limits the time, so the library must not. */
const noTimeout = 2 ** 31 - 1;

async function run(
  client: Client,
  call: Parameters<ServerLink['call']>[0],
  { visit }: RequestHandlers,
): Promise<ServerResult> {
  try {
    return await callOnce(client, call);
  } catch (error) {
    if (!(error instanceof UrlElicitationRequiredError)) throw error;
    // The server needs the user to visit pages first.
    for (const { message, url } of error.elicitations) {
      const answer = isVisitable(url) ? await visit(message, url) : { kind: 'declined' };
      if (answer.kind !== 'fields') throw error;
    }
    return callOnce(client, call);
  }
}

async function callOnce(
  client: Client,
  { tool, input, signal, progress }: Parameters<ServerLink['call']>[0],
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
  return serverResult(result);
}

function transportTo(
  plan: ServerPlan,
  { env, secrets, lent }: LinkOptions,
  network: WatchedFetch,
): Transport {
  const { endpoint } = plan;
  if (isProcess(endpoint)) return new ProgramTransport({ ...plan, endpoint }, env);
  if (isClients(endpoint)) return new ChannelTransport(endpoint);
  const own =
    secrets && isSignedIn(secrets, endpoint.url)
      ? withStoredTokens(new Identity({ endpoint, secrets }), endpoint, lent)
      : undefined;
  const options = {
    fetch: network.fetch,
    requestInit: { headers: endpoint.headers },
    authProvider: withLentTokens(endpoint, lent, own),
  };
  return endpoint.type === 'sse'
    ? new SSEClientTransport(new URL(endpoint.url), options)
    : new StreamableHTTPClientTransport(new URL(endpoint.url), options);
}

function isProcess(endpoint: ServerEndpoint): endpoint is Extract<ServerEndpoint, { type: 'process' }> {
  return endpoint.type === 'process';
}

function isClients(endpoint: ServerEndpoint): endpoint is Extract<ServerEndpoint, { type: 'client' }> {
  return endpoint.type === 'client';
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

function failureOf(error: unknown, { transport, network, late, patience }: Circumstances): ConnectFailure {
  if (isUnauthorized(error, network))
    return {
      kind: 'auth',
      problem: 'The server requires a sign-in. Run "parley mcp login NAME", or sign in from your editor.',
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

/** The server needs a sign-in, or one with more scopes. */
function isUnauthorized(error: unknown, { unauthorized }: WatchedFetch): boolean {
  return unauthorized || error instanceof UnauthorizedError || error instanceof InsufficientScopeError;
}

function endOf(transport: Transport): string {
  if (transport instanceof ChannelTransport) return transport.end ?? 'The connection was lost.';
  if (!(transport instanceof ProgramTransport)) return 'The connection was lost.';
  if (transport.end?.kind === 'tooLarge') return 'The server sent a message that is too large.';
  const stderr = transport.lastStderr();
  return (
    'The program has ' +
    `ended${transport.end?.detail === undefined ? '' : ` (${transport.end.detail})`}.` +
    (stderr === '' ? '' : ` Its last output: ${stderr}`)
  );
}

/** With all causes: the library and `fetch` hide the real one behind two more. */
function wordsOf(error: unknown): string {
  const messages: string[] = [];
  for (let each = error; each instanceof Error; each = each.cause)
    messages.push(each.message || (each instanceof AggregateError ? wordsOf(each.errors[0]) : ''));
  const told = messages.filter(
    (text, at) => text !== '' && !messages.slice(0, at).some((one) => one.includes(text)),
  );
  return told.length > 0 ? told.join(': ').slice(0, longestProblem) : 'unknown cause';
}

/** How many characters of an error message of the server are shown with its status. */
const longestProblem = 2_000;

/** Rejects as soon as the signal aborts, whether or not the library notices the signal. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = onAbort(signal, () => reject(new Error('The request timed out or was stopped.')));
    promise.then(resolve, reject).finally(leave);
  });
}
