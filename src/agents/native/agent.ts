// Our own agent: answers with a language model and works through our tools. It keeps nothing between turns; the log is its memory.
import type { Agent, Conversation, TurnContext, Where } from '../../host/agent.ts';
import type { Clock, Files, Ids, Processes } from '../../host/ports.ts';
import type { Settings } from '../../host/settings/settings.ts';
import type { OpenServers, ToolServers } from '../../host/tools/toolServers.ts';
import type { Facts } from '../../host/hooks/hooks.ts';
import { bareKnowledge } from '../../host/settings/projectKnowledge.ts';
import type { Knowledge } from '../../host/settings/projectKnowledge.ts';
import type { WebPages } from '../../host/tools/webPages.ts';
import type { Json, Outcome, ResolvedInput, UserMessage } from '../../model/event.ts';
import { meansOf } from './tools/turnWorkbench.ts';
import { clientTools } from './tools/clientTools.ts';
import { commandIn } from './commands.ts';
import { conventionsFor } from './prompt/clientConventions.ts';
import type { ConventionsByDoor } from './prompt/clientConventions.ts';
import { gather, givenWith, isWorthKeeping, withAdded, withheldInput } from './prompt/resolvedInput.ts';
import type { GivenSources } from './prompt/resolvedInput.ts';
import { hookedTurn } from '../../host/hooks/hookedTurn.ts';
import type { Added } from '../../host/hooks/hookedTurn.ts';
import { heldResources } from './prompt/sharedResources.ts';
import type { HeldResources } from './prompt/sharedResources.ts';
import { infoOf } from './info.ts';
import { runTurn } from './turn/loop.ts';
import type { LanguageModel } from './model.ts';
import { mannerOf, outfitFor } from './turn/turnSetup.ts';
import type { Manner } from './turn/turnSetup.ts';
import { pinned, unpin } from './prompt/pinnedPrompt.ts';
import { withServers } from './prompt/systemPrompt.ts';
import type { MachineFacts } from './prompt/systemPrompt.ts';
import { serverTools } from './tools/serverTools.ts';
import { refusedPictures } from './prompt/refusedImages.ts';
import { sleepOn } from './turn/sleep.ts';
import { switchedNotice } from './turn/providerSwitch.ts';
import { TurnTitle } from './turn/title.ts';
import { turnHooks } from '../../host/hooks/turnHooks.ts';
import type { TurnHooks } from '../../host/hooks/turnHooks.ts';
import { undoTurn } from './turn/revertTurn.ts';
import { nativeTools } from './tools/all.ts';
import { conversationTools } from './tools/conversation/conversationTools.ts';
import { spawnAgent } from './tools/conversation/spawnAgent.ts';
import { customTools } from './tools/commands/customTools.ts';

export interface NativeOptions {
  /** The first one answers where nobody chose. */
  readonly models: readonly LanguageModel[] | ModelSource;
  readonly files: Files;
  readonly processes: Processes;
  readonly ids: Ids;
  readonly clock: Clock;
  /** At least zero and less than one; without it nothing is left to chance. */
  readonly random?: () => number;
  /** Where bugs end up; never throws. */
  readonly report: (problem: unknown, about: string) => void;
  /** What the user has set; without it the usual limits hold. */
  readonly settings?: Settings;
  readonly maxSteps?: number;
  /** What projects and users tell agents; without it nobody has written anything. */
  readonly knowledge?: Knowledge;
  readonly machine?: MachineFacts;
  /** What programs of the user that run around calls are told of this one. */
  readonly hookFacts?: Facts;
  /** Pages of the web; without it none can be read. */
  readonly web?: WebPages;
  /** Prompt conventions of chats that began in certain clients, by door. */
  readonly conventions?: ConventionsByDoor;
  /** Servers that lend tools; without it there are none but our own. */
  readonly toolServers?: ToolServers;
}

/** Models that come and go, for example with a key or with a server on this machine. */
export interface ModelSource {
  list(): readonly LanguageModel[];
  /** Also a model that is not listed, where its provider can be asked for it. */
  find(id: string): LanguageModel | undefined;
  watch(changed: () => void): () => void;
}

export function nativeAgent(options: NativeOptions): Agent {
  const models = 'list' in options.models ? options.models : fixed(options.models);
  return {
    get info() {
      return infoOf(models.list(), bareKnowledge);
    },
    at: (roots) => infoOf(models.list(), options.knowledge?.now(roots) ?? bareKnowledge),
    open: (where) => Promise.resolve(conversation(where, { ...options, models })),
    watch(changed) {
      const leave = [models.watch(changed), options.knowledge?.watch(changed)];
      return () => leave.forEach((each) => each?.());
    },
  };
}

function fixed(models: readonly LanguageModel[]): ModelSource {
  return {
    list: () => models,
    find: (wanted) => models.find(({ id }) => id === wanted),
    watch: () => () => {},
  };
}

