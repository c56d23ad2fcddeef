// Collects the parts of one network read. Pieces stay as the provider sent them; the turn joins those that
// wait to be stored.
import type { Json, WebSource } from '../../../../../model/event.ts';
import type { ModelPart, ModelUsage, ServedResult } from '../../../model.ts';
import { seal, sealRaw } from './seal.ts';
import type { RawBlocks } from './seal.ts';
import { webSources, sourceList } from './sources.ts';
import type { Citation } from './sources.ts';

type Finish = Extract<ModelPart, { type: 'finish' }>['reason'];

export class Parts {
  readonly #provider: string;
  readonly #sources: Citation[] = [];
  #made: ModelPart[] = [];
  /** The number of tool calls. */
  calls = 0;
  finished = false;

  constructor(provider: string) {
    this.#provider = provider;
  }

  /** Returns the parts since the last call. */
  take(): readonly ModelPart[] {
    const made = this.#made;
    this.#made = [];
    return made;
  }

  say(type: 'text' | 'reasoning', words: string, block: string): void {
    if (words !== '') this.#add({ type, text: words, block });
  }

  /** Reasoning to which the provider has given an id. */
  think(words: string, id: string): void {
    if (words !== '') this.#add({ type: 'reasoning', text: words, block: id, id });
  }

  /** Adds metadata that the provider expects back with a block, under the name of the wire format. */
  mark(type: 'text' | 'reasoning', block: string, metadata: object): void {
    const meta = seal(this.#provider, metadata);
    if (meta !== undefined) this.#add({ type, text: '', block, meta });
  }

  /** Adds blocks of the wire format that are sent back instead of the text. */
  keep(block: string, raw: RawBlocks): void {
    this.#add({ type: 'text', text: '', block, meta: sealRaw(this.#provider, raw) });
  }

  /** A generated image, and what is sent back for it. */
  picture(base64: string, raw?: RawBlocks): void {
    if (base64 !== '') this.#add({ type: 'image', data: base64, ...this.#raw(raw) });
  }

  /** A call that the provider executes. */
  serve(id: string, name: string): void {
    this.#add({ type: 'tool-start', id, name, served: true });
  }

  served(
    call: { readonly id: string; readonly name: string; readonly input: string },
    raw?: RawBlocks,
  ): void {
    this.#add({ type: 'served-call', ...call, ...this.#raw(raw) });
  }

  servedResult(
    call: { readonly id: string; readonly name: string; readonly result: ServedResult },
    raw?: RawBlocks,
  ): void {
    this.#add({ type: 'served-result', ...call, ...this.#raw(raw) });
  }

  start(id: string, name: string): void {
    this.#add({ type: 'tool-start', id, name });
  }

  input(id: string, delta: string): void {
    if (delta !== '') this.#add({ type: 'tool-input', id, delta });
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
    if (reason !== 'pause') this.#addSources(webSources(this.#sources));
    this.#count(usage);
    this.#add({ type: 'finish', reason: reason === 'stop' && this.calls > 0 ? 'calls' : reason });
    this.finished = true;
  }

  #addSources(sources: readonly WebSource[]): void {
    if (sources.length > 0) this.#add({ type: 'text', text: sourceList(sources), block: 'sources', sources });
  }

  #raw(raw: RawBlocks | undefined): { readonly meta?: Json } {
    return raw ? { meta: sealRaw(this.#provider, raw) } : {};
  }

  #add(part: ModelPart): void {
    this.#made.push(part);
  }
}
