// Shared by the converters of an ECA configuration: reading a section, approval rules, tool names.
import * as z from 'zod';
import { serverPart } from '../../host/tools/serverNames.ts';
import type { WrittenSettings } from '../../host/settings/schema/sections.ts';
import type { EcaConfig } from './file.ts';

/** Each section is validated on its own, so that a mistake in one does not affect the others. */
export function part<T>(config: EcaConfig, key: string, schema: z.ZodType<T>): T | undefined {
  const read = schema.safeParse(config[key]);
  return read.success ? read.data : undefined;
}

const text = z.string();

export const toolCallConfig = z.object({
  approval: z
    .object({ byDefault: text.optional(), allow: z.unknown(), ask: z.unknown(), deny: z.unknown() })
    .partial(),
});

export function approvalsIn(
  given: z.infer<typeof toolCallConfig>['approval'],
): NonNullable<WrittenSettings['approvals']> {
  const allow = rulesIn(given.allow, 'allow');
  return {
    allow: given.byDefault === 'allow' ? [{ tool: '*' }, ...allow] : allow,
    ask: rulesIn(given.ask),
    deny: rulesIn(given.deny).map(ending),
  };
}

/** Where everything else is denied, all tools but those that are named are taken away. */
export function deniedTools({
  byDefault,
  allow,
  ask,
}: z.infer<typeof toolCallConfig>['approval']): readonly string[] {
  if (byDefault !== 'deny') return [];
  const named = [...rulesIn(allow), ...rulesIn(ask)].flatMap((rule) =>
    typeof rule === 'string' ? [] : (rule.tool ?? []),
  );
  return [
    `(?!(?:${named.map((tool) => tool.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})(?:__.*)?$).*`,
  ];
}

type Rules = NonNullable<NonNullable<WrittenSettings['approvals']>['allow']>;
type Denials = NonNullable<NonNullable<WrittenSettings['approvals']>['deny']>;

const matchers = z.object({ argsMatchers: z.record(z.string(), z.array(text)) });

/**
 * ECA lets any one of several arguments match, and any of several expressions; each
 * becomes a rule of its own.
 */
function rulesIn(value: unknown, effect: 'allow' | 'restrain' = 'restrain'): Rules {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([selector, more]): Rules => {
    const tools = toolsOf(selector, effect);
    const read = matchers.safeParse(more);
    if (!read.success) return tools.map((tool) => ({ tool }));
    return tools.flatMap((tool) =>
      Object.entries(read.data.argsMatchers).flatMap(([name, expressions]) =>
        expressions.map((expression) => ({ tool, args: { [name]: expression } })),
      ),
    );
  });
}

/**
 * A selector may also name a server, for all its tools. Whoever allows ours allows those that
 * we know, and no others.
 */
function toolsOf(selector: string, effect: 'allow' | 'restrain'): readonly string[] {
  if (selector === 'eca' && effect === 'allow') return [...ownTools];
  const tool = toolName(selector);
  return tool !== selector || tool.includes('__') || tool.includes('*') || ownTools.has(tool)
    ? [tool]
    : [tool, `${serverPart(tool)}__*`];
}

const ownTools: ReadonlySet<string> = new Set([
  'directory_tree',
  'read_file',
  'write_file',
  'edit_file',
  'preview_file_change',
  'move_file',
  'grep',
  'shell_command',
  'git',
  'bg_job',
  'web_fetch',
  'editor_diagnostics',
  'editor_definition',
  'editor_references',
  'ask_user',
  'task',
  'skill',
  'spawn_agent',
  'fetch_rule',
  'compact_chat',
]);

/** What an ECA configuration denies ends the turn. */
function ending(rule: Rules[number]): Denials[number] {
  return typeof rule === 'string' ? rule : { ...rule, ends: true };
}

const said = text.min(1).optional().catch(undefined);
const prompts = z.object({
  chatTitle: said,
  compact: said,
  tools: z.record(text, text).optional().catch(undefined),
});

/** Prompts for certain purposes; undefined if there are none. */
export function ownWords(
  given: EcaConfig,
): NonNullable<NonNullable<WrittenSettings['modes']>[string]['prompts']> | undefined {
  const { chatTitle: title, compact, tools } = prompts.safeParse(given).data ?? {};
  const told = Object.entries(tools ?? {}).flatMap(([name, words]): [string, string][] =>
    words === '' ? [] : [[toolName(name), words]],
  );
  const found = present({ title, compact, tools: told.length > 0 ? Object.fromEntries(told) : undefined });
  return Object.keys(found).length === 0 ? undefined : found;
}

/** Native tools go by their short name here; a server's tools by its name and theirs. */
export function toolName(selector: string): string {
  if (selector === 'eca') return '*';
  return selector.startsWith('eca__') ? selector.slice('eca__'.length) : selector;
}

/** Without the members that are undefined. */
export function present<T extends object>(value: T): Present<T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as Present<T>;
}

type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};
