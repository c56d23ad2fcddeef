// One answer of a language model without an agent, for completion and rewriting.
import type { LanguageModel } from '../../../agents/native/model.ts';
import type { OneShot, OneShotPart, OneShotRequest } from '../../../doors/eca/options.ts';
import type { App } from '../../app.ts';
import { usableModels } from '../../models/openModels.ts';

export function ecaOneShot({ env, models: { source } }: App): OneShot {
  return {
    model(purpose, preferred) {
      const models = usableModels(source);
      const fromEnvironment = env[`PARLEY_${purpose.toUpperCase()}_MODEL`];
      return (
        [fromEnvironment, ...preferred].find((id) => models.some((model) => model.id === id)) ?? models[0]?.id
      );
    },
    async *ask({ model: id, ...request }) {
      const model = usableModels(source).find((candidate) => candidate.id === id);
      if (model) yield* answer(model, request);
      else yield { type: 'problem', message: `The model ${id} is no longer available.` };
    },
  };
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
