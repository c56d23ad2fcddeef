// The editors that are attached to the host and answer agents' questions about code: diagnostics,
// definitions, references. In memory only.

export interface CodeLocation {
  readonly path: string;
  /** Both counted from one; characters are UTF-16 units. */
  readonly line: number;
  readonly character: number;
}

export interface Diagnostic extends CodeLocation {
  readonly severity: 'error' | 'warning' | 'information' | 'hint';
  readonly message: string;
  readonly source?: string;
  readonly code?: string;
}

/** After `not-ready` an answer may come soon, after `unable` not. The message is for the agent. */
export interface EditorProblem {
  readonly problem: 'not-ready' | 'unable';
  readonly message: string;
}

export type EditorAnswer<T> = readonly T[] | EditorProblem;

/** The presence of a method is the capability. None of them throws. */
export interface AttachedEditor {
  /** The folders that the editor has open. */
  roots(): readonly string[];
  diagnostics?(path: string | undefined, signal: AbortSignal): Promise<EditorAnswer<Diagnostic>>;
  definition?(place: CodeLocation, signal: AbortSignal): Promise<EditorAnswer<CodeLocation>>;
  references?(
    place: CodeLocation & { readonly declaration: boolean },
    signal: AbortSignal,
  ): Promise<EditorAnswer<CodeLocation>>;
}

/** What an editor can answer. */
export type Ability = 'diagnostics' | 'definition' | 'references';

export class Editors {
  readonly #attached = new Set<AttachedEditor>();

  /** Attaches the editor until the returned function is called. */
  attach(editor: AttachedEditor): () => void {
    this.#attached.add(editor);
    return () => void this.#attached.delete(editor);
  }

  /** Whether an editor with one of the folders open has the ability. */
  can(ability: Ability, roots: readonly string[]): boolean {
    return this.#able(ability, roots).length > 0;
  }

  #able(ability: Ability, roots: readonly string[]): readonly AttachedEditor[] {
    return [...this.#attached].filter(
      (editor) => editor[ability] && editor.roots().some((root) => roots.includes(root)),
    );
  }

  /**
   * The first answer of the editors that have one of the folders open, newest editor first; otherwise the
   * reason. `not-ready` is returned only if no other editor has an answer.
   */
  async ask<T>(
    ability: Ability,
    roots: readonly string[],
    question: (editor: AttachedEditor) => Promise<EditorAnswer<T>> | undefined,
  ): Promise<EditorAnswer<T>> {
    const able = this.#able(ability, roots).toReversed();
    let last: EditorProblem = {
      problem: 'unable',
      message: `No attached editor of this workspace can tell ${abilityText[ability]}.`,
    };
    for (const editor of able) {
      const answer = await question(editor);
      if (answer && !('problem' in answer)) return answer;
      if (answer && last.problem !== 'not-ready') last = answer;
    }
    return last;
  }
}

const abilityText: { readonly [ability in Ability]: string } = {
  diagnostics: 'about problems in its files',
  definition: 'where something is defined',
  references: 'where something is used',
};
