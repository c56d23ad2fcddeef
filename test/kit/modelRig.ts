// A provider's model on a fake provider, for one suite: opens, asks, and tells what came in few words.
import { afterEach, beforeEach } from 'vitest';
import type {
  AssistantPart,
  LanguageModel,
  ModelMessage,
  ModelPart,
  ModelRequest,
} from '../../src/agents/native/model.ts';
import { providerOf } from '../../src/agents/native/models/providers/providers.ts';
import type { WireName } from '../../src/agents/native/models/providers/providers.ts';
import { remoteModel } from '../../src/agents/native/models/remoteModel.ts';
import type { RemoteOptions } from '../../src/agents/native/models/remoteOptions.ts';
import { resolveAccess } from '../../src/agents/native/models/providers/access.ts';
import { directFetch } from '../../src/io/http/directFetch.ts';
import { realClock } from '../../src/io/store/realWorld.ts';
import type { Json } from '../../src/model/event.ts';
import { fakeProvider } from './fakeProvider.ts';
import type { FakeProvider } from './fakeProvider.ts';
import type { Reply } from './provider/reply.ts';

export interface ModelRig {
  readonly server: FakeProvider;
  readonly open: (options?: Partial<RemoteOptions> & { readonly url?: string }) => LanguageModel;
  /** Has the provider do something about one request and collects what the model makes of it. */
  readonly ask: (reply: Reply, request?: Partial<ModelRequest>) => Promise<readonly ModelPart[]>;
  /** What the provider was sent with the newest request, as text. */
  sent(): string;
}

/** A word that must never leave by another way than a header. */
export const secretKey = 'sk-secret-0123456789';

export function modelRig({
  provider: id,
  model,
  wire,
}: {
  readonly provider: string;
  readonly model: string;
  readonly wire?: WireName;
}): ModelRig {
  let server: FakeProvider;
  beforeEach(async () => {
    server = await fakeProvider();
  });
  afterEach(() => server.close());
  const rig: ModelRig = {
    get server() {
      return server;
    },
    open({ url = server.url, ...options } = {}) {
      const provider = providerOf(id);
      if (!provider) throw new Error(`no provider ${id}`);
      const prefix = id.toUpperCase().replaceAll(/[^A-Z]/g, '_');
      const env = {
        [`${prefix}_API_URL`]: url,
        [`${prefix}_API_KEY`]: secretKey,
        ...(wire ? { [`${prefix}_API_WIRE`]: wire } : {}),
      };
      return remoteModel({
        provider,
        model,
        access: () => resolveAccess(provider, env, undefined),
        fetch: directFetch({}),
        clock: realClock,
        facts: { output: 1000 },
        ...options,
      });
    },
    ask(reply, request) {
      server.replies.push(reply);
      return collect(rig.open().stream(requestOf(request)));
    },
    sent: () => JSON.stringify(server.requests.at(-1)?.body),
  };
  return rig;
}

export function requestOf(more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: 'Be good.',
    messages: [user('Hi.')],
    start: 0,
    roots: ['/w'],
    signal: new AbortController().signal,
    tools: [
      {
        name: 'read_file',
        description: 'Reads.',
        parameters: {
          type: 'object',
          properties: { path: { type: 'string' }, line: { type: 'integer' } },
          required: ['path'],
        },
      },
      {
        name: 'run',
        description: 'Runs.',
        parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
      },
    ],
    ...more,
  };
}

export function user(text: string): ModelMessage {
  return { role: 'user', content: [{ type: 'text', text }] };
}

export async function collect(
  stream: AsyncIterable<ModelPart>,
  first: () => void = () => {},
): Promise<readonly ModelPart[]> {
  const parts: ModelPart[] = [];
  for await (const part of stream) {
    parts.push(part);
    if (parts.length === 1) first();
  }
  return parts;
}

/** One line for each stretch of the same thing. */
export function brief(parts: readonly ModelPart[]): readonly string[] {
  const lines: { readonly stretch: string; text: string }[] = [];
  for (const part of parts) {
    const { stretch, head, text } = describePart(part);
    const last = lines.at(-1);
    if (last && stretch !== '' && last.stretch === stretch) last.text += text;
    else if (head + text !== '') lines.push({ stretch, text: head + text });
  }
  return lines.map(({ text }) => text);
}

/** The message that the loop would make of an answer. */
export function messageOf(parts: readonly ModelPart[]): ModelMessage {
  const said: {
    readonly type: 'text' | 'reasoning';
    text: string;
    readonly block: string | undefined;
    meta?: Json;
  }[] = [];
  for (const part of parts) {
    if (part.type !== 'text' && part.type !== 'reasoning') continue;
    const last = said.at(-1);
    const into = last?.type === part.type && last.block === part.block ? last : undefined;
    const item = into ?? { type: part.type, text: '', block: part.block };
    if (!into) said.push(item);
    item.text += part.text;
    if (part.meta !== undefined) item.meta = part.meta;
  }
  const words: readonly AssistantPart[] = said.map(({ type, text, meta }) => ({
    type,
    text,
    ...(meta === undefined ? {} : { meta }),
  }));
  const calls: readonly AssistantPart[] = callsIn(parts).map(({ id, name, input, meta }) => ({
    type: 'call',
    id,
    name,
    input: JSON.parse(input) as Json,
    ...(meta === undefined ? {} : { meta }),
  }));
  return { role: 'assistant', content: [...words, ...calls] };
}

/** The calls of an answer; those without an id get one, as they would from the loop. */
export function callsIn(parts: readonly ModelPart[]): readonly Extract<ModelPart, { type: 'tool-call' }>[] {
  return parts
    .filter((part) => part.type === 'tool-call')
    .map((call, at) => ({ ...call, id: call.id || `c${at}` }));
}

interface Description {
  readonly stretch: string;
  readonly head: string;
  readonly text: string;
}

function describePart(part: ModelPart): Description {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text === ''
        ? { stretch: '', head: '', text: '' }
        : { stretch: `${part.type} ${part.block}`, head: `${part.type} `, text: part.text };
    case 'tool-input':
      return { stretch: `input ${part.id}`, head: 'input ', text: part.delta };
    case 'tool-start':
      return { stretch: '', head: 'start ', text: part.name };
    case 'tool-call':
      return { stretch: '', head: 'call ', text: `${part.name} ${part.input}` };
    case 'served-call':
      return { stretch: '', head: 'served ', text: `${part.name} ${part.input}` };
    case 'served-result':
      return {
        stretch: '',
        head: 'result ',
        text: `${part.name} ${part.result.error ?? JSON.stringify(part.result.content)}`,
      };
    case 'image':
      return { stretch: '', head: 'image ', text: part.data };
    case 'usage':
      return { stretch: '', head: 'usage ', text: JSON.stringify(part.usage) };
    case 'finish':
      return { stretch: '', head: 'finish ', text: part.reason };
    case 'error':
      return { stretch: '', head: 'error ', text: part.code };
    default:
      return part satisfies never;
  }
}
