// Questions to the database that are asked at the same time share one statement, so that many of them wait no
// longer than one.

interface Question<Asked, Answer> {
  readonly asked: Asked;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

export class SharedStatements<Asked, Answer> {
  readonly #most: number;
  readonly #ask: (all: readonly Asked[]) => Promise<readonly Answer[]>;
  readonly #waiting: Question<Asked, Answer>[] = [];
  #isAsking = false;

  /** At most `most` questions share a statement; `ask` answers them in their order. */
  constructor(most: number, ask: (all: readonly Asked[]) => Promise<readonly Answer[]>) {
    this.#most = most;
    this.#ask = ask;
  }

  /** A question that comes while a statement is under way waits for the next one. */
  ask(asked: Asked): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ asked, resolve, reject });
      if (!this.#isAsking) void this.#askAll();
    });
  }

  async #askAll(): Promise<void> {
    this.#isAsking = true;
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#most);
      try {
        const answers = await this.#ask(batch.map(({ asked }) => asked));
        for (const [at, answer] of answers.entries()) batch[at]?.resolve(answer);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isAsking = false;
  }
}
