// The open documents of a client, updated by its change notifications.
import type { DocumentChange, PositionEncoding } from '../../../../protocols/acp/v1/nesSchema.ts';
import { indexOf } from './positions.ts';

export interface OpenDocument {
  readonly text: string;
  readonly version: number;
}

/** Limits for the length and number of documents, to save memory. */
const longestText = 2_000_000;
const mostDocuments = 200;

export class Documents {
  readonly #open = new Map<string, OpenDocument>();

  get(uri: string): OpenDocument | undefined {
    return this.#open.get(uri);
  }

  open(uri: string, document: OpenDocument): void {
    this.#open.delete(uri);
    const [oldest] = this.#open.keys();
    if (this.#open.size >= mostDocuments && oldest !== undefined) this.#open.delete(oldest);
    if (document.text.length <= longestText) this.#open.set(uri, document);
  }

  /** Applies the changes one after the other. */
  change(
    uri: string,
    {
      version,
      changes,
      encoding,
    }: { version: number; changes: readonly DocumentChange[]; encoding: PositionEncoding },
  ): void {
    const before = this.#open.get(uri);
    if (before)
      this.open(uri, {
        version,
        text: changes.reduce((text, change) => changed(text, change, encoding), before.text),
      });
  }

  close(uri: string): void {
    this.#open.delete(uri);
  }
}

function changed(
  text: string,
  { range, text: replacement }: DocumentChange,
  encoding: PositionEncoding,
): string {
  if (!range) return replacement;
  const [start, end] = [indexOf(text, range.start, encoding), indexOf(text, range.end, encoding)];
  return text.slice(0, Math.min(start, end)) + replacement + text.slice(Math.max(start, end));
}
