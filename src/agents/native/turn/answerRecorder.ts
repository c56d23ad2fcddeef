// Records one streamed answer of a model in the log as it arrives, and collects what the next request
// needs of it. Runs no tool.
import { present } from '../../../base/present.ts';
import type { TurnContext } from '../../../host/agent.ts';
import { pictureOf } from '../../../host/turns/answerImage.ts';
import type { Json, Problem } from '../../../model/event.ts';
import type { AssistantPart, ModelPart } from '../model.ts';
import { calledName } from '../prompt/clientConventions.ts';
import type { ShownText } from './repeatedText.ts';
import { ProviderCalls } from './providerCalls.ts';
import type { TurnProgress } from './turnProgress.ts';
import type { TurnSetup } from './turnSetup.ts';
import { reportUsage } from './turnUsage.ts';
import { StreamedPieces } from './streamedPieces.ts';
import type { Tool } from '../tools/tool.ts';

export interface AnswerOptions {
  readonly setup: AnswerSetup;
  readonly progress: TurnProgress;
  readonly tools: ReadonlyMap<string, Tool>;
  /** What an earlier attempt at this answer has shown already. */
  readonly shown?: ShownText | undefined;
  /** Called with each part of the answer that is not an error. */
  readonly onPart?: () => void;
}

/** What a request needs of the setup of its turn. */
export type AnswerSetup = Pick<TurnSetup, 'model' | 'conventions' | 'ports'>;

/** A call as the model wrote it, under the id it has in the log. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: string;
  readonly meta?: Json;
}

export interface ModelAnswer {
  readonly content: readonly AssistantPart[];
  readonly calls: readonly Call[];
  readonly end:
    | { readonly reason: Extract<ModelPart, { type: 'finish' }>['reason'] }
    | AnswerFailure
    | 'aborted';
}

export interface AnswerFailure {
  readonly problem: Problem;
  readonly retryable: boolean;
  /** How long the provider asks us to wait, in milliseconds. */
  readonly wait?: number | undefined;
}

/** The text of an answer. */
export function answerText({ content }: ModelAnswer): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
}

export class AnswerRecorder {
  readonly #turn: TurnContext;
  readonly #options: AnswerOptions;
  readonly #pieces: StreamedPieces;
  readonly #providerCalls: ProviderCalls;
  #content: AssistantPart[] = [];
  readonly #calls: Call[] = [];
  /**
   * The calls whose arguments are still arriving, by the model's ids; a model may use one id for several
   * calls, or an empty one.
   */
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
  /** The size of all images of this answer, in characters. */
  #imageSize = 0;
  /** The size of the arguments of all calls of this answer, in characters. */
  #inputSize = 0;
  end: ModelAnswer['end'] | undefined;

