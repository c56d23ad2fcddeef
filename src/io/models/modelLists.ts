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
  const entries = memberAt(list, kind === 'ollama' || kind === 'google' ? 'models' : 'data');
  if (!isList(entries)) return undefined;
  if (kind === 'llama.cpp' && !entries.every((entry) => memberAt(entry, 'owned_by') === 'llamacpp'))
    return undefined;
  const models = entries.slice(0, most).flatMap((entry) => (talks(entry, kind) ? modelOf(entry, kind) : []));
  return models.filter(({ name }, place) => models.findIndex((each) => each.name === name) === place);
}

function modelOf(entry: unknown, kind: ListKind): readonly FoundModel[] {
  const name = nameOf(entry, kind);
  if (name === undefined || others.test(name)) return [];
  const title =
    text(memberAt(entry, 'display_name')) ??
    text(memberAt(entry, 'displayName')) ??
    (kind === 'ollama' ? undefined : text(memberAt(entry, 'name')));
  const limits = memberAt(entry, 'capabilities', 'limits');
  const context = number(
    memberAt(entry, 'context_length'),
    memberAt(entry, 'max_model_len'),
    memberAt(entry, 'loaded_context_length'),
    memberAt(entry, 'max_context_length'),
    memberAt(entry, 'context_window'),
    memberAt(entry, 'max_input_tokens'),
    memberAt(entry, 'inputTokenLimit'),
    memberAt(limits, 'max_context_window_tokens'),
  );
  const output = number(
    memberAt(entry, 'top_provider', 'max_completion_tokens'),
    memberAt(entry, 'max_completion_tokens'),
    memberAt(entry, 'max_tokens'),
    memberAt(entry, 'outputTokenLimit'),
    memberAt(limits, 'max_output_tokens'),
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
    text(memberAt(entry, kind === 'ollama' || kind === 'google' ? 'name' : 'id')) ??
    (kind === 'ollama' ? text(memberAt(entry, 'model')) : undefined);
  return kind === 'google' ? name?.replace(/^models\//, '') : name;
}

/** Models that cannot chat. */
const others =
  /embed|whisper|\btts\b|-tts|text-to-speech|dall-e|moderation|rerank|transcri|realtime|\baudio\b|-live\b|sora|imagen|\bveo\b|davinci|babbage|instruct-0914|\bocr\b|gpt-image/i;

/** Whether a model can be talked to, as far as its vendor says. */
function talks(entry: unknown, kind: ListKind): boolean {
  const methods = memberAt(entry, 'supportedGenerationMethods');
  if (kind === 'google') return !isList(methods) || methods.includes('generateContent');
  if (kind === 'copilot')
    return (
      memberAt(entry, 'capabilities', 'type') === 'chat' && memberAt(entry, 'model_picker_enabled') !== false
    );
  if (kind === 'lmstudio') return memberAt(entry, 'type') !== 'embeddings';
  const parameters = memberAt(entry, 'supported_parameters');
  return (
    memberAt(entry, 'capabilities', 'completion_chat') !== false &&
    memberAt(entry, 'active') !== false &&
    (!isList(parameters) || parameters.includes('tools'))
  );
}

function looks(entry: unknown): boolean | undefined {
  const kinds = memberAt(entry, 'architecture', 'input_modalities');
  if (isList(kinds)) return kinds.includes('image');
  const said =
    memberAt(entry, 'capabilities', 'supports', 'vision') ?? memberAt(entry, 'capabilities', 'vision');
  if (typeof said === 'boolean') return said;
  const type = memberAt(entry, 'type');
  return type === 'vlm' || type === 'llm' ? type === 'vlm' : undefined;
}

function wantsResponses(entry: unknown): boolean {
  const ways = memberAt(entry, 'supported_endpoints');
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
export function memberAt(from: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined),
    from,
  );
}
