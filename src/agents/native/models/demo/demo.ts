// The built-in demo model: a small rule-based assistant that needs no key and no network and uses the
// same tools as any model.
import type { CallResult, LanguageModel, ModelMessage, ModelPart, ModelRequest } from '../../model.ts';
import type { Sleep } from '../../../../base/waiting.ts';
import { firstMove, nextMove } from './moves.ts';
import type { Move } from './moves.ts';
import { pieces } from '../scripted/pieces.ts';

/** Milliseconds between two words: fast enough to read along, slow enough to be seen streaming. */
const pace = 12;

export function demoModel({ sleep }: { sleep: Sleep }): LanguageModel {
  return {
    id: 'demo/demo',
    name: 'Demo (built in)',
    context: 32_000,
    stream: (request) => answer(request, sleep),
  };
}

async function* answer(request: ModelRequest, sleep: Sleep): AsyncGenerator<ModelPart> {
  const { think, say, calls = [] } = moveFor(request);
  for (const part of speech(think, say)) {
    if (request.signal.aborted) return;
    yield part;
    await sleep(pace, request.signal);
  }
  for (const { tool, input } of calls) {
    const text = JSON.stringify(input);
    yield { type: 'tool-start', id: '', name: tool };
    for (const delta of pieces(text, Math.ceil(text.length / 24))) {
      yield { type: 'tool-input', id: '', delta };
      await sleep(pace, request.signal);
    }
    yield { type: 'tool-call', id: '', name: tool, input: text };
  }
  yield {
    type: 'usage',
    usage: {
      input: tokens(JSON.stringify(request.messages)),
      output: tokens(`${think ?? ''}${say}${JSON.stringify(calls)}`),
    },
  };
  yield { type: 'finish', reason: calls.length > 0 ? 'calls' : 'stop' };
}

/** The newest user message is the request, also a steering message; the results after it belong to it. */
function moveFor({ messages, roots }: ModelRequest): Move {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const request = goesOn.test(textOf(messages[at])) ? lastRequest(messages) : messages[at];
  const results = messages
    .slice(at + 1)
    .flatMap((message): readonly CallResult[] =>
      message.role === 'tool' ? message.results.map(plainly) : [],
    );
  // Clients that complete file names put `@` before them.
  const text = textOf(request).replace(/(^|\s)@(?=[^\s@]*[./])/g, '$1');
  if (roots.length === 0)
    return {
      say:
        'I am the built-in demo model. No folder is open in this session, so there is nothing ' +
        'I could look at yet.',
    };
  return results.length === 0 ? firstMove(text) : nextMove(text, results, roots[0] ?? '');
}

/** How the host says that work which broke off goes on. */
const goesOn = /^(?:The work was stopped or interrupted|Your last answer broke off)\./;

/** What broke off is begun again; where it needs an approval, that is asked for again. */
function lastRequest(messages: readonly ModelMessage[]): ModelMessage | undefined {
  return messages.findLast((message) => message.role === 'user' && !goesOn.test(textOf(message)));
}

/**
 * Some clients' conventions add a prefix to tool names and a line break to results; both are removed here.
 */
function plainly(result: CallResult): CallResult {
  return { ...result, name: result.name.replace(/^[a-z]+__/, ''), text: result.text.replace(/\n$/, '') };
}

function speech(think: string | undefined, say: string): readonly ModelPart[] {
  const thoughts = pieces(think ?? '').map((text) => ({ type: 'reasoning', text }) as const);
  return [...thoughts, ...pieces(say).map((text) => ({ type: 'text', text }) as const)];
}

function textOf(message: ModelMessage | undefined): string {
  const part = message?.role === 'user' ? message.content.find(({ type }) => type === 'text') : undefined;
  return part?.type === 'text' ? part.text.trim() : '';
}

/** An estimate: about four characters per token. */
function tokens(text: string): number {
  return Math.ceil(text.length / 4);
}
