// Converts an ECA configuration to our settings. Options without a counterpart are left out.
import * as z from 'zod';
import type { WrittenSettings } from '../../host/settings/schema/sections.ts';
import { compactPercentage, mapHooks, mapModes } from './mapAgents.ts';
import { providers, variantsIn } from './mapProviders.ts';
import { approvalsIn, deniedTools, ownWords, part, present, toolCallConfig } from './parts.ts';
import { indexIn, shell } from './mapTools.ts';
import type { IndexSettings } from './mapTools.ts';
import { asConfig } from './file.ts';
import type { EcaConfig } from './file.ts';

/** Options that concern one client, not the host. */
export interface ClientSettings {
  readonly welcomeMessage?: string;
  readonly defaultModel?: string;
  readonly defaultAgent?: string;
  readonly trust?: boolean;
  readonly completionModel?: string;
  readonly rewriteModel?: string;
  readonly rewriteLines?: number;
  readonly index?: IndexSettings;
  /** Words of the user in place of ours, by what they are for. */
  readonly prompts?: EcaPrompts;
  /** The same for single agents. */
  readonly agentPrompts?: { readonly [agent: string]: EcaPrompts };
}

export interface EcaPrompts {
  readonly init?: string;
  readonly skillCreate?: string;
  readonly completion?: string;
  readonly rewrite?: string;
}

const text = z.string();
const flag = z.boolean();
const words = z.record(z.string(), text);

export function clientSettings(config: EcaConfig): ClientSettings {
  const named = (key: string) => part(config, key, text);
  const model = (key: string) => part(config, key, z.object({ model: text }))?.model;
  const inChat = (key: string) => part(config, 'chat', z.object({ [key]: text }))?.[key];
  return present({
    welcomeMessage: named('welcomeMessage'),
    defaultModel: named('defaultModel'),
    defaultAgent:
      inChat('defaultAgent') ??
      named('defaultAgent') ??
      inChat('defaultBehavior') ??
      named('defaultBehavior'),
    index: indexIn(config),
    prompts: promptsIn(config),
    agentPrompts: agentPrompts(config),
    rewriteLines: part(config, 'rewrite', z.object({ fullFileMaxLines: z.int().min(0) }))?.fullFileMaxLines,
    trust: part(config, 'chat', z.object({ defaultTrust: flag }))?.defaultTrust,
    completionModel: model('completion'),
    rewriteModel: model('rewrite'),
  });
}

const prompt = text.optional().catch(undefined);

