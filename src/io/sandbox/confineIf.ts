// Confines a program if its caller asks for it, and otherwise leaves its words as they are. Without a sandbox
// a program that asks for one does not run.
import type { Confinement, NotPossible } from '../../host/ports.ts';
import { unfit, wrapped } from './innerVariables.ts';
import type { Variables } from './innerVariables.ts';
import type { Confined, Sandbox } from './sandbox.ts';

interface Wish {
  readonly cwd: string;
  readonly confined?: Confinement | undefined;
  readonly terminal?: boolean;
  /** The whole environment of the program. */
  readonly env: Variables;
}

export interface ConfinedStart extends Pick<Confined, 'words' | 'waits' | 'hasBegun' | 'release'> {
  /** The environment that the first of the words gets. */
  readonly env: Variables;
}

export function confineIf(
  words: readonly string[],
  { cwd, confined, terminal = false, env }: Wish,
  sandbox: Pick<Sandbox, 'confine'> | undefined,
): ConfinedStart | NotPossible {
  if (!confined) return { words, env, release: () => {} };
  const why = unfit(words, env);
  if (why !== undefined) return { refused: why };
  const inside = sandbox?.confine(words, cwd, { ...confined, terminal }) ?? noSandbox;
  return 'refused' in inside ? inside : { ...inside, env: wrapped(inside.variables(env)) };
}

const noSandbox: NotPossible = { refused: 'This must run in a sandbox, and there is none here.' };
