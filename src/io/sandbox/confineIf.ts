// Confines a program if its caller asks for it, and otherwise leaves its words as they are. Without a sandbox
// a program that asks for one does not run.
import type { Confinement, NotPossible } from '../../host/ports.ts';
import { innerVariables } from './innerVariables.ts';
import type { Variables } from './innerVariables.ts';
import type { Confined, Sandbox } from './sandbox.ts';

interface Wish {
  readonly cwd: string;
  readonly confined?: Confinement | undefined;
  readonly terminal?: boolean;
  /** Variables that the caller adds to those of the host. */
  readonly env?: Variables | undefined;
}

export interface ConfinedStart extends Confined {
  /** The added variables that the first program of the words gets. */
  readonly env: Variables;
}

export function confineIf(
  words: readonly string[],
  { cwd, confined, terminal = false, env = {} }: Wish,
  sandbox: Pick<Sandbox, 'confine'> | undefined,
): ConfinedStart | NotPossible {
  if (!confined) return { words, env, release: () => {} };
  const { inner, outer } = innerVariables(env, words);
  const inside = sandbox?.confine(inner, cwd, { ...confined, terminal }) ?? noSandbox;
  return 'refused' in inside ? inside : { ...inside, env: outer };
}

const noSandbox: NotPossible = { refused: 'This must run in a sandbox, and there is none here.' };
