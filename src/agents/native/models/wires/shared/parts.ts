// Collects the parts that one read of the network makes: words that came together leave together, so that a fast provider does not make one entry of every word.
import { sourceList } from '../../../../../host/turns/answerSources.ts';
import type { Json } from '../../../../../model/event.ts';
import type { ModelPart, ModelUsage, ServedResult } from '../../../model.ts';
import { seal, sealRaw } from './seal.ts';
import type { Raw } from './seal.ts';
import { linkable } from './sources.ts';
import type { Cited } from './sources.ts';

type Finish = Extract<ModelPart, { type: 'finish' }>['reason'];

/** A run of words that still grows. */
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
  /** The last of the parts, as long as more may be added to it. */
  #run: Run | undefined;
  #input: Input | undefined;
  /** How many calls there were. */
  calls = 0;
  finished = false;

  /** Without `join` every piece of an answer stays as the provider sent it. */
  constructor(provider: string, { join = true }: { readonly join?: boolean } = {}) {
    this.#provider = provider;
    this.#join = join;
  }

  /** What was collected since the last time. */
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

  /** A thought that the provider has a name for. */
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

  /** What the provider wants back with a block: kept under the name of its format, as far as it is needed. */
  mark(type: 'text' | 'reasoning', block: string, metadata: object): void {
    const meta = seal(this.#provider, metadata);
    if (meta !== undefined) this.#add({ type, text: '', block, meta });
  }

  /** Blocks in the format's own words that go back in place of a run of words. */
  keep(block: string, raw: Raw): void {
    this.#add({ type: 'text', text: '', block, meta: sealRaw(this.#provider, raw) });
  }

  /** A picture that the model has made, and what goes back with it. */
  picture(base64: string, raw?: Raw): void {
    if (base64 !== '') this.#add({ type: 'image', data: base64, ...this.#raw(raw) });
  }

  /** A call that the provider runs itself. */
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

  /** What the answer has used; nothing where the provider has not said so. */
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
    // What goes on must go back as it came.
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
