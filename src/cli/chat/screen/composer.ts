// The input box: the text that is typed, the messages sent before, and completions for the word at the caret.
import type { Requests } from '../../../protocols/ahp/v1_0/commands.ts';
import type { MessageAttachment } from '../../../protocols/ahp/v1_0/message.ts';
import type { KeyPress } from '../../terminal/keys.ts';
import { ChoiceList } from '../../terminal/choiceList.ts';
import type { ListedChoice } from '../../terminal/choiceList.ts';
import { LineEditor } from '../../terminal/lineEditor.ts';
import type { Purpose } from './inputBox.ts';

type Completion = Requests['completions']['result']['items'][number];

export interface ComposerOptions {
  readonly complete: (text: string, caret: number) => Promise<readonly Completion[]>;
  /** Commands of this client, besides those of the host. */
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly changed: () => void;
}

interface Offer extends ListedChoice {
  readonly insertText: string;
  readonly from: number;
  readonly to: number;
  readonly attachment?: MessageAttachment;
}

export class Composer {
  readonly editor = new LineEditor();
  #purpose: Purpose = 'message';
  /** The message that was typed before the box was needed for something else. */
  #draft = '';
  readonly #options: ComposerOptions;
  #offers: ChoiceList<Offer> | undefined;
  #asked = 0;
  #attachments: readonly { readonly word: string; readonly attachment: MessageAttachment }[] = [];
  #history: readonly string[] = [];
  /** Where in the history the shown text is; the text that was typed comes after the last one. */
  #place = 0;
  #typed = '';

  constructor(options: ComposerOptions) {
    this.#options = options;
  }

  /** What the text in the box is for. */
  get purpose(): Purpose {
    return this.#purpose;
  }

  /** Uses the box for something else than a message. */
  borrow(purpose: Exclude<Purpose, 'message'>, text: string): void {
    this.#draft = this.editor.text;
    this.#purpose = purpose;
    this.editor.set(text);
    this.close();
  }

  /** Gives the box back to the message. */
  restore(): void {
    this.#purpose = 'message';
    this.editor.set(this.#draft);
    this.close();
    this.#draft = '';
  }

  /** The messages that the arrow keys bring back. */
  remember(messages: readonly string[]): void {
    this.#history = messages;
    this.#place = messages.length;
  }

  get offers(): ChoiceList<Offer> | undefined {
    return this.#offers;
  }

  /** What was completed and is still in the text. */
  get attachments(): readonly MessageAttachment[] {
    const { text } = this.editor;
    return this.#attachments.filter(({ word }) => text.includes(word)).map(({ attachment }) => attachment);
  }

  /** Takes the text out of the box. */
  take(): string {
    const text = this.editor.wholeText;
    this.editor.clear();
    this.#attachments = [];
    this.close();
    if (text.trim() !== '') this.remember([...this.#history.filter((each) => each !== text), text]);
    return text;
  }

  close(): void {
    this.#asked += 1;
    this.#offers = undefined;
  }

  /** Whether the key belongs to the box. Enter does if it chooses a completion or continues the line. */
  press(press: KeyPress): boolean {
    if (press.kind === 'text') this.editor.insert(press.text);
    else if (press.kind === 'paste') this.editor.paste(press.text);
    else if (!this.#pressKey(press.name)) return false;
    else if (press.name === 'up' || press.name === 'down') return true;
    this.#lookUp();
    return true;
  }

  #pressKey(name: string): boolean {
    if (this.#offers?.press(name)) return true;
    if (name === 'escape' && this.#offers) {
      this.close();
      return true;
    }
    if (name === 'tab' || name === 'enter') return this.#accept(name);
    if (name === 'up' && this.editor.isOnFirstLine) return this.#recall(-1);
    if (name === 'down' && this.editor.isOnLastLine) return this.#recall(1);
    if (name === 'ctrl-d' && this.editor.text === '') return false;
    return this.editor.press(name);
  }

  /** A backslash at the end of a line continues it. */
  #accept(name: 'tab' | 'enter'): boolean {
    const { editor } = this;
    const offer = this.#offers?.chosen;
    const isThere = offer && editor.text.slice(offer.from, offer.to) === offer.insertText.trim();
    if (offer && (name === 'tab' || !isThere)) {
      this.#insert(offer);
      return true;
    }
    if (name === 'enter' && editor.text.endsWith('\\') && editor.caret === editor.text.length) {
      editor.press('backspace');
      editor.insert('\n');
      return true;
    }
    return name === 'tab';
  }

  #insert({ insertText, from, to, attachment }: Offer): void {
    const { editor } = this;
    const rest = editor.text.slice(to);
    const word = /[\s/]$/.test(insertText) || /^\s/.test(rest) ? insertText : `${insertText} `;
    editor.set(editor.text.slice(0, from) + word + rest, from + word.length);
    if (attachment && attachment.type !== 'simple')
      this.#attachments = [...this.#attachments, { word: insertText.trim(), attachment }];
    this.close();
  }

  #recall(step: -1 | 1): boolean {
    const next = this.#place + step;
    if (next < 0 || next > this.#history.length) return true;
    if (this.#place === this.#history.length) this.#typed = this.editor.wholeText;
    this.#place = next;
    this.editor.load(this.#history[next] ?? this.#typed);
    this.close();
    return true;
  }

  /** Asks for completions of the word at the caret; an answer after the next key is dropped. */
  #lookUp(): void {
    const { text, caret } = this.editor;
    this.close();
    const word = /(?:^|\s)([@#]\S*)$|^(\/\S*)$/.exec(text.slice(0, caret));
    if (!word) return;
    const asked = this.#asked;
    const from = caret - (word[1] ?? word[2] ?? '').length;
    void this.#options.complete(text, caret).then(
      (items) => this.#offer(asked, { from, to: caret }, items),
      () => {},
    );
  }

  #offer(asked: number, place: { readonly from: number; readonly to: number }, items: readonly Completion[]) {
    if (asked !== this.#asked) return;
    const word = this.editor.text.slice(place.from, place.to);
    const own = word.startsWith('/')
      ? this.#options.commands.filter(({ name }) => name.startsWith(word.slice(1)))
      : [];
    const isOwn = (text: string) => own.some(({ name }) => `/${name}` === text.trim());
    const offers: readonly Offer[] = [
      ...items
        .filter(({ insertText }) => !isOwn(insertText))
        .map(({ insertText, attachment, rangeStart, rangeEnd }) => ({
          id: insertText,
          label: insertText.trim(),
          note: noteOf(attachment),
          insertText,
          from: rangeStart ?? place.from,
          to: rangeEnd ?? place.to,
          attachment,
        })),
      ...own.map(({ name, description }) => ({
        id: name,
        label: `/${name}`,
        note: description,
        insertText: `/${name} `,
        ...place,
      })),
    ];
    // What begins with the typed word comes before what only contains it.
    const ranked = offers.toSorted(
      (a, b) => Number(b.label.startsWith(word)) - Number(a.label.startsWith(word)),
    );
    this.#offers = ranked.length > 0 ? new ChoiceList(ranked) : undefined;
    this.#options.changed();
  }
}

function noteOf({ _meta: ours, label }: MessageAttachment): string | undefined {
  const description = ours?.['description'];
  return typeof description === 'string' ? description : label;
}
