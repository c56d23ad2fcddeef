// Which tools a provider runs itself: those that the user has enabled and that its wire
// format supports. Pure.
import type { Served } from '../../model.ts';
import { wireFormats } from '../wires/formats.ts';
import type { Provider, WireName } from './providers.ts';

/** A setting of the model wins over the provider's. */
export function enabledProviderTools(
  { provider: { config }, model }: { readonly provider: Provider; readonly model: string },
  wire: WireName,
): readonly Served[] {
  const { webSearch = config?.webSearch, imageGeneration = config?.imageGeneration } =
    config?.models[model] ?? {};
  const enabled: readonly Served[] = [
    ...(webSearch ? ['web_search' as const] : []),
    ...(imageGeneration ? ['image_generation' as const] : []),
  ];
  return enabled.filter((each) => wireFormats[wire].providerTools.includes(each));
}
