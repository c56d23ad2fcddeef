// Reads the content of an attachment for a model. If it cannot be read, the content says so.
import { errorText } from '../../../base/errorText.ts';
import { below } from '../../../base/paths.ts';
import type { ServerView } from '../../../host/tools/toolServers.ts';
import { fitsTemplate } from '../../../host/tools/uriTemplate.ts';
import type { Attachment } from '../../../model/event.ts';
import type { InputSources } from './resolvedInput.ts';
import type { Picture } from '../model.ts';
import { pictureType, readImageFile } from '../tools/files/imageFile.ts';

/** Longer files are cut, in characters; the model can read the rest with a tool. */
const longest = 60_000;
const mostEntries = 400;

/** Undefined for an attachment that contains its text or image itself. */
export async function attachmentContent(
  attachment: Attachment,
  sources: InputSources,
): Promise<string | Picture | undefined> {
  switch (attachment.type) {
    case 'file':
      return pictureType(attachment.path) === undefined
        ? fileText(attachment, sources)
        : filePicture(attachment.path, sources);
    case 'directory':
      return directoryText(attachment.path, sources);
    case 'cursor':
      return cursorText(attachment, sources);
    case 'link':
      return linkText(attachment, sources);
    case 'text':
    case 'image':
    case 'audio':
      return undefined;
    default:
      return attachment satisfies never;
  }
}

async function filePicture(path: string, { files, roots }: InputSources): Promise<string | Picture> {
  const read = await readImageFile(
    await files.realPath(path, roots[0] ?? '/'),
    pictureType(path) ?? '',
    files,
  );
  if ('problem' in read) return unreadable(path, read.message);
  const { size: _, ...picture } = read;
  return picture;
}

function unreadable(path: string, why: string, span = ''): string {
  return `<file path=${JSON.stringify(path)}${span}>\n[It cannot be read: ${why}]\n</file>`;
}

async function fileText(
  { path, lines }: Extract<Attachment, { type: 'file' }>,
  sources: InputSources,
): Promise<string> {
  const read = await textOf(path, sources);
  const span = lines ? ` lines="${lines.start}-${lines.end}"` : '';
  if ('missing' in read) return unreadable(path, read.missing, span);
  const part = lines
    ? read.text
        .split('\n')
        .slice(Math.max(0, lines.start - 1), lines.end)
        .join('\n')
    : read.text;
  return `<file path=${JSON.stringify(path)}${span}>\n${cut(part.replace(/\n$/, ''))}\n</file>`;
}

/** The line at the cursor is what the user looks at. */
async function cursorText(
  { path, line, character }: Extract<Attachment, { type: 'cursor' }>,
  sources: InputSources,
): Promise<string> {
  const read = await textOf(path, sources);
  const here = 'text' in read ? read.text.split('\n')[line - 1] : undefined;
  return (
    `The user's cursor is in ${path}, line ${line}, column ` +
    `${character}.` +
    (here === undefined || here.trim() === '' ? '' : ` That line is:\n${here.slice(0, 1_000)}`)
  );
}

async function directoryText(path: string, { files, roots, signal }: InputSources): Promise<string> {
  const real = await files.realPath(path, roots[0] ?? '/');
  const entries: string[] = [];
  for await (const { path: found, type, depth } of files.walk(real, { depth: 3, signal })) {
    if (depth > 3 || entries.length >= mostEntries || signal.aborted) break;
    entries.push(`${below(real, found) ?? found}${type === 'directory' ? '/' : ''}`);
  }
  return (
    `<directory path=${JSON.stringify(path)}>\n` +
    `${entries.join('\n')}${entries.length >= mostEntries ? '\n[There is more.]' : ''}\n</directory>`
  );
}

/** The resource of a tool server or of the client under this URI, or a web page. */
async function linkText(
  { uri, name }: Extract<Attachment, { type: 'link' }>,
  { servers, web, link, signal }: InputSources,
): Promise<string | undefined> {
  const server = servers && serverOf(uri, servers.list());
  if (servers && server) {
    const read = await servers.read({ server: server.name, uri, signal });
    const words =
      'refused' in read
        ? `[It cannot be read: ${read.refused}]`
        : read.flatMap((content) => (content.type === 'text' ? [content.text] : [])).join('\n');
    return (
      `<resource uri=${JSON.stringify(uri)}${name === undefined ? '' : ` name=${JSON.stringify(name)}`} ` +
      `server=${JSON.stringify(server.name)}>\n${cut(words)}\n</resource>`
    );
  }
  const lent = await link?.(uri);
  if (lent !== undefined)
    return (
      `<resource uri=${JSON.stringify(uri)}${name === undefined ? '' : ` name=${JSON.stringify(name)}`}>\n` +
      `${cut(lent)}\n</resource>`
    );
  if (!web || !/^https?:/i.test(uri)) return undefined;
  const page = await web.read(uri, signal).catch((error: unknown) => ({ problem: errorText(error) }));
  const text = 'problem' in page ? `[It cannot be read: ${page.problem}]` : page.text;
  return `<page url=${JSON.stringify(uri)}>\n${cut(text)}\n</page>`;
}

/** The server that lists the resource, else one whose URI template fits. */
function serverOf(uri: string, servers: readonly ServerView[]): ServerView | undefined {
  return (
    servers.find(({ resources }) => resources.some((resource) => resource.uri === uri)) ??
    servers.find(({ templates = [] }) => templates.some((template) => fitsTemplate(uri, template.uri)))
  );
}

async function textOf(
  path: string,
  { files, roots }: InputSources,
): Promise<{ readonly text: string } | { readonly missing: string }> {
  const read = await files.readText(await files.realPath(path, roots[0] ?? '/'), 10_000_000);
  return 'problem' in read ? { missing: read.message } : read;
}

export function cut(text: string): string {
  return text.length > longest
    ? `${text.slice(0, longest)}\n[CONTENT TRUNCATED] There are ${text.length - longest} characters more; ` +
        'read the rest with a tool.'
    : text;
}
