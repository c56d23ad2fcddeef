// The schema of the settings: every setting with its type, description and default. Pure; reads no file.
import * as z from 'zod';
import { parseRule } from '../../host/policy/ruleText.ts';
import { providerApis } from '../../host/settings/settings.ts';

/** Settings with such a name must refer to the environment or to a stored secret. */
const secretName = /authorization|cookie|token|secret|password|api[-_]?key/i;
const reference = /\$\{(?:env:[A-Za-z_]\w*(?::[^}]*)?|secret:[^}]+)\}/;
const onlyReference = /^\$\{(?:env:[A-Za-z_]\w*|secret:[^}]+)\}$/;

export function isSecretName(key: string): boolean {
  return secretName.test(key);
}

export function isReference(value: string): boolean {
  return reference.test(value);
}

const strings = z.array(z.string());
const name = z.string().min(1).max(200);
const count = z.int().min(1);

/** Strings by name; the value of a secret name must be a reference. */
const named = z
  .record(name, z.string())
  .refine(
    (values) => Object.entries(values).every(([key, value]) => !isSecretName(key) || isReference(value)),
    { error: 'contains a secret; store it in an environment variable and write ${env:NAME} here' },
  );

const expression = z.string().refine(isExpression, { error: 'is not a regular expression' });

const ruleText = z.string().refine((text) => parseRule(text) !== undefined, {
  error: 'is not a rule such as "write_file", "write_file(src/**)" or "$ git log *"',
});

const ruleObject = z.strictObject({
  tool: name
    .optional()
    .describe('Tool name, with * as a wildcard, or a kind such as @edit. Default: every tool.'),
  command: z
    .string()
    .min(1)
    .optional()
    .describe('The exact command; a final * matches any further arguments. Example: git log *.'),
  paths: strings
    .min(1)
    .optional()
    .describe(
      'Path patterns, absolute or relative to the workspace; ** matches any number of ' +
        'folders. Example: src/**.',
    ),
  args: z
    .record(name, expression)
    .optional()
    .describe('Regular expressions by argument name; each must match the whole argument.'),
});

const rule = z.union([ruleText, ruleObject]);
const denial = z.union([
  ruleText,
  ruleObject.extend({
    ends: z
      .boolean()
      .optional()
      .describe(
        'Whether a denial ends the turn, so that you can say what to do instead. Default: false; the ' +
          'agent continues.',
      ),
  }),
]);

const webSearch = z.boolean().optional();
const imageGeneration = z.boolean().optional();
const variantFields = z
  .record(name, z.record(name, z.json()))
  .describe('Reasoning presets by name, each with the fields that it adds to a request.');
const api = z.enum(providerApis);

const model = z.strictObject({
  name: z.string().optional().describe('The name that the provider uses, if it differs from the id.'),
  context: count.optional().describe('Size of the context window in tokens.'),
  output: count.optional().describe('Maximum number of output tokens.'),
  images: z.boolean().optional().describe('Whether the model accepts images.'),
  webSearch: webSearch.describe(
    "Whether the model may use the provider's web search. Default: the provider's setting.",
  ),
  imageGeneration: imageGeneration.describe(
    "Whether the model may generate images. Default: the provider's setting.",
  ),
  reasoning: z
    .enum(['all', 'turn', 'off'])
    .optional()
    .describe(
      'Which plain-text reasoning is sent back to the model: all, that of the current turn, or none ' +
        '(off). Default: turn.',
    ),
  variants: variantFields.optional(),
  cost: z
    .strictObject({
      input: z.number().describe('Price of input tokens. Example: 3.'),
      output: z.number().describe('Price of output tokens. Example: 15.'),
      cacheRead: z.number().optional().describe('Price of input tokens read from the cache. Example: 0.3.'),
      cacheWrite: z
        .number()
        .optional()
        .describe('Price of input tokens written to the cache. Example: 3.75.'),
    })
    .optional()
    .describe('Prices in USD per million tokens.'),
  headers: named.optional().describe('Additional HTTP headers for requests to this model.'),
  extra: z.record(name, z.json()).optional().describe('Additional fields in the body of every request.'),
});

