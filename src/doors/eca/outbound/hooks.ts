// Messages about the user's hooks around a turn.
import type { Step } from '../../../host/session/session.ts';
import type { EventOf } from '../../../model/event.ts';
import { chatPosition, say } from './message.ts';
import type { EcaMessage } from './message.ts';

export function hookRan(
  { after }: Step,
  { chat, id, name, result, call }: EventOf<'hook.ran'>,
): readonly EcaMessage[] {
  if (!after.chats[chat]) return [];
  const position = chatPosition(after, chat);
  if (!result) return [say(position, 'system', { type: 'hookActionStarted', id, name, actionType: 'shell' })];
  const { status, output, error } = result;
  return [
    say(position, 'system', {
      type: 'hookActionFinished',
      id,
      name,
      actionType: 'shell',
      status,
      output: output === '' ? null : output,
      error,
      ...(call === undefined ? {} : { toolCallId: call }),
    }),
  ];
}
