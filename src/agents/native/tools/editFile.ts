// The tool that replaces an exact piece of a file.
import { defineTool } from './define.ts';
import { readLimit } from './readFile.ts';
import { nameOf, realPath } from './tool.ts';
import { change } from './writeFile.ts';

export const editFile = defineTool({
  name: 'edit_file',
  description: 'Replaces an exact piece of a text file. The piece must occur once, unless all_occurrences is true.',
  kind: 'edit',
  preparing: 'Editing file',
  parameters: {
    path: { type: 'string', description: 'The file to change, absolute or relative to the first workspace folder.' },
    original_content: { type: 'string', description: 'The exact text to find, blanks and line ends included.' },
    new_content: { type: 'string', description: 'The text to put in its place.' },
    all_occurrences: { type: 'boolean', description: 'Whether to replace every occurrence. Default: false.', optional: true },
  },
  async prepare(input, context) {
    const path = await realPath(input.path, context);
    const found = await context.files.readText(path, readLimit);
    if ('problem' in found) return { refused: found.message };
    const [original, replacement] = inLineEndsOf(found.text, [input.original_content, input.new_content]);
    if (original === '') return { refused: 'original_content is empty; name the text to replace.' };
    const pieces = found.text.split(original);
    if (pieces.length < 2) return { refused: `original_content does not occur in ${path}; read the file and give the exact text.` };
    if (pieces.length > 2 && !input.all_occurrences) {
      return { refused: `original_content occurs ${pieces.length - 1} times in ${path}; give more of the text around it or set all_occurrences.` };
    }
    const line = (pieces[0] ?? '').split('\n').length;
    const said = `Successfully replaced content in ${path}.`;
    return change({ path, before: found.text, after: pieces.join(replacement), line, title: `Editing ${nameOf(path)}`, said }, context);
  },
});

/** Models write line feeds; a file with carriage returns keeps them. */
function inLineEndsOf(text: string, [original, replacement]: readonly [string, string]): readonly [string, string] {
  if (text.includes(original) || !text.includes('\r\n')) return [original, replacement];
  return [withReturns(original), withReturns(replacement)];
}

function withReturns(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}
