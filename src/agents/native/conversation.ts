// One conversation of the native agent: runs the hooks around each turn, prepares the turn, answers
// it, and names the chat.
import { didYouMean } from '../../base/nearest.ts';
import { errorText } from '../../base/errorText.ts';
import type { SessionReporter, Conversation, TurnContext, ConversationSetup } from '../../host/agent.ts';
import { runHooksAfter, runHooksBefore } from '../../host/hooks/hookedTurn.ts';
import { turnHooks } from '../../host/hooks/turnHooks.ts';
import type { OpenServers } from '../../host/tools/toolServers.ts';
import { LateChanges } from '../../host/workspace/lateChanges.ts';
import type { Outcome } from '../../model/event.ts';
import { commandIn, unknownCommand } from './commands.ts';
import type { LanguageModel } from './model.ts';
import type { ModelSource, NativeOptions } from './options.ts';
import { sendsUnknownCommands } from './prompt/clientConventions.ts';
import { unpin } from './prompt/pinnedPrompt.ts';
import { resolvedInputs, withheldInput } from './prompt/resolvedInput.ts';
import { sharedResources } from './prompt/sharedResources.ts';
import type { SharedResources } from './prompt/sharedResources.ts';
import { runTurn } from './turn/loop.ts';
import { resolveProfile } from './turn/profile.ts';
import type { TurnProfile } from './turn/profile.ts';
import { switchedNotice } from './turn/providerSwitch.ts';
import { redoTurn, revertScope, revertTurn } from '../../host/turns/revertTurn.ts';
import type { RevertTurnOptions } from '../../host/turns/revertTurn.ts';
import { TurnTitle } from './turn/title.ts';
import { prepareTurn } from './turn/turnSetup.ts';
import type { PrepareOptions } from './turn/turnSetup.ts';

/** What all conversations of the agent have in common. */
export interface SharedByConversations {
  readonly models: ModelSource;
  /** Resolves when a turn may be prepared. */
  readonly nextTurn: () => Promise<void>;
}

export class NativeConversation implements Conversation {
  readonly ref: string;
  readonly countsSteps = true;
  readonly #options: NativeOptions;
  readonly #models: ModelSource;
  readonly #nextTurn: () => Promise<void>;
  readonly #aside: SessionReporter;
  readonly #servers: OpenServers | undefined;
  readonly #resources: SharedResources | undefined;
  readonly #closing = new AbortController();
  readonly #titles = new Set<TurnTitle>();
  readonly #late: LateChanges;
  #isFirst = true;

  constructor(
    { chat, roots, servers, aside }: ConversationSetup,
    options: NativeOptions,
    { models, nextTurn }: SharedByConversations,
  ) {
    this.ref = chat;
    this.#options = options;
    this.#models = models;
    this.#nextTurn = nextTurn;
    this.#aside = aside;
    this.#late = new LateChanges({ aside, ids: options.ids, who: 'A command' });
    this.#servers = options.external?.servers?.open({ roots, given: servers });
    this.#resources = this.#servers && sharedResources(this.#servers);
  }

  async prompt(turn: TurnContext): Promise<Outcome> {
    this.#late.tell(turn);
    const { name: command, rest = '' } = commandIn(turn.message) ?? {};
    if (command === 'sync-system-prompt') return unpin(turn, this.#record);
    if (command === 'undo') return revertTurn(turn, { ...this.#replacing(turn), ...revertScope(rest) });
    if (command === 'redo') return redoTurn(turn, this.#replacing(turn));
    const profile = await resolveProfile(turn, this.#options.knowledge);
    await this.#nextTurn();
    const unknown = this.#unknownCommand(turn, profile);
    if (unknown !== undefined) return this.#refuse(turn, unknown);
    const model = this.#modelFor(turn, profile);
    return model ? this.#answer(turn, profile, model) : unknownModel(turn.session.model, this.#models.list());
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#servers?.close();
    await Promise.all([...this.#titles].map((title) => title.settled()));
  }

  /** A profile may name its own model, which answers if the user chose none. */
  #modelFor({ session }: TurnContext, { definition }: TurnProfile): LanguageModel | undefined {
    if (session.model !== undefined) return this.#models.find(session.model);
    const own = definition?.model === undefined ? undefined : this.#models.find(definition.model);
    return own ?? this.#models.list()[0];
  }

  /** Lets a command change what later requests contain instead of its text. */
  #replacing(turn: TurnContext): RevertTurnOptions {
    return {
      record: this.#record,
      replaceText: (text) =>
        this.#record({
          kind: 'input.resolved',
          message: turn.message.id,
          input: { text, attachments: [], added: [] },
        }),
    };
  }

  async #answer(turn: TurnContext, profile: TurnProfile, model: LanguageModel): Promise<Outcome> {
    const title = this.#titleFor(turn, profile, model);
    const hooks = this.#hooksFor(turn, profile, model);
    const around = {
      hooks,
      aside: this.#aside,
      clock: this.#options.clock,
      isFirst: this.#isFirst,
      isSubagent: profile.isSubagent,
      runFollowUp: (next: TurnContext) => this.prompt(next),
    };
    this.#isFirst = false;
    const added = await runHooksBefore(turn, around);
    const outcome = added
      ? await this.#work(turn, { ...this.#shared(), profile, model, hooks, added }, title)
      : this.#withhold(turn);
    if (added) await runHooksAfter(turn, around, outcome);
    title.useFirstLine(turn.message.text);
    const settled = title.settled().then(() => this.#titles.delete(title));
    if (turn.workspace.workbench()?.fixedOrder) await settled;
    return outcome;
  }

  #unknownCommand(turn: TurnContext, { knowledge }: TurnProfile): string | undefined {
    const conventions = this.#options.prompt?.conventions ?? {};
    const isSent = sendsUnknownCommands(turn.state().chats[turn.session.chat], conventions);
    return isSent ? undefined : unknownCommand(turn.message, knowledge);
  }

  /** Neither this request nor later ones show the model a command that does not exist. */
  #refuse(turn: TurnContext, text: string): Outcome {
    turn.report({ kind: 'notice.added', level: 'warning', text });
    return this.#withhold(turn);
  }

  /** A hook has ended the turn, so the agent must not read its message later either. */
  #withhold({ message }: TurnContext): Outcome {
    this.#record({ kind: 'input.resolved', message: message.id, input: withheldInput(message) });
    return { kind: 'completed' };
  }