const provider = z.strictObject({
  api: api.optional().describe("The wire format of the provider's API."),
  url: z
    .string()
    .optional()
    .describe('Base URL. {model} is replaced by the model; query parameters are sent with every request.'),
  path: z
    .string()
    .min(1)
    .optional()
    .describe('Path below the base URL, if it differs from the usual one. Example: /chat/completions.'),
  key: z
    .string()
    .regex(onlyReference, {
      error: 'must be a reference such as ${env:OPENAI_API_KEY}; do not store keys in this file',
    })
    .optional()
    .describe('API key; use ${env:NAME}.'),
  overEnvironment: z
    .boolean()
    .optional()
    .describe(
      'Whether this key and URL take precedence over environment variables. Default: false; true in an ' +
        'ECA configuration.',
    ),
  headers: named.optional().describe('Additional HTTP headers of every request.'),
  retry: z
    .strictObject({
      attempts: z.int().min(0).optional().describe('Maximum number of retries. Default: 10.'),
      emptyAttempts: z
        .int()
        .min(0)
        .optional()
        .describe('Maximum number of retries after an empty or unreadable answer. Default: 3.'),
      base: count.optional().describe('Delay before the first retry, in milliseconds. Default: 2000.'),
      factor: z
        .number()
        .min(1)
        .optional()
        .describe('Factor by which the delay grows with each retry. Default: 2.'),
      longest: count
        .optional()
        .describe('Maximum delay that Parley chooses, in milliseconds. Default: 60000.'),
      wait: count
        .optional()
        .describe('Maximum delay that the provider may request, in milliseconds. Default: 300000.'),
      continues: z
        .int()
        .min(0)
        .optional()
        .describe('How often per turn the model is asked to continue a truncated answer. Default: 3.'),
    })
    .optional()
    .describe('Retry policy.'),
  retryRules: z
    .array(
      z.strictObject({
        status: z.int().optional().describe('HTTP status of the response. Default: any.'),
        pattern: expression
          .optional()
          .describe('Regular expression to find in the response. Default: any response.'),
        label: z.string().optional().describe('Message that users see.'),
      }),
    )
    .optional()
    .describe('Additional failures to retry.'),
  cache: z.enum(['short', 'long']).optional().describe('Lifetime of the prompt cache. Default: short.'),
  reasoning: z
    .enum(['all', 'turn', 'off'])
    .optional()
    .describe(
      'Which plain-text reasoning is sent back to the models: all, that of the current turn, or none ' +
        '(off). Default: turn.',
    ),
  thinkTags: z
    .strictObject({
      start: z.string().min(1).describe('Tag before the reasoning. Example: <think>.'),
      end: z.string().min(1).describe('Tag after the reasoning. Example: </think>.'),
    })
    .optional()
    .describe('Tags that mark reasoning inside the text of an answer. Default: <think> and </think>.'),
  webSearch: webSearch.describe(
    "Whether models may use the provider's web search, which needs no approval and may cost extra. " +
      'Available from Anthropic, OpenAI, Google (together with tools from Gemini 3 on) and OpenRouter. ' +
      'Default: false.',
  ),
  imageGeneration: imageGeneration.describe(
    'Whether models may generate images: OpenAI with its own tool, Google and OpenRouter with image ' +
      'models. Default: false.',
  ),
  needsKey: z
    .boolean()
    .optional()
    .describe(
      'Whether the provider requires an API key. Default: true for providers that Parley knows and for ' +
        'providers with a key.',
    ),
  signIn: z
    .strictObject({
      url: z
        .url({ protocol: /^https?$/ })
        .optional()
        .describe('Sign-in server of your company. Example for GitHub Copilot: https://company.ghe.com.'),
      clientId: z
        .string()
        .min(1)
        .optional()
        .describe('OAuth client ID, if that server requires another one.'),
    })
    .optional()
    .describe('Sign-in server, if it differs from the usual one.'),
  fetchModels: z
    .boolean()
    .optional()
    .describe('Whether to request the list of models from the provider. Default: true.'),
  models: z.record(name, model).optional().describe('Models by id.'),
});

