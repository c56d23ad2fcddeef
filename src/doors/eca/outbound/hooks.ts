// Programs of the user that begin and end around a turn, as clients show them.
import type { Step } from '../../../host/session/session.ts';
import type { EventOf } from '../../../model/event.ts';
import { chatPosition, say } from './message.ts';
import type { EcaMessage } from './message.ts';

export function hookRan(
  { after }: Step,
  { chat, id, name, result, call }: EventOf<'hook.ran'>,
): readonly EcaMessage[] {
  if (!after.chats[chat]) return [];
  const place = chatPosition(after, chat);
  if (!result) return [say(place, 'system', { type: 'hookActionStarted', id, name, actionType: 'shell' })];
  const { status, output, error } = result;
  return [
    say(place, 'system', {
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
