// The lines around the input box: what is going on above it, and what holds for the session below it.
import { basename } from 'node:path';
import { activityBeside } from '../../../../client/activityBeside.ts';
import type { ChatState, SessionState } from '../../../protocols/ahp/v1_0/state.ts';
import { terminalName } from '../../client/hostClient.ts';
import type { Paint } from '../../output.ts';
import { safe, short } from '../../say.ts';
import { narrowColumns } from '../../terminal/box.ts';
import { spread, textWidth } from '../../terminal/styledText.ts';
import { chatFigures } from './figures.ts';

interface Look {
  readonly paint: Paint;
  readonly width: number;
}

/** Mode, model, effort, context, cost, jobs, queue. */
export function statusLine(
  chat: ChatState,
  session: SessionState,
  look: Look & { readonly model: string | undefined; readonly jobs: number },
): string {
  const { paint, width } = look;
  const values = session.config?.values ?? {};
  const permissions = permissionsOf(session);
  const [profile, effort] = [values['mode'], values['variant']];
  const facts = [
    `${permissions === 'full' ? paint.red('full') : permissions}${paint.dim(chooserText(session))}`,
    ...(typeof profile === 'string' ? [safe(profile)] : []),
    safe(look.model ?? session.provider),
    ...(typeof effort === 'string' ? [safe(effort)] : []),
    ...chatFigures(chat),
    ...jobsText(look.jobs),
  ];
  const hints = width < narrowColumns ? '' : paint.dim('/ commands   @ files   ? keys');
  return spread(` ${facts.join(paint.dim(' · '))}`, hints, width);
}

export function permissionsOf({ config }: Pick<SessionState, 'config'>): string {
  const permissions = config?.values['permissions'];
  return typeof permissions === 'string' ? permissions : 'ask';
}

/** Who chose the mode, for people; undefined if nobody did. */
export function permissionsChooser({ _meta }: Pick<SessionState, '_meta'>): string | undefined {
  const by = _meta?.['permissionsChosenBy'];
  return typeof by === 'string' ? short(by.slice(0, 200), 60) : undefined;
}

/** Who sits here knows what they chose here. */
function chooserText(session: SessionState): string {
  const by = permissionsChooser(session);
  return by === undefined || by === terminalName ? '' : `, chosen by ${by}`;
}

function jobsText(count: number): readonly string[] {
  return count === 0 ? [] : [`${count} ${count === 1 ? 'job' : 'jobs'}`];
}

/** Whether the agent works, waits or is idle, and what is queued; undefined if there is nothing to say. */
export function activityLine(
  chat: ChatState,
  { paint, width, now, needsUser }: Look & { readonly now: number; readonly needsUser: boolean },
): string | undefined {
  const { activeTurn, queuedMessages = [], steeringMessage } = chat;
  const waits = activityBeside(chat);
  const queued =
    queuedMessages.length === 0 ? [] : [queueText(queuedMessages.map(({ message }) => message.text))];
  const steering = steeringMessage
    ? [`steering: "${short(steeringMessage.message.text.slice(0, 200), 30)}"`]
    : [];
  const hint = queued.length > 0 ? paint.dim('alt-↑ edits the queue') : '';
  if (!activeTurn) {
    const facts = [
      ...(waits === undefined ? [] : [safe(waits)]),
      ...queued.flatMap((text) => ['Queued', text]),
    ];
    return facts.length === 0 ? undefined : spread(paint.yellow(` ${facts.join(' · ')}`), hint, width);
  }
  const seconds = Math.max(0, Math.floor((now - Date.parse(activeTurn.startedAt)) / 1_000));
  const word = needsUser ? paint.yellow('Needs you') : paint.cyan(safe(waits ?? 'Working'));
  const facts = [word, `${seconds} s`, 'esc stops', ...steering, ...queued].join(' · ');
  return spread(` ${facts}`, hint, width);
}

function queueText(texts: readonly string[]): string {
  return `${texts.length} queued: "${short((texts[0] ?? '').slice(0, 200), 40)}"`;
}

export interface SessionHead {
  readonly id: string;
  /** The folder of the session; undefined if it has none on this machine. */
  readonly folder: string | undefined;
  readonly branch: string | undefined;
  /** This client, which is not named as another one. */
  readonly client: string;
}

/** The first line of a chat: where it is, and who else has it open. */
export function headLine(
  session: SessionState,
  { id, folder, branch, client }: SessionHead,
  { paint, width }: Look,
): string {
  const others = [
    ...new Set(
      session.activeClients
        .filter(({ clientId }) => clientId !== client)
        .map(({ displayName, clientId }) => safe(displayName ?? clientId)),
    ),
  ];
  const also = others.length === 0 ? '' : ` · also open in ${others.join(', ')}`;
  const right = `session ${id.slice(0, 8)}${also}`;
  const name = folder === undefined ? '' : safe(basename(folder));
  const left = ` ${paint.bold('Parley')}  ${name}`;
  const checkedOut = branch === undefined ? '' : ` · ${safe(branch)}`;
  // The ID is needed to come back; the branch is only nice to know.
  const hasRoom = textWidth(left + checkedOut + right) + 2 <= width;
  return spread(hasRoom ? left + checkedOut : left, paint.dim(right), width);
}