const agent = z.strictObject({
  name: z.string().optional().describe('Display name.'),
  description: z.string().optional().describe('Short description for the list of agents.'),
  command: z
    .string()
    .min(1)
    .optional()
    .describe('Program that speaks ACP on stdin and stdout. Not needed if Parley knows the id.'),
  args: strings.optional().describe('Arguments of the program. Example: ["--acp"].'),
  env: named.optional().describe('Additional environment variables. Example: { "LOG_LEVEL": "debug" }.'),
  inherits: strings
    .optional()
    .describe('Names of environment variables that the agent inherits from Parley.'),
  mode: z.string().optional().describe('Initial mode of its sessions.'),
  disabled: z
    .boolean()
    .optional()
    .describe('Whether the agent is hidden and cannot be started. Default: false.'),
});

const mcpDisabled = z.boolean().optional().describe('Whether the server is not started. Default: false.');

const mcpServer = z.union([
  z.strictObject({
    command: z.string().min(1).describe('Program that speaks MCP on stdin and stdout. Example: npx.'),
    args: strings.optional().describe('Arguments of the program. Example: ["-y", "some-mcp-server"].'),
    env: named
      .optional()
      .describe('Additional environment variables. Example: { "API_TOKEN": "${env:API_TOKEN}" }.'),
    disabled: mcpDisabled,
  }),
  z.strictObject({
    url: z.string().min(1).describe('URL of a remote server. Example: https://mcp.example.com/mcp.'),
    headers: named
      .optional()
      .describe('Additional HTTP headers. Example: { "Authorization": "Bearer ${env:TOKEN}" }.'),
    disabled: mcpDisabled,
    clientId: z
      .string()
      .optional()
      .describe('OAuth client ID, if the server does not support dynamic registration.'),
    clientSecret: z
      .string()
      .regex(onlyReference, { error: 'must be a reference such as ${env:NAME}' })
      .optional()
      .describe('OAuth client secret; use ${env:NAME}.'),
    clientName: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Client name for dynamic registration, if the server accepts only certain names. Default: Parley.',
      ),
    callbackPort: z
      .int()
      .min(1)
      .max(65_535)
      .optional()
      .describe('Port of the OAuth callback. Default: a free port.'),
    scope: z.string().optional().describe('OAuth scopes to request, separated by spaces.'),
  }),
]);

const customTool = z.strictObject({
  description: z.string().describe('What the tool does; the model reads it.'),
  command: z
    .string()
    .min(1)
    .describe('Command line; {{name}} is replaced by the quoted argument. Example: npm run {{script}}.'),
  schema: z
    .strictObject({
      properties: z
        .record(name, z.json())
        .describe('JSON Schema of each argument. Example: { "script": { "type": "string" } }.'),
      required: strings.optional().describe('Names of the required arguments. Example: ["script"].'),
    })
    .describe('Arguments of the tool.'),
});

const action = {
  command: z.string().min(1).optional().describe('Command line to run.'),
  timeout: count.optional().describe('Timeout in milliseconds. Default: 30000.'),
};

const hook = z
  .strictObject({
    on: z
      .enum([
        'sessionStart',
        'sessionEnd',
        'chatStart',
        'chatEnd',
        'chatStatusChanged',
        'subagentStart',
        'preRequest',
        'postRequest',
        'subagentPostRequest',
        'preToolCall',
        'postToolCall',
        'preCompact',
        'postCompact',
      ])
      .describe('Event that runs the hook.'),
    matcher: z
      .union([expression, z.record(name, z.record(name, z.array(expression)))])
      .optional()
      .describe(
        'Which tool calls run the hook: a regular expression for the whole tool name, such as ' +
          'shell_command or docs__.*, or tools with regular expressions for their arguments. For ' +
          'compaction: manual or auto.',
      ),
    ...action,
    actions: z
      .array(z.strictObject({ ...action, file: z.string().min(1).optional().describe('Program to run.') }))
      .optional()
      .describe('Several commands or programs, run in order.'),
    visible: z.boolean().optional().describe('Whether clients show that the hook ran. Default: true.'),
    onlyDone: z
      .boolean()
      .optional()
      .describe('For postToolCall: whether it runs only after successful calls. Default: false.'),
  })
  .refine(({ command, actions = [] }) => (command !== undefined) !== actions.length > 0, {
    error: 'needs either a command or actions',
  });

