// The tool that reads a text file, some lines of it, or an image.
import type { FileProblem } from '../../../../host/ports.ts';
import type { ToolResult } from '../../../../model/event.ts';
import { defineTool } from '../define.ts';
import { pictureType, readImageFile } from './imageFile.ts';
import { doneResult, failed, fileName, realPath, shownPath } from '../tool.ts';
import type { ToolContext } from '../tool.ts';

/** Larger files cannot be edited, and are read line by line. */
export const readLimit = 10_000_000;

const usualLines = 2_000;

/** The limits for the whole result and for one line, in characters. */
const textLimit = 48_000;
const lineLimit = 4_000;

export const readFile = defineTool({
  name: 'read_file',
  description:
    'Reads a text file of the workspace, or a picture (png, jpg, gif, webp). Use line_offset and limit ' +
    'for a part of a long file.',
  kind: 'read',
  preparing: 'Reading file',
  parameters: {
    path: {
      type: 'string',
      description: 'The file to read, absolute or relative to the first workspace folder.',
    },
    line_offset: { type: 'integer', description: 'How many lines to skip. Default: 0.', optional: true },
    limit: {
      type: 'integer',
      description: `The most lines to read. Default: as the user has set it, usually ${usualLines}.`,
      optional: true,
    },
  },
  async prepare(input, context) {
    const path = await realPath(input.path, context);
    const first = Math.max(0, input.line_offset ?? 0);
    const limit = input.limit && input.limit > 0 ? input.limit : undefined;
    const last = first + (limit ?? context.settings.readLines ?? usualLines);
    const range = first > 0 || limit !== undefined ? ` (lines ${first + 1}-${last})` : '';
    const picture = pictureType(path);
    const say = (name: string) => (picture === undefined ? `Read ${name}${range}` : `View ${name}`);
    return {
      title: say(fileName(path)),
      question: say(await shownPath(path, context)),
      paths: [path],
      locations: [{ path, ...(first > 0 ? { line: first + 1 } : {}) }],
      run: () =>
        picture === undefined ? readLines(path, { first, last }, context) : look(path, picture, context),
    };
  },
});

interface Range {
  readonly first: number;
  readonly last: number;
}

async function readLines(
  path: string,
  { first, last }: Range,
  { files, signal }: ToolContext,
): Promise<ToolResult> {
  const found = await files.readText(path, readLimit);
  if (!('problem' in found)) return doneResult(partOf(linesOf(found.text), { first, last }));
  const foreign =
    found.problem === 'not-text' ? foreignText(await files.readBytes(path, readLimit)) : undefined;
  if (foreign)
    return doneResult(
      `[${foreign.name}, not UTF-8: this file can be read and not edited here.]\n` +
        partOf(linesOf(foreign.text), { first, last }),
    );
  if (found.problem !== 'too-large')
    return failed(
      found.problem === 'not-text' ? `${found.message} Use a program that knows such files.` : found.message,
    );
  const part = await files.readLines(path, { skip: first, count: last - first, signal });
  if ('problem' in part) return failed(part.message);
  const read = { lines: part.lines, start: first, total: part.more ? undefined : first + part.lines.length };
  return doneResult(partOf(read, { first, last }));
}

/** A text in another encoding, guessed from its bytes; undefined for binary data. */
function foreignText(
  bytes: Uint8Array | FileProblem,
): { readonly name: string; readonly text: string } | undefined {
  if ('problem' in bytes) return undefined;
  const name = encodingOf(bytes);
  return name === undefined ? undefined : { name, text: new TextDecoder(name).decode(bytes) };
}

function encodingOf(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'UTF-16LE';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'UTF-16BE';
  return bytes.includes(0) ? undefined : 'Windows-1252';
}

interface Lines {
  readonly lines: readonly string[];
  /** The number of the first line. */
  readonly start: number;
  /** The number of lines of the file; undefined if it is not known. */
  readonly total: number | undefined;
}

function linesOf(text: string): Lines {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return { lines, start: 0, total: lines.length };
}

/** As many of the requested lines as fit, and how to read the rest. */
function partOf({ lines, start, total }: Lines, { first, last }: Range): string {
  if (total !== undefined && total > 0 && first >= total)
    return `[CONTENT TRUNCATED] The file has only ${total} lines.`;
  const shown: string[] = [];
  let size = 0;
  for (const line of lines.slice(first - start, last - start)) {
    const text =
      line.length > lineLimit
        ? `${line.slice(0, lineLimit)} [${line.length - lineLimit} more characters; cut ` +
          `-c${lineLimit + 1}- shows them]`
        : line;
    if (size + text.length > textLimit && shown.length > 0) break;
    size += text.length + 1;
    shown.push(text);
  }
  const end = first + shown.length;
  const rest = total === undefined ? '; the file goes on.' : ` of ${total}.`;
  return end === total
    ? shown.join('\n')
    : `${shown.join('\n')}\n\n[CONTENT TRUNCATED] Lines ${first} to ${end}${rest} Read on with ` +
        `line_offset ${end}.`;
}

async function look(path: string, mediaType: string, { files }: ToolContext): Promise<ToolResult> {
  const read = await readImageFile(path, mediaType, files);
  if ('problem' in read) return failed(read.message);
  const { size, ...picture } = read;
  return doneResult(`${path} (${mediaType}, ${size} bytes)`, picture);
}
