// Reads one streamed answer of a model into the log as it comes, and gathers what the next request needs of it. Runs no tool.
import type { TurnContext } from '../../../host/agent.ts';
import { pictureOf } from '../../../host/turns/answerImage.ts';
import type { Ids } from '../../../host/ports.ts';
import type { Json, Problem } from '../../../model/event.ts';
import type { AssistantPart, LanguageModel, ModelPart, ModelRequest } from '../model.ts';
import { calledName } from '../prompt/clientConventions.ts';
import type { ClientConventions } from '../prompt/clientConventions.ts';
import { withoutRepeats } from './repeatedText.ts';
import type { Shown } from './repeatedText.ts';
import { ServedCalls } from './providerCalls.ts';
import type { Serving } from './providerCalls.ts';
import type { Sleep } from './sleep.ts';
import { spend } from './turnUsage.ts';
import type { Meter } from './turnUsage.ts';
import { StreamedPieces } from './streamedPieces.ts';
import type { Tool } from '../tools/tool.ts';
import { untilAborted } from '../../../base/waiting.ts';

export interface AnswerOptions {
  readonly model: LanguageModel;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly conventions: ClientConventions;
  readonly ids: Ids;
  readonly sleep: Sleep;
  /** The ids of calls and words that this chat has used; an id the model repeats is exchanged for a new one. */
  readonly used: Set<string>;
  readonly meter: Meter;
  /** The calls that the provider runs itself and has not ended, by its own ids. */
  readonly serving: Map<string, Serving>;
  /** What an earlier attempt at this answer has shown already. */
  readonly shown?: Shown | undefined;
  /** Called with each part of the answer that is no error. */
  readonly onPart?: () => void;
}

/** A call as the model wrote it, under the id it has in the log. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: string;
  readonly meta?: Json;
}

export interface Answer {
  readonly content: readonly AssistantPart[];
  readonly calls: readonly Call[];
  readonly end: { readonly reason: Extract<ModelPart, { type: 'finish' }>['reason'] } | Failure | 'aborted';
}

export interface Failure {
  readonly problem: Problem;
  readonly retryable: boolean;
  /** How many milliseconds the provider asks to be left alone. */
  readonly wait?: number | undefined;
}

/** So often a model that streams without a pause lets others have their turn. */
const breath = 128;

export async function readAnswer(
  turn: TurnContext,
  request: ModelRequest,
  options: AnswerOptions,
): Promise<Answer> {
  const recorder = new Recorder(turn, options);
  let count = 0;
  try {
    const parts = options.model.stream(request);
    for await (const part of untilAborted(
      options.shown ? withoutRepeats(parts, options.shown) : parts,
      turn.signal,
    )) {
      recorder.take(part);
      if (part.type !== 'error') options.onPart?.();
      if (recorder.end) break;
      count += 1;
      if (count % breath === 0) await options.sleep(0, turn.signal);
    }
  } catch (error) {
    recorder.end ??= {
      problem: { code: 'model', message: error instanceof Error ? error.message : 'The model failed.' },
      retryable: false,
    };
  }
  return recorder.answer();
}

/** What was said in it. */
export function wordsOf({ content }: Answer): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
}

class Recorder {
  readonly #turn: TurnContext;
  readonly #options: AnswerOptions;
  readonly #pieces: StreamedPieces;
  readonly #served: ServedCalls;
  #content: AssistantPart[] = [];
  readonly #calls: Call[] = [];
  /** The ids that calls have in the log, by the ids the model gave them, which may be the same for several or none at all; only those whose arguments are still arriving. */
  readonly #open = new Map<string, readonly { readonly tool: string; readonly name: string }[]>();
  #run:
    | {
        readonly type: 'text' | 'reasoning';
        readonly block: string | undefined;
        readonly item: string;
        text: string;
        meta?: Json;
      }
    | undefined;
  /** How many letters the pictures of this answer have. */
  #drawn = 0;
  end: Answer['end'] | undefined;

