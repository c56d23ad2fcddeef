// The tool calls that the provider runs: they are logged like any other call, but need no
// approval and do not run here.
import { isRecord } from '../../../base/isRecord.ts';
import type { TurnContext } from '../../../host/agent.ts';
import type { Ids } from '../../../host/ports.ts';
import type { Json, ToolKind, ToolResult } from '../../../model/event.ts';
import type { AssistantPart, LanguageModel, ModelPart } from '../model.ts';
import { splitModel } from '../models/providers/providers.ts';
import { joinRaw } from '../models/wires/shared/seal.ts';
import type { UsedIds } from './usedIds.ts';

/**
 * A call that has started and not ended. A provider that pauses ends it in a later answer of the same turn.
 */
export interface OpenProviderCall {
  readonly tool: string;
  readonly name: string;
  runs?: true;
  /** The part of the call that the next request sends back. */
  part?: Extract<AssistantPart, { type: 'served' }>;
}

export interface ProviderCallOptions {
  readonly model: Pick<LanguageModel, 'id'>;
  readonly ids: Ids;
  readonly usedIds: UsedIds;
  /** The open calls by the provider's ids. */
  readonly open: Map<string, OpenProviderCall>;
}

export class ProviderCalls {
  readonly #turn: Pick<TurnContext, 'report'>;
  readonly #options: ProviderCallOptions;

  constructor(turn: Pick<TurnContext, 'report'>, options: ProviderCallOptions) {
    this.#turn = turn;
    this.#options = options;
  }

  /** The id of a call in the log. */
  toolOf(id: string): string | undefined {
    return this.#options.open.get(id)?.tool;
  }

  start(id: string, name: string): OpenProviderCall {
    const { ids, usedIds, open, model } = this.#options;
    const tool = id === '' || usedIds.has(id) ? ids.next() : id;
    usedIds.add(tool);
    const call: OpenProviderCall = { tool, name };
    open.set(id, call);
    this.#turn.report({
      kind: 'tool.started',
      tool,
      name,
      title: titleOf(name, {}),
      toolKind: knownTool(name).kind,
      source: 'provider',
      server: splitModel(model.id).provider,
    });
    return call;
  }

  /** Returns the part that the next request sends back. */
  call({
    id,
    name,
    input: text,
    meta,
  }: Extract<ModelPart, { type: 'served-call' }>): readonly AssistantPart[] {
    const call = this.#options.open.get(id) ?? this.start(id, name);
    const { tool } = call;
    const input = parsed(text);
    this.#turn.report({
      kind: 'tool.ready',
      tool,
      input,
      title: titleOf(call.name, input),
      toolKind: knownTool(call.name).kind,
    });
    if (!call.runs) this.#turn.report({ kind: 'tool.running', tool, basis: { how: 'agent' } });
    call.runs = true;
    if (meta === undefined) return [];
    call.part = { type: 'served', name: call.name, meta };
    return [call.part];
  }

  result({
    id,
    name,
    result: { content, error },
    meta,
  }: Extract<ModelPart, { type: 'served-result' }>): readonly AssistantPart[] {
    const { open } = this.#options;
    const call = open.get(id) ?? this.start(id, name);
    open.delete(id);
    const result: ToolResult =
      error === undefined ? { status: 'done', content } : { status: 'failed', content, error };
    const whole = meta === undefined ? undefined : joinRaw(call.part?.meta, meta);
    this.#turn.report({
      kind: 'tool.ended',
      tool: call.tool,
      result,
      ...(whole === undefined ? {} : { meta: whole }),
    });
    return meta === undefined ? [] : [{ type: 'served', name: call.name, meta }];
  }

  /** Fails the calls that the provider did not end; returns the parts that must not be sent back. */
  failAll(error: string): ReadonlySet<AssistantPart> {
    const calls = [...this.#options.open.values()];
    this.#options.open.clear();
    for (const { tool } of calls)
      this.#turn.report({ kind: 'tool.ended', tool, result: { status: 'failed', content: [], error } });
    return new Set(calls.flatMap(({ part }) => (part ? [part] : [])));
  }
}

/** The tools of the vendors, by the names in their APIs. */
const knownTools: {
  readonly [name: string]: { readonly kind: ToolKind; readonly title: string } | undefined;
} = {
  web_search: { kind: 'search', title: 'Web search' },
  file_search: { kind: 'search', title: 'File search' },
  tool_search_tool_regex: { kind: 'search', title: 'Tool search' },
  tool_search_tool_bm25: { kind: 'search', title: 'Tool search' },
  web_fetch: { kind: 'fetch', title: 'Web page' },
  url_context: { kind: 'fetch', title: 'Web page' },
  code_execution: { kind: 'execute', title: 'Code execution' },
  bash_code_execution: { kind: 'execute', title: 'Shell command' },
  text_editor_code_execution: { kind: 'execute', title: 'File edit' },
  image_generation: { kind: 'other', title: 'Image generation' },
};

function knownTool(name: string): { readonly kind: ToolKind; readonly title: string } {
  const known = Object.hasOwn(knownTools, name) ? knownTools[name] : undefined;
  return known ?? { kind: 'other', title: name.replaceAll('_', ' ') };
}

/** The title of a search names what is searched for. */
function titleOf(name: string, input: Json): string {
  const text = isRecord(input)
    ? Object.values(input)
        .flat()
        .find((value) => typeof value === 'string' && value !== '')
    : undefined;
  const { title } = knownTool(name);
  return typeof text === 'string'
    ? `${title}: ${text.length > longest ? `${text.slice(0, longest)}…` : text}`
    : title;
}

const longest = 120;

function parsed(text: string): Json {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is parsed is JSON
    return text === '' ? {} : (JSON.parse(text) as Json);
  } catch {
    return { input: text };
  }
}
