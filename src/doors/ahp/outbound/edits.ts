// Translates the file changes of turns to AHP: where both texts can be read, and how many lines differ.
import type { TextLocation } from '../../../host/session/chatEdits.ts';
import type { ChatSummary } from '../../../host/session/summary.ts';
import { editedFiles } from '../../../model/edits.ts';
import type { EditSpan, EditRecord, OneEdit } from '../../../model/edits.ts';
import type { SessionId } from '../../../model/event.ts';
import { lineCounts } from '../../../base/textDiff.ts';
import type { Chat, State } from '../../../model/state.ts';
import type { ContentRef, FileEdit, FileEditSide } from '../../../protocols/ahp/v1_0/content.ts';
import { present } from '../../../base/present.ts';
import { fileUri } from '../../../base/fileUri.ts';
import { contentUri } from './content.ts';

export function recordedEdits(state: State, chat: Chat): readonly FileEdit[] {
  return editedFiles(state, chat, chat.turns).map(toFileEdit);
}

/** The same as a row of the catalogue has it. */
export function listedEdits(
  session: SessionId,
  { id: chat, edits }: Pick<ChatSummary, 'id' | 'edits'>,
): readonly FileEdit[] {
  return edits.map(({ path, before, after, added, removed }) => {
    const side = (name: 'before' | 'after', place: TextLocation) =>
      sideOf(path, { ...place, session, chat }, name);
    return present({
      before: before && side('before', before),
      after:
        after &&
        afterSide({ path, place: { ...after, session, chat }, ...present({ amended: after.amended }) }),
      diff: { added, removed },
    });
  });
}

export function toFileEdit({ first, last }: Pick<EditSpan, 'first' | 'last'>): FileEdit {
  return present({
    before: first.before === null ? undefined : sideOf(first.path, first.place, 'before'),
    after: last.after === null ? undefined : afterSide(last),
    diff: lineCounts(first.before, last.after),
  });
}

function afterSide({ path, amended, place }: Pick<OneEdit, 'path' | 'amended' | 'place'>): FileEditSide {
  const { content, uri } = sideOf(path, place, 'after');
  if (amended === undefined) return { content, uri };
  const amendedPlace = { ...place, from: 'amended', index: amended, side: 'after' } as const;
  return { uri, content: { ...content, uri: contentUri(amendedPlace, path) } };
}

/** The text that the edit left before a user took back some of its lines. */
export function originalContent({ path, place }: OneEdit): ContentRef {
  return sideOf(path, place, 'after').content;
}

function sideOf(path: string, place: EditRecord, side: 'before' | 'after'): FileEditSide {
  return {
    uri: fileUri(path),
    content: { uri: contentUri({ ...place, from: 'result', side }, path), contentType: 'text/plain' },
  };
}
