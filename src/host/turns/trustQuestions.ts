// Asks the user whether to trust a folder, before the first turn that its settings and texts would affect,
// and again when they have changed. Whoever cannot answer goes on untrusted.
import type { Answer, Ask, AskId, Choice } from '../../model/event.ts';
import type { Chat, Turn } from '../../model/state.ts';
import type { Session } from '../session/session.ts';
import type { FolderTrust, TrustDecision, UndecidedFolder } from '../settings/settings.ts';
import type { World } from '../world.ts';
import type { RecoveredAsks } from '../permissions/recoveredAsks.ts';
import { openAsk } from './approvals/openAsk.ts';

export interface AskingTurn {
  readonly chat: Chat;
  readonly turn: Turn;
  /** Aborts when the turn is stopped. */
  readonly signal: AbortSignal;
  readonly waitFor: (ask: AskId) => Promise<Answer>;
  /** The questions that were open when the last host ended. */
  readonly recovered: RecoveredAsks;
}

/** Why a question has ended that its user closed without an answer. */
export const closedByUser = 'The user cancelled.';

/** A longer list cannot be read in a question; `parley trust` shows it. */
const mostLines = 100;
const mostCharacters = 10_000;

const question = 'decision';

export class TrustQuestions {
  readonly #session: Session;
  readonly #world: World;
  /** What was asked in this session; a client that cannot ask is not asked again. */
  readonly #asked = new Set<string>();
  /** What the command has shown in this session; nothing else can be trusted by it. */
  readonly #shown = new Set<string>();

  constructor({ session, world }: { readonly session: Session; readonly world: World }) {
    this.#session = session;
    this.#world = world;
  }

  /** Resolves when every question is answered. Asks only in turns that a user has started. */
  async before(asking: AskingTurn): Promise<void> {
    if (asking.chat.origin.type === 'tool' || asking.turn.message.from === 'agent') return;
    while (!asking.signal.aborted) {
      const [folder] = this.#unasked();
      if (!folder) return;
      await this.#ask(folder, asking);
    }
  }

  /** Asks about trusted folders that changed while the turn runs; the turn does not wait. */
  during(asking: AskingTurn): void {
    for (const folder of this.#unasked().filter(({ changed }) => changed)) void this.#ask(folder, asking);
  }

  /** The answer to `/trust`: shows what the folders bring, and trusts on `yes` what it has shown. */
  command(word: string | undefined): string {
    const folders = this.#trust?.undecided(this.#session.head.roots) ?? [];
    if (folders.length === 0)
      return (
        'There is nothing to decide: the folders of this session are trusted, bring nothing that needs ' +
        'trust, or were refused. `parley trust --list` lists your decisions.'
      );
    if (word === 'never') return this.#decideAll(folders, 'never');
    const isShown = (folder: UndecidedFolder) => this.#shown.has(textOf(folder)) && isReadable(folder.lines);
    if (word === 'yes' && folders.every(isShown)) return this.#decideAll(folders, 'trust');
    for (const folder of folders) this.#shown.add(textOf(folder));
    const next = folders.every(({ lines }) => isReadable(lines))
      ? 'Send `/trust yes` to trust this, or `/trust never`.'
      : 'Send `/trust never` to be asked no more.';
    return [...folders.map(messageAbout), next].join('\n\n');
  }

  #decideAll(folders: readonly UndecidedFolder[], decision: TrustDecision): string {
    for (const folder of folders) this.#trust?.decide(folder, decision, this.#session.id);
    const names = folders.map(({ folder }) => folder).join(', ');
    return decision === 'trust'
      ? `${names}: trusted as shown.`
      : `${names}: not trusted, and not asked again.`;
  }

  close(): void {
    this.#trust?.endSession(this.#session.id);
  }

