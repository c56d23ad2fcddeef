// The configuration of ECA in the words of our settings. Pure; what has no counterpart is left out.
import * as z from 'zod';
import type { Written } from '../settings/schema.ts';
import type { EcaConfig } from './read.ts';

/** What concerns one client rather than the host. */
export interface ClientSettings {
  readonly welcomeMessage?: string;
  readonly defaultModel?: string;
  readonly defaultAgent?: string;
  readonly trust?: boolean;
  readonly completionModel?: string;
  readonly rewriteModel?: string;
}

const text = z.string();
const flag = z.boolean();
const words = z.record(z.string(), text);

/** Every part is read by itself, so that a mistake in one leaves the others alone. */
function part<T>(config: EcaConfig, key: string, schema: z.ZodType<T>): T | undefined {
  const read = schema.safeParse(config[key]);
  return read.success ? read.data : undefined;
}

export function clientSettings(config: EcaConfig): ClientSettings {
  const named = (key: string) => part(config, key, text);
  const model = (key: string) => part(config, key, z.object({ model: text }))?.model;
  return present({
    welcomeMessage: named('welcomeMessage'), defaultModel: named('defaultModel'), defaultAgent: named('defaultAgent') ?? named('defaultBehavior'),
    trust: part(config, 'chat', z.object({ defaultTrust: flag }))?.defaultTrust, completionModel: model('completion'), rewriteModel: model('rewrite'),
  });
}

export function mapEcaConfig(config: EcaConfig): Written {
  const days = part(config, 'chatRetentionDays', z.int().min(0));
  const compactAt = part(config, 'autoCompactPercentage', z.int().min(10).max(100));
  return present({
    defaultModel: part(config, 'defaultModel', text),
    providers: providers(config), approvals: approvals(config), mcpServers: mcpServers(config), customTools: customTools(config), hooks: hooks(config),
    disabledTools: part(config, 'disabledTools', z.array(text)),
    rules: part(config, 'rules', z.array(z.object({ path: text }))), commands: part(config, 'commands', z.array(z.object({ path: text }))),
    retention: days === undefined ? undefined : { days }, limits: compactAt === undefined ? undefined : { compactAt },
  });
}

const wires = { 'openai-responses': 'openai-responses', 'openai-chat': 'openai-chat', openai: 'openai-responses', anthropic: 'anthropic', ollama: 'ollama', google: 'google' } as const;

const model = z.object({
  modelName: text.optional(), extraPayload: z.record(z.string(), z.json()).optional(), extraHeaders: words.optional(), imageInput: flag.optional(),
  limit: z.object({ context: z.int().min(1).optional(), output: z.int().min(1).optional() }).optional(),
  cost: z.object({ input: z.number(), output: z.number(), cacheRead: z.number().optional(), cacheWrite: z.number().optional() }).optional(),
});

const provider = z.object({ api: text.optional(), url: text.optional(), key: text.optional(), extraHeaders: words.optional(), fetchModels: flag.optional(), models: z.record(z.string(), z.unknown()).optional() });

function providers(config: EcaConfig): Written['providers'] {
  const all = part(config, 'providers', z.record(z.string(), z.unknown()));
  return all && Object.fromEntries(Object.entries(all).flatMap(([id, value]) => {
    const read = provider.safeParse(value);
    if (!read.success) return [];
    const { api, url, key, extraHeaders: headers, fetchModels, models } = read.data;
    const wire = Object.entries(wires).find(([name]) => name === api)?.[1];
    return [[id, defined({ api: wire, url, key, headers, fetchModels, models: models && Object.fromEntries(Object.entries(models).map(([name, given]) => [name, modelOf(given)])) })]];
  }));
}

function modelOf(value: unknown): NonNullable<NonNullable<NonNullable<Written['providers']>[string]>['models']>[string] {
  const read = model.safeParse(value ?? {});
  if (!read.success) return {};
  const { modelName: name, extraPayload: extra, extraHeaders: headers, imageInput: images, limit, cost } = read.data;
  return defined({ name, extra, headers, images, cost: cost && defined(cost), context: limit?.context, output: limit?.output });
}

type Rules = NonNullable<NonNullable<Written['approvals']>['allow']>;

