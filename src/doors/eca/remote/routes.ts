// The paths of the remote API and their handlers. Requests are checked as on every other connection; errors
// have the codes that eca-web knows.
import * as z from 'zod';
import { isRecord } from '../../../base/isRecord.ts';
import { findTool } from '../../../model/state.ts';
import { notifications, read, requests } from '../../../protocols/eca/schema.ts';
import { RpcError } from '../../../rpc/rpcError.ts';
import { cursorExpired } from '../errors.ts';
import { approve, rejectCall } from '../inbound/approvals.ts';
import {
  clearChat,
  deleteChat,
  existingSession,
  rollBack,
  selectionIn,
  updateChat,
} from '../inbound/chats.ts';
import { tasks } from '../outbound/tools/taskList.ts';
import { pageOf } from '../inbound/pages.ts';
import { prompt, stopPrompt } from '../inbound/prompts.ts';
import { steer } from '../inbound/steering.ts';
import { titleOf } from '../outbound/replay.ts';
import { agentSelected, modelSelected, variantSelected } from '../inbound/selection.ts';
import { actOnServer, addServer, removeServer } from '../inbound/providersAndServers.ts';
import type { RemoteAnswer, RemoteRequest } from './remote.ts';
import type { RemoteClient } from './remoteClient.ts';
import { chatsOf, sessionOf } from './session.ts';
import { pendingCalls, storedMessages } from './stored.ts';

export async function routeRequest(client: RemoteClient, request: RemoteRequest): Promise<RemoteAnswer> {
  const parts = request.path.split('/').slice(1);
  const found = routes.find(({ method, pattern }) => method === request.method && matches(pattern, parts));
  if (!found) return refused(404, 'not_found', `Unknown path: ${request.method} ${request.path}`);
  try {
    const body = await found.handle({
      ...request,
      client,
      params: parts.filter((_, index) => found.pattern[index] === ':'),
    });
    return body === undefined ? { status: 204 } : { status: 200, body };
  } catch (error) {
    if (error instanceof RpcError) return fromError(error);
    client.connection.host.report(error, 'the remote API');
    return refused(500, 'internal_error', 'Internal error. See the log of the host.');
  }
}

interface RemoteCall extends RemoteRequest {
  readonly client: RemoteClient;
  /** The path parts at the colons of the pattern. */
  readonly params: readonly string[];
}

type Handle = (call: RemoteCall) => unknown;

const routes: readonly {
  readonly method: string;
  readonly pattern: readonly string[];
  readonly handle: Handle;
}[] = [
  at('GET session', ({ client }) => sessionOf(client)),
  at('GET chats', ({ client }) => chatsOf(client.connection)),
  at('GET chats/:', chatState),
  at(
    'DELETE chats/:',
    async (call) => void (await deleteChat(call.client.connection, { chatId: await existingChat(call) })),
  ),
  at('POST chats/:/prompt', (call) =>
    prompt(
      call.client.connection,
      readParams(requests['chat/prompt'], {
        trust: call.client.trust || undefined,
        ...bodyOf(call),
        chatId: call.params[0],
      }),
    ),
  ),
  at('POST chats/:/steer', async (call) => {
    await runningChat(call);
    steer(call.client.connection, readParams(notifications['chat/promptSteer'], inChat(call)));
  }),
  at('POST chats/:/stop', async (call) =>
    stopPrompt(call.client.connection, { chatId: await runningChat(call) }),
  ),
  at('POST chats/:/approve/:', async (call) =>
    approve(
      call.client.connection,
      readParams(notifications['chat/toolCallApprove'], { ...bodyOf(call), ...(await waitingCall(call)) }),
    ),
  ),
  at('POST chats/:/reject/:', async (call) =>
    rejectCall(
      call.client.connection,
      readParams(notifications['chat/toolCallReject'], { ...bodyOf(call), ...(await waitingCall(call)) }),
    ),
  ),
  at(
    'POST chats/:/rollback',
    async (call) =>
      void (await rollBack(call.client.connection, readParams(requests['chat/rollback'], inChat(call)))),
  ),
  at(
    'POST chats/:/clear',
    async (call) =>
      void (await clearChat(
        call.client.connection,
        readParams(requests['chat/clear'], { messages: true, ...inChat(call) }),
      )),
  ),
  at(
    'POST chats/:/update',
    async (call) =>
      void (await updateChat(call.client.connection, readParams(requests['chat/update'], inChat(call)))),
  ),
  at('POST chats/:/model', async (call) => {
    await existingChat(call);
    await modelSelected(
      call.client.connection,
      readParams(notifications['chat/selectedModelChanged'], inChat(call)),
    );
  }),
  at('POST chats/:/agent', async (call) => {
    await existingChat(call);
    await agentSelected(
      call.client.connection,
      readParams(notifications['chat/selectedAgentChanged'], inChat(call)),
    );
  }),
  at('POST chats/:/variant', async (call) => {
    await existingChat(call);
    await variantSelected(call.client.connection, readParams(variantBody, inChat(call)));
  }),
  at('POST trust', setTrust),
  at('POST answer', answerQuestion),
  at('POST mcp', (call) =>
    addServer(call.client.connection, readParams(requests['mcp/addServer'], bodyOf(call))),
  ),
  at(
    'DELETE mcp/:',
    async (call) => void (await removeServer(call.client.connection, { name: call.params[0] ?? '' })),
  ),
  ...(['start', 'stop', 'connect', 'logout', 'disable', 'enable'] as const).map((action) =>
    at(`POST mcp/:/${action}`, (call) =>
      actOnServer(call.client.connection, { name: call.params[0] ?? '' }, action),
    ),
  ),
];

