// A terminal on the wire: its state, its entry in the root, and its actions. Knows no connection.
import type { LiveTerminal } from '../../../host/terminals/liveTerminal.ts';
import type { PtyEnd } from '../../../host/terminals/pty.ts';
import type { Owner, TerminalEvent, TerminalState } from '../../../host/terminals/terminal.ts';
import type { TerminalPart } from '../../../host/terminals/terminalContent.ts';
import { present } from '../../../base/present.ts';
import type { ActionsOf } from '../../../protocols/ahp/actionTypes.ts';
import type { TerminalActions } from '../../../protocols/ahp/v1_0/channelActions.ts';
import type { TerminalClaim, TerminalInfo } from '../../../protocols/ahp/v1_0/state.ts';
import type { TerminalContentPart } from '../../../protocols/ahp/terminalContent.ts';
import { chatUri } from '../channels/channels.ts';
import { fileUri } from '../../../base/fileUri.ts';
import { terminalUri } from '../channels/terminalUri.ts';

/** How a client spells a session. */
export type NameOf = (session: string) => string;

export type TerminalAction = ActionsOf<TerminalActions>;

export function terminalInfo({ id, title, owner, lifecycle }: LiveTerminal, nameOf: NameOf): TerminalInfo {
  return present({
    resource: terminalUri(id),
    title,
    claim: claimOf(owner, nameOf),
    exitCode: lifecycle.status === 'exited' ? codeOf(lifecycle.end) : undefined,
  });
}

/** What every version shows of a terminal's state. */
export function terminalView(state: TerminalState, nameOf: NameOf) {
  const { title, cwd, cols, rows, content, owner, detected, lifecycle } = state;
  const view = present({
    title,
    cwd: fileUri(cwd),
    cols,
    rows,
    content: content.map(contentPart),
    claim: claimOf(owner, nameOf),
    supportsCommandDetection: detected ? true : undefined,
  });
  return {
    view,
    exit: lifecycle.status === 'exited' ? present({ exitCode: codeOf(lifecycle.end) }) : undefined,
  };
}

function claimOf(owner: Owner, nameOf: NameOf): TerminalClaim {
  if (owner.kind === 'client') return { kind: 'client', clientId: owner.client };
  return present({
    kind: 'session' as const,
    session: nameOf(owner.session),
    chat: chatUri(owner.chat),
    turnId: owner.turn,
    toolCallId: owner.tool,
  });
}

/** The actions of a terminal event; a client that fell behind gets the whole state. */
export function terminalActions(event: TerminalEvent, nameOf: NameOf): readonly TerminalAction[] {
  switch (event.type) {
    case 'data':
      return [{ type: 'terminal/data', data: event.text }];
    case 'title':
      return [{ type: 'terminal/titleChanged', title: event.title }];
    case 'cwd':
      return [{ type: 'terminal/cwdChanged', cwd: fileUri(event.cwd) }];
    case 'detected':
      return [{ type: 'terminal/commandDetectionAvailable' }];
    case 'commandStarted':
      return [
        {
          type: 'terminal/commandExecuted',
          commandId: event.id,
          commandLine: event.commandLine,
          timestamp: event.startedAt,
        },
      ];
    case 'commandFinished':
      return [
        present({
          type: 'terminal/commandFinished' as const,
          commandId: event.id,
          exitCode: event.exitCode,
          durationMs: event.durationMs,
        }),
      ];
    case 'resized':
      return [{ type: 'terminal/resized', cols: event.cols, rows: event.rows }];
    case 'cleared':
      return [{ type: 'terminal/cleared' }];
    case 'claimed':
      return [{ type: 'terminal/claimed', claim: claimOf(event.owner, nameOf) }];
    case 'exited':
      return [present({ type: 'terminal/exited' as const, exitCode: codeOf(event.end) })];
    case 'restarted':
      return restarted(event.state, nameOf);
    default:
      return event satisfies never;
  }
}

function restarted(
  { content, title, cwd, cols, rows, owner, lifecycle }: TerminalState,
  nameOf: NameOf,
): readonly TerminalAction[] {
  const events: readonly TerminalEvent[] = [
    { type: 'cleared' },
    { type: 'title', title },
    { type: 'cwd', cwd },
    { type: 'resized', cols, rows },
    { type: 'claimed', owner },
    ...content.flatMap(eventsOf),
    ...(lifecycle.status === 'exited' ? [{ type: 'exited', end: lifecycle.end } as const] : []),
  ];
  return events.flatMap((event) => terminalActions(event, nameOf));
}

function eventsOf(part: TerminalPart): readonly TerminalEvent[] {
  if (part.type === 'plain') return [{ type: 'data', text: part.text }];
  const { id, commandLine, startedAt, output, finished } = part;
  return [
    { type: 'commandStarted', id, commandLine, startedAt },
    ...(output === '' ? [] : [{ type: 'data', text: output } as const]),
    ...(finished ? [{ type: 'commandFinished', id, ...finished } as const] : []),
  ];
}

function contentPart(part: TerminalPart): TerminalContentPart {
  if (part.type === 'plain') return { type: 'unclassified', value: part.text };
  const { id, commandLine, output, startedAt, finished } = part;
  return present({
    type: 'command' as const,
    commandId: id,
    commandLine,
    output,
    timestamp: startedAt,
    isComplete: finished !== undefined,
    exitCode: finished?.exitCode,
    durationMs: finished?.durationMs,
  });
}

function codeOf(end: PtyEnd): number | undefined {
  return 'exitCode' in end ? end.exitCode : undefined;
}