  async #work(
    turn: TurnContext,
    options: Omit<PrepareOptions, 'onAnswer'>,
    title: TurnTitle,
  ): Promise<Outcome> {
    const text = options.added.prompt ?? turn.message.text;
    if (!options.model.titles) title.useFirstLine(text);
    try {
      reportNotices(turn, options.model);
      const setup = await prepareTurn(turn, { ...options, onAnswer: () => title.request(text) });
      try {
        return await runTurn(turn, setup);
      } finally {
        await setup.programs?.close();
      }
    } catch (error) {
      this.#options.report(error, `a turn of session ${turn.session.id}`);
      return failure('agent', errorText(error, 'The agent failed.'));
    }
  }

  /** What all turns of the conversation share. */
  #shared() {
    return {
      options: this.#options,
      models: this.#models,
      servers: this.#servers,
      resources: this.#resources,
      record: this.#record,
      late: this.#late,
    };
  }

  readonly #record: SessionReporter['record'] = (fact) => this.#aside.record(fact);

  #titleFor(turn: TurnContext, { definition }: TurnProfile, model: LanguageModel): TurnTitle {
    const title = new TurnTitle(turn, {
      model,
      closing: this.#closing.signal,
      prompts: {
        ...this.#options.settings?.of(turn.session.roots).prompts,
        ...definition?.prompts,
      },
      earlier: () => allowedTexts(turn),
    });
    this.#titles.add(title);
    return title;
  }

  #hooksFor(turn: TurnContext, { definition }: TurnProfile, model: LanguageModel) {
    const inEffect = () => this.#options.knowledge?.hooks(turn.session.roots) ?? [];
    return turnHooks(turn, {
      hooks: inEffect(),
      inEffect,
      processes: this.#options.processes,
      ids: this.#options.ids,
      record: this.#record,
      agent: definition?.name ?? '',
      model: model.id,
      facts: this.#options.hookFacts,
    });
  }
}

/** The texts of the earlier messages as the model received them. */
function allowedTexts(turn: TurnContext): readonly string[] {
  const inputOf = resolvedInputs(turn.state());
  return turn.history.map(({ message }) => inputOf(message.id)?.text ?? message.text);
}

function reportNotices(turn: TurnContext, model: LanguageModel): void {
  const { active } = turn.state().chats[turn.session.chat] ?? {};
  // A turn that an earlier host began has its notices.
  if (active && active.items.length > 0) return;
  const warn = (text: string) => turn.report({ kind: 'notice.added', level: 'warning', text });
  // The model only learns that a recording exists, so its answer could look as if it had heard it.
  if (turn.message.attachments?.some(({ type }) => type === 'audio'))
    warn('Audio is not supported here; the model was only told that a recording is attached.');
  const switched = switchedNotice(turn.history, model.id);
  if (switched) turn.report(switched);
  if (model.warning !== undefined && turn.history.length === 0) warn(model.warning);
}

function unknownModel(model: string | undefined, known: readonly LanguageModel[]): Outcome {
  if (model === undefined) return failure('unknown-model', 'There is no model to answer.');
  const similar = didYouMean(
    model,
    known.map(({ id }) => id),
  );
  return failure('unknown-model', `There is no model named ${model}; choose another one.${similar}`);
}

function failure(code: string, message: string): Outcome {
  return { kind: 'failed', problem: { code, message } };
}
