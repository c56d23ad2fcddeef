// The tool that creates a file or replaces all of its content.
import { resolvePath } from '../../../../base/paths.ts';
import { present } from '../../../../base/present.ts';
import { defineTool } from '../define.ts';
import { readLimit } from './readFile.ts';
import { doneResult, failed, fileName, realPath, shownPath } from '../tool.ts';
import type { PreparedCall, ToolContext } from '../tool.ts';

export const writeFile = defineTool({
  name: 'write_file',
  description:
    'Creates a file, or replaces all of its content. Directories above it are made. For a small change ' +
    'use edit_file.',
  kind: 'edit',
  preparing: 'Writing file',
  parameters: {
    path: {
      type: 'string',
      description: 'The file to write, absolute or relative to the first workspace folder.',
    },
    content: { type: 'string', description: 'The complete new content.' },
  },
  async prepare({ path: given, content }, context) {
    const path = await realPath(given, context);
    const found = await context.files.readText(path, readLimit);
    if ('problem' in found && found.problem !== 'not-found') return { refused: found.message };
    const before = 'problem' in found ? null : found.text;
    const doing = before === null ? 'Creating' : 'Overwriting';
    return change(
      {
        path,
        before,
        after: content,
        title: `${doing} ${fileName(path)}`,
        question: `${doing} ${await shownPath(path, context)}`,
        said: `Successfully wrote to ${path}`,
      },
      context,
    );
  },
});

export interface Change {
  readonly path: string;
  readonly before: string | null;
  readonly after: string;
  readonly line?: number;
  readonly title: string;
  readonly question: string;
  /** The result text for the model. */
  readonly said: string;
}

/** The write happens only if the file is still the one that the preview was made from. */
export function change(
  { path, before, after, line, title, question, said }: Change,
  { files }: ToolContext,
): PreparedCall {
  const edit = { type: 'edit', path, before, after } as const;
  return {
    title,
    question,
    paths: [path],
    locations: [{ path, ...(line === undefined ? {} : { line }) }],
    preview: [edit],
    async run() {
      const folder = before === null ? await missingFolder(path, files) : undefined;
      const problem = await files.writeText(path, after, before);
      return problem ? failed(problem.message) : doneResult(said, { ...edit, ...present({ folder }) });
    },
  };
}

/** The topmost folder above a file that is not there yet. */
async function missingFolder(path: string, files: ToolContext['files']): Promise<string | undefined> {
  const folder = resolvePath(path, '..');
  if (folder === path || (await files.stat(folder))) return undefined;
  return (await missingFolder(folder, files)) ?? folder;
}