const approvals = z.strictObject({
  allow: z.array(rule).optional().describe('Calls that run without approval. Example: ["$ npm test"].'),
  ask: z.array(rule).optional().describe('Calls that always need approval. Example: ["$ git push *"].'),
  deny: z.array(denial).optional().describe('Calls that never run. Example: ["write_file(secrets/**)"].'),
});

const promptTexts = {
  title: z.string().min(1).optional().describe('System prompt for titles.'),
  compact: z.string().min(1).optional().describe('System prompt for summaries (compaction).'),
  tools: z.record(z.string(), z.string().min(1)).optional().describe('Tool descriptions by tool name.'),
};

const mode = z.strictObject({
  inherit: name.optional().describe('Mode that provides every setting that is absent here.'),
  description: z.string().optional().describe('Purpose of the mode; other agents choose it by this text.'),
  mode: z
    .enum(['primary', 'subagent', 'all'])
    .optional()
    .describe('primary: users can select it; subagent: other agents can start it; all: both. Default: all.'),
  prompt: z.string().optional().describe('System prompt that replaces the built-in one.'),
  prompts: z
    .strictObject(promptTexts)
    .optional()
    .describe('Prompts of this mode; they override the section prompts.'),
  model: z.string().min(1).optional().describe('Default model of this mode, as provider/model.'),
  variant: z.string().min(1).optional().describe('Default reasoning preset of this mode.'),
  readOnly: z
    .literal(true)
    .optional()
    .describe('Read-only: no rule or approval lets the mode change anything.'),
  tools: strings.optional().describe('Names of the only tools that the mode has.'),
  disabledTools: strings.optional().describe('Names of tools that the mode does not have.'),
  approvals: approvals.optional().describe('Additional approval rules for this mode.'),
  maxSteps: count.optional().describe('Maximum number of model requests per turn.'),
  compactAt: z
    .int()
    .min(10)
    .max(100)
    .optional()
    .describe('Context usage in percent at which the conversation is compacted.'),
  spawnableBy: strings.optional().describe('Names of the modes that may start it. Default: all modes.'),
  disabled: z.boolean().optional().describe('Whether the mode is removed. Default: false.'),
});

/** A list of paths; the text describes one of them. */
function pathList(description: string) {
  return z.array(z.strictObject({ path: z.string().min(1).describe(description) }));
}

