// The editors that are attached to the host, and what agents may ask them about code: problems, definitions, references. In memory only.

export interface CodePlace {
  readonly path: string;
  /** Both counted from one; characters as UTF-16 counts them. */
  readonly line: number;
  readonly character: number;
}

export interface Diagnostic extends CodePlace {
  readonly severity: 'error' | 'warning' | 'information' | 'hint';
  readonly message: string;
  readonly source?: string;
  readonly code?: string;
}

/** `not-ready` may become an answer soon, `unable` does not. The words are for the agent. */
export interface EditorProblem {
  readonly problem: 'not-ready' | 'unable';
  readonly message: string;
}

export type EditorAnswer<T> = readonly T[] | EditorProblem;

/** The presence of a method is the capability. None of them throws. */
export interface Editor {
  /** The folders it shows now. */
  roots(): readonly string[];
  diagnostics?(path: string | undefined, signal: AbortSignal): Promise<EditorAnswer<Diagnostic>>;
  definition?(place: CodePlace, signal: AbortSignal): Promise<EditorAnswer<CodePlace>>;
  references?(
    place: CodePlace & { readonly declaration: boolean },
    signal: AbortSignal,
  ): Promise<EditorAnswer<CodePlace>>;
}

/** What agents may ask of an editor. */
export type Ability = 'diagnostics' | 'definition' | 'references';

export class Editors {
  readonly #attached = new Set<Editor>();

  /** Attached until the returned function is called. */
  attach(editor: Editor): () => void {
    this.#attached.add(editor);
    return () => void this.#attached.delete(editor);
  }

  /** Whether an editor that shows one of the folders knows how. */
  can(ability: Ability, roots: readonly string[]): boolean {
    return this.#able(ability, roots).length > 0;
  }

  #able(ability: Ability, roots: readonly string[]): readonly Editor[] {
    return [...this.#attached].filter(
      (editor) => editor[ability] && editor.roots().some((root) => roots.includes(root)),
    );
  }

  /**
   * The first answer among the editors that show one of the folders and know how, the newest one first; else why there is none.
   * An editor that is not ready counts only where no other one has an answer.
   */
  async ask<T>(
    ability: Ability,
    roots: readonly string[],
    question: (editor: Editor) => Promise<EditorAnswer<T>> | undefined,
  ): Promise<EditorAnswer<T>> {
    const able = this.#able(ability, roots).toReversed();
    let last: EditorProblem = {
      problem: 'unable',
      message: `No editor that shows this workspace can tell ${words[ability]}.`,
    };
    for (const editor of able) {
      const answer = await question(editor);
      if (answer && !('problem' in answer)) return answer;
      if (answer && last.problem !== 'not-ready') last = answer;
    }
    return last;
  }
}

const words: { readonly [ability in Ability]: string } = {
  diagnostics: 'about problems in its files',
  definition: 'where something is defined',
  references: 'where something is used',
};
