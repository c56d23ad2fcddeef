// Whether a confined program has begun to run. A sandbox cannot be made if something that it covers goes away
// or is replaced meanwhile, such as the socket of a program that ends: then nothing has run, and whoever
// starts the program makes the sandbox again.

/** How often a sandbox is made before whoever wanted it is told that it cannot be. */
export const mostAttempts = 3;

export interface Beginning {
  /** False as long as nothing of the program has run. Absent where nobody knows. */
  readonly hasBegun?: (() => boolean) | undefined;
}

export function hasNotBegun({ hasBegun }: Beginning): boolean {
  return hasBegun?.() === false;
}

export interface HeldWords<A extends readonly unknown[]> {
  readonly say: (...said: A) => void;
  /** Passes on what was held back. */
  readonly release: () => void;
}

/** Holds back what is said before the program runs: the sandbox says it, and the next one may be made. */
export function heldWords<A extends readonly unknown[]>(
  start: Beginning,
  say: (...said: A) => void,
): HeldWords<A> {
  const held: A[] = [];
  const release = () => {
    for (const said of held.splice(0)) say(...said);
  };
  return {
    say: (...said) => {
      held.push(said);
      if (!hasNotBegun(start)) release();
    },
    release,
  };
}
