// Which files a chat has changed, as the catalogue keeps it: where both texts are recorded and how many lines differ, not the texts. Reckoned anew only when turns were added or taken back.
import { editedFiles } from '../../model/edits.ts';
import type { Edited, EditPlace } from '../../model/edits.ts';
import { lineCounts } from '../../base/textDiff.ts';
import type { Chat, EndedTurn, State } from '../../model/state.ts';

/** A file that was not there before, or is not after, has no such text. */
export interface EditedFile {
  readonly path: string;
  readonly before?: RecordedPlace;
  readonly after?: RecordedPlace;
  readonly added: number;
  readonly removed: number;
}

export type RecordedPlace = Pick<EditPlace, 'turn' | 'tool' | 'index'>;

/** A row of a list has no room for more. */
const most = 100;

export function chatEdits(state: State, chat: Chat): readonly EditedFile[] {
  if (chat.turns.length === 0) return none;
  const old = known.get(chat.turns);
  if (old && old.reverted === state.revertedEdits) return old.files;
  const files = editedFiles(state, chat, chat.turns).slice(0, most).map(editedFile);
  known.set(chat.turns, { reverted: state.revertedEdits, files });
  return files;
}

const none: readonly EditedFile[] = [];
const known = new WeakMap<
  readonly EndedTurn[],
  { readonly reverted: State['revertedEdits']; readonly files: readonly EditedFile[] }
>();

function editedFile({ first, last }: Edited): EditedFile {
  return {
    path: first.path,
    ...(first.before === null ? {} : { before: placeOf(first.place) }),
    ...(last.after === null ? {} : { after: placeOf(last.place) }),
    ...lineCounts(first.before, last.after),
  };
}

function placeOf({ turn, tool, index }: EditPlace): RecordedPlace {
  return { turn, tool, index };
}
