// One answer of a language model for the ECA door: completion and rewriting need no agent.
import type { LanguageModel } from '../../../agents/native/model.ts';
import type { OneShot, OneShotPart, OneShotRequest } from '../../../doors/eca/options.ts';
import { offered } from '../../app.ts';

export function ecaOneShot(env: NodeJS.ProcessEnv): OneShot {
  return {
    model(purpose, wishes) {
      const models = list();
      const set = env[`PARLEY_${purpose.toUpperCase()}_MODEL`];
      return [set, ...wishes].find((id) => models.some((model) => model.id === id)) ?? models[0]?.id;
    },
    ask,
  };
}

function list(): readonly LanguageModel[] {
  const source = offered()?.models.source ?? [];
  return 'list' in source ? source.list() : source;
}

async function* ask({ model: id, ...request }: OneShotRequest): AsyncGenerator<OneShotPart> {
  const model = list().find((each) => each.id === id);
  if (model) yield* answer(model, request);
  else yield { type: 'problem', message: `There is no model named ${id} any more.` };
}

async function* answer(
  model: LanguageModel,
  { system, prompt, signal }: Omit<OneShotRequest, 'model'>,
): AsyncGenerator<OneShotPart> {
  const messages = [{ role: 'user', content: [{ type: 'text', text: prompt }] }] as const;
  for await (const part of model.stream({
    system,
    messages,
    start: 0,
    tools: [],
    roots: [],
    signal,
    variant: model.variants?.[0],
  })) {
    if (part.type === 'text' || part.type === 'reasoning') yield { type: part.type, text: part.text };
    if (part.type === 'error') yield { type: 'problem', message: part.message };
    if (part.type === 'error' || part.type === 'finish') return;
  }
}
