// Programs of the user that begin and end around a turn, as clients show them.
import type { Json } from '../../../model/event.ts';
import type { State } from '../../../model/state.ts';
import { placeOf, say } from './message.ts';
import type { EcaMessage } from './message.ts';

export function hookRan(state: State, value: Json): readonly EcaMessage[] {
  if (typeof value !== 'object' || value === null || !('chat' in value)) return [];
  const { chat, id, name, status, output, error, call } = value;
  if (typeof chat !== 'string' || typeof id !== 'string' || typeof name !== 'string' || !state.chats[chat])
    return [];
  const place = placeOf(state, chat);
  if (typeof status !== 'number')
    return [say(place, 'system', { type: 'hookActionStarted', id, name, actionType: 'shell' })];
  return [
    say(place, 'system', {
      type: 'hookActionFinished',
      id,
      name,
      actionType: 'shell',
      status,
      output: typeof output === 'string' && output !== '' ? output : null,
      error: typeof error === 'string' ? error : null,
      ...(typeof call === 'string' ? { toolCallId: call } : {}),
    }),
  ];
}
