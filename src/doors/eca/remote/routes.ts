// The paths of the remote API, and who takes care of each. What is asked for is checked as on every other connection, and refused with the codes that browsers know.
import * as z from 'zod';
import { findTool } from '../../../model/state.ts';
import { notifications, read, requests } from '../../../protocols/eca/schema.ts';
import { RpcError } from '../../../rpc/rpcError.ts';
import { approve, refuse } from '../inbound/approvals.ts';
import { chatConfig, isTrusted } from '../outbound/catalogue.ts';
import { clear, expired, known, remove, rollback, update } from '../inbound/chats.ts';
import { tasks } from '../outbound/taskList.ts';
import { pageOf } from '../inbound/pages.ts';
import { prompt, steer, stop } from '../inbound/prompts.ts';
import { titleOf } from '../outbound/replay.ts';
import { agentSelected, modelSelected, variantSelected } from '../inbound/selection.ts';
import { actOnServer, addServer, removeServer } from '../inbound/providersAndServers.ts';
import type { Place, RemoteAnswer, RemoteRequest } from './remote.ts';
import { chatsOf, sessionOf } from './session.ts';
import { pendingCalls, storedMessages } from './stored.ts';

export async function route(place: Place, request: RemoteRequest): Promise<RemoteAnswer> {
  const parts = request.path.split('/').slice(1);
  const found = routes.find(({ method, pattern }) => method === request.method && fits(pattern, parts));
  if (!found) return refused(404, 'not_found', `There is nothing at ${request.method} ${request.path}.`);
  try {
    const body = await found.handle({
      ...request,
      place,
      params: parts.filter((_, index) => found.pattern[index] === ':'),
    });
    return body === undefined ? { status: 204 } : { status: 200, body };
  } catch (error) {
    if (error instanceof RpcError) return fromError(error);
    place.connection.host.report(error, 'the remote API');
    return refused(500, 'internal_error', 'Something went wrong; the log of the host says what.');
  }
}

interface Call extends RemoteRequest {
  readonly place: Place;
  /** What stands in the path where the pattern is open. */
  readonly params: readonly string[];
}

type Handle = (call: Call) => unknown;

const routes: readonly {
  readonly method: string;
  readonly pattern: readonly string[];
  readonly handle: Handle;
}[] = [
  at('GET session', ({ place }) => sessionOf(place)),
  at('GET chats', ({ place }) => chatsOf(place.connection)),
  at('GET chats/:', chat),
  at(
    'DELETE chats/:',
    async (call) => void (await remove(call.place.connection, { chatId: await there(call) })),
  ),
  at('POST chats/:/prompt', (call) =>
    prompt(
      call.place.connection,
      given(requests['chat/prompt'], {
        trust: call.place.trust || undefined,
        ...bodyOf(call),
        chatId: call.params[0],
      }),
    ),
  ),
  at('POST chats/:/steer', async (call) => {
    await running(call);
    steer(call.place.connection, given(notifications['chat/promptSteer'], inChat(call)));
  }),
  at('POST chats/:/stop', async (call) => stop(call.place.connection, { chatId: await running(call) })),
  at('POST chats/:/approve/:', async (call) =>
    approve(
      call.place.connection,
      given(notifications['chat/toolCallApprove'], { ...bodyOf(call), ...(await waiting(call)) }),
    ),
  ),
  at('POST chats/:/reject/:', async (call) =>
    refuse(
      call.place.connection,
      given(notifications['chat/toolCallReject'], { ...bodyOf(call), ...(await waiting(call)) }),
    ),
  ),
  at(
    'POST chats/:/rollback',
    async (call) =>
      void (await rollback(call.place.connection, given(requests['chat/rollback'], inChat(call)))),
  ),
  at(
    'POST chats/:/clear',
    async (call) =>
      void (await clear(
        call.place.connection,
        given(requests['chat/clear'], { messages: true, ...inChat(call) }),
      )),
  ),
  at(
    'POST chats/:/update',
    async (call) => void (await update(call.place.connection, given(requests['chat/update'], inChat(call)))),
  ),
  at('POST chats/:/model', async (call) => {
    await there(call);
    await modelSelected(
      call.place.connection,
      given(notifications['chat/selectedModelChanged'], inChat(call)),
    );
  }),
  at('POST chats/:/agent', async (call) => {
    await there(call);
    await agentSelected(
      call.place.connection,
      given(notifications['chat/selectedAgentChanged'], inChat(call)),
    );
  }),
  at('POST chats/:/variant', async (call) => {
    await there(call);
    await variantSelected(call.place.connection, given(variant, inChat(call)));
  }),
  at('POST trust', trust),
  at('POST answer', answer),
  at('POST mcp', (call) => addServer(call.place.connection, given(requests['mcp/addServer'], bodyOf(call)))),
  at(
    'DELETE mcp/:',
    async (call) => void (await removeServer(call.place.connection, { name: call.params[0] ?? '' })),
  ),
  ...(['start', 'stop', 'connect', 'logout', 'disable', 'enable'] as const).map((action) =>
    at(`POST mcp/:/${action}`, (call) =>
      actOnServer(call.place.connection, { name: call.params[0] ?? '' }, action),
    ),
  ),
];

