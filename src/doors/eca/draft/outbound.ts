// Translates notifications for clients of the first draft: texts, file changes and the end of an answer.
// Newer kinds become text or are left out.
import type { Content, ContentReceived, ToolDetails } from '../../../protocols/eca/messages.ts';
import type { CodeBlock, DraftContent, DraftContentReceived } from '../../../protocols/eca/draft.ts';
import { changesIn } from './changes.ts';

/** Keeps the answer and the token count of each chat, because the last message contains them. */
export class DraftView {
  readonly #chats = new Map<string, { words: string; tokens: number | undefined }>();

  messages({ chatId, role, content }: ContentReceived): readonly DraftContentReceived[] {
    if (role === 'user' || chatId === undefined) return [];
    // The calls that a stop cancels are sent after its end, which is the last message in the draft.
    if (content.type === 'toolCallRejected' && !this.#chats.has(chatId)) return [];
    const chat = this.#chats.get(chatId) ?? { words: '', tokens: undefined };
    this.#chats.set(chatId, chat);
    if (content.type === 'usage') chat.tokens = content.sessionTokens;
    if (content.type === 'text') chat.words += content.text;
    if (content.type === 'progress' && content.state === 'finished') {
      this.#chats.delete(chatId);
      return [last(chatId, chat)];
    }
    const said = contentOf(content);
    return said ? [{ chatId, content: said, isComplete: false }] : [];
  }
}

function last(
  chatId: string,
  { words, tokens }: { words: string; tokens: number | undefined },
): DraftContentReceived {
  const codeBlocks = blocksIn(words);
  return {
    chatId,
    isComplete: true,
    content: { type: 'text', text: '', ...(codeBlocks.length === 0 ? {} : { codeBlocks }) },
    ...(tokens === undefined ? {} : { metadata: { tokensUsed: tokens } }),
  };
}

function contentOf(content: Content): DraftContent | undefined {
  if (content.type === 'text') return { type: 'text', text: content.text };
  if (content.type === 'url') return { type: 'text', text: `\n[${content.title}](${content.url})\n` };
  if (content.type === 'image') return aside('a picture; look at it in the console or in another editor');
  if (!('summary' in content)) return undefined;
  const name = content.summary ?? content.name;
  if (content.type === 'toolCallRun')
    return (
      fileChange(content.details, { name, manualApproval: content.manualApproval ?? false }) ??
      (content.manualApproval
        ? aside(`${name} waits for an approval; give it in the console or in another editor`)
        : undefined)
    );
  if (content.type === 'toolCallRejected') return aside(`${name} was refused`);
  return content.type === 'toolCalled' && content.error ? aside(`${name} failed`) : undefined;
}

function aside(words: string): DraftContent {
  return { type: 'text', text: `\n[${words}]\n` };
}

function fileChange(
  details: ToolDetails | undefined,
  { name, manualApproval }: { readonly name: string; readonly manualApproval: boolean },
): DraftContent | undefined {
  if (details?.type !== 'fileChange') return undefined;
  const file = details.path.split(/[/\\]/).at(-1) ?? '';
  return {
    type: 'fileChange',
    description: name.includes(file) ? name : `${name} ${file}`,
    manualApproval,
    file: details.path,
    changes: changesIn(details.diff),
  };
}

function blocksIn(text: string): readonly CodeBlock[] {
  return [...text.matchAll(/^```([^\n]*)\n(.*?)^```/gms)].map(([, language = '', code = '']) => ({
    code,
    ...(language.trim() === '' ? {} : { language: language.trim() }),
  }));
}
