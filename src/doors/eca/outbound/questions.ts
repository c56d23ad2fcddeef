// Asks one client the question of an agent, part by part, and withdraws it when another client has answered.
import type { Answer, AskId, ChatId, Json, Question as Part } from '../../../model/event.ts';
import type { AskQuestion } from '../../../protocols/eca/messages.ts';
import { questionAnswer, read } from '../../../protocols/eca/schema.ts';
import type { Peer } from '../../../rpc/peer.ts';
import type { QuestionAsk } from './message.ts';

export class Questions {
  readonly #peer: Peer;
  readonly #answer: (chat: ChatId, ask: AskId, answer: Answer) => void;
  readonly #open = new Map<AskId, AbortController>();

  constructor(peer: Peer, answer: (chat: ChatId, ask: AskId, answer: Answer) => void) {
    this.#peer = peer;
    this.#answer = answer;
  }

  ask(chat: ChatId, ask: QuestionAsk): void {
    if (this.#open.has(ask.id)) return;
    const control = new AbortController();
    this.#open.set(ask.id, control);
    this.#run(chat, ask, control.signal)
      .then((answer) => answer && !control.signal.aborted && this.#answer(chat, ask.id, answer))
      // A client that cannot answer leaves the question to the others.
      .catch(() => {})
      .finally(() => this.#open.delete(ask.id));
  }

  /** Withdraws the question; a later answer is ignored. */
  settle(ask: AskId): void {
    this.#open.get(ask)?.abort();
  }

  close(): void {
    for (const control of this.#open.values()) control.abort();
  }

  async #run(chat: ChatId, ask: QuestionAsk, signal: AbortSignal): Promise<Answer | undefined> {
    const values: { [id: string]: Json } = {};
    for (const part of ask.questions) {
      const said = await this.#part(chat, { ask, part, signal });
      if (said === 'unclear') return undefined;
      if (said === 'cancelled') return { kind: 'declined' };
      if (said !== undefined) values[part.id] = said.value;
    }
    return { kind: 'fields', values };
  }

  /** Asks until the answer fits the question. */
  async #part(
    chat: ChatId,
    { ask, part, signal }: { ask: QuestionAsk; part: Part; signal: AbortSignal },
  ): Promise<ClientReply> {
    const alone = ask.questions.length === 1;
    const params: AskQuestion = {
      chatId: chat,
      question: alone ? ask.message || part.message : `${ask.message}\n${part.message}`.trim(),
      ...offer(part),
      requestId: alone ? ask.id : `${ask.id}/${part.id}`,
      ...(ask.tool === undefined ? {} : { toolCallId: ask.tool }),
    };
    for (;;) {
      const answer = read(questionAnswer, await this.#peer.request('chat/askQuestion', params, { signal }));
      if ('problem' in answer) return 'unclear';
      const { answer: text, cancelled } = answer.value;
      if (cancelled === true) return 'cancelled';
      if (text === undefined) return cancelled === false ? 'cancelled' : 'unclear';
      if (text.trim() === '' && part.required !== true) return undefined;
      const value = valueOf(part, text.trim());
      if (value !== undefined) return { value };
    }
  }
}

type ClientReply = 'cancelled' | 'unclear' | undefined | { readonly value: Json };

function offer({ answer }: Part): Pick<AskQuestion, 'allowFreeform' | 'options'> {
  if (answer.type === 'boolean')
    return { allowFreeform: false, options: [{ label: 'Yes' }, { label: 'No' }] };
  if (!('choices' in answer)) return { allowFreeform: true };
  const options = answer.choices.map(({ label, description }) => ({
    label,
    ...(description === undefined ? {} : { description }),
  }));
  // Several choices come back as one line of text, so the client must let the user write.
  return { allowFreeform: answer.type === 'many' || answer.freeform === true, options };
}

/** The answer in the user's text; undefined if it does not fit the question. */
function valueOf({ answer }: Part, text: string): Json | undefined {
  switch (answer.type) {
    case 'text':
      return text;
    case 'boolean':
      if (/^(?:yes|y|true)$/i.test(text)) return true;
      return /^(?:no|n|false)$/i.test(text) ? false : undefined;
    case 'number':
      return text !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;
    case 'integer':
      return /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
    case 'one':
      return choiceOf(answer, text);
    case 'many': {
      const values = [choiceOf(answer, text)].filter((value) => value !== undefined);
      const parts = values.length > 0 ? values : text.split(',').map((part) => choiceOf(answer, part.trim()));
      return parts.every((part) => part !== undefined) ? parts : undefined;
    }
    default:
      return answer satisfies never;
  }
}

function choiceOf(
  { choices, freeform }: Extract<Part['answer'], { choices: unknown }>,
  text: string,
): string | undefined {
  const known =
    choices.find(({ id, label }) => label === text || id === text) ??
    choices.find(({ label }) => label.toLowerCase() === text.toLowerCase());
  return known?.id ?? (freeform === true && text !== '' ? text : undefined);
}