const variant = z.object({
  chatId: z.string(),
  variant: z
    .string()
    .nullish()
    .transform((value) => value ?? undefined),
});
const trusting = z.object({ trust: z.boolean() });
const answering = z.object({
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
const paging = z.object({
  limit: z.coerce.number().int().min(0).optional(),
  before: z.string().optional(),
  after: z.string().optional(),
});

/** A pattern such as `POST chats/:/stop`; a colon stands for one name. */
function at(path: string, handle: Handle): (typeof routes)[number] {
  const [method = '', pattern = ''] = path.split(' ');
  return { method, pattern: pattern.split('/'), handle };
}

function fits(pattern: readonly string[], parts: readonly string[]): boolean {
  return (
    pattern.length === parts.length &&
    pattern.every((name, index) => name === parts[index] || (name === ':' && parts[index] !== ''))
  );
}

async function chat(call: Call): Promise<object> {
  const { connection } = call.place;
  const [id = ''] = call.params;
  const { state } = await known(connection, id);
  const { limit, before, after } = given(paging, call.query);
  const page = pageOf(storedMessages(state, id), { limit, before, after }) ?? expired();
  const { selectModel, selectAgent, selectVariant, variants } = chatConfig(
    connection.host.agents(connection.roots),
    state,
  );
  const title = titleOf(state, id);
  const { active, plan = [], modifiedAt } = state.chats[id] ?? {};
  return {
    id,
    title: title === '' ? null : title,
    status: active ? 'running' : 'idle',
    createdAt: state.createdAt,
    updatedAt: modifiedAt ?? state.modifiedAt,
    model: selectModel ?? null,
    agent: selectAgent ?? state.agent,
    variant: selectVariant ?? null,
    variants: variants ?? [],
    trust: isTrusted(state),
    messages: page.stored.map(({ message }) => message),
    messagesMeta: page.meta,
    pendingToolCalls: pendingCalls(state, id),
    task: plan.length === 0 ? null : tasks(plan),
  };
}

function trust({ place, body }: Call): object {
  place.trust = given(trusting, body).trust;
  place.peer.emit({ event: 'trust:updated', data: { trust: place.trust } });
  return { trust: place.trust };
}

function answer({ place, body }: Call): void {
  const { requestId, ...said } = given(answering, body);
  if (!place.peer.answer(requestId, said))
    throw RpcError.raw({
      code: 'question_not_found',
      message: 'That question is not open, or not any more.',
    });
}

/** The chat in the path, which must exist. */
async function there({ place, params: [id = ''] }: Call): Promise<string> {
  await known(place.connection, id);
  return id;
}

async function running({ place, params: [id = ''] }: Call): Promise<string> {
  const session = await known(place.connection, id);
  if (!session.head.chats[id]?.active) throw wrongStatus(`Nothing runs in chat ${id}.`);
  return id;
}

/** The call in the path, which must wait for an approval. */
async function waiting({
  place,
  params: [id = '', tool = ''],
}: Call): Promise<{ readonly chatId: string; readonly toolCallId: string }> {
  const { asks = {}, active, turns = [] } = (await known(place.connection, id)).head.chats[id] ?? {};
  if (![...turns, active].some((turn) => findTool(turn, tool)))
    throw RpcError.raw({
      code: 'tool_call_not_found',
      message: `There is no tool call ${tool} in chat ${id}.`,
    });
  if (!Object.values(asks).some(({ ask }) => ask.kind === 'approval' && ask.tool === tool))
    throw wrongStatus(`The tool call ${tool} does not wait for an answer.`);
  return { chatId: id, toolCallId: tool };
}

function wrongStatus(message: string): RpcError {
  return RpcError.raw({ code: 'chat_wrong_status', message });
}

function inChat(call: Call): object {
  return { ...bodyOf(call), chatId: call.params[0] };
}

function bodyOf({ body }: Call): object {
  return typeof body === 'object' && body !== null ? body : {};
}

function given<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
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