  constructor(turn: TurnContext, options: AnswerOptions) {
    this.#turn = turn;
    this.#options = options;
    this.#pieces = new StreamedPieces(
      turn.workspace.workbench()?.fixedOrder
        ? { report: (piece) => turn.report(piece) }
        : { report: (piece) => turn.report(piece), stored: () => turn.log.stored() },
    );
    this.#providerCalls = new ProviderCalls(turn, {
      model: options.setup.model,
      ids: options.setup.ports.ids,
      usedIds: options.progress.usedIds,
      open: options.progress.providerCalls,
    });
  }

  take(part: ModelPart): void {
    switch (part.type) {
      case 'text':
      case 'reasoning':
        return this.#text(part);
      case 'tool-start':
        return part.served
          ? this.#afterText(() => void this.#providerCalls.start(part.id, part.name))
          : void this.#start(part.id, this.#nameOf(part.name));
      case 'tool-input':
        return this.#input(part.id, part.delta);
      case 'tool-call':
        return this.#call(part);
      case 'served-call':
        return this.#afterText(() => this.#content.push(...this.#providerCalls.call(part)));
      case 'served-result':
        return this.#afterText(() => this.#content.push(...this.#providerCalls.result(part)));
      case 'image':
        return this.#image(part);
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

  answer(): ModelAnswer {
    this.#pieces.flush();
    this.#closeRun();
    const end = this.#turn.signal.aborted ? 'aborted' : (this.end ?? brokenOff);
    if (end === 'aborted') return { content: this.#content, calls: [], end };
    // A provider that pauses ends its calls when it continues.
    if ('problem' in end || end.reason !== 'pause')
      this.#failProviderCalls(
        'problem' in end
          ? 'The answer broke off before this call had ended.'
          : 'The provider did not report the result of this call.',
      );
    this.#failCalls(
      [...this.#open.values()].flat().map(({ tool }) => tool),
      'The model did not finish the arguments of this call.',
    );
    if (!('problem' in end)) return { content: this.#content, calls: this.#calls, end };
    this.#failCalls(
      this.#calls.map(({ id }) => id),
      'The answer broke off before this call could run.',
    );
    return { content: this.#content, calls: [], end };
  }

  #failCalls(tools: readonly string[], error: string): void {
    for (const tool of tools)
      this.#turn.report({ kind: 'tool.ended', tool, result: { status: 'failed', content: [], error } });
  }

  #failProviderCalls(error: string): void {
    const dropped = this.#providerCalls.failAll(error);
    if (dropped.size > 0) this.#content = this.#content.filter((part) => !dropped.has(part));
  }

  #afterText(report: () => void): void {
    this.#pieces.flush();
    this.#closeRun();
    report();
  }

  #image({ data, meta }: Extract<ModelPart, { type: 'image' }>): void {
    const image = this.#imageSize > maxImageSize ? tooManyImages : pictureOf(data);
    this.#imageSize += data.length;
    this.#afterText(() => {
      if ('problem' in image)
        return this.#turn.report({ kind: 'notice.added', level: 'warning', text: image.problem });
      const sealed = meta === undefined ? {} : { meta };
      this.#turn.report({
        kind: 'image.added',
        item: this.#options.setup.ports.ids.next(),
        ...image,
        ...sealed,
      });
      this.#content.push({ type: 'image', ...image, ...sealed });
    });
  }

  #text(part: Extract<ModelPart, { type: 'text' | 'reasoning' }>): void {
    const { type, text, block, id, sources, meta } = part;
    if (text === '' && meta === undefined) return;
    if (this.#run?.type !== type || this.#run.block !== block) {
      this.#closeRun();
      this.#run = { type, block, item: this.#unused(id), text: '' };
    }
    this.#run.text += text;
    if (meta !== undefined) this.#run.meta = meta;
    const channel = type === 'text' ? 'answer' : 'reasoning';
    const piece = { kind: 'text.added', item: this.#run.item, channel, text } as const;
    const isPlain = sources === undefined && meta === undefined;
    this.#pieces.add(isPlain ? piece : { ...piece, ...present({ sources, meta }) });
  }

  /** The model's id, or a new one if it is empty or used already. */
  #unused(id = ''): string {
    const { setup, progress } = this.#options;
    const unused = id === '' || progress.usedIds.has(id) ? setup.ports.ids.next() : id;
    progress.usedIds.add(unused);
    return unused;
  }

  #closeRun(): void {
    if (!this.#run) return;
    const { type, text, meta } = this.#run;
    this.#content.push(meta === undefined ? { type, text } : { type, text, meta });
    this.#run = undefined;
  }

  #nameOf(name: string): string {
    const { tools, setup } = this.#options;
    return calledName(name, setup.conventions, (each) => tools.has(each));
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
    this.#inputSize += text.length;
    if (this.#inputSize > maxInputSize) this.end = tooMuchInput;
    if (this.end) return;
    const tool = this.#open.get(id)?.at(-1)?.tool ?? this.#providerCalls.toolOf(id);
    if (tool !== undefined && text !== '') this.#pieces.add({ kind: 'tool.input', tool, text });
  }

  #call({ id, name: called, input, meta }: Extract<ModelPart, { type: 'tool-call' }>): void {
    // Some providers send the arguments in one piece.
    if (input.length > maxInputSize) {
      this.end = tooMuchInput;
      return;
    }
    const name = this.#nameOf(called);
    const started = this.#open.get(id)?.find((each) => each.name === name)?.tool;
    const tool = started ?? this.#start(id, name);
    this.#open.set(id, this.#open.get(id)?.filter((each) => each.tool !== tool) ?? []);
    this.#calls.push({ id: tool, name, input, ...(meta === undefined ? {} : { meta }) });
  }

  /** The usage of all requests adds up; the context size comes from the newest one. */
  #usage({ usage }: Extract<ModelPart, { type: 'usage' }>): void {
    this.#pieces.flush();
    const { model } = this.#options.setup;
    const { meter } = this.#options.progress;
    meter.last = (usage.input ?? 0) + (usage.output ?? 0);
    reportUsage(this.#turn, usage, { model, meter });
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

/** The limit for all images of one answer, in characters; it protects the disk. */
const maxImageSize = 50_000_000;

const tooManyImages = {
  problem: 'This answer has more images than Parley stores. The others were dropped.',
} as const;

/** The limit for the arguments of all calls of one answer, in characters; it protects memory and disk. */
const maxInputSize = 8_000_000;

const tooMuchInput: AnswerFailure = {
  problem: {
    code: 'model',
    message:
      'The model sent more than 8,000,000 characters of arguments in one answer. None of its calls was run.',
  },
  retryable: false,
};

const brokenOff: AnswerFailure = {
  problem: { code: 'premature-stop', message: 'The answer of the model broke off.' },
  retryable: false,
};
