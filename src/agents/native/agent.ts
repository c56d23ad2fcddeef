// Our own agent: answers with a language model and works through our tools. It keeps nothing between turns; the log is its memory.
import type { Agent, AgentInfo, Conversation, ModelInfo, TurnContext, Where } from '../../host/agent.ts';
import type { Clock, Files, Ids, Processes } from '../../host/ports.ts';
import type { Settings } from '../../host/settings.ts';
import type { OpenServers, ToolServers } from '../../host/toolServers.ts';
import type { Outcome } from '../../model/event.ts';
import { commands } from './commands.ts';
import { clientTools } from './clientTools.ts';
import { runTurn } from './loop.ts';
import type { LanguageModel } from './model.ts';
import { serverPart } from '../../host/serverNames.ts';
import { serverTools } from './serverTools.ts';
import { sleepOn } from './sleep.ts';
import { giveTitle } from './title.ts';
import { nativeTools } from './tools/all.ts';
import { conversationTools } from './tools/conversation.ts';

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
      return infoOf(models.list());
    },
    open: (where) => Promise.resolve(conversation(where, { ...options, models })),
    watch: (changed) => models.watch(changed),
  };
}

function infoOf(models: readonly LanguageModel[]): AgentInfo {
  return {
    id: 'parley', name: 'Parley', description: 'Works in your folders with a language model of your choice.',
    models: models.map(modelInfo), accepts: { images: true, systemPrompt: 'override' }, commands,
  };
}

function modelInfo({ id, name, context, output, variants }: LanguageModel): ModelInfo {
  return { id, name, ...(context === undefined ? {} : { context }), ...(output === undefined ? {} : { output }), ...(variants === undefined ? {} : { variants }) };
}

function fixed(models: readonly LanguageModel[]): ModelSource {
  return { list: () => models, find: (wanted) => models.find(({ id }) => id === wanted), watch: () => () => {} };
}

type Options = NativeOptions & { readonly models: ModelSource };

function conversation({ chat: ref, roots, servers: given }: Where, options: Options): Conversation {
  const servers = options.toolServers?.open({ roots, given });
  const closing = new AbortController();
  const titles = new Set<Promise<void>>();
  return {
    ref,
    prompt: (turn) => {
      const model = modelFor(turn, options.models);
      if (!model) return Promise.resolve(failure('unknown-model', turn.model === undefined ? 'There is no model to answer.' : `There is no model named ${turn.model}; choose another one.`));
      const title = giveTitle(turn, model, closing.signal).finally(() => titles.delete(title));
      titles.add(title);
      return prompt(turn, model, { ...options, servers });
    },
    async close() {
      closing.abort();
      servers?.close();
      await Promise.all(titles);
    },
  };
}

function modelFor(turn: TurnContext, models: ModelSource): LanguageModel | undefined {
  return turn.model === undefined ? models.list()[0] : models.find(turn.model);
}

const usualLimits = { steps: 100, compactAt: 75 };

/** A first turn does not wait longer than this for servers of tools, in milliseconds; what comes later is there with the next step. */
const serverPatience = 1_000;

async function prompt(turn: TurnContext, model: LanguageModel, options: Options & { readonly servers: OpenServers | undefined }): Promise<Outcome> {
  const { files, processes, ids, report, servers, random = () => 0 } = options;
  const { steps, compactAt } = options.settings?.of(turn.roots).limits ?? usualLimits;
  try {
    tellUnheard(turn);
    await servers?.settled(serverPatience);
    const tools = () => {
      const own = [...nativeTools, ...conversationTools, ...(servers ? serverTools(servers, model) : [])];
      const lent = clientTools(turn.clientTools?.() ?? [], new Set(own.map(({ name }) => name)));
      return new Map([...own, ...lent].map((tool) => [tool.name, tool]));
    };
    const instructions = (servers?.list() ?? []).flatMap(({ name, instructions: text }) => (text === undefined ? [] : [{ server: serverPart(name), text }]));
    return await runTurn(turn, { model, tools, instructions, files, processes, ids, sleep: sleepOn(options.clock), random, report, compactAt, maxSteps: options.maxSteps ?? steps });
  } catch (error) {
    report(error, `a turn of session ${turn.session}`);
    return failure('agent', error instanceof Error ? error.message : 'The agent failed.');
  }
}

/** A model that is told of a recording may seem to have heard it, so the user is told, too. */
function tellUnheard(turn: TurnContext): void {
  if (turn.message.attachments?.some(({ type }) => type === 'audio')) turn.report({ kind: 'notice.added', level: 'warning', text: 'Recordings cannot be heard here; the model was told that one was attached.' });
}

function failure(code: string, message: string): Outcome {
  return { kind: 'failed', problem: { code, message } };
}
