// The files that a chat has changed, for the catalogue: where both texts are recorded and how many lines
// differ. Cached until turns are added or reverted.
import { editedFiles } from '../../model/edits.ts';
import type { EditSpan, EditRecord } from '../../model/edits.ts';
import { memoPerObject } from '../../base/memo.ts';
import { present } from '../../base/present.ts';
import { lineCounts } from '../../base/textDiff.ts';
import type { Chat, EndedTurn, State } from '../../model/state.ts';

/** `before` is absent for a new file, `after` for a deleted one. */
export interface EditedFile {
  readonly path: string;
  readonly before?: TextLocation;
  readonly after?: TextLocation;
  readonly added: number;
  readonly removed: number;
}

/** Where the log has the text of a file. */
export interface TextLocation extends Pick<EditRecord, 'turn' | 'tool' | 'index'> {
  /** Set if a user took back some lines of the edit: where that is recorded. */
  readonly amended?: number;
}

/** The catalogue lists no more files of a chat. */
const mostFiles = 100;

export function chatEdits(state: State, chat: Chat): readonly EditedFile[] {
  if (chat.turns.length === 0) return none;
  const files = () => editedFiles(state, chat, chat.turns).slice(0, mostFiles).map(editedFile);
  return cached(chat.turns, files, [state.revertedEdits]);
}

const none: readonly EditedFile[] = [];
const cached = memoPerObject<readonly EndedTurn[], readonly EditedFile[]>();

function editedFile({ first, last }: EditSpan): EditedFile {
  return {
    path: first.path,
    ...(first.before === null ? {} : { before: placeOf(first.place) }),
    ...(last.after === null
      ? {}
      : { after: { ...placeOf(last.place), ...present({ amended: last.amended }) } }),
    ...lineCounts(first.before, last.after),
  };
}

function placeOf({ turn, tool, index }: EditRecord): TextLocation {
  return { turn, tool, index };
}
