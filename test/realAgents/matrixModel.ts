// What the model answers in the matrix. Agents put reminders around the words of the user, before, after or
// in messages of their own, so the last line that asks for something decides.
import { answerByKeyword } from '../kit/provider/keywords.ts';
import type { ModelRequest, Reply } from '../kit/provider/reply.ts';
import type { Loose } from '../kit/wire.ts';

/** What the agent offers its model, and what a tool of it answered last. */
export interface Seen {
  tools: readonly string[];
  said: string;
  /** Each call of a real model has an id of its own; claude confuses calls with the same one. */
  calls: number;
  /** What the model has called a tool for in this turn: claude repeats the wish after a result. */
  called: string;
  /** How often it has tried since then: some tools want a file to be read, or edited, and say so. */
  tries: number;
}

export function replyTo(asked: ModelRequest, body: Loose, seen: Seen): Reply | undefined {
  if (/title generator/i.test(asked.system)) return undefined;
  const pieces = piecesOf(body);
  const at = pieces.findLastIndex(({ line }) => line !== undefined);
  const line = pieces[at]?.line;
  if (line === undefined) return undefined;
  const results = pieces.slice(at + 1).flatMap(({ result }) => (result === undefined ? [] : [result]));
  if (asked.tools.length > 0) seen.tools = asked.tools.map(({ name }) => name);
  const last = results.at(-1);
  if (last !== undefined || line === seen.called) {
    seen.said = last ?? pieces.findLast(({ result }) => result !== undefined)?.result ?? '';
    return nextTry(asked, line, seen) ?? [{ text: 'That is what the tool said.' }];
  }
  if (line.includes('Go on for ever')) return [{ text: 'On and on and on. '.repeat(20) }, { idle: true }];
  const time = /^Good (\w+)/.exec(line)?.[1];
  if (time !== undefined) return [{ text: `A good ${time} to you.` }];
  const reply = wishFor(asked, line, seen);
  if (reply.some((move) => 'call' in move)) seen.called = line;
  return reply;
}

function wishFor(asked: ModelRequest, prompt: string, seen: Seen): Reply {
  seen.calls += 1;
  const reply = answerByKeyword({ ...asked, prompt, results: [] }, { asked: new Map() });
  return reply.map((move) => ('call' in move ? { ...move, id: `call_${seen.calls}` } : move));
}

/** Follows the words with which a tool refuses to overwrite a file: reads it, writes it, at last edits it. */
function nextTry(asked: ModelRequest, line: string, seen: Seen): Reply | undefined {
  const isRead = seen.tries === 1;
  if (!line.startsWith('WRITE:') || !(isRead || /already exists|\bread\b/i.test(seen.said))) return undefined;
  const verb = ['READ:', 'WRITE:', 'EDIT:'][seen.tries];
  seen.tries += 1;
  return verb === undefined ? undefined : wishFor(asked, line.replace('WRITE:', verb), seen);
}

/** Codex offers its model no tool that writes: its patches are commands, which it knows. */
export function writing(id: string, file: string): string {
  if (id !== 'codex') return `WRITE:${file}`;
  const patch = ['*** Begin Patch', `*** Add File: ${file}`, '+made', '*** End Patch'];
  return `TOOL:exec_command ${JSON.stringify({ cmd: ["apply_patch <<'EOF'", ...patch, 'EOF'].join('\n') })}`;
}

/** A line of the user that asks for something, or the answer of a tool. */
interface Piece {
  readonly line?: string;
  readonly result?: string;
}

const wish =
  /(?:Good (?:day|morning|noon|afternoon|evening|night|bye)|Go on for ever|(?:RUN|TOOL):.+|WRITE:[^\s@]+?\.txt)/;

function piecesOf({ messages, input, contents }: Loose): readonly Piece[] {
  const all: readonly Loose[] = messages ?? input ?? contents ?? [];
  return all.flatMap((message) => {
    if (message.role === 'tool' || message.type === 'function_call_output')
      return [{ result: textOf(message.content ?? message.output) }];
    if (message.role !== 'user') return [];
    const parts = message.content ?? message.parts;
    return typeof parts === 'string' ? linesOf(parts) : (parts ?? []).flatMap(partOf);
  });
}

function partOf(part: Loose): readonly Piece[] {
  if (part.type === 'tool_result') return [{ result: textOf(part.content) }];
  if (part.functionResponse) return [{ result: JSON.stringify(part.functionResponse.response) }];
  return linesOf(part.text ?? '');
}

function linesOf(text: string): readonly Piece[] {
  const words = text.replaceAll(/<(system-reminder|environment_details)>.*?<\/\1>/gs, '');
  return words.split('\n').flatMap((line) => {
    const found = wish.exec(line.trim())?.[0];
    return found === undefined ? [] : [{ line: found }];
  });
}

function textOf(content: Loose): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}