function agentPrompts(config: EcaConfig): ClientSettings['agentPrompts'] {
  const all = part(config, 'agent', z.record(text, z.record(text, z.unknown())));
  const found = Object.entries(all ?? {}).flatMap(([name, given]) => {
    const own = promptsIn(given);
    return own ? [[name, own] as const] : [];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

function promptsIn(config: EcaConfig): EcaPrompts | undefined {
  const given = part(
    config,
    'prompts',
    z.object({ init: prompt, skillCreate: prompt, completion: prompt, rewrite: prompt }),
  );
  const set = Object.fromEntries(
    Object.entries(given ?? {}).filter(([, value]) => value !== undefined && value !== ''),
  );
  return Object.keys(set).length === 0 ? undefined : set;
}

const truncation = z.object({
  outputTruncation: z.object({ lines: z.int().min(1).optional(), sizeKb: z.int().min(1).optional() }),
});
const reading = z.object({ readFile: z.object({ maxLines: z.int().min(1) }) });
const navigation = z.object({ editorNav: z.object({ enabled: flag }) });

const paths = z.array(z.object({ path: text }));

export function mapEcaConfig(config: EcaConfig): WrittenSettings {
  const days = part(config, 'chatRetentionDays', z.int().min(0));
  return present({
    defaultModel: part(config, 'defaultModel', text),
    providers: providers(config),
    approvals: approvals(config),
    mcpServers: mcpServers(config),
    customTools: customTools(config),
    hooks: mapHooks(config),
    disabledTools: disabled(config),
    modes: mapModes(config),
    shell: shell(config),
    rules: part(config, 'rules', paths),
    commands: part(config, 'commands', paths),
    skills: part(config, 'skills', paths),
    instructions: instructions(config),
    network: network(config),
    retention: days === undefined ? undefined : { days },
    limits: limits(config),
    prompts: prompts(config),
    variants: variantsIn(config),
  });
}

function instructions(config: EcaConfig): WrittenSettings['instructions'] {
  return part(config, 'includeParentAgentsFiles', flag) === true ? { parents: 'all' } : undefined;
}

function prompts(config: EcaConfig): WrittenSettings['prompts'] {
  const titles = part(config, 'chat', z.object({ title: flag }))?.title;
  const follow = part(config, 'chat', z.object({ autoSyncSystemPrompt: flag }))?.autoSyncSystemPrompt;
  const found = present({
    titles,
    follow,
    ...ownWords(part(config, 'prompts', z.record(text, z.unknown())) ?? {}),
  });
  return Object.keys(found).length === 0 ? undefined : found;
}

function network(config: EcaConfig): WrittenSettings['network'] {
  const {
    caCertFile: ca,
    clientCert: cert,
    clientKey: key,
    clientKeyPassphrase: passphrase,
  } = part(
    config,
    'network',
    z.object({ caCertFile: text, clientCert: text, clientKey: text, clientKeyPassphrase: text }).partial(),
  ) ?? {};
  const found = present({
    ca,
    cert,
    key,
    passphrase,
    connect: milliseconds(config, 'connectTimeoutSeconds'),
  });
  return Object.keys(found).length === 0 ? undefined : found;
}

function limits(config: EcaConfig): WrittenSettings['limits'] {
  const { lines: outputLines, sizeKb } = part(config, 'toolCall', truncation)?.outputTruncation ?? {};
  const set = present({
    compactAt: part(config, 'autoCompactPercentage', compactPercentage),
    outputLines,
    outputBytes: sizeKb === undefined ? undefined : sizeKb * 1_000,
    readLines: part(config, 'toolCall', reading)?.readFile.maxLines,
    editorTimeout: milliseconds(config, 'lspTimeoutSeconds'),
    silence: milliseconds(config, 'streamIdleTimeoutSeconds'),
    serverTimeout: milliseconds(config, 'mcpTimeoutSeconds'),
    serverKeepAlive: milliseconds(config, 'mcpKeepAliveSeconds'),
  });
  return Object.keys(set).length === 0 ? undefined : set;
}

function milliseconds(config: EcaConfig, key: string): number | undefined {
  const seconds = part(config, key, z.number().positive());
  return seconds === undefined ? undefined : Math.round(seconds * 1000);
}

function approvals(config: EcaConfig): WrittenSettings['approvals'] {
  const given = part(config, 'toolCall', toolCallConfig)?.approval;
  return given && approvalsIn(unlessManual(given, part(config, 'toolCall', manual)?.manualApproval));
}

/** The older name for what is to be asked about, of use only where all else is allowed. */
const manual = z.object({ manualApproval: z.union([flag, z.array(text)]) });

function unlessManual(
  given: z.infer<typeof toolCallConfig>['approval'],
  older: boolean | readonly string[] | undefined,
): z.infer<typeof toolCallConfig>['approval'] {
  if (given.byDefault !== 'allow' || older === undefined || older === false) return given;
  if (older === true) return { ...given, byDefault: 'ask' };
  return {
    ...given,
    ask: {
      ...asConfig(given.ask),
      ...Object.fromEntries(
        older.filter((tool) => !(tool in asConfig(given.allow))).map((tool) => [tool, {}]),
      ),
    },
  };
}

function disabled(config: EcaConfig): WrittenSettings['disabledTools'] {
  const named = part(config, 'disabledTools', z.array(text));
  const denied = deniedTools(part(config, 'toolCall', toolCallConfig)?.approval ?? {});
  const unwanted =
    part(config, 'toolCall', navigation)?.editorNav.enabled === false
      ? ['editor_definition', 'editor_references']
      : [];
  return named || denied.length + unwanted.length > 0
    ? [...(named ?? []), ...denied, ...unwanted]
    : undefined;
}

const server = z.union([
  z.object({
    command: text,
    args: z.array(text).optional(),
    env: words.optional(),
    disabled: flag.optional(),
  }),
  z.object({
    url: text,
    headers: words.optional(),
    clientId: text.optional(),
    clientSecret: text.optional(),
    clientName: text.min(1).optional(),
    oauthPort: z.int().optional(),
    authScope: text.optional(),
    disabled: flag.optional(),
  }),
]);

/** `$NAME` and `${NAME}` are variables here, and empty where they are not set. */
function variables(given: string): string {
  return given.replaceAll(
    /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g,
    (_, braced: string | undefined, plain: string | undefined) => `\${env:${braced ?? plain ?? ''}:}`,
  );
}

function mcpServers(config: EcaConfig): WrittenSettings['mcpServers'] {
  const all = part(config, 'mcpServers', z.record(z.string(), z.unknown()));
  return (
    all &&
    Object.fromEntries(
      Object.entries(all).flatMap(
        ([name, value]): [string, NonNullable<WrittenSettings['mcpServers']>[string]][] => {
          const read = server.safeParse(value);
          if (!read.success) return [];
          if ('command' in read.data)
            return [
              [
                name,
                present({
                  ...read.data,
                  command: variables(read.data.command),
                  args: read.data.args?.map(variables),
                }),
              ],
            ];
          const { authScope: scope, oauthPort: callbackPort, ...rest } = read.data;
          return [
            [
              name,
              present({
                ...rest,
                url: variables(rest.url),
                headers:
                  rest.headers &&
                  Object.fromEntries(
                    Object.entries(rest.headers).map(([header, written]) => [header, variables(written)]),
                  ),
                scope,
                callbackPort,
              }),
            ],
          ];
        },
      ),
    )
  );
}

const customTool = z.object({
  description: text,
  command: text,
  schema: z.object({ properties: z.record(z.string(), z.json()), required: z.array(text).optional() }),
});

function customTools(config: EcaConfig): WrittenSettings['customTools'] {
  const all = part(config, 'customTools', z.record(z.string(), z.unknown()));
  return (
    all &&
    Object.fromEntries(
      Object.entries(all).flatMap(([name, value]) => {
        const read = customTool.safeParse(value);
        return read.success ? [[name, { ...read.data, schema: present(read.data.schema) }]] : [];
      }),
    )
  );
}