const variantBody = z.object({
  chatId: z.string(),
  variant: z
    .string()
    .nullish()
    .transform((value) => value ?? undefined),
});
const trustBody = z.object({ trust: z.boolean() });
const answerBody = z.object({
  requestId: z.string(),
  answer: z
    .string()
    .nullish()
    .transform((value) => value ?? null),
  cancelled: z
    .boolean()
    .nullish()
    .transform((value) => value ?? false),
});
const pageQuery = z.object({
  limit: z.coerce.number().int().min(0).optional(),
  before: z.string().optional(),
  after: z.string().optional(),
});

/** A pattern such as `POST chats/:/stop`; a colon stands for one part of the path. */
function at(path: string, handle: Handle): (typeof routes)[number] {
  const [method = '', pattern = ''] = path.split(' ');
  return { method, pattern: pattern.split('/'), handle };
}

function matches(pattern: readonly string[], parts: readonly string[]): boolean {
  return (
    pattern.length === parts.length &&
    pattern.every((name, index) => name === parts[index] || (name === ':' && parts[index] !== ''))
  );
}

async function chatState(call: RemoteCall): Promise<object> {
  const { connection } = call.client;
  const [id = ''] = call.params;
  const { state } = await existingSession(connection, id);
  const { limit, before, after } = readParams(pageQuery, call.query);
  const page = pageOf(storedMessages(state, id), { limit, before, after }) ?? cursorExpired();
  const title = titleOf(state, id);
  const { active, plan = [], modifiedAt } = state.chats[id] ?? {};
  return {
    id,
    title: title === '' ? null : title,
    status: active ? 'running' : 'idle',
    createdAt: state.createdAt,
    updatedAt: modifiedAt ?? state.modifiedAt,
    ...selectionIn(connection, state),
    messages: page.stored.map(({ message }) => message),
    messagesMeta: page.meta,
    pendingToolCalls: pendingCalls(state, id),
    task: plan.length === 0 ? null : tasks(plan),
  };
}

function setTrust({ client, body }: RemoteCall): object {
  const { trust } = readParams(trustBody, body);
  client.setTrust(trust);
  return { trust };
}

function answerQuestion({ client, body }: RemoteCall): void {
  const { requestId, ...answer } = readParams(answerBody, body);
  if (!client.peer.answer(requestId, answer))
    throw RpcError.raw({
      code: 'question_not_found',
      message: 'This question is not open, or was already answered.',
    });
}

/** The chat in the path, which must exist. */
async function existingChat({ client, params: [id = ''] }: RemoteCall): Promise<string> {
  await existingSession(client.connection, id);
  return id;
}

async function runningChat({ client, params: [id = ''] }: RemoteCall): Promise<string> {
  const session = await existingSession(client.connection, id);
  if (!session.head.chats[id]?.active) throw wrongStatus(`Chat ${id} has no running turn.`);
  return id;
}

/** The call in the path, which must wait for an approval. */
async function waitingCall({
  client,
  params: [id = '', tool = ''],
}: RemoteCall): Promise<{ readonly chatId: string; readonly toolCallId: string }> {
  const {
    asks = {},
    active,
    turns = [],
  } = (await existingSession(client.connection, id)).head.chats[id] ?? {};
  if (![...turns, active].some((turn) => findTool(turn, tool)))
    throw RpcError.raw({
      code: 'tool_call_not_found',
      message: `There is no tool call ${tool} in chat ${id}.`,
    });
  if (!Object.values(asks).some(({ ask }) => ask.kind === 'approval' && ask.tool === tool))
    throw wrongStatus(`The tool call ${tool} is not waiting for an approval.`);
  return { chatId: id, toolCallId: tool };
}

function wrongStatus(message: string): RpcError {
  return RpcError.raw({ code: 'chat_wrong_status', message });
}

function inChat(call: RemoteCall): object {
  return { ...bodyOf(call), chatId: call.params[0] };
}

function bodyOf({ body }: RemoteCall): object {
  return isRecord(body) ? body : {};
}

function readParams<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = read(schema, value);
  if ('problem' in result) throw RpcError.raw({ code: 'invalid_request', message: result.problem });
  return result.value;
}

const statuses: { readonly [code: string]: number | undefined } = {
  chat_not_found: 404,
  tool_call_not_found: 404,
  question_not_found: 404,
  chat_wrong_status: 409,
  cursor_expired: 409,
  invalid_request: 400,
};

function fromError({ code, message }: RpcError): RemoteAnswer {
  const status = typeof code === 'string' ? statuses[code] : undefined;
  return refused(status ?? 400, status === undefined ? 'invalid_request' : String(code), message);
}

function refused(status: number, code: string, message: string): RemoteAnswer {
  return { status, body: { error: { code, message } } };
}
