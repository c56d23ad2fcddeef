// Files of the gallery's session, before and after an edit.
import type { FileEdit } from '../../../src/protocols/ahp/v1_0/content.ts';

export const folder = 'file:///home/ada/code/shop';

export function textUri(text: string): string {
  return `data:text/plain,${encodeURIComponent(text)}`;
}

export function fileEdit(path: string, before?: string, after?: string): FileEdit {
  const side = (text: string) => ({
    uri: `${folder}/${path}`,
    content: { uri: textUri(text), contentType: 'text/plain' },
  });
  const lines = (text = '') => text.split('\n').length - 1;
  const isEdit = before !== undefined && after !== undefined;
  return {
    ...(before === undefined ? {} : { before: side(before) }),
    ...(after === undefined ? {} : { after: side(after) }),
    diff: isEdit ? { added: 2, removed: 1 } : { added: lines(after), removed: lines(before) },
  };
}
