// Terminals as integer version 1 shows them: without a lifecycle, only with the exit code.
import type { TerminalState as HostTerminal } from '../../../../host/terminals/terminal.ts';
import type { State } from '../../../../model/state.ts';
import type { TerminalState } from '../../../../protocols/ahp/integer1/state.ts';
import type { ToolTerminal } from '../../channels/target.ts';
import { terminalView } from '../../outbound/terminalView.ts';
import type { NameOf } from '../../outbound/terminalView.ts';
import { toolTerminalView } from '../../outbound/toolTerminal.ts';

export function terminalState(terminal: HostTerminal, nameOf: NameOf): TerminalState {
  const { view, exit } = terminalView(terminal, nameOf);
  return { ...view, ...exit };
}

export function toolTerminalState(
  state: State,
  target: ToolTerminal,
  nameOf: NameOf,
): TerminalState | undefined {
  const shown = toolTerminalView(state, target, nameOf);
  return shown && { ...shown.view, ...shown.exit };
}
