// The tool that moves or renames a file or directory.
import type { Content } from '../../../../model/event.ts';
import { defineTool } from '../define.ts';
import { readLimit } from './readFile.ts';
import { failed, realPath, shownPath } from '../tool.ts';
import type { ToolContext } from '../tool.ts';

export const moveFile = defineTool({
  name: 'move_file',
  description:
    'Moves or renames a file or a directory. Fails where there is something at the destination already; ' +
    'directories above it are made.',
  kind: 'move',
  preparing: 'Moving file',
  parameters: {
    source: {
      type: 'string',
      description: 'What to move, absolute or relative to the first workspace folder.',
    },
    destination: { type: 'string', description: 'Where to move it, its new name included.' },
  },
  async prepare({ source, destination }, context) {
    const [from, to] = [await placeOf(source, context), await placeOf(destination, context)];
    const found = await context.files.stat(from);
    if (!found) return { refused: `${from} does not exist.` };
    if (found.type !== 'file' && found.type !== 'directory')
      return { refused: `${from} is a link or a special file; only files and directories are moved.` };
    if (await context.files.stat(to)) return { refused: `${to} already exists.` };
    const edits = found.type === 'file' ? await editsOf(from, to, context) : [];
    return {
      title: `Moving ${await shownPath(from, context)} to ${await shownPath(to, context)}`,
      paths: [from, to],
      locations: [{ path: from }, { path: to }],
      ...(edits.length > 0 ? { preview: edits } : {}),
      async run() {
        const problem = await context.files.move(from, to);
        if (problem) return failed(problem.message);
        const content: readonly Content[] = [
          { type: 'text', text: `Successfully moved ${from} to ${to}` },
          ...edits,
        ];
        // A move without text contents can only be reverted as a move.
        return edits.length > 0
          ? { status: 'done', content }
          : { status: 'done', content, raw: { moved: { from, to } } };
      },
    };
  },
});

/** Does not follow a link at the end of the path: the link itself is moved. */
async function placeOf(path: string, context: ToolContext): Promise<string> {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  const name = parts.at(-1);
  if (name === undefined || name === '..') return realPath(path, context);
  const above = await realPath(path.slice(0, path.lastIndexOf(name)) || '.', context);
  return above.endsWith('/') ? `${above}${name}` : `${above}/${name}`;
}

async function editsOf(
  from: string,
  to: string,
  { files }: ToolContext,
): Promise<readonly Extract<Content, { type: 'edit' }>[]> {
  const found = await files.readText(from, readLimit);
  return 'problem' in found
    ? []
    : [
        { type: 'edit', path: from, before: found.text, after: null },
        { type: 'edit', path: to, before: null, after: found.text },
      ];
}
