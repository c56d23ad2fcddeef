// Terminals as AHP 1.0 shows them.
import type { TerminalState as HostTerminal } from '../../../../host/terminals/terminal.ts';
import type { State } from '../../../../model/state.ts';
import type { TerminalState } from '../../../../protocols/ahp/v1_0/state.ts';
import type { ToolTerminal } from '../../channels/target.ts';
import { terminalView } from '../../outbound/terminalView.ts';
import type { NameOf } from '../../outbound/terminalView.ts';
import { toolTerminalView } from '../../outbound/toolTerminal.ts';

export function terminalState(terminal: HostTerminal, nameOf: NameOf): TerminalState {
  const { view, exit } = terminalView(terminal, nameOf);
  return { ...view, isPty: true, lifecycle: lifecycleOf(exit) };
}

export function toolTerminalState(
  state: State,
  target: ToolTerminal,
  nameOf: NameOf,
): TerminalState | undefined {
  const shown = toolTerminalView(state, target, nameOf);
  return shown && { ...shown.view, isPty: false, lifecycle: lifecycleOf(shown.exit) };
}

function lifecycleOf(exit: { readonly exitCode?: number } | undefined): TerminalState['lifecycle'] {
  return exit ? { status: 'exited', ...exit } : { status: 'running' };
}
