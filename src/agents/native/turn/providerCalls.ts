// The calls of an answer that the provider runs itself: they are told to the log like any other, but nobody here is asked about them or runs them.
import { isRecord } from '../../../base/isRecord.ts';
import type { TurnContext } from '../../../host/agent.ts';
import type { Ids } from '../../../host/ports.ts';
import type { Json, ToolKind, ToolResult } from '../../../model/event.ts';
import type { AssistantPart, LanguageModel, ModelPart } from '../model.ts';
import { splitModel } from '../models/providers/providers.ts';
import { joinRaw } from '../models/wires/shared/seal.ts';

/** A call that has begun and not ended. A provider that pauses ends it in a later answer of the same turn. */
export interface Serving {
  readonly tool: string;
  readonly name: string;
  runs?: true;
  /** What goes back of it so far. */
  part?: Extract<AssistantPart, { type: 'served' }>;
}

export interface ServedOptions {
  readonly model: Pick<LanguageModel, 'id'>;
  readonly ids: Ids;
  readonly used: Set<string>;
  /** By the ids that the provider gave them. */
  readonly serving: Map<string, Serving>;
}

export class ServedCalls {
  readonly #turn: Pick<TurnContext, 'report'>;
  readonly #options: ServedOptions;

  constructor(turn: Pick<TurnContext, 'report'>, options: ServedOptions) {
    this.#turn = turn;
    this.#options = options;
  }

  /** The id that a call has in the log. */
  toolOf(id: string): string | undefined {
    return this.#options.serving.get(id)?.tool;
  }

  start(id: string, name: string): Serving {
    const { ids, used, serving, model } = this.#options;
    const tool = id === '' || used.has(id) ? ids.next() : id;
    used.add(tool);
    const call: Serving = { tool, name };
    serving.set(id, call);
    this.#turn.report({
      kind: 'tool.started',
      tool,
      name,
      title: titleOf(name, {}),
      toolKind: kindOf(name),
      source: 'provider',
      server: splitModel(model.id).provider,
    });
    return call;
  }

  /** What goes back of it. */
  call({
    id,
    name,
    input: text,
    meta,
  }: Extract<ModelPart, { type: 'served-call' }>): readonly AssistantPart[] {
    const call = this.#options.serving.get(id) ?? this.start(id, name);
    const { tool } = call;
    const input = parsed(text);
    this.#turn.report({
      kind: 'tool.ready',
      tool,
      input,
      title: titleOf(call.name, input),
      toolKind: kindOf(call.name),
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
    const { serving } = this.#options;
    const call = serving.get(id) ?? this.start(id, name);
    serving.delete(id);
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

  /** Ends what the provider has not ended, and says what of it must not go back. */
  giveUp(error: string): ReadonlySet<AssistantPart> {
    const { serving } = this.#options;
    const open = [...serving.values()];
    serving.clear();
    for (const { tool } of open)
      this.#turn.report({ kind: 'tool.ended', tool, result: { status: 'failed', content: [], error } });
    return new Set(open.flatMap(({ part }) => (part ? [part] : [])));
  }
}

function kindOf(name: string): ToolKind {
  if (name.includes('search')) return 'search';
  if (name.includes('fetch')) return 'fetch';
  return name.includes('execution') ? 'execute' : 'other';
}

const names: { readonly [name: string]: string | undefined } = {
  web_search: 'Web search',
  web_fetch: 'Web page',
  image_generation: 'Image generation',
  code_execution: 'Code execution',
};

/** A search is called by what is looked for. */
function titleOf(name: string, input: Json): string {
  const told = isRecord(input)
    ? Object.values(input)
        .flat()
        .find((value) => typeof value === 'string' && value !== '')
    : undefined;
  const title = names[name] ?? name.replaceAll('_', ' ');
  return typeof told === 'string'
    ? `${title}: ${told.length > longest ? `${told.slice(0, longest)}…` : told}`
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
