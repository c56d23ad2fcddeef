// Schemas of tools, their results, and the customizations and clients that bring them. Named
// after their wire types.
import {
  anything,
  fields,
  flag,
  list,
  number,
  object,
  openTagged,
  tagged,
  text,
  openWord,
} from '../../shapes.ts';
import {
  contentRefOptions,
  errorInfo,
  fileEditOptions,
  icon,
  stringOrMarkdown,
  textRange,
} from './content.ts';

const toolAnnotations = object(
  {},
  { title: text, readOnlyHint: flag, destructiveHint: flag, idempotentHint: flag, openWorldHint: flag },
);

export const toolDefinition = object(
  { name: text },
  {
    title: text,
    description: text,
    inputSchema: anything,
    outputSchema: anything,
    annotations: toolAnnotations,
    _meta: anything,
  },
);

const terminalCommandResult = object({}, { exitCode: number, preview: text, truncated: flag });

/** Exported for versions in which some of them have fewer fields. */
export const toolResultVariants = {
  text: fields({ text }),
  embeddedResource: fields({ data: text, contentType: text }),
  resource: fields({ uri: text }, contentRefOptions),
  fileEdit: fields({}, fileEditOptions),
  terminal: fields({ resource: text, title: text }, { isPty: flag, result: terminalCommandResult }),
  subagent: fields({ resource: text, title: text }, { agentName: text, description: text }),
};

export const toolResultContent = openTagged('type', toolResultVariants);

export const toolCallResultFields = fields(
  { success: flag, pastTenseMessage: stringOrMarkdown },
  { structuredContent: anything, error: object({ message: text }, { code: text }) },
);

export const toolCallResult = object(toolCallResultFields.required, {
  ...toolCallResultFields.optional,
  content: list(toolResultContent),
});

const resourceLists = {
  authorization_servers: list(text),
  scopes_supported: list(text),
  bearer_methods_supported: list(text),
  resource_signing_alg_values_supported: list(text),
  resource_encryption_alg_values_supported: list(text),
  resource_encryption_enc_values_supported: list(text),
};

export const protectedResourceMetadata = object(
  { resource: text },
  {
    ...resourceLists,
    resource_name: text,
    jwks_uri: text,
    resource_documentation: text,
    resource_policy_uri: text,
    resource_tos_uri: text,
    required: flag,
  },
);

const authRequirement = fields(
  {
    reason: openWord<'required' | 'expired' | 'insufficientScope'>(),
    resource: protectedResourceMetadata,
  },
  {
    oauthClient: object({ clientId: text }, { clientSecret: text }),
    requiredScopes: list(text),
    description: text,
  },
);

export const mcpAuthRequirement = object(authRequirement.required, authRequirement.optional);

export const mcpServerState = openTagged('kind', {
  starting: fields({}, { blocking: flag }),
  ready: fields({}),
  authRequired: authRequirement,
  error: fields({ error: errorInfo }),
  stopped: fields({}),
});

/** The first entry of a list decides; an empty or absent list means enabled. */
export const enablementEntry = object(
  { kind: openWord<'global' | 'workspace' | 'session'>(), enabled: flag },
  { uri: text },
);

const identity = { id: text, uri: text, name: text };

const identityOptions = { icons: list(icon), range: textRange, _meta: anything };

const childOptions = { ...identityOptions, enabled: flag };

/** Since 0.9 a list of decisions stands where a single flag stood; peers may still send the flag. */
const decidedOptions = { ...identityOptions, enabled: flag, enablement: list(enablementEntry) };

const mcpServer = fields(
  { ...identity, state: mcpServerState },
  { ...decidedOptions, channel: text, mcpApp: object({ capabilities: anything }) },
);

const childCustomization = openTagged('type', {
  agent: fields(identity, {
    ...childOptions,
    description: text,
    model: text,
    tools: list(text),
    disableModelInvocation: flag,
    disableUserInvocation: flag,
  }),
  skill: fields(identity, {
    ...childOptions,
    description: text,
    disableModelInvocation: flag,
    disableUserInvocation: flag,
  }),
  prompt: fields(identity, { ...childOptions, description: text }),
  rule: fields(identity, { ...childOptions, description: text, alwaysApply: flag, globs: list(text) }),
  hook: fields(identity, childOptions),
  mcpServer,
});

const customizationLoadState = openTagged('kind', {
  loading: fields({}),
  loaded: fields({}),
  degraded: fields({ message: text }),
  error: fields({ message: text }),
});

const containerOptions = { clientId: text, load: customizationLoadState, children: list(childCustomization) };

const pluginOptions = { ...decidedOptions, ...containerOptions, version: text };

/** A plugin that a client brings along; `nonce` tells when the host has to read it again. */
const clientPluginCustomization = tagged('type', {
  plugin: fields(identity, { ...pluginOptions, nonce: text }),
});

export const customization = openTagged('type', {
  plugin: fields(identity, pluginOptions),
  directory: fields(
    {
      ...identity,
      enabled: flag,
      contents: openWord<'agent' | 'skill' | 'prompt' | 'rule' | 'hook' | 'mcpServer'>(),
      writable: flag,
    },
    { ...identityOptions, ...containerOptions },
  ),
  mcpServer,
});

export const sessionActiveClient = object(
  { clientId: text, tools: list(toolDefinition) },
  { displayName: text, customizations: list(clientPluginCustomization) },
);

/** By the names of their wire types. */
export const toolTypes = {
  toolAnnotations,
  toolDefinition,
  terminalCommandResult,
  toolResultContent,
  toolCallResult,
  protectedResourceMetadata,
  mcpAuthRequirement,
  mcpServerState,
  enablementEntry,
  childCustomization,
  customizationLoadState,
  clientPluginCustomization,
  customization,
  sessionActiveClient,
};
