// Collects the parts of one network read and joins adjacent text, so that a fast provider does not produce
// one log entry per token.
import { sourceList } from '../../../../../host/turns/answerSources.ts';
import type { Json } from '../../../../../model/event.ts';
import type { ModelPart, ModelUsage, ServedResult } from '../../../model.ts';
import { seal, sealRaw } from './seal.ts';
import type { Raw } from './seal.ts';
import { linkable } from './sources.ts';
import type { Cited } from './sources.ts';

type Finish = Extract<ModelPart, { type: 'finish' }>['reason'];

/** Adjacent text of one block that can still grow. */
interface Run {
  readonly type: 'text' | 'reasoning';
  text: string;
  readonly block: string;
  readonly id?: string;
}

interface Input {
  readonly type: 'tool-input';
  readonly id: string;
  delta: string;
}

export class Parts {
  readonly #provider: string;
  readonly #join: boolean;
  readonly #sources: Cited[] = [];
  #made: ModelPart[] = [];
  /** The last part, if text can still be appended to it. */
  #run: Run | undefined;
  #input: Input | undefined;
  /** The number of tool calls. */
  calls = 0;
  finished = false;

  /** Without `join` every piece of an answer stays as the provider sent it. */
  constructor(provider: string, { join = true }: { readonly join?: boolean } = {}) {
    this.#provider = provider;
    this.#join = join;
  }

  /** Returns the parts since the last call. */
  take(): readonly ModelPart[] {
    const made = this.#made;
    this.#made = [];
    this.#run = undefined;
    this.#input = undefined;
    return made;
  }

  say(type: 'text' | 'reasoning', words: string, block: string): void {
    this.#grow({ type, text: words, block });
  }

  /** Reasoning to which the provider has given an id. */
  think(words: string, id: string): void {
    this.#grow({ type: 'reasoning', text: words, block: id, id });
  }

  #grow(run: Run): void {
    if (run.text === '') return;
    if (this.#run?.type === run.type && this.#run.block === run.block) {
      this.#run.text += run.text;
      return;
    }
    this.#add(run);
    if (this.#join) this.#run = run;
  }

  /** Adds metadata that the provider expects back with a block, under the name of the wire format. */
  mark(type: 'text' | 'reasoning', block: string, metadata: object): void {
    const meta = seal(this.#provider, metadata);
    if (meta !== undefined) this.#add({ type, text: '', block, meta });
  }

  /** Adds blocks of the wire format that are sent back instead of the text. */
  keep(block: string, raw: Raw): void {
    this.#add({ type: 'text', text: '', block, meta: sealRaw(this.#provider, raw) });
  }

  /** A generated image, and what is sent back for it. */
  picture(base64: string, raw?: Raw): void {
    if (base64 !== '') this.#add({ type: 'image', data: base64, ...this.#raw(raw) });
  }

  /** A call that the provider executes. */
  serve(id: string, name: string): void {
    this.#add({ type: 'tool-start', id, name, served: true });
  }

  served(call: { readonly id: string; readonly name: string; readonly input: string }, raw?: Raw): void {
    this.#add({ type: 'served-call', ...call, ...this.#raw(raw) });
  }

  servedResult(
    call: { readonly id: string; readonly name: string; readonly result: ServedResult },
    raw?: Raw,
  ): void {
    this.#add({ type: 'served-result', ...call, ...this.#raw(raw) });
  }

  start(id: string, name: string): void {
    this.#add({ type: 'tool-start', id, name });
  }

  input(id: string, delta: string): void {
    if (delta === '') return;
    if (this.#input?.id === id) {
      this.#input.delta += delta;
      return;
    }
    const input: Input = { type: 'tool-input', id, delta };
    this.#add(input);
    if (this.#join) this.#input = input;
  }

  call(
    call: { readonly id: string; readonly name: string; readonly input: string },
    metadata?: object,
  ): void {
    const meta: Json | undefined = metadata && seal(this.#provider, metadata);
    this.calls += 1;
    this.#add({ type: 'tool-call', ...call, ...(meta === undefined ? {} : { meta }) });
  }

  cite(url: string, title: string): void {
    if (url !== '') this.#sources.push({ url, title: title === '' ? undefined : title });
  }

  /** Adds the usage, if the provider has reported it. */
  #count(usage: ModelUsage): void {
    if ((usage.input ?? usage.output ?? usage.cost) === undefined) return;
    this.#add({
      type: 'usage',
      usage: Object.fromEntries(
        Object.entries(usage).filter(
          ([name, count]) =>
            count !== undefined && (count !== 0 || name === 'input' || name === 'output' || name === 'cost'),
        ),
      ),
    });
  }

  finish(reason: Finish, usage: ModelUsage): void {
    // A paused answer must be sent back unchanged.
    if (reason !== 'pause') this.say('text', sourceList(linkable(this.#sources)), 'sources');
    this.#count(usage);
    this.#add({ type: 'finish', reason: reason === 'stop' && this.calls > 0 ? 'calls' : reason });
    this.finished = true;
  }

  #raw(raw: Raw | undefined): { readonly meta?: Json } {
    return raw ? { meta: sealRaw(this.#provider, raw) } : {};
  }

  #add(part: ModelPart): void {
    this.#run = undefined;
    this.#input = undefined;
    this.#made.push(part);
  }
}