type Options = NativeOptions & { readonly models: ModelSource };

function conversation({ chat: ref, roots, servers: given, aside }: Where, options: Options): Conversation {
  const servers = options.toolServers?.open({ roots, given });
  const held = servers && heldResources(servers);
  const closing = new AbortController();
  const titles = new Set<TurnTitle>();
  let first = true;
  const note = (key: string, value: Json) => aside.note('agents/native', key, value);
  const record: Where['aside']['record'] = (fact) => aside.record(fact);
  const self: Conversation = {
    ref,
    countsSteps: true,
    async prompt(turn) {
      const manner = await mannerOf(turn, options.knowledge);
      const model = modelFor(turn, manner, options.models);
      const command = commandIn(turn.message)?.name;
      if (command === 'sync-system-prompt') return unpin(turn, note);
      if (command === 'undo')
        return undoTurn(turn, {
          note,
          say: (text) =>
            aside.record({
              kind: 'input.resolved',
              message: turn.message.id,
              input: { text, attachments: [], added: [] },
            }),
        });
      if (!model)
        return failure(
          'unknown-model',
          turn.session.model === undefined
            ? 'There is no model to answer.'
            : `There is no model named ${turn.session.model}; choose another one.`,
        );
      const title = new TurnTitle(turn, {
        model,
        closing: closing.signal,
        prompts: { ...options.settings?.of(turn.session.roots).prompts, ...manner.definition?.prompts },
        earlier: () => allowedTexts(turn),
      });
      titles.add(title);
      const hooks = turnHooks(turn, {
        hooks: manner.knowledge.hooks,
        processes: options.processes,
        ids: options.ids,
        record: (fact) => aside.record(fact),
        agent: manner.definition?.name ?? '',
        model: model.id,
        facts: options.hookFacts,
      });
      const opening = first;
      first = false;
      let allowed = false;
      const outcome = await hookedTurn(
        turn,
        {
          hooks,
          aside,
          clock: options.clock,
          first: opening,
          tasked: isTasked(turn),
          again: (more) => self.prompt(more),
        },
        (added) => {
          allowed = true;
          const text = added.words ?? turn.message.text;
          const onAnswer = () => title.request(text);
          if (!model.titles) title.useFirstLine(text);
          return prompt(turn, {
            ...options,
            manner,
            model,
            servers,
            held,
            hooks,
            added,
            note,
            record,
            onAnswer,
          });
        },
      );
      if (!allowed)
        record({ kind: 'input.resolved', message: turn.message.id, input: withheldInput(turn.message) });
      title.useFirstLine(turn.message.text);
      const settled = title.settled().then(() => titles.delete(title));
      if (model.deterministic) await settled;
      return outcome;
    },
    async close() {
      closing.abort();
      servers?.close();
      await Promise.all([...titles].map((title) => title.settled()));
    },
  };
  return self;
}

/** The texts of the earlier messages as the model was given them. */
function allowedTexts(turn: TurnContext): readonly string[] {
  const given = givenWith(turn.state());
  return turn.history.map(({ message }) => given(message.id)?.text ?? message.text);
}

/** Whether another agent's call began the chat. */
function isTasked(turn: TurnContext): boolean {
  return turn.state().chats[turn.session.chat]?.origin.type === 'tool';
}

/** A way of working may name its own model, for whoever has not chosen one. */
function modelFor(turn: TurnContext, { definition }: Manner, models: ModelSource): LanguageModel | undefined {
  if (turn.session.model !== undefined) return models.find(turn.session.model);
  return (definition?.model === undefined ? undefined : models.find(definition.model)) ?? models.list()[0];
}

const usualLimits = { steps: 100, compactAt: 75 };

/** A first turn does not wait longer than this for servers of tools, in milliseconds; what comes later is there with the next step. */
const serverPatience = 1_000;

interface Prompting extends Options {
  readonly manner: Manner;
  readonly model: LanguageModel;
  readonly servers: OpenServers | undefined;
  readonly held: HeldResources | undefined;
  readonly hooks: TurnHooks;
  readonly added: Added;
  /** Keeps a private fact in the log for the turns to come. */
  readonly note: (key: string, value: Json) => void;
  readonly record: Where['aside']['record'];
  /** Called when the answer has begun, and with each further part of it. */
  readonly onAnswer: () => void;
}

