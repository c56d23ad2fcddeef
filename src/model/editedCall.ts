// Calls whose arguments a user changed before allowing them: who changed them, and how such a call is called.
import type { Origin } from './event.ts';
import { originName } from './howItRan.ts';
import type { ToolItem } from './state.ts';

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
