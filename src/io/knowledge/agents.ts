// Definitions of agents: what is built in, what Markdown files say, and what the settings
// say; the later ones win.
import { isRecord } from '../../base/isRecord.ts';
import { basename } from 'node:path';
import { builtInAgents } from '../../host/settings/builtInProfiles.ts';
import { untrustedLabel } from '../../host/settings/projectKnowledge.ts';
import type { AgentDefinition } from '../../host/settings/projectKnowledge.ts';
import { parseRule } from '../../host/policy/ruleText.ts';
import type { ModeSettings } from '../../host/settings/settings.ts';
import type { Rule } from '../../model/event.ts';
import { countIn, frontMatter, nonEmptyText, textsIn } from './frontMatter.ts';

/** The definition of an agent; absent members come from the agent it inherits from. */
type Described = Partial<Omit<AgentDefinition, 'name'>> & {
  readonly name: string;
  readonly inherit?: string;
  readonly disabled?: boolean;
};

export interface AgentText {
  readonly path: string;
  readonly text: string;
  /** Whether the user wrote it. A file of a workspace folder can remove rights but not add any. */
  readonly own: boolean;
  /** Whether it came with a folder that is not trusted. Such a file adds agents and changes none. */
  readonly untrusted: boolean;
}

export function agentsOf(
  texts: readonly AgentText[],
  modes: { readonly [name: string]: ModeSettings },
): readonly AgentDefinition[] {
  // Nearer files come first in the list, and so have to be laid over the others last.
  const trusted = [
    ...texts
      .filter(({ untrusted }) => !untrusted)
      .toReversed()
      .map(inText),
    ...Object.entries(modes).map(inSettings),
  ];
  const taken = new Set([...builtInAgents, ...trusted].map(({ name }) => name));
  const added = texts
    .filter(({ untrusted }) => untrusted)
    .toReversed()
    .map(inText)
    .filter(({ name }) => !taken.has(name));
  const described = [...added, ...trusted];
  const all = new Map<string, AgentDefinition>(builtInAgents.map((agent) => [agent.name, agent]));
  const said = new Map<string, Described>();
  for (const each of described) said.set(each.name, { ...said.get(each.name), ...each });
  for (const each of [...said.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)))
    all.set(each.name, whole(each, all, said));
  return [...all.values()].filter(({ name }) => said.get(name)?.disabled !== true);
}

/** How many agents an agent may inherit from, one after the other. */
const deepest = 5;

function whole(
  described: Described,
  all: ReadonlyMap<string, AgentDefinition>,
  said: ReadonlyMap<string, Described>,
): AgentDefinition {
  const chain: Described[] = [described];
  for (let up = described.inherit; up !== undefined && chain.length <= deepest; up = chain.at(-1)?.inherit) {
    const parent = said.get(up);
    if (!parent || chain.includes(parent)) break;
    chain.push(parent);
  }
  const base = all.get(
    builtInAgents.some(({ name }) => name === described.name)
      ? described.name
      : (chain.at(-1)?.inherit ?? chain.at(-1)?.name ?? ''),
  );
  const start: AgentDefinition = base ?? {
    name: described.name,
    description: '',
    mode: 'all',
    rules: [],
    disabledTools: [],
  };
  const {
    inherit: _,
    disabled: __,
    ...agent
  } = chain
    .toReversed()
    .reduce<AgentDefinition & Described>((below, { name: ___, ...above }) => ({ ...below, ...above }), {
      ...start,
      name: described.name,
    });
  // An untrusted agent does not inherit permissions.
  return {
    ...agent,
    name: described.name,
    ...(agent.untrusted ? { rules: agent.rules.filter(({ effect }) => effect !== 'allow') } : {}),
  };
}

function inText({ path, text, own, untrusted }: AgentText): Described {
  const { fields, body } = frontMatter(text);
  const { tools } = fields;
  const rules = rulesFrom(isRecord(tools) ? tools : {}, path).filter(
    ({ effect }) => own || effect !== 'allow',
  );
  const off = isRecord(tools)
    ? Object.entries(tools).flatMap(([name, on]) => (on === false ? [name] : []))
    : [];
  const only = isRecord(tools) ? onlyIn(tools) : textsIn(tools);
  const disabledTools = [...textsIn(fields['disabledTools']), ...off];
  const description = nonEmptyText(fields['description']);
  return {
    name: nonEmptyText(fields['name'])?.replaceAll(/\s+/g, '-') ?? basename(path).replace(/\.\w+$/, ''),
    source: path,
    ...(untrusted
      ? { untrusted, description: `${untrustedLabel} ${description ?? ''}`.trim() }
      : optional('description', description)),
    ...optional('mode', modeIn(fields['mode'])),
    ...optional('prompt', body === '' ? undefined : body),
    ...optional('model', nonEmptyText(fields['model'] ?? fields['defaultModel'])),
    ...optional('variant', nonEmptyText(fields['variant'])),
    ...optional('maxSteps', countIn(fields['maxSteps'] ?? fields['steps'])),
    ...optional('inherit', nonEmptyText(fields['inherit'])),
    ...(rules.length > 0 ? { rules } : {}),
    ...(disabledTools.length > 0 ? { disabledTools } : {}),
    ...(only.length > 0 ? { tools: only.map(shortName) } : {}),
    ...(fields['spawnableBy'] === undefined ? {} : { spawnableBy: textsIn(fields['spawnableBy']) }),
  };
}

function inSettings([name, { approvals, ...settings }]: readonly [string, ModeSettings]): Described {
  return { ...settings, name, source: 'settings', ...(approvals ? { rules: approvals } : {}) };
}

/** Where everything else is denied, the tools that are named are the only ones. */
function onlyIn(tools: { readonly [name: string]: unknown }): readonly string[] {
  return tools['byDefault'] === 'deny'
    ? [tools['allow'], tools['ask']].flatMap((given) =>
        isRecord(given) ? Object.keys(given) : textsIn(given),
      )
    : [];
}

/** `allow`, `ask` and `deny` hold lists, or maps by tool. */
function rulesFrom(tools: { readonly [name: string]: unknown }, source: string): readonly Rule[] {
  const named = (['allow', 'ask', 'deny'] as const).flatMap((effect) => {
    const given = tools[effect];
    return (isRecord(given) ? Object.keys(given) : textsIn(given)).map((text) => ({ effect, text }));
  });
  const all = tools['byDefault'] === 'allow' ? [...named, { effect: 'allow' as const, text: '*' }] : named;
  return all.flatMap(({ effect, text }, at): Rule[] => {
    const parsed = parseRule(shortName(text));
    return parsed ? [{ id: `${source}#${at}`, effect, source, ...parsed }] : [];
  });
}

function shortName(tool: string): string {
  return tool.replace(/^eca__/, '');
}

/** One word, or both in a list, which is the same as saying nothing. */
function modeIn(given: unknown): AgentDefinition['mode'] | undefined {
  const value: unknown = Array.isArray(given) && given.length === 1 ? given[0] : given;
  return value === 'primary' || value === 'subagent' || value === 'all' ? value : undefined;
}

function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  // One member, present exactly where it has a value.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V };
}