async function prompt(turn: TurnContext, options: Prompting): Promise<Outcome> {
  const { files, processes, ids, report, servers, held, model, manner, random = () => 0 } = options;
  const { definition, knowledge } = manner;
  const { steps, compactAt } = options.settings?.of(turn.session.roots).limits ?? usualLimits;
  try {
    tellUnheard(turn);
    const switched = switchedNotice(turn.history, model.id);
    if (switched) turn.report(switched);
    if (model.warning !== undefined && turn.history.length === 0)
      turn.report({ kind: 'notice.added', level: 'warning', text: model.warning });
    const set = options.settings?.of(turn.session.roots).limits;
    const custom = () =>
      customTools(options.settings?.of(turn.session.roots).customTools ?? {}, set?.commandTimeout ?? 60_000);
    const limits = set && { lines: set.outputLines, characters: set.outputBytes };
    await servers?.settled(serverPatience);
    const { helpers } = manner;
    const conventions = conventionsFor(turn.state(), turn.session.chat, options.conventions ?? {});
    const maxSteps = options.maxSteps ?? steps;
    const spawn =
      helpers.length > 0
        ? [spawnAgent({ agents: helpers, hasModel: (id) => options.models.find(id) !== undefined })]
        : [];
    const all = () => {
      const able = nativeTools.filter(
        ({ needs }) => needs === undefined || turn.workspace.editors.can(needs, turn.session.roots) === true,
      );
      const own = [
        ...custom(),
        ...able,
        ...conversationTools,
        ...spawn,
        ...(servers ? serverTools(servers, model) : []),
      ];
      return [
        ...own,
        ...clientTools(turn.workspace.clientTools() ?? [], new Set(own.map(({ name }) => name))),
      ];
    };
    const {
      prompt: fresh,
      instructions,
      tools,
      serves,
      restraint,
    } = await outfitFor(turn, {
      ...manner,
      model,
      files,
      servers,
      all,
      settings: options.settings,
      machine: options.machine,
      conventions,
    });
    // Who works for another agent does so once.
    const own = manner.tasked
      ? fresh.text
      : pinned(turn, fresh, {
          note: options.note,
          follow: options.settings?.of(turn.session.roots).prompts?.follow === true,
        });
    const system = withServers(own, instructions);
    const means = meansOf(turn, '', { files, processes });
    const sources: GivenSources = {
      roots: turn.session.roots,
      files: means.files,
      knowledge,
      servers: servers && held && { ...servers, read: held.read },
      page: pageOf(options.web),
      link: async (uri) => turn.workspace.workbench()?.readLink?.(uri),
      signal: turn.signal,
    };
    const give = async (message: UserMessage, added: Added): Promise<ResolvedInput> => {
      const gathered = await gather(message, sources);
      const given = withAdded(gathered, {
        ...added,
        context: [...((await held?.news(turn.signal)) ?? []), ...added.context],
      });
      if (isWorthKeeping(given))
        options.record({ kind: 'input.resolved', message: message.id, input: given });
      return given;
    };
    await give(turn.message, { ...options.added, context: [...toldBesides(turn), ...options.added.context] });
    return await runTurn(turn, {
      model,
      tools,
      serves,
      system,
      restraint,
      onAnswer: options.onAnswer,
      pictures: refusedPictures(turn, model.id, options.note),
      give: (message) => give(message, { context: [] }),
      hooks: options.hooks,
      files,
      processes,
      ids,
      web: options.web,
      commandTimeout: set?.commandTimeout,
      shell: options.settings?.of(turn.session.roots).shell,
      readLines: set?.readLines,
      editorTimeout: set?.editorTimeout,
      conventions,
      ...(limits ? { limits } : {}),
      sleep: sleepOn(options.clock),
      random,
      report,
      compactAt: definition?.compactAt ?? compactAt,
      maxSteps: definition?.maxSteps ?? maxSteps,
      variant: manner.variant,
      task: definition?.prompts?.compact ?? options.settings?.of(turn.session.roots).prompts?.compact,
    });
  } catch (error) {
    report(error, `a turn of session ${turn.session.id}`);
    return failure('agent', error instanceof Error ? error.message : 'The agent failed.');
  }
}

/** What the host adds to a message is in no message of the log; the note keeps it. */
function toldBesides(turn: TurnContext): readonly string[] {
  const logged = turn.state().chats[turn.session.chat]?.active?.message.attachments?.length ?? 0;
  return (turn.message.attachments ?? [])
    .slice(logged)
    .flatMap((added) => (added.type === 'text' ? [`${added.label}:\n${added.text}`] : []));
}

/** Whoever attaches an address wants it to be read. */
function pageOf(
  web: WebPages | undefined,
): ((url: string, signal: AbortSignal) => Promise<string>) | undefined {
  if (!web) return undefined;
  return async (url, signal) => {
    const page = await web.read(url, signal);
    return 'problem' in page ? `[It cannot be read: ${page.problem}]` : page.text;
  };
}

/** A model that is told of a recording may seem to have heard it, so the user is told, too. */
function tellUnheard(turn: TurnContext): void {
  if (turn.message.attachments?.some(({ type }) => type === 'audio'))
    turn.report({
      kind: 'notice.added',
      level: 'warning',
      text: 'Recordings cannot be heard here; the model was told that one was attached.',
    });
}

function failure(code: string, message: string): Outcome {
  return { kind: 'failed', problem: { code, message } };
}
