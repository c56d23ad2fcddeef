// Inline completion and rewriting: one answer of a model about the text in the editor, beside every chat and kept nowhere.
import type { Results } from '../../../protocols/eca/messages.ts';
import type { RewriteReceived } from '../../../protocols/eca/serviceMessages.ts';
import type { RequestParams } from '../../../protocols/eca/schema.ts';
import { RpcError } from '../../../rpc/rpcError.ts';
import type { Connection } from '../connection.ts';
import type { OneShot } from '../options.ts';

/** How long a user waits for the end of a line, in milliseconds. */
const patience = 30_000;

const marker = '<|cursor|>';

export async function complete(
  connection: Connection,
  params: RequestParams<'completion/inline'>,
  cancelled: AbortSignal,
): Promise<Results['completion/inline']> {
  const { docText, docVersion, position, path } = params;
  const { shot, model } = shotFor(connection, 'completion');
  const stop = new AbortController();
  const recall = connection.host.clock.after(patience, () => stop.abort());
  try {
    const prompt = `${path === undefined ? '' : `File: ${path}\n\n`}${withMarker(docText, position)}`;
    const answer = await whole(
      shot.ask({
        model,
        system: connection.configured.prompts?.completion ?? completing,
        prompt,
        signal: AbortSignal.any([stop.signal, cancelled]),
      }),
    );
    if ('problem' in answer) throw RpcError.raw({ type: 'warning', message: answer.problem });
    const text = unfenced(answer.text).replaceAll(marker, '');
    if (text.trim() === '')
      throw RpcError.raw({
        type: 'info',
        message: stop.signal.aborted ? 'The model took too long to answer' : 'No suggestions found',
      });
    return { items: [{ text, docVersion, range: { start: position, end: position } }] };
  } finally {
    recall();
  }
}

/** Answered at once; what the model writes follows. */
export function rewrite(
  connection: Connection,
  params: RequestParams<'rewrite/prompt'>,
): Results['rewrite/prompt'] {
  const { shot, model } = shotFor(connection, 'rewrite');
  connection.host.clock.defer(() => void write(connection, shot, { model, ...params }));
  return { status: 'prompting', model };
}

async function write(
  connection: Connection,
  shot: OneShot,
  { id, text, prompt, path, range, model }: RequestParams<'rewrite/prompt'> & { readonly model: string },
): Promise<void> {
  const tell = (content: RewriteReceived['content']) =>
    connection.tell('rewrite/contentReceived', { rewriteId: id, content });
  const { clock } = connection.host;
  const begun = clock.now();
  // What the user wants is all the user says; what it is about is told beforehand.
  const where =
    path === undefined
      ? ''
      : `The text is in ${path}, lines ${range.start.line} to ${range.end.line}.\n\n${await around(connection, path, range)}`;
  const system = `${connection.configured.prompts?.rewrite ?? rewriting}\n\n${where}The text to rewrite:\n<text>\n${text}\n</text>`;
  let [said, thinks] = ['', false];
  tell({ type: 'started' });
  for await (const part of shot.ask({ model, system, prompt, signal: connection.gone })) {
    if (part.type === 'problem') return tell({ type: 'error', message: part.message });
    if (part.type === 'reasoning' && !thinks) tell({ type: 'reasoning' });
    thinks ||= part.type === 'reasoning';
    if (part.type !== 'text' || part.text === '') continue;
    said += part.text;
    tell({ type: 'text', text: part.text });
  }
  const bare = unfenced(said);
  if (bare !== said) tell({ type: 'replace', text: bare });
  tell({ type: 'finished', totalTimeMs: clock.now() - begun });
}

/** How long a file may be to be shown whole, and how much of a longer one is shown around the text, in lines. */
const wholeFile = 2_000;
const nearby = 100;

/** The file as it is on disk; nothing where it cannot be read. */
async function around(
  { options, roots, configured }: Connection,
  path: string,
  { start, end }: RequestParams<'rewrite/prompt'>['range'],
): Promise<string> {
  const found = await options.files?.read(path, roots);
  if (!found || 'refused' in found) return '';
  const lines = found.text.split('\n');
  const isShort = lines.length <= (configured.rewriteLines ?? wholeFile);
  const shown = isShort ? lines : lines.slice(Math.max(0, start.line - 1 - nearby), end.line + nearby);
  return `${isShort ? 'The file' : 'The file around it'}:\n<file path=${JSON.stringify(path)}>\n${shown.join('\n')}\n</file>\n\n`;
}

/** Who completes where nobody has chosen and its provider can be used. */
const completer = 'openai/gpt-4.1';

function shotFor(
  { options, defaults, configured }: Connection,
  purpose: 'completion' | 'rewrite',
): { readonly shot: OneShot; readonly model: string } {
  const wished =
    purpose === 'completion' ? [configured.completionModel ?? completer] : [configured.rewriteModel];
  const model = options.oneShot?.model(purpose, [...wished, defaults.model ?? defaults.usual]);
  if (!options.oneShot || model === undefined)
    throw RpcError.raw({
      type: 'warning',
      message: 'There is no model that could write this; sign in to a provider first.',
    });
  return { shot: options.oneShot, model };
}

async function whole(
  parts: AsyncIterable<{ readonly type: string; readonly text?: string; readonly message?: string }>,
): Promise<{ readonly text: string } | { readonly problem: string }> {
  let text = '';
  for await (const part of parts) {
    if (part.type === 'problem') return { problem: part.message ?? 'The model failed.' };
    if (part.type === 'text') text += part.text ?? '';
  }
  return { text };
}

/** Lines and characters are counted from one. */
function withMarker(
  text: string,
  { line, character }: RequestParams<'completion/inline'>['position'],
): string {
  const lines = text.split('\n');
  const at = Math.min(Math.max(line, 1), lines.length) - 1;
  const current = lines[at] ?? '';
  const column = Math.max(0, character - 1);
  lines[at] = current.slice(0, column) + marker + current.slice(column);
  return lines.join('\n');
}

/** Models like to wrap code into a fence that nobody asked for. */
function unfenced(text: string): string {
  const inside = /^\s*```[^\n]*\n(.*?)\n?```\s*$/s.exec(text);
  return inside?.[1] ?? text;
}

const completing = `You complete code. The document below has the mark ${marker} where the cursor is.
Answer with nothing but the text to insert at the mark: no explanation, no fence, no repetition of what is there already. Answer with nothing if nothing fits.`;

const rewriting = `You rewrite a piece of text in an editor as the user asks.
Answer with nothing but the new text that replaces the old one: no explanation and no fence. Keep the indentation.`;
