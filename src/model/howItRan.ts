// How a call ran and who decided about it, as clients are told.
import { deviceBeside } from '../base/deviceName.ts';
import { isRecord } from '../base/isRecord.ts';
import { visibleText } from '../base/visibleText.ts';
import type { Origin, SandboxUse } from './event.ts';
import type { State, ToolItem } from './state.ts';

/** The name of the actor, for people. Clients and devices choose theirs. */
export function originName(by: Origin): string {
  if (by.kind === 'client') {
    const device = deviceBeside(by);
    const name = by.name ?? `${by.door} client ${by.client}`;
    return visibleText(device === undefined ? name : `${name} (${device})`);
  }
  return by.kind === 'agent' ? by.agent : 'the host';
}

/** Who chose the permission mode of a session. The host chooses none itself: it follows the settings. */
export function modeChooser({ by }: NonNullable<State['autonomy']>): string {
  return by.kind === 'host' ? 'the settings' : originName(by);
}

/** In the sandbox with which network, or outside: why, and by whose word. */
export type HowItRan = SandboxUse & { readonly allowedBy?: string };

/** Undefined for a call that runs no program. */
export function howItRan({ sandbox, approval }: ToolItem): HowItRan | undefined {
  if (!sandbox || sandbox.confined || !approval) return sandbox;
  return { ...sandbox, allowedBy: originName(approval.by) };
}

/** Who changed the arguments; undefined if nobody did. */
export function editedBy({ approval }: Pick<ToolItem, 'approval'>): Origin | undefined {
  const { answer, by } = approval ?? {};
  return answer?.kind === 'option' && answer.input !== undefined ? by : undefined;
}

/** The title for clients that show nothing else about a call. */
export function attributedTitle(tool: ToolItem, title = tool.title): string {
  const by = editedBy(tool);
  return by ? `${editedTitle(tool, title)} (edited by ${originName(by)})` : title;
}

/** Logs of earlier versions do not say what an edited call is called; its command does. */
function editedTitle({ status, original, input }: ToolItem, title: string): string {
  if (original || status === 'ready' || typeof input !== 'object' || input === null) return title;
  const command = 'command' in input ? input['command'] : undefined;
  return typeof command === 'string' ? `$ ${command}` : title;
}

/** The exit code of a command if its tool reported it: as data, or as the first text like our own tools. */
export function exitCodeOf(result: NonNullable<ToolItem['result']>): number | undefined {
  const raw = 'raw' in result ? result.raw : undefined;
  const code = isRecord(raw) ? raw['exitCode'] : undefined;
  if (typeof code === 'number') return code;
  const first = 'content' in result ? result.content[0] : undefined;
  const said = first?.type === 'text' ? /^Exit code: (\d{1,3})$/.exec(first.text)?.[1] : undefined;
  return said === undefined ? undefined : Number(said);
}
