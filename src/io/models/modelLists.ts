// Parses the model lists of servers and vendors. Models that cannot chat are left out. Pure.

/** How a list is written. Many programs listen on 8080, so llama.cpp must say that it is one. */
export type ListKind = 'openai' | 'ollama' | 'llama.cpp' | 'lmstudio' | 'anthropic' | 'google' | 'copilot';

/** A model, and what its server says about it. */
export interface FoundModel {
  readonly name: string;
  /** What people call it. */
  readonly title?: string;
  /** How many tokens fit into it, and into its longest answer. */
  readonly context?: number;
  readonly output?: number;
  /** Whether it can look at pictures. */
  readonly images?: boolean;
  /** How it is spoken to, where that differs from the others. */
  readonly wire?: 'openai-responses';
}

/** More models than this are cut off: nobody chooses among so many. */
const most = 2_000;

/** Undefined where it is no such list. */
export function listedModels(list: unknown, kind: ListKind): readonly FoundModel[] | undefined {
  const entries = valueAt(list, kind === 'ollama' || kind === 'google' ? 'models' : 'data');
  if (!isList(entries)) return undefined;
  if (kind === 'llama.cpp' && !entries.every((entry) => valueAt(entry, 'owned_by') === 'llamacpp'))
    return undefined;
  const models = entries.slice(0, most).flatMap((entry) => (talks(entry, kind) ? modelOf(entry, kind) : []));
  return models.filter(({ name }, place) => models.findIndex((each) => each.name === name) === place);
}

function modelOf(entry: unknown, kind: ListKind): readonly FoundModel[] {
  const name = nameOf(entry, kind);
  if (name === undefined || others.test(name)) return [];
  const title =
    text(valueAt(entry, 'display_name')) ??
    text(valueAt(entry, 'displayName')) ??
    (kind === 'ollama' ? undefined : text(valueAt(entry, 'name')));
  const limits = valueAt(entry, 'capabilities', 'limits');
  const context = number(
    valueAt(entry, 'context_length'),
    valueAt(entry, 'max_model_len'),
    valueAt(entry, 'loaded_context_length'),
    valueAt(entry, 'max_context_length'),
    valueAt(entry, 'context_window'),
    valueAt(entry, 'max_input_tokens'),
    valueAt(entry, 'inputTokenLimit'),
    valueAt(limits, 'max_context_window_tokens'),
  );
  const output = number(
    valueAt(entry, 'top_provider', 'max_completion_tokens'),
    valueAt(entry, 'max_completion_tokens'),
    valueAt(entry, 'max_tokens'),
    valueAt(entry, 'outputTokenLimit'),
    valueAt(limits, 'max_output_tokens'),
  );
  const images = looks(entry);
  return [
    {
      name,
      ...(title === undefined || title === name || title.startsWith('models/') ? {} : { title }),
      ...(context === undefined ? {} : { context }),
      ...(output === undefined ? {} : { output }),
      ...(images === undefined ? {} : { images }),
      ...(wantsResponses(entry) ? { wire: 'openai-responses' } : {}),
    },
  ];
}

function nameOf(entry: unknown, kind: ListKind): string | undefined {
  const name =
    text(valueAt(entry, kind === 'ollama' || kind === 'google' ? 'name' : 'id')) ??
    (kind === 'ollama' ? text(valueAt(entry, 'model')) : undefined);
  return kind === 'google' ? name?.replace(/^models\//, '') : name;
}

/** Models that cannot chat. */
const others =
  /embed|whisper|\btts\b|-tts|text-to-speech|dall-e|moderation|rerank|transcri|realtime|\baudio\b|-live\b|sora|imagen|\bveo\b|davinci|babbage|instruct-0914|\bocr\b|gpt-image/i;

/** Whether a model can be talked to, as far as its vendor says. */
function talks(entry: unknown, kind: ListKind): boolean {
  const methods = valueAt(entry, 'supportedGenerationMethods');
  if (kind === 'google') return !isList(methods) || methods.includes('generateContent');
  if (kind === 'copilot')
    return (
      valueAt(entry, 'capabilities', 'type') === 'chat' && valueAt(entry, 'model_picker_enabled') !== false
    );
  if (kind === 'lmstudio') return valueAt(entry, 'type') !== 'embeddings';
  const parameters = valueAt(entry, 'supported_parameters');
  return (
    valueAt(entry, 'capabilities', 'completion_chat') !== false &&
    valueAt(entry, 'active') !== false &&
    (!isList(parameters) || parameters.includes('tools'))
  );
}

function looks(entry: unknown): boolean | undefined {
  const kinds = valueAt(entry, 'architecture', 'input_modalities');
  if (isList(kinds)) return kinds.includes('image');
  const said =
    valueAt(entry, 'capabilities', 'supports', 'vision') ?? valueAt(entry, 'capabilities', 'vision');
  if (typeof said === 'boolean') return said;
  const type = valueAt(entry, 'type');
  return type === 'vlm' || type === 'llm' ? type === 'vlm' : undefined;
}

function wantsResponses(entry: unknown): boolean {
  const ways = valueAt(entry, 'supported_endpoints');
  return isList(ways) && ways.includes('/responses') && !ways.includes('/chat/completions');
}

/** Names go into menus and requests. */
function text(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '' || value.length > 200) return undefined;
  // oxlint-disable-next-line no-control-regex -- these are what must not get through
  return /[\u0000-\u001f\u007f]/.test(value) ? undefined : value;
}

function number(...values: readonly unknown[]): number | undefined {
  return values.find(
    (value): value is number => typeof value === 'number' && Number.isFinite(value) && value > 0,
  );
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** The value at a path inside a value of unknown shape. */
export function valueAt(from: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined),
    from,
  );
}
