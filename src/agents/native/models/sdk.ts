// Makes a wire of a provider library: one streamed request, never retried by the library, cancelled by our signal.
import type { LanguageModelV3, SharedV3ProviderOptions } from '@ai-sdk/provider';
import type { ModelRequest } from '../model.ts';
import { partsOf } from './sdkParts.ts';
import { promptOf, toolsOf } from './sdkPrompt.ts';
import type { PromptOptions } from './sdkPrompt.ts';
import type { Connection, Wire } from './wire.ts';

export interface Library extends Omit<PromptOptions, 'connection'> {
  readonly open: (connection: Connection) => LanguageModelV3;
  /** What the library is told besides the prompt. */
  readonly options: (request: ModelRequest, connection: Connection) => SharedV3ProviderOptions;
  readonly sendsOutput?: true;
}

export function sdkWire({ open, options, sendsOutput, ...prompt }: Library): Wire {
  return async function* stream(request, connection) {
    const { stream: parts } = await open(connection).doStream({
      prompt: promptOf(request, { ...prompt, connection }),
      tools: toolsOf(request.tools),
      providerOptions: options(request, connection),
      abortSignal: connection.signal,
      ...(sendsOutput && connection.output !== undefined ? { maxOutputTokens: connection.output } : {}),
    });
    yield* partsOf(parts, connection.provider);
  };
}

/** Headers of every request; libraries want an object they may change. */
export function headersOf({ headers }: Connection): Record<string, string> {
  return { ...headers };
}