/** Each section is checked separately, so a mistake in one does not disable the others. */
export const sections = {
  defaultModel: z
    .string()
    .min(1)
    .describe('Model of new sessions, as provider/model. Example: anthropic/claude-sonnet-4-5.'),
  defaultAgent: z.string().min(1).describe('Agent of new sessions. Example: claude.'),
  providers: z.record(name, provider).describe('Model providers by id.'),
  variants: z
    .record(
      expression,
      z.strictObject({
        ways: variantFields,
        except: strings.optional().describe('Ids of providers to exclude.'),
        api: z
          .union([api, z.array(api)])
          .optional()
          .describe('Wire formats that the presets apply to. Default: all.'),
      }),
    )
    .describe('Reasoning presets for models whose name matches a regular expression.'),
  agents: z.record(name, agent).describe('External ACP agents by id.'),
  modes: z
    .record(name, mode)
    .describe('Modes of the native agent: code, plan, explorer, general and your own.'),
  approvals: approvals.describe(
    'Which tool calls run without approval, need approval, or never run. deny overrides ask, ask ' +
      'overrides allow; the lists of all settings files are combined.',
  ),
  mcpServers: z
    .record(name, mcpServer)
    .describe('MCP servers by name: a local program (command) or a remote server (url).'),
  disabledTools: strings.describe('Names of tools that agents do not get; * is a wildcard.'),
  customTools: z.record(name, customTool).describe('Tools that run a command line, by name.'),
  hooks: z.record(name, hook).describe('Commands that run on events, by name.'),
  rules: pathList('File or folder with rules. Example: ~/rules/typescript.md.').describe(
    'Additional rule files and folders.',
  ),
  commands: pathList('File or folder with commands. Example: ~/commands.').describe(
    'Additional command files and folders.',
  ),
  plugins: z
    .array(
      z.strictObject({
        name: name.describe('Name of the plugin.'),
        path: z.string().min(1).describe('Folder of the plugin. Example: ~/plugins/review.'),
      }),
    )
    .describe('Plugins. The folder of a plugin contains the folders skills, agents, commands and rules.'),
  skills: pathList('Folder with skills. Example: ~/skills.').describe('Additional skill folders.'),
  instructions: z
    .strictObject({
      parents: z
        .enum(['none', 'repository', 'all'])
        .optional()
        .describe(
          'Which AGENTS.md files in parent folders are read: none, those up to the root of the ' +
            'repository, or all. Default: repository.',
        ),
    })
    .describe('AGENTS.md files.'),
  limits: z
    .strictObject({
      steps: count
        .optional()
        .describe(
          'Maximum number of model requests per turn; for external agents, of tool calls. Default: 100.',
        ),
      tokens: count.optional().describe('Maximum number of tokens per turn.'),
      money: z.number().positive().optional().describe('Maximum cost of a turn in USD. Example: 0.5.'),
      session: z
        .strictObject({
          steps: count.optional().describe('Maximum number of tool calls per session.'),
          tokens: count.optional().describe('Maximum number of tokens per session.'),
          money: z.number().positive().optional().describe('Maximum cost of a session in USD.'),
        })
        .optional()
        .describe('Limits for all turns of a session together.'),
      outputLines: count
        .optional()
        .describe("Maximum number of lines of a tool's output that the model sees. Default: 2000."),
      outputBytes: count
        .optional()
        .describe("Maximum number of bytes of a tool's output that the model sees. Default: 50000."),
      commandTimeout: count.optional().describe('Timeout of a command in milliseconds. Default: 60000.'),
      readLines: count
        .optional()
        .describe('Number of lines read from a file if the model gives none. Default: 2000.'),
      editorTimeout: count
        .optional()
        .describe('Timeout in milliseconds for requests to the editor, such as diagnostics. Default: 30000.'),
      compactAt: z
        .int()
        .min(10)
        .max(100)
        .optional()
        .describe('Context usage in percent at which a conversation is compacted. Default: 75.'),
      silence: count
        .optional()
        .describe('Timeout in milliseconds for a model that sends no data. Default: 120000.'),
      serverKeepAlive: count
        .optional()
        .describe(
          'Interval in milliseconds for pings to an idle MCP server; a server that does not answer is ' +
            'restarted. Default: 30000.',
        ),
      serverTimeout: count
        .optional()
        .describe(
          'Timeout in milliseconds for the start of an MCP server and for a call without progress. ' +
            'Default: 60000.',
        ),
    })
    .describe('Limits for agents and tools.'),
  shell: z
    .strictObject({
      path: z
        .string()
        .regex(/(?:^|[/\\])bash(?:\.exe)?$/, {
          error: 'must be the path of a bash; approval rules cannot judge command lines of other shells',
        })
        .optional()
        .describe('Path of the bash that runs commands of tools. Default: /bin/bash.'),
      args: z
        .array(z.string().regex(/^(?:-[ilc]+|--login|--norc|--noprofile|--posix)$/))
        .refine(
          (args) =>
            args.filter((arg) => /^-[il]*c[il]*$/.test(arg)).length === 1 &&
            /^-[il]*c[il]*$/.test(args.at(-1) ?? ''),
          { error: 'must contain -c once, as the last argument' },
        )
        .optional()
        .describe('Arguments before the command line. Default: --norc, -c.'),
      titleLength: z
        .int()
        .min(1)
        .max(500)
        .optional()
        .describe('Maximum length of a command in the title of its call, in characters. Default: 35.'),
    })
    .describe('How commands run and how they are shown.'),
  prompts: z
    .strictObject({
      titles: z
        .boolean()
        .optional()
        .describe('Whether Parley generates titles for conversations. Default: true.'),
      follow: z
        .boolean()
        .optional()
        .describe(
          'Whether changes to AGENTS.md, rules and skills apply to running conversations immediately. ' +
            'If false, /sync-system-prompt applies them and the prompt cache stays valid. Default: false.',
        ),
      ...promptTexts,
    })
    .describe('Prompts that replace the built-in ones.'),
  retention: z
    .strictObject({
      days: z
        .int()
        .min(0)
        .optional()
        .describe(
          'Number of days after which archived sessions are deleted; 0 keeps them forever. Default: 0.',
        ),
    })
    .describe('Retention of sessions.'),
  network: z
    .strictObject({
      ca: z
        .string()
        .min(1)
        .optional()
        .describe('File with the certificate of an additional certificate authority.'),
      cert: z.string().min(1).optional().describe('File with the client certificate.'),
      key: z.string().min(1).optional().describe('File with the private key of the certificate.'),
      passphrase: z
        .string()
        .regex(onlyReference, { error: 'must be a reference such as ${env:NAME}' })
        .optional()
        .describe('Passphrase of the private key; use ${env:NAME}.'),
      connect: count.optional().describe('Timeout of a connection attempt in milliseconds. Default: 15000.'),
    })
    .describe(
      'Connections to models and remote MCP servers. Set proxies in the environment: HTTP_PROXY, ' +
        'HTTPS_PROXY, ALL_PROXY, NO_PROXY.',
    ),
  server: z
    .strictObject({
      host: z.string().min(1).optional().describe('Address to listen on. Default: 127.0.0.1.'),
      port: z
        .int()
        .min(0)
        .max(65_535)
        .optional()
        .describe('Port to listen on. Default: 4517, or a free port.'),
      tls: z
        .boolean()
        .optional()
        .describe('Whether to use TLS on loopback, too. Other addresses always use TLS. Default: false.'),
      cert: z
        .string()
        .min(1)
        .optional()
        .describe('File with a certificate that replaces the self-signed one.'),
      key: z.string().min(1).optional().describe('File with the private key of the certificate.'),
      insecure: z
        .boolean()
        .optional()
        .describe('Whether to allow other addresses than loopback without TLS. Default: false.'),
    })
    .describe('Address and encryption of the host.'),
} as const;

export type SectionName = keyof typeof sections;

/** The valid sections of one settings file. */
export type WrittenSettings = { readonly [K in SectionName]?: z.infer<(typeof sections)[K]> };

export function isSection(key: string): key is SectionName {
  return Object.hasOwn(sections, key);
}

/** Sections that an untrusted folder may set: they can only add restrictions. */
export const strictSections: ReadonlySet<SectionName> = new Set(['approvals', 'disabledTools']);

/** Sections that belong to the host; no folder may set them. */
const hostSections: ReadonlySet<SectionName> = new Set(['server', 'retention', 'network']);

/** The host sections and those with which a folder could send conversations and keys elsewhere. */
export const userSections: ReadonlySet<SectionName> = new Set([...hostSections, 'providers', 'variants']);

/** The JSON Schema for editors. */
export function jsonSchema(): object {
  const whole = z.strictObject({ $schema: z.string().optional(), ...sections }).partial();
  return { title: 'Parley settings', ...z.toJSONSchema(whole, { unrepresentable: 'any', io: 'input' }) };
}

export function isExpression(text: string): boolean {
  try {
    return new RegExp(text, 'su') instanceof RegExp;
  } catch {
    return false;
  }
}
