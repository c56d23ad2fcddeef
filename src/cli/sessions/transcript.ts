// Formats the state of a session as a transcript.
import { sandboxText } from '../../../client/callText.ts';
import { attributedTitle, howItRan, modeChooser } from '../../model/howItRan.ts';
import { diffTexts } from '../../base/textDiff.ts';
import { visibleText } from '../../base/visibleText.ts';
import { pictureBytes } from '../../host/turns/answerImage.ts';
import { untrackedText } from '../../model/edits.ts';
import type { Content, Outcome } from '../../model/event.ts';
import type { Chat, Item, State, ToolItem, Turn } from '../../model/state.ts';
import { pictureLine } from '../chat/pictures.ts';
import { counted, safe, short } from '../say.ts';
import type { Paint } from '../output.ts';

/** How many lines of a tool's output are printed; the rest is counted. */
const outputLines = 12;

export function transcriptOf(state: State, paint: Paint): string {
  const chats = state.order.flatMap((id) => state.chats[id] ?? []);
  const facts = [
    state.agent,
    state.model,
    state.roots.join(', '),
    new Date(state.createdAt).toISOString(),
    state.archived ? 'archived' : undefined,
  ];
  const { autonomy } = state;
  const chosen = autonomy && `permissions ${autonomy.level}, chosen by ${short(modeChooser(autonomy), 100)}`;
  return [
    paint.bold(short(state.title || 'Untitled', 200)),
    paint.dim(
      facts
        .filter((fact) => fact !== undefined && fact !== '')
        .map((fact) => short(String(fact), 200))
        .join(' · '),
    ),
    ...(chosen === undefined ? [] : [autonomy?.level === 'full' ? paint.red(chosen) : paint.dim(chosen)]),
    ...chats.flatMap((chat, at) => chatLines(chat, at, paint)),
    '',
  ].join('\n');
}

function chatLines(chat: Chat, at: number, paint: Paint): readonly string[] {
  const turns = chat.active ? [...chat.turns, chat.active] : chat.turns;
  if (turns.length === 0) return [];
  return [
    ...(at === 0 ? [] : ['', paint.bold(`— ${short(chat.title || 'Another chat', 100)}`)]),
    ...turns.flatMap((turn) => turnLines(turn, paint)),
    ...chat.queue.map(({ text }) => paint.dim(`queued: ${short(text, 100)}`)),
  ];
}

function turnLines(turn: Turn & { readonly outcome?: Outcome }, paint: Paint): readonly string[] {
  const end = turn.outcome ? outcomeText(turn.outcome) : 'still running';
  return [
    '',
    paint.cyan(quoted(turn.message.text)),
    ...turn.items.flatMap((item) => ['', ...itemLines(item, paint)]),
    ...(end === '' ? [] : ['', paint.yellow(`(${end})`)]),
  ];
}

function itemLines(item: Item, paint: Paint): readonly string[] {
  switch (item.type) {
    case 'text':
      return [item.channel === 'answer' ? safe(item.text.trimEnd()) : paint.dim(safe(item.text.trimEnd()))];
    case 'image':
      return [paint.dim(pictureLine(item.mediaType, pictureBytes(item.data)))];
    case 'message':
      return [paint.cyan(quoted(item.message.text))];
    case 'notice':
      return [paint.yellow(safe(item.text))];
    case 'ask':
      return [
        paint.yellow(`? ${short(item.ask.kind === 'approval' ? item.ask.title : item.ask.message, 200)}`),
      ];
    case 'tool':
      return toolLines(item, paint);
    default:
      return item satisfies never;
  }
}

function toolLines(tool: ToolItem, paint: Paint): readonly string[] {
  const use = howItRan(tool);
  const ran = sandboxText(use);
  const paintRan = use?.confined === false && use.because === 'full' ? paint.red : paint.dim;
  return [
    `${paint.bold('*')} ${short(attributedTitle(tool), 200)} ${paint.dim(`(${toolOutcome(tool)})`)}`,
    ...(ran === undefined ? [] : [paintRan(`  ${safe(ran)}`)]),
    ...contentOf(tool).flatMap((part) => contentLines(part, paint)),
  ];
}

/** What the call has shown: of one that runs or was stopped, what it had printed until then. */
function contentOf({ result, content, output }: ToolItem): readonly Content[] {
  if (result && 'content' in result) return result.content;
  return output === '' ? content : [{ type: 'text', text: output }, ...content];
}

function toolOutcome({ status, result }: ToolItem): string {
  if (result?.status === 'denied') return `denied: ${safe(result.reason)}`;
  if (result?.status === 'failed') return `failed: ${safe(result.error)}`;
  return result?.status ?? status;
}

function contentLines(content: Content, paint: Paint): readonly string[] {
  if (content.type === 'edit') return diffLines(content, paint);
  const text = textIn(content);
  if (text === undefined) return [];
  const lines = safe(text.trimEnd()).split('\n');
  const rest = lines.length - outputLines;
  return [...lines.slice(0, outputLines), ...(rest > 0 ? [`… ${counted(rest, 'more line')}`] : [])].map(
    (line) => paint.dim(`  | ${line}`),
  );
}

function textIn(content: Content): string | undefined {
  if (content.type === 'untracked') return untrackedText(content);
  return content.type === 'text' ? content.text : undefined;
}

/** The change of a file as a unified diff. */
export function diffLines(
  {
    path,
    before,
    after,
  }: { readonly path: string; readonly before: string | null; readonly after: string | null },
  paint: Paint,
): readonly string[] {
  const { diff, added, removed } = diffTexts(before, after);
  const colour = (line: string) => {
    if (line.startsWith('+')) return paint.green(line);
    return line.startsWith('-') ? paint.red(line) : paint.dim(line);
  };
  return [
    `  ${paint.bold(visibleText(path))} ${paint.dim(`+${added} -${removed}`)}`,
    ...diff
      .split('\n')
      .filter(Boolean)
      .map((line) => `  ${colour(visibleText(line))}`),
  ];
}

function quoted(text: string): string {
  return safe(text.trimEnd())
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

function outcomeText(outcome: Outcome): string {
  if (outcome.kind === 'failed') return `failed: ${safe(outcome.problem.message)}`;
  if (outcome.kind === 'completed') return outcome.stop === undefined ? '' : `stopped early: ${outcome.stop}`;
  return outcome.kind;
}
