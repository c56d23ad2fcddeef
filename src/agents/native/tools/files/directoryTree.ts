// The tool that lists a directory tree.
import { clipped } from '../clip.ts';
import { defineTool } from '../define.ts';
import { doneResult, failed, realPath, shownPath } from '../tool.ts';

const usualDepth = 10;

/** The largest number of entries in a result. */
const entryLimit = 2_000;

export const directoryTree = defineTool({
  name: 'directory_tree',
  description:
    'Lists the files and directories below a directory as a tree. Leaves out what tools keep for ' +
    'themselves, such as .git.',
  kind: 'read',
  preparing: 'Listing files',
  parameters: {
    path: {
      type: 'string',
      description: 'The directory to list, absolute or relative to the first workspace folder.',
    },
    max_depth: {
      type: 'integer',
      description: `How many levels to go down. Default: ${usualDepth}.`,
      optional: true,
    },
  },
  async prepare(input, context) {
    const path = await realPath(input.path, context);
    const depth = input.max_depth && input.max_depth > 0 ? input.max_depth : usualDepth;
    return {
      title: `List files in ${await shownPath(path, context)}`,
      paths: [path],
      locations: [{ path }],
      async run(_output, { hides = () => undefined } = {}) {
        const found = await context.files.list(path);
        if ('problem' in found) return failed(found.message);
        const lines = [path];
        let [directories, left] = [0, 0];
        for await (const entry of context.files.walk(path, { depth, signal: context.signal })) {
          if (lines.length > entryLimit)
            return doneResult(
              clipped(
                `${lines.join('\n')}\n\n[OUTPUT TRUNCATED] There is more; list a directory below ` +
                  'or use max_depth.',
              ),
            );
          // Names tell no secrets, so only what is denied is left out.
          if (hides(entry.path)?.effect === 'deny') {
            left += 1;
            continue;
          }
          lines.push(' '.repeat(entry.depth) + entry.name);
          if (entry.type === 'directory') directories += 1;
        }
        return doneResult(
          clipped(
            `${lines.join('\n')}\n\n${directories} directories, ${lines.length - 1 - directories} files` +
              (left > 0 ? `\n\n[LEFT OUT] Entries denied by a rule: ${left}.` : ''),
          ),
        );
      },
    };
  },
});