/** ECA lets any one of several arguments match, and any of several expressions; each becomes a rule of its own. */
function approvals(config: EcaConfig): Written['approvals'] {
  const given = part(config, 'toolCall', z.object({ approval: z.object({ byDefault: text.optional(), allow: z.unknown(), ask: z.unknown(), deny: z.unknown() }).partial() }))?.approval;
  if (!given) return undefined;
  const allow = given.byDefault === 'allow' ? [{ tool: '*' }, ...rulesIn(given.allow)] : rulesIn(given.allow);
  return { allow, ask: rulesIn(given.ask), deny: given.byDefault === 'deny' ? [{ tool: '*' }, ...rulesIn(given.deny)] : rulesIn(given.deny) };
}

const matchers = z.object({ argsMatchers: z.record(z.string(), z.array(text)) });

function rulesIn(value: unknown): Rules {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([selector, more]): Rules => {
    const tool = toolOf(selector);
    const read = matchers.safeParse(more);
    if (!read.success) return [{ tool }];
    return Object.entries(read.data.argsMatchers).flatMap(([name, expressions]) => expressions.map((expression) => ({ tool, args: { [name]: expression } })));
  });
}

/** Native tools go by their short name here; a server's tools by its name and theirs. */
function toolOf(selector: string): string {
  if (selector === 'eca') return '*';
  return selector.startsWith('eca__') ? selector.slice('eca__'.length) : selector;
}

const server = z.union([
  z.object({ command: text, args: z.array(text).optional(), env: words.optional(), disabled: flag.optional() }),
  z.object({ url: text, headers: words.optional(), clientId: text.optional(), authScope: text.optional(), disabled: flag.optional() }),
]);

function mcpServers(config: EcaConfig): Written['mcpServers'] {
  const all = part(config, 'mcpServers', z.record(z.string(), z.unknown()));
  return all && Object.fromEntries(Object.entries(all).flatMap(([name, value]): [string, NonNullable<Written['mcpServers']>[string]][] => {
    const read = server.safeParse(value);
    if (!read.success) return [];
    if ('command' in read.data) return [[name, defined(read.data)]];
    const { authScope: scope, ...rest } = read.data;
    return [[name, defined({ ...rest, scope })]];
  }));
}

const customTool = z.object({ description: text, command: text, schema: z.object({ properties: z.record(z.string(), z.json()), required: z.array(text).optional() }) });

function customTools(config: EcaConfig): Written['customTools'] {
  const all = part(config, 'customTools', z.record(z.string(), z.unknown()));
  return all && Object.fromEntries(Object.entries(all).flatMap(([name, value]) => {
    const read = customTool.safeParse(value);
    return read.success ? [[name, { ...read.data, schema: defined(read.data.schema) }]] : [];
  }));
}

const moments = {
  sessionStart: 'sessionStart', sessionEnd: 'sessionEnd', chatStart: 'sessionStart', chatEnd: 'sessionEnd', preRequest: 'turnStart', prePrompt: 'turnStart', postRequest: 'turnEnd', postPrompt: 'turnEnd', preToolCall: 'toolBefore', postToolCall: 'toolAfter',
} as const;

const hook = z.object({ type: text, matcher: text.optional(), actions: z.array(z.object({ type: z.literal('shell'), shell: text.optional(), file: text.optional(), timeout: z.int().min(1).optional() })) });

function hooks(config: EcaConfig): Written['hooks'] {
  const all = part(config, 'hooks', z.record(z.string(), z.unknown()));
  return all && Object.fromEntries(Object.entries(all).flatMap(([name, value]) => {
    const read = hook.safeParse(value);
    const on = read.success ? Object.entries(moments).find(([type]) => type === read.data.type)?.[1] : undefined;
    if (!read.success || !on) return [];
    return read.data.actions.flatMap(({ shell, file, timeout }, at) => {
      const command = shell ?? file;
      return command === undefined ? [] : [[at === 0 ? name : `${name}-${at + 1}`, defined({ on, command, timeout, tool: read.data.matcher })] as const];
    });
  }));
}

/** Without the members that are undefined. */
function defined<T extends object>(value: T): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only members that may be absent can be undefined
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as T;
}

/** The same, where absent is not the same as undefined. */
function present<T extends object>(value: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  return defined<{ [K in keyof T]?: Exclude<T[K], undefined> }>(value);
}
