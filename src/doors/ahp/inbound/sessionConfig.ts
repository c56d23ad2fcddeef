// The settings of a session and their values. Unknown settings that a session was created with are stored for
// clients and have no effect on the host.
import type { AgentInfo } from '../../../host/agent.ts';
import type { Host } from '../../../host/host.ts';
import {
  allowedAutonomy,
  autonomyLabel,
  autonomyTexts,
  isAutonomy,
} from '../../../host/settings/autonomy.ts';
import { autonomyLevels } from '../../../model/event.ts';
import type { Autonomy, Json, SessionChanges } from '../../../model/event.ts';
import type { State } from '../../../model/state.ts';
import { present } from '../../../base/present.ts';
import type {
  ConfigSchema,
  SessionConfigPropertySchema,
  SessionConfigState,
} from '../../../protocols/ahp/v1_0/content.ts';
import { filePath } from '../../../base/fileUri.ts';
import { ahpError } from '../errors.ts';
import { json } from '../outbound/wireJson.ts';
import type { JsonRecord } from '../outbound/wireJson.ts';

/** both versions know such a property. */
type Property = Omit<
  SessionConfigPropertySchema,
  'enum' | 'items' | 'properties' | 'additionalProperties' | 'type'
> & { readonly type: 'string' | 'boolean'; readonly enum?: readonly string[] };

type Schema = ConfigSchema<Property>;

/** The settings of a session without their possible values, which are not in its log. */
export function sessionConfigOf({
  options,
  clientOptions,
  mode,
  autonomy,
}: State): SessionConfigState & { readonly values: JsonRecord } {
  const { trust: _, ...own } = options;
  const values = { ...clientOptions, ...own, ...present({ mode, permissions: autonomy?.level }) };
  return { schema: { type: 'object', properties: {} }, values };
}

/** The settings of a session: the mode, the permissions, the effort, and the agent's own options. */
export function configSchema(agent: AgentInfo | undefined): Schema {
  const modes = agent?.modes ?? [];
  const variants = [...new Set(agent?.models.flatMap((model) => model.variants ?? []))];
  const properties: (readonly [string, Property])[] = [
    ...(modes.length > 0
      ? [
          [
            'mode',
            choice({
              title: 'Mode',
              choices: modes.map(({ id, name, description }) => present({ id, label: name, description })),
              // Without a value VS Code shows the bare word "Mode".
              value: modes.find(({ id }) => id === agent?.usual?.mode)?.id,
            }),
          ] as const,
        ]
      : []),
    ['permissions', choice({ title: 'Permissions', choices: permissionChoices })],
    ...(variants.length > 0
      ? [
          [
            'variant',
            choice({ title: 'Effort', choices: variants.map((id) => ({ id, label: id })) }),
          ] as const,
        ]
      : []),
    ...(agent?.options ?? []).map(
      ({ id, name, description, value, choices }) =>
        [
          id,
          choices
            ? choice(present({ title: name, description, choices, value }))
            : present({
                type: 'boolean' as const,
                title: name,
                description,
                default: value,
                sessionMutable: true,
              }),
        ] as const,
    ),
  ];
  return { type: 'object', properties: Object.fromEntries(properties) };
}

const permissionChoices = autonomyLevels.map((id) => ({
  id,
  label: autonomyLabel(id),
  description: autonomyTexts[id].meaning,
}));

/** An agent as its workspace makes it, as far as that was read by now. */
export function configuredAgent(
  host: Host,
  provider: string | undefined,
  roots: readonly string[],
): AgentInfo | undefined {
  const agents = host.agents(roots);
  return provider === undefined ? agents[0] : agents.find(({ id }) => id === provider);
}

/** The same, once all that the workspace has to say was read. */
export async function agentIn(
  host: Host,
  { provider, workingDirectory }: NewSessionPlace,
): Promise<AgentInfo | undefined> {
  const roots = rootsOf(workingDirectory);
  await host.knowledge.of(roots);
  const agent = configuredAgent(host, provider, roots);
  if (!agent && provider !== undefined)
    throw ahpError('providerNotFound', `There is no agent named ${provider}.`);
  return agent;
}

interface NewSessionPlace {
  readonly provider?: string | undefined;
  readonly workingDirectory?: string | undefined;
}

function rootsOf(workingDirectory: string | undefined): readonly string[] {
  const root = workingDirectory === undefined ? undefined : filePath(workingDirectory);
  return root === undefined ? [] : [root];
}

/**
 * The settings of a new session: the defaults and the chosen values. Clients give the values back when they
 * create it, so the permissions and the model that it has if nobody chooses them are told in `_meta`.
 */