  get #trust(): FolderTrust | undefined {
    return this.#world.settings?.trust;
  }

  #unasked(): readonly UndecidedFolder[] {
    return (this.#trust?.undecided(this.#session.head.roots) ?? []).filter(
      (folder) => folder.isAsked && !folder.declined && !this.#asked.has(keyOf(folder)),
    );
  }

  async #ask(folder: UndecidedFolder, { chat, turn, signal, waitFor, recovered }: AskingTurn): Promise<void> {
    this.#asked.add(keyOf(folder));
    const over = new AbortController();
    // Decided in another session or by `parley trust`, or changed again: then the question is obsolete.
    const unwatch = this.#world.settings?.watch(() => {
      const open = this.#trust?.undecided([folder.folder]).filter(({ declined }) => !declined);
      if (!open?.some((each) => keyOf(each) === keyOf(folder))) over.abort();
    });
    const answer = await openAsk(
      { session: this.#session, chat, turn, waitFor, recovered, origin: { kind: 'host' } },
      questionAbout(folder, this.#world.ids.next()),
      { signal: over.signal, why: 'This folder was decided elsewhere, or has changed again.' },
    );
    unwatch?.();
    if (signal.aborted) return void this.#asked.delete(keyOf(folder));
    const decision = decisionIn(answer, offeredFor(folder));
    if (decision) this.#trust?.decide(folder, decision, this.#session.id);
  }
}

function keyOf({ folder, digest }: UndecidedFolder): string {
  return `${folder}\0${digest}`;
}

/** What the command shows: texts and variables can change without the digest. */
function textOf(folder: UndecidedFolder): string {
  return [keyOf(folder), ...folder.lines].join('\0');
}

function questionAbout(folder: UndecidedFolder, id: AskId): Ask {
  return {
    kind: 'question',
    id,
    message: messageAbout(folder),
    questions: [
      {
        id: question,
        message: 'Your decision',
        required: true,
        answer: { type: 'one', choices: offeredFor(folder) },
      },
    ],
    needs: 'control',
    about: 'trust',
  };
}

function messageAbout({ folder, lines, changed }: UndecidedFolder): string {
  const what = changed
    ? `${folder} has changed since you trusted it: its settings, or a script that they name.`
    : `${folder} brings settings, variables or texts for agents that need your trust.`;
  if (!isReadable(lines))
    return (
      `Do you trust this folder?\n\n${what} The list has ${lines.length} lines, too long to show here. ` +
      `Run "parley trust ${folder}" in a terminal to read it and to trust it.`
    );
  const text = lines.join('\n');
  // The text is the folder's: it must not end the block that it is quoted in.
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  const effect =
    'Trust lets it start these programs, set variables, allow calls and instruct agents. ' +
    'Without trust it can only restrict.';
  return `Do you trust this folder?\n\n${what} ${effect}\n\n${fence}\n${text}\n${fence}`;
}

function isReadable(lines: readonly string[]): boolean {
  return lines.length <= mostLines && lines.join('\n').length <= mostCharacters;
}

type Offered = Choice & { readonly id: TrustDecision };

const choices: readonly Offered[] = [
  {
    id: 'trust',
    label: 'Trust',
    description: 'As it is now. You are asked again when the settings or their scripts change.',
  },
  { id: 'once', label: 'This time', description: 'Until this session is closed or Parley ends.' },
  { id: 'never', label: 'Never', description: 'You are not asked again; "parley trust" changes it.' },
];

/** A user cannot decide about settings that cannot be shown. */
function offeredFor({ lines }: UndecidedFolder): readonly Offered[] {
  return isReadable(lines) ? choices : choices.filter(({ id }) => id === 'never');
}

/** People decline without a reason; programs give one, and another client may still ask the user. */
function decisionIn(answer: Answer, offered: readonly Offered[]): TrustDecision | undefined {
  if (answer.kind === 'declined' && answer.reason === undefined) return 'not now';
  if (answer.kind === 'withdrawn' && answer.why === closedByUser) return 'not now';
  const value = answer.kind === 'fields' ? answer.values[question] : undefined;
  return offered.find(({ id }) => id === value)?.id;
}
