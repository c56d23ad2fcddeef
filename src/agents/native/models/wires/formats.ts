// The wire formats: how each is loaded, and what is true of every provider that speaks it.
import type { Served } from '../../model.ts';
import type { Provider, WireName } from '../providers/providers.ts';
import type { Wire } from './wire.ts';

export interface WireFormat {
  /** Loads the format on its first use. */
  readonly load: () => Promise<Wire>;
  /** The path that is appended to an address without a version. */
  readonly version: string;
  /** The list of models that its providers have, and that we can read. */
  readonly modelList: Pick<Provider, 'serverModelList' | 'vendorModelList'>;
  /** The tools that its providers can run themselves. */
  readonly providerTools: readonly Served[];
  /** The name that ACP clients see; names with an underscore are our own. */
  readonly acpName: string;
}

export const wireFormats: { readonly [W in WireName]: WireFormat } = {
  anthropic: {
    load: async () => (await import('./anthropic/request.ts')).anthropic,
    version: '/v1',
    modelList: { vendorModelList: 'anthropic' },
    providerTools: ['web_search'],
    acpName: 'anthropic',
  },
  'openai-responses': {
    load: async () => (await import('./openaiResponses/request.ts')).openaiResponses,
    version: '/v1',
    modelList: { vendorModelList: 'openai' },
    providerTools: ['web_search', 'image_generation'],
    acpName: 'openai',
  },
  'openai-chat': {
    load: async () => (await import('./chatCompletions/request.ts')).openaiChat,
    version: '/v1',
    modelList: { vendorModelList: 'openai' },
    providerTools: ['web_search'],
    acpName: 'openai',
  },
  google: {
    load: async () => (await import('./google/request.ts')).google,
    version: '/v1beta',
    modelList: { vendorModelList: 'google' },
    providerTools: ['web_search', 'image_generation'],
    acpName: '_google',
  },
  compatible: {
    load: async () => (await import('./chatCompletions/request.ts')).compatible,
    version: '/v1',
    modelList: { vendorModelList: 'openai' },
    providerTools: ['web_search', 'image_generation'],
    acpName: 'openai',
  },
  bedrock: {
    load: async () => (await import('./bedrock/request.ts')).bedrock,
    version: '',
    modelList: {},
    providerTools: [],
    acpName: 'bedrock',
  },
  ollama: {
    load: async () => (await import('./ollama/request.ts')).ollama,
    version: '',
    modelList: { serverModelList: 'ollama' },
    providerTools: [],
    acpName: '_ollama',
  },
};

export function isWireName(name: string): name is WireName {
  return Object.hasOwn(wireFormats, name);
}
