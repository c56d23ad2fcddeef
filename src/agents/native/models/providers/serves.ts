// What a provider may run itself: what the user wants of it, as far as it can be had in its format. Pure.
import type { Served } from '../../model.ts';
import type { Provider, WireName } from './providers.ts';

/** What is said about a model holds in place of what is said about its provider. */
export function servesOf(
  { provider: { given }, model }: { readonly provider: Provider; readonly model: string },
  wire: WireName,
): readonly Served[] {
  const { webSearch = given?.webSearch, imageGeneration = given?.imageGeneration } =
    given?.models[model] ?? {};
  const wanted: readonly Served[] = [
    ...(webSearch ? ['web_search' as const] : []),
    ...(imageGeneration ? ['image_generation' as const] : []),
  ];
  return wanted.filter((each) => servedBy[wire].includes(each));
}

const servedBy: { readonly [W in WireName]: readonly Served[] } = {
  anthropic: ['web_search'],
  'openai-responses': ['web_search', 'image_generation'],
  'openai-chat': ['web_search'],
  google: ['web_search', 'image_generation'],
  compatible: ['web_search', 'image_generation'],
  bedrock: [],
  ollama: [],
};
