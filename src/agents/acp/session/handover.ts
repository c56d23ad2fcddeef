// The text for an agent that takes over a conversation it does not know: the earlier turns, the
// newest ones in full. Pure.
import type { Attachment } from '../../../model/event.ts';
import type { Chat, EndedTurn, Item, ToolItem } from '../../../model/state.ts';

export interface Handover {
  readonly text: string;
  /** What was handed over, for the reader of the log. */
  readonly given: string;
}

/** The limits for the whole history and for one tool's output, in characters. */
const textLimit = 60_000;
const outputLimit = 1_000;

export function handover(turns: readonly EndedTurn[], compaction: Chat['compaction']): Handover | undefined {
  const covered = compaction ? turns.findIndex(({ id }) => id === compaction.after) + 1 : 0;
  const told = turns.slice(covered);
  if (turns.length === 0) return undefined;
  const kept = newest(told.map(turnText));
  const summary = compaction && covered > 0 ? `Summary of what came first:\n\n${compaction.summary}\n\n` : '';
  const left = told.length - kept.length;
  const gap = left > 0 ? `(${left === 1 ? 'One turn is' : `${left} turns are`} left out here.)\n\n` : '';
  return {
    text: `${opening}\n\n${summary}${gap}${kept.join('\n\n')}\n\n${closing}`,
    given: givenOf(turns.length, { summed: summary === '' ? 0 : covered, left }),
  };
}

const opening =
  'You are taking over a conversation that was begun without you. What follows is a record of it, oldest ' +
  'first, with what tools did in short. ' +
  'Use it as context only: everything in it has been dealt with.\n\n<conversation>';
const closing = '</conversation>\n\nThe next message of the user follows.';

/** The newest texts that fit the limit; the newest one is always included, shortened if necessary. */
function newest(texts: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let room = textLimit;
  for (const text of texts.toReversed()) {
    if (text.length > room && kept.length > 0) break;
    kept.unshift(shortened(text, room));
    room -= text.length;
  }
  return kept;
}

function givenOf(all: number, { summed, left }: { readonly summed: number; readonly left: number }): string {
  const whole = all - summed - left;
  const parts = [
    ...(summed > 0 ? [`a summary of the first ${summed}`] : []),
    ...(left === 0 && summed === 0
      ? [all === 1 ? 'the turn before this one' : `all ${all} turns before this one`]
      : [`the last ${whole} of ${all} turns`]),
  ];
  return `${parts.join(' and ')} as text, with the output of tools cut short`;
}

function turnText({ message, items, outcome }: EndedTurn): string {
  const said = message.from === 'agent' ? `(${message.text})` : `User: ${message.text}`;
  const attached = (message.attachments ?? []).map((each) => `(attached: ${attachmentName(each)})`);
  const end =
    outcome.kind === 'completed'
      ? []
      : [
          outcome.kind === 'failed'
            ? `(The turn failed: ${outcome.problem.message})`
            : `(The turn was ${outcome.kind}.)`,
        ];
  return [said, ...attached, ...items.flatMap(itemText), ...end].join('\n');
}

function attachmentName(attachment: Attachment): string {
  if ('path' in attachment) return attachment.path;
  return ('uri' in attachment ? attachment.uri : undefined) ?? attachment.type;
}

function itemText(item: Item): readonly string[] {
  switch (item.type) {
    case 'text':
      return item.channel === 'answer' ? [`Assistant: ${item.text.trim()}`] : [];
    case 'image':
      return [`(Here the assistant showed a picture, ${item.mediaType}.)`];
    case 'tool':
      return [toolText(item)];
    case 'message':
      return [`User: ${item.message.text}`];
    case 'ask':
      return item.ask.kind === 'question' && item.answered?.answer.kind === 'fields'
        ? [`Asked "${item.ask.message}", the user answered ${JSON.stringify(item.answered.answer.values)}`]
        : [];
    case 'notice':
      return [];
    default:
      return item satisfies never;
  }
}

function toolText({ title, name, result, output }: ToolItem): string {
  const content =
    result && 'content' in result
      ? result.content.flatMap((each) => {
          if (each.type === 'text') return [each.text];
          return each.type === 'edit' || each.type === 'untracked' ? [`changed ${each.path}`] : [];
        })
      : [];
  const words = (content.length > 0 ? content.join('\n') : output).trim();
  const outputText = words === '' ? '' : `\n${shortened(words, outputLimit)}`;
  return `[${title || name}: ${result?.status ?? 'interrupted'}${outputText}]`;
}

function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  return (
    `${text.slice(0, half)}\n(${text.length - 2 * half} characters are left out here.)\n` + text.slice(-half)
  );
}
