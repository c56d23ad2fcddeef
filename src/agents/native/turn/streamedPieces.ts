// Reports the pieces of a stream to the log: the first one immediately, and those that arrive while it is
// being stored together, because clients could not see them earlier.
import type { AgentReport } from '../../../model/command.ts';

type TextPiece = Extract<AgentReport, { kind: 'text.added' }>;
type InputPiece = Extract<AgentReport, { kind: 'tool.input' }>;

/** `stored` resolves when what was reported is stored; without it every piece is reported alone. */
export interface PieceTarget {
  report(piece: AgentReport): void;
  stored?(): Promise<void>;
}

/** A longer text goes to the log, which counts what waits, in characters. */
const longestHeld = 65_536;

export class StreamedPieces {
  readonly #target: PieceTarget;
  /** The piece that waits while an earlier one is being stored. */
  #held: TextPiece | InputPiece | undefined;
  #storing = false;

  constructor(target: PieceTarget) {
    this.#target = target;
  }

  add(piece: TextPiece | InputPiece): void {
    const joined = this.#held && join(this.#held, piece);
    if (!joined) this.flush();
    this.#held = joined ?? piece;
    if (!this.#storing || this.#held.text.length > longestHeld) this.flush();
  }

  /** Reports the waiting piece. Must be called before any other report. */
  flush(): void {
    const piece = this.#held;
    if (!piece) return;
    this.#held = undefined;
    this.#target.report(piece);
    if (this.#storing || !this.#target.stored) return;
    this.#storing = true;
    void this.#goOn(this.#target.stored());
  }

  async #goOn(stored: Promise<void>): Promise<void> {
    await stored;
    this.#storing = false;
    this.flush();
  }
}

/** Two pieces of the same item as one, with the newest `meta`; undefined for pieces of different items. */
function join(
  first: TextPiece | InputPiece,
  then: TextPiece | InputPiece,
): TextPiece | InputPiece | undefined {
  if (first.kind === 'text.added')
    return then.kind === 'text.added' && then.item === first.item
      ? { ...first, ...then, text: first.text + then.text }
      : undefined;
  return then.kind === 'tool.input' && then.tool === first.tool
    ? { ...then, text: first.text + then.text }
    : undefined;
}
