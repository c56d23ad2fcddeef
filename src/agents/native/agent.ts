// Our own agent: answers with a language model and works through our tools. It keeps nothing between turns; the log is its memory.
import type { Agent, Conversation, TurnContext } from '../../host/agent.ts';
import type { Clock, Files, Ids, Processes } from '../../host/ports.ts';
import type { Outcome } from '../../model/event.ts';
import { runTurn } from './loop.ts';
import type { LanguageModel } from './model.ts';
import { sleepOn } from './sleep.ts';
import { nativeTools } from './tools/all.ts';

export interface NativeOptions {
  /** The first one answers where nobody chose. */
  readonly models: readonly LanguageModel[];
  readonly files: Files;
  readonly processes: Processes;
  readonly ids: Ids;
  readonly clock: Clock;
  /** Where bugs end up; never throws. */
  readonly report: (problem: unknown, about: string) => void;
  readonly maxSteps?: number;
}

export function nativeAgent(options: NativeOptions): Agent {
  return {
    info: {
      id: 'parley',
      name: 'Parley',
      description: 'Works in your folders with a language model of your choice.',
      models: options.models.map(({ id, name, context, output }) => ({
        id, name, ...(context === undefined ? {} : { context }), ...(output === undefined ? {} : { output }),
      })),
    },
    open: ({ chat }) => Promise.resolve(conversation(chat, options)),
  };
}

function conversation(ref: string, options: NativeOptions): Conversation {
  return { ref, prompt: (turn) => prompt(turn, options), close: () => Promise.resolve() };
}

const usualSteps = 100;

async function prompt(turn: TurnContext, options: NativeOptions): Promise<Outcome> {
  const { models, files, processes, ids, report, maxSteps = usualSteps } = options;
  const model = turn.model === undefined ? models[0] : models.find(({ id }) => id === turn.model);
  if (!model) return failure('unknown-model', turn.model === undefined ? 'There is no model to answer.' : `There is no model named ${turn.model}; choose another one.`);
  try {
    const tools = new Map(nativeTools.map((tool) => [tool.name, tool]));
    return await runTurn(turn, { model, tools, files, processes, ids, sleep: sleepOn(options.clock), report, maxSteps });
  } catch (error) {
    report(error, `a turn of session ${turn.session}`);
    return failure('agent', error instanceof Error ? error.message : 'The agent failed.');
  }
}

function failure(code: string, message: string): Outcome {
  return { kind: 'failed', problem: { code, message } };
}
