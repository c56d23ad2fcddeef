// Confines a program if its caller asks for it, and otherwise leaves its words as they are. Without a sandbox
// a program that asks for one does not run.
import type { Confinement, NotPossible } from '../../host/ports.ts';
import type { Confined, Sandbox } from './sandbox.ts';

interface Wish {
  readonly cwd: string;
  readonly confined?: Confinement | undefined;
  readonly terminal?: boolean;
}

export function confineIf(
  words: readonly string[],
  { cwd, confined, terminal = false }: Wish,
  sandbox: Pick<Sandbox, 'confine'> | undefined,
): Confined | NotPossible {
  if (!confined) return { words, release: () => {} };
  return sandbox?.confine(words, cwd, { ...confined, terminal }) ?? noSandbox;
}

const noSandbox: NotPossible = { refused: 'This must run in a sandbox, and there is none here.' };
