// A command that a tool call runs, as a terminal one can look at: read off the log, so it is the same live, later and after a restart.
import type { Step } from '../../../host/session/session.ts';
import { findTool, findTurn } from '../../../model/state.ts';
import type { State, ToolItem } from '../../../model/state.ts';
import { present } from '../../../base/present.ts';
import type { TerminalState as Newest } from '../../../protocols/ahp/v1_0/state.ts';
import type { TerminalState as V1 } from '../../../protocols/ahp/integer1/state.ts';
import { chatUri } from '../channels/channels.ts';
import { chatOf } from './chat.ts';
import { exitCodeOf, hasTerminal } from './content.ts';
import type { ToolPlace } from './content.ts';
import { fileUri } from '../../../base/fileUri.ts';
import { parseJson } from './wireJson.ts';
import type { Place } from '../delivery/outgoing.ts';
import type { NameOf, TerminalAction } from './terminalView.ts';

type Within = Omit<ToolPlace, 'session'>;

const mark = ' tool ';

/** The channel of such a terminal within the log of its session. */
export function toolPlace({ chat, turn, tool }: Within): Place {
  return `${mark}${JSON.stringify([chat, turn, tool])}`;
}

export function isToolPlace(place: Place): boolean {
  return place.startsWith(mark);
}

export function toolAt(state: State, place: Place): (Within & { readonly item: ToolItem }) | undefined {
  const read = parseJson(place.slice(mark.length));
  const [chat = '', turn = '', tool = ''] = Array.isArray(read) ? read.map(String) : [];
  const found = chatOf(state, chat);
  const item = found && findTool(findTurn(found, turn), tool);
  return item && hasTerminal(item) ? { chat, turn, tool, item } : undefined;
}

export function newestToolTerminal(state: State, place: Place, nameOf: NameOf): Newest | undefined {
  const at = toolAt(state, place);
  if (!at) return undefined;
  const { result } = at.item;
  return {
    ...shared(state, at, nameOf),
    isPty: false,
    lifecycle: result
      ? present({ status: 'exited' as const, exitCode: exitCodeOf(result) })
      : { status: 'running' },
  };
}

export function v1ToolTerminal(state: State, place: Place, nameOf: NameOf): V1 | undefined {
  const at = toolAt(state, place);
  return (
    at && present({ ...shared(state, at, nameOf), exitCode: at.item.result && exitCodeOf(at.item.result) })
  );
}

/** What an entry about a call is to its terminal. */
export function toolTerminalNews({ before, after }: Step, within: Within): readonly TerminalAction[] {
  const place = toolPlace(within);
  const [old, now] = [toolAt(before, place)?.item, toolAt(after, place)?.item];
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

function shared(
  state: State,
  { chat, turn, tool, item }: Within & { readonly item: ToolItem },
  nameOf: NameOf,
) {
  return present({
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
}

/** A command says where it runs as the place it is about; once told, that place can change but not go. */
function cwdOf({ locations: [place] }: ToolItem): string | undefined {
  return place && fileUri(place.path);
}
