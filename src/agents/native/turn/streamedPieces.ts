// Puts the pieces of a stream into the log: a lone one at once, and those that come while it is being stored together, since nobody could see them any sooner.
import type { AgentReport } from '../../../model/command.ts';

type Words = Extract<AgentReport, { kind: 'text.added' }>;
type Input = Extract<AgentReport, { kind: 'tool.input' }>;

/** `stored` resolves when what was reported is stored; without it every piece is reported alone. */
export interface PieceTarget {
  report(piece: AgentReport): void;
  stored?(): Promise<void>;
}

export class StreamedPieces {
  readonly #target: PieceTarget;
  /** What waits to be reported, while something of ours is being stored. */
  #held: Words | Input | undefined;
  #storing = false;

  constructor(target: PieceTarget) {
    this.#target = target;
  }

  add(piece: Words | Input): void {
    const joined = this.#held && join(this.#held, piece);
    if (!joined) this.flush();
    this.#held = joined ?? piece;
    if (!this.#storing) this.flush();
  }

  /** Reports what waits; whoever reports anything else calls this first. */
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

/** Two pieces of the same as one; the newest of what a provider wants back counts. */
function join(first: Words | Input, then: Words | Input): Words | Input | undefined {
  if (first.kind === 'text.added')
    return then.kind === 'text.added' && then.item === first.item
      ? { ...first, ...then, text: first.text + then.text }
      : undefined;
  return then.kind === 'tool.input' && then.tool === first.tool
    ? { ...then, text: first.text + then.text }
    : undefined;
}
