// A command that a tool call runs, as a terminal one can look at: read off the log, so it is the same live,
// later and after a restart.
import type { Step } from '../../../host/session/session.ts';
import { findTool, findTurn } from '../../../model/state.ts';
import type { State, ToolItem } from '../../../model/state.ts';
import { present } from '../../../base/present.ts';
import { chatUri } from '../channels/channels.ts';
import { chatOf } from './chat.ts';
import { exitCodeOf } from '../../../model/howItRan.ts';
import { hasTerminal } from './content.ts';
import { fileUri } from '../../../base/fileUri.ts';
import type { ToolTerminal } from '../channels/target.ts';
import type { NameOf, TerminalAction } from './terminalView.ts';

/** The call behind such a terminal, if it exists and has one. */
export function toolAt(state: State, { chat, turn, tool }: ToolTerminal): ToolItem | undefined {
  const found = chatOf(state, chat);
  const item = found && findTool(findTurn(found, turn), tool);
  return item && hasTerminal(item) ? item : undefined;
}

/** What every version shows of such a terminal. */
export function toolTerminalView(state: State, target: ToolTerminal, nameOf: NameOf) {
  const item = toolAt(state, target);
  if (!item) return undefined;
  const { chat, turn, tool } = target;
  const view = present({
    title: item.title,
    cwd: cwdOf(item),
    content: item.output === '' ? [] : [{ type: 'unclassified' as const, value: item.output }],
    claim: {
      kind: 'session' as const,
      session: nameOf(state.id),
      chat: chatUri(chat),
      turnId: turn,
      toolCallId: tool,
    },
  });
  const { result } = item;
  return { view, exit: result && present({ exitCode: exitCodeOf(result) }) };
}

interface TerminalChange {
  readonly target: ToolTerminal;
  readonly action: TerminalAction;
}

/** What an entry about a call changes on its terminal. */
export function terminalChanges(step: Step, call: Omit<ToolTerminal, 'kind'>): readonly TerminalChange[] {
  const target: ToolTerminal = { kind: 'terminal', ...call };
  return actionsOn(step, target).map((action) => ({ target, action }));
}

function actionsOn({ before, after }: Step, target: ToolTerminal): readonly TerminalAction[] {
  const [old, now] = [toolAt(before, target), toolAt(after, target)];
  if (!old || !now) return [];
  const data = now.output.slice(old.output.length);
  return [
    ...(data === '' ? [] : [{ type: 'terminal/data', data } as const]),
    ...(cwdOf(now) === undefined || cwdOf(old) === cwdOf(now)
      ? []
      : [{ type: 'terminal/cwdChanged', cwd: cwdOf(now) ?? '' } as const]),
    ...(old.title === now.title ? [] : [{ type: 'terminal/titleChanged', title: now.title } as const]),
    ...(!old.result && now.result
      ? [present({ type: 'terminal/exited' as const, exitCode: exitCodeOf(now.result) })]
      : []),
  ];
}

/**
 * The first location of a command is its working directory; once sent, it can change but not disappear.
 */
function cwdOf({ locations: [place] }: ToolItem): string | undefined {
  return place && fileUri(place.path);
}