  constructor(turn: TurnContext, options: AnswerOptions) {
    this.#turn = turn;
    this.#options = options;
    this.#pieces = new StreamedPieces(
      options.model.deterministic
        ? { report: (piece) => turn.report(piece) }
        : { report: (piece) => turn.report(piece), stored: () => turn.log.stored() },
    );
    this.#served = new ServedCalls(turn, options);
  }

  take(part: ModelPart): void {
    switch (part.type) {
      case 'text':
      case 'reasoning':
        return this.#say(part);
      case 'tool-start':
        return part.served
          ? this.#serve(() => void this.#served.start(part.id, part.name))
          : void this.#start(part.id, this.#nameOf(part.name));
      case 'tool-input':
        return this.#input(part.id, part.delta);
      case 'tool-call':
        return this.#call(part);
      case 'served-call':
        return this.#serve(() => this.#content.push(...this.#served.call(part)));
      case 'served-result':
        return this.#serve(() => this.#content.push(...this.#served.result(part)));
      case 'image':
        return this.#picture(part);
      case 'usage':
        return this.#usage(part);
      case 'finish':
        this.end = { reason: part.reason };
        return;
      case 'error':
        this.end = {
          problem: { code: part.code, message: part.message },
          retryable: part.retryable,
          wait: part.wait,
        };
        return;
      default:
        return part satisfies never;
    }
  }

  answer(): Answer {
    this.#pieces.flush();
    this.#closeRun();
    const end = this.#turn.signal.aborted ? 'aborted' : (this.end ?? brokenOff);
    if (end === 'aborted') return { content: this.#content, calls: [], end };
    // What a provider has begun before it paused it ends when it goes on.
    if ('problem' in end || end.reason !== 'pause')
      this.#giveUpServed(
        'problem' in end
          ? 'The answer broke off before this call had ended.'
          : 'The provider did not say what came of this call.',
      );
    this.#giveUp(
      [...this.#open.values()].flat().map(({ tool }) => tool),
      'The model did not finish the arguments of this call.',
    );
    if (!('problem' in end)) return { content: this.#content, calls: this.#calls, end };
    this.#giveUp(
      this.#calls.map(({ id }) => id),
      'The answer broke off before this call could run.',
    );
    return { content: this.#content, calls: [], end };
  }

  #giveUp(tools: readonly string[], error: string): void {
    for (const tool of tools)
      this.#turn.report({ kind: 'tool.ended', tool, result: { status: 'failed', content: [], error } });
  }

  #giveUpServed(error: string): void {
    const lost = this.#served.giveUp(error);
    if (lost.size > 0) this.#content = this.#content.filter((part) => !lost.has(part));
  }

  #serve(tell: () => void): void {
    this.#pieces.flush();
    this.#closeRun();
    tell();
  }

  #picture({ data, meta }: Extract<ModelPart, { type: 'image' }>): void {
    const picture = this.#drawn > mostDrawn ? tooMany : pictureOf(data);
    this.#drawn += data.length;
    this.#serve(() => {
      if ('problem' in picture)
        return this.#turn.report({ kind: 'notice.added', level: 'warning', text: picture.problem });
      const kept = meta === undefined ? {} : { meta };
      this.#turn.report({ kind: 'image.added', item: this.#options.ids.next(), ...picture, ...kept });
      this.#content.push({ type: 'image', ...picture, ...kept });
    });
  }

  #say(part: Extract<ModelPart, { type: 'text' | 'reasoning' }>): void {
    const { type, text, block, id, meta } = part;
    if (text === '' && meta === undefined) return;
    if (this.#run?.type !== type || this.#run.block !== block) {
      this.#closeRun();
      this.#run = { type, block, item: this.#unused(id), text: '' };
    }
    this.#run.text += text;
    if (meta !== undefined) this.#run.meta = meta;
    this.#pieces.add({
      kind: 'text.added',
      item: this.#run.item,
      channel: type === 'text' ? 'answer' : 'reasoning',
      text,
      ...(meta === undefined ? {} : { meta }),
    });
  }

  /** The id that the model gave, unless it has none or has given it before. */
  #unused(id = ''): string {
    const { ids, used } = this.#options;
    const unused = id === '' || used.has(id) ? ids.next() : id;
    used.add(unused);
    return unused;
  }

  #closeRun(): void {
    if (!this.#run) return;
    const { type, text, meta } = this.#run;
    this.#content.push(meta === undefined ? { type, text } : { type, text, meta });
    this.#run = undefined;
  }

  #nameOf(name: string): string {
    const { tools, conventions } = this.#options;
    return calledName(name, conventions, (each) => tools.has(each));
  }

  #start(id: string, name: string): string {
    this.#pieces.flush();
    this.#closeRun();
    const { tools } = this.#options;
    const tool = this.#unused(id);
    this.#open.set(id, [...(this.#open.get(id) ?? []), { tool, name }]);
    const known = tools.get(name);
    this.#turn.report({
      kind: 'tool.started',
      tool,
      name,
      title: known?.preparing ?? name,
      toolKind: known?.kind ?? 'other',
      ...sourceOf(known),
    });
    return tool;
  }

  #input(id: string, text: string): void {
    const tool = this.#open.get(id)?.at(-1)?.tool ?? this.#served.toolOf(id);
    if (tool !== undefined && text !== '') this.#pieces.add({ kind: 'tool.input', tool, text });
  }

  #call({ id, name: called, input, meta }: Extract<ModelPart, { type: 'tool-call' }>): void {
    const name = this.#nameOf(called);
    const begun = this.#open.get(id)?.find((each) => each.name === name)?.tool;
    const tool = begun ?? this.#start(id, name);
    this.#open.set(id, this.#open.get(id)?.filter((each) => each.tool !== tool) ?? []);
    this.#calls.push({ id: tool, name, input, ...(meta === undefined ? {} : { meta }) });
  }

  /** The turn is charged for all its requests; how full the context is, the newest one tells. */
  #usage({ usage }: Extract<ModelPart, { type: 'usage' }>): void {
    this.#pieces.flush();
    const { model, meter } = this.#options;
    meter.last = (usage.input ?? 0) + (usage.output ?? 0);
    spend(this.#turn, usage, { model, meter });
  }
}

function sourceOf(tool: Tool | undefined): {
  readonly source: 'native' | 'mcp' | 'client' | 'nobody';
  readonly server?: string;
} {
  if (!tool) return { source: 'nobody' };
  if (tool.client !== undefined) return { source: 'client', server: tool.client };
  return tool.server === undefined ? { source: 'native' } : { source: 'mcp', server: tool.server };
}

/** All pictures of one answer together, in letters; a provider that goes on and on does not fill the disk. */
const mostDrawn = 50_000_000;

const tooMany = { problem: 'More pictures came with this answer than are kept.' } as const;

const brokenOff: Failure = {
  problem: { code: 'premature-stop', message: 'The answer of the model broke off.' },
  retryable: false,
};