export async function newSessionConfig(
  host: Host,
  { config = {}, ...place }: NewSessionPlace & { readonly config?: Readonly<Record<string, unknown>> },
) {
  const agent = await agentIn(host, place);
  const roots = rootsOf(place.workingDirectory);
  const { permissions: rights } = host.settings?.of(roots) ?? {};
  const values = resolvedValues(agent, config);
  const listed = [modelOf(agent, values['mode']), agent?.usual?.model].find((id) =>
    agent?.models.some((known) => known.id === id),
  );
  const model = (agent && host.usualModel(agent.id, roots)) ?? listed;
  const permissions = allowedAutonomy(rights?.mode, roots, host.settings);
  return { schema: configSchema(agent), values, _meta: { permissions, ...present({ model }) } };
}

/** A mode may have a model of its own. */
function modelOf(agent: AgentInfo | undefined, mode: unknown): string | undefined {
  return agent?.modes?.find(({ id }) => id === mode)?.model;
}

function resolvedValues(
  agent: AgentInfo | undefined,
  chosen: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const schema = configSchema(agent);
  const usual = Object.entries(schema.properties).flatMap(([key, property]) =>
    property.default === undefined ? [] : [[key, property.default] as const],
  );
  const fitting = Object.entries(chosen).filter(([key, value]) => {
    const property = Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
    return !property || fitsProperty(property, value);
  });
  return { ...Object.fromEntries(usual), ...Object.fromEntries(fitting) };
}

/** The choices of one property that match the typed text. */
export function configCompletions(
  agent: AgentInfo | undefined,
  { property, query = '' }: { readonly property: string; readonly query?: string },
) {
  const found = Object.entries(configSchema(agent).properties).find(([key]) => key === property)?.[1];
  const items =
    found?.enum?.map((value, at) =>
      present({
        value,
        label: found.enumLabels?.[at] ?? value,
        description: found.enumDescriptions?.[at] || undefined,
      }),
    ) ?? [];
  const word = query.toLowerCase();
  return {
    items: items.filter(
      ({ value, label }) => value.toLowerCase().includes(word) || label.toLowerCase().includes(word),
    ),
  };
}

/**
 * What settings of a client change about a session, or why they cannot be. At its creation values that do not
 * fit are left out: VS Code sends its own modes, and would show one of them for ever. Settings that no agent
 * offers can only come at its creation, and change later.
 */
export function configChanges(
  agent: AgentInfo | undefined,
  { config, old, misfits }: ConfigWish,
): SessionChanges | string {
  const { properties } = configSchema(agent);
  const options: { [key: string]: Json } = { ...old.options };
  const kept: { [key: string]: Json } = { ...old.clientOptions };
  let [mode, autonomy]: [string | undefined, Autonomy | undefined] = [undefined, undefined];
  for (const [key, value] of Object.entries(config)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const fits = property && fitsProperty(property, value);
    if (misfits === 'refused' && property && !fits) return `${key}: not an allowed value`;
    if (misfits === 'refused' && !property && !Object.hasOwn(old.clientOptions, key))
      return `${key}: this session has no such setting`;
    if (!property) kept[key] = json(value);
    else if (!fits) continue;
    else if (key === 'mode') mode = String(value);
    else if (key === 'permissions' && isAutonomy(value)) autonomy = value;
    else options[key] = json(value);
  }
  return { options, clientOptions: kept, ...present({ mode, autonomy }) };
}

interface ConfigWish {
  readonly config: Readonly<Record<string, unknown>>;
  readonly old: Pick<State, 'options' | 'clientOptions'>;
  readonly misfits: 'refused' | 'left-out';
}

/** The options of a session without those that clients and the agent have set; approval options stay. */
export function clearedConfig(
  agent: AgentInfo | undefined,
  { options }: Pick<State, 'options'>,
): ConfigWish['old'] {
  const { properties } = configSchema(agent);
  return {
    options: Object.fromEntries(Object.entries(options).filter(([key]) => !Object.hasOwn(properties, key))),
    clientOptions: {},
  };
}

function choice({
  title,
  description,
  choices,
  value,
}: {
  readonly title: string;
  readonly description?: string;
  readonly choices: readonly { readonly id: string; readonly label: string; readonly description?: string }[];
  readonly value?: unknown;
}): Property {
  return present({
    type: 'string' as const,
    title,
    description,
    default: value,
    sessionMutable: true,
    enum: choices.map(({ id }) => id),
    enumLabels: choices.map(({ label }) => label),
    enumDescriptions: choices.map(({ description: words }) => words ?? ''),
  });
}

function fitsProperty({ type, enum: values }: Property, value: unknown): boolean {
  return type === 'boolean'
    ? typeof value === 'boolean'
    : typeof value === 'string' && (values?.includes(value) ?? true);
}
