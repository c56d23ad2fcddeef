// Inline completion and rewriting: one answer of a model about the text in the editor. It belongs to no
// chat and is not stored.
import type { Results } from '../../../protocols/eca/messages.ts';
import type { RewriteReceived } from '../../../protocols/eca/serviceMessages.ts';
import type { RequestParams } from '../../../protocols/eca/schema.ts';
import type { EcaConnection } from '../connection.ts';
import { noResult } from '../errors.ts';
import type { OneShot, OneShotPart } from '../options.ts';

/** The longest time that a completion may take, in milliseconds. */
const completionTimeout = 30_000;

const cursorMark = '<|cursor|>';

export async function completeCode(
  connection: EcaConnection,
  params: RequestParams<'completion/inline'>,
  cancelled: AbortSignal,
): Promise<Results['completion/inline']> {
  const { docText, docVersion, position, path } = params;
  const { shot, model } = shotFor(connection, 'completion');
  const timeout = new AbortController();
  const cancelTimeout = connection.host.clock.after(completionTimeout, () => timeout.abort());
  try {
    const prompt = `${path === undefined ? '' : `File: ${path}\n\n`}${withMarker(docText, position)}`;
    const answer = await wholeAnswer(
      shot.ask({
        model,
        system: connection.workspace.configuration.prompts?.completion ?? completionPrompt,
        prompt,
        signal: AbortSignal.any([timeout.signal, cancelled]),
      }),
    );
    if ('problem' in answer) throw noResult('warning', answer.problem);
    const text = unfenced(answer.text).replaceAll(cursorMark, '');
    if (text.trim() === '')
      throw noResult(
        'info',
        timeout.signal.aborted ? 'The model took too long to answer' : 'No suggestions found',
      );
    return { items: [{ text, docVersion, range: { start: position, end: position } }] };
  } finally {
    cancelTimeout();
  }
}

/** Responds immediately; the text of the model follows in notifications. */
export function rewrite(
  connection: EcaConnection,
  params: RequestParams<'rewrite/prompt'>,
): Results['rewrite/prompt'] {
  const { shot, model } = shotFor(connection, 'rewrite');
  connection.host.clock.defer(() => void writeRewrite(connection, shot, { model, ...params }));
  return { status: 'prompting', model };
}

async function writeRewrite(
  connection: EcaConnection,
  shot: OneShot,
  { id, text, prompt, path, range, model }: RequestParams<'rewrite/prompt'> & { readonly model: string },
): Promise<void> {
  const send = (content: RewriteReceived['content']) =>
    connection.sender.notify('rewrite/contentReceived', { rewriteId: id, content });
  const { clock } = connection.host;
  const startedAt = clock.elapsed();
  // The user message contains only the request; the system prompt says what it is about.
  const location =
    path === undefined
      ? ''
      : `The text is in ${path}, lines ${range.start.line} to ${range.end.line}.\n\n` +
        (await surroundings(connection, path, range));
  const system =
    `${connection.workspace.configuration.prompts?.rewrite ?? rewritePrompt}\n\n${location}The text to ` +
    `rewrite:\n<text>\n${text}\n</text>`;
  let [answer, isReasoning] = ['', false];
  send({ type: 'started' });
  for await (const part of shot.ask({ model, system, prompt, signal: connection.lifetime.signal })) {
    if (part.type === 'problem') return send({ type: 'error', message: part.message });
    if (part.type === 'reasoning' && !isReasoning) send({ type: 'reasoning' });
    isReasoning ||= part.type === 'reasoning';
    if (part.type !== 'text' || part.text === '') continue;
    answer += part.text;
    send({ type: 'text', text: part.text });
  }
  const unwrapped = unfenced(answer);
  if (unwrapped !== answer) send({ type: 'replace', text: unwrapped });
  send({ type: 'finished', totalTimeMs: Math.round(clock.elapsed() - startedAt) });
}

/** The longest file that is sent whole, and the lines around the text that are sent of a longer one. */
const wholeFileLines = 2_000;
const surroundingLines = 100;

/** The file on disk, or the part around the text; empty if the file cannot be read. */
async function surroundings(
  { options, workspace: { roots, configuration } }: EcaConnection,
  path: string,
  { start, end }: RequestParams<'rewrite/prompt'>['range'],
): Promise<string> {
  const file = await options.workspaceFiles?.texts?.read(path, roots);
  if (!file || 'refused' in file) return '';
  const lines = file.text.split('\n');
  const isShort = lines.length <= (configuration.rewriteLines ?? wholeFileLines);
  const shown = isShort
    ? lines
    : lines.slice(Math.max(0, start.line - 1 - surroundingLines), end.line + surroundingLines);
  return (
    `${isShort ? 'The file' : 'The file around it'}:\n<file path=${JSON.stringify(path)}>\n` +
    `${shown.join('\n')}\n</file>\n\n`
  );
}

/** The default model for completions, if its provider is set up. */
const defaultCompletionModel = 'openai/gpt-4.1';

function shotFor(
  { options, selection: { defaults }, workspace: { configuration } }: EcaConnection,
  purpose: 'completion' | 'rewrite',
): { readonly shot: OneShot; readonly model: string } {
  const configured =
    purpose === 'completion'
      ? (configuration.completionModel ?? defaultCompletionModel)
      : configuration.rewriteModel;
  const model = options.oneShot?.model(purpose, [configured, defaults.model ?? defaults.configuredModel]);
  if (!options.oneShot || model === undefined)
    throw noResult('warning', 'No model is available. Sign in to a provider first.');
  return { shot: options.oneShot, model };
}

async function wholeAnswer(
  parts: AsyncIterable<OneShotPart>,
): Promise<{ readonly text: string } | { readonly problem: string }> {
  let text = '';
  for await (const part of parts) {
    if (part.type === 'problem') return { problem: part.message };
    if (part.type === 'text') text += part.text;
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
  lines[at] = current.slice(0, column) + cursorMark + current.slice(column);
  return lines.join('\n');
}

/** Models often wrap code into a fence although the prompt forbids it. */
function unfenced(text: string): string {
  const inside = /^\s*```[^\n]*\n(.*?)\n?```\s*$/s.exec(text);
  return inside?.[1] ?? text;
}

const completionPrompt = `You complete code. The document below has the mark ${cursorMark} where the cursor
is. Answer with nothing but the text to insert at the mark: no explanation, no fence, no repetition of what
is there already. Answer with nothing if nothing fits.`;

const rewritePrompt = `You rewrite a piece of text in an editor as the user asks. Answer with nothing but
the new text that replaces the old one: no explanation and no fence. Keep the indentation.`;
