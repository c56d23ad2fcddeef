// A terminal as version 1 shows it: without a lifecycle, only with the exit code.
import type { TerminalState } from '../../../../protocols/ahp/integer1/state.ts';
import type { TerminalState as NewestState } from '../../../../protocols/ahp/v1_0/state.ts';

export function thinTerminal({ isPty: _, lifecycle, ...rest }: NewestState): TerminalState {
  const { status: __, ...exit } = lifecycle;
  return { ...rest, ...exit };
}
