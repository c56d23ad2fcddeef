// Answers the requests that a server may send while one of its tools runs: workspace roots, user input,
// opening a page, model sampling.
import { pathToFileURL } from 'node:url';
import type {
  Client,
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitResult,
  SamplingMessageContentBlock,
} from '@modelcontextprotocol/client';
import { ProtocolError } from '@modelcontextprotocol/client';
import type { Content } from '../../../model/event.ts';
import type { SampleWish, ServerCall } from '../../../host/tools/toolServers.ts';
import { elicitResult, questionsOf, visitResult } from './elicitation.ts';

/** How the caller of a tool answers the server's requests. */
export type RequestHandlers = Required<Pick<ServerCall, 'ask' | 'visit' | 'sample'>>;

export function answerRequests(client: Client, roots: readonly string[], helpers: RequestHandlers): void {
  client.setRequestHandler('roots/list', () => ({
    roots: roots.map((root) => ({ uri: pathToFileURL(root).href, name: root.split(/[/\\]/).at(-1) ?? root })),
  }));
  client.setRequestHandler('elicitation/create', async ({ params }): Promise<ElicitResult> => {
    if (JSON.stringify(params).length > longestForm) return { action: 'decline' };
    if (params.mode === 'url')
      return visitResult(
        isVisitable(params.url) ? await helpers.visit(params.message, params.url) : { kind: 'declined' },
      );
    return 'requestedSchema' in params
      ? elicitResult(params, await helpers.ask(params.message, questionsOf(params)))
      : { action: 'decline' };
  });
  client.setRequestHandler('sampling/createMessage', async ({ params }): Promise<CreateMessageResult> => {
    const sample = await helpers.sample(wishOf(params));
    // The protocol defines -1 for a request that the user rejected.
    if ('refused' in sample) throw new ProtocolError(-1, sample.refused);
    return {
      role: 'assistant',
      model: sample.model,
      content: { type: 'text', text: sample.text },
      stopReason: sample.stop,
    };
  });
}

/** How many characters a form, or the words with a page, may have. The log keeps them. */
const longestForm = 100_000;

/** Only web pages are opened for a server. */
export function isVisitable(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

function wishOf({ systemPrompt, messages, maxTokens }: CreateMessageRequestParams): SampleWish {
  return {
    system: systemPrompt,
    maxTokens,
    messages: messages.map(({ role, content }) => ({
      role,
      content: (Array.isArray(content) ? content : [content]).map(contentOf),
    })),
  };
}

function contentOf(block: SamplingMessageContentBlock): Content {
  if (block.type === 'text') return { type: 'text', text: block.text };
  return block.type === 'image'
    ? { type: 'image', mediaType: block.mimeType, data: block.data }
    : { type: 'text', text: `[${block.type}]` };
}
