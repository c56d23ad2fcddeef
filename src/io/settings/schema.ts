// The one schema of the settings: what may stand in a file, what it means, and what holds where nothing is said. Reads nothing.
import * as z from 'zod';
import { parseRule } from '../../host/policy/ruleText.ts';

/** A secret stands in the environment; a settings file only names it. */
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

/** Values by name in which whatever is called like a secret must be a reference. */
const named = z
  .record(name, z.string())
  .refine(
    (values) => Object.entries(values).every(([key, value]) => !isSecretName(key) || isReference(value)),
    { error: 'holds a secret; put it into the environment and write ${env:NAME} here' },
  );

const expression = z.string().refine(isExpression, { error: 'is not a regular expression' });

const inWords = z.string().refine((text) => parseRule(text) !== undefined, {
  error: 'is not a rule such as "write_file", "write_file(src/**)" or "$ git log *"',
});

const inParts = z.strictObject({
  tool: name
    .optional()
    .describe("A tool's name, in which * stands for anything, or a kind such as @edit. Default: every tool."),
  command: z
    .string()
    .min(1)
    .optional()
    .describe('The words of a command; a last * stands for any further words.'),
  paths: strings
    .min(1)
    .optional()
    .describe('Patterns of paths, absolute or below the workspace; ** stands for any number of folders.'),
  args: z
    .record(name, expression)
    .optional()
    .describe('Regular expressions that whole arguments must match, by name.'),
});

const rule = z.union([inWords, inParts]);
const denial = z.union([
  inWords,
  inParts.extend({
    ends: z
      .boolean()
      .optional()
      .describe(
        'Whether the turn ends with the refusal, for you to say what to do instead. Default: false, the agent goes on.',
      ),
  }),
]);

const webSearch = z.boolean().optional();
const imageGeneration = z.boolean().optional();
const ways = z
  .record(name, z.record(name, z.json()))
  .describe('Ways to think by name, with the fields that each adds to a request.');
const api = z.enum(['anthropic', 'openai-responses', 'openai-chat', 'google', 'bedrock', 'ollama']);

const model = z.strictObject({
  name: z.string().optional().describe('What the provider calls it, where that is another name.'),
  context: count.optional().describe('How many tokens fit into its context.'),
  output: count.optional().describe('How many tokens it can answer with.'),
  images: z.boolean().optional().describe('Whether it can look at images.'),
  webSearch: webSearch.describe(
    'Whether it may use the web search of its provider. Default: as the provider is set.',
  ),
  imageGeneration: imageGeneration.describe(
    'Whether it may have its provider make pictures. Default: as the provider is set.',
  ),
  reasoning: z
    .enum(['all', 'turn', 'off'])
    .optional()
    .describe(
      'Which of its thoughts it is given back, where they are plain words: all, those of the running turn, or none. Default: turn.',
    ),
  variants: ways.optional(),
  cost: z
    .strictObject({
      input: z.number(),
      output: z.number(),
      cacheRead: z.number().optional(),
      cacheWrite: z.number().optional(),
    })
    .optional()
    .describe('Money for a million tokens.'),
  headers: named.optional().describe('Headers for this model alone.'),
  extra: z.record(name, z.json()).optional().describe('Fields added to every request.'),
});

const provider = z.strictObject({
  api: api.optional().describe('The wire format it speaks.'),
  url: z
    .string()
    .optional()
    .describe(
      'The base address; {model} in it stands for the model, and what stands behind a question mark goes along with every request.',
    ),
  path: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Where requests go below the address, if not where they usually do, such as /chat/completions.',
    ),
  key: z
    .string()
    .regex(onlyReference, {
      error: 'must be a reference such as ${env:OPENAI_API_KEY}; keys do not belong into this file',
    })
    .optional()
    .describe('Where the key is, as ${env:NAME}.'),
  overEnvironment: z
    .boolean()
    .optional()
    .describe(
      'Whether this key and address count before those of the environment. Default: false; true for what comes from an ECA configuration.',
    ),
  headers: named.optional().describe('Headers of every request.'),
  retry: z
    .strictObject({
      attempts: z
        .int()
        .min(0)
        .optional()
        .describe('How often a request that failed is repeated. Default: 10.'),
      emptyAttempts: z
        .int()
        .min(0)
        .optional()
        .describe('The same for answers that are empty or cannot be read. Default: 3.'),
      base: count.optional().describe('The first wait, in milliseconds. Default: 2000.'),
      factor: z.number().min(1).optional().describe('By how much each wait is longer. Default: 2.'),
      longest: count.optional().describe('The longest wait of our own, in milliseconds. Default: 60000.'),
      wait: count
        .optional()
        .describe('The longest wait that it may ask for, in milliseconds. Default: 300000.'),
      continues: z
        .int()
        .min(0)
        .optional()
        .describe('How often in a turn its model is asked to finish an answer that was cut off. Default: 3.'),
    })
    .optional()
    .describe('Patience with it.'),
  retryRules: z
    .array(
      z.strictObject({
        status: z.int().optional().describe('The status of the answer.'),
        pattern: expression.optional().describe('What occurs in the answer.'),
        label: z.string().optional().describe('What users are told.'),
      }),
    )
    .optional()
    .describe('Failures that are worth another attempt, though they do not look like it.'),
  cache: z
    .enum(['short', 'long'])
    .optional()
    .describe('How long it is asked to keep what it may cache. Default: short.'),
  reasoning: z
    .enum(['all', 'turn', 'off'])
    .optional()
    .describe(
      'Which of their thoughts its models are given back, where they are plain words: all, those of the running turn, or none. Default: turn.',
    ),
  thinkTags: z
    .strictObject({ start: z.string().min(1), end: z.string().min(1) })
    .optional()
    .describe(
      'What its models put around thoughts that come among the words. Default: <think> and </think>.',
    ),
  webSearch: webSearch.describe(
    'Whether its models may use its own web search: it searches without asking, and charges for it. Anthropic, OpenAI, Google (from Gemini 3 on beside tools) and OpenRouter have one. Default: false.',
  ),
  imageGeneration: imageGeneration.describe(
    'Whether its models may make pictures: OpenAI by a tool of its own, Google and OpenRouter with models that draw. Default: false.',
  ),
  needsKey: z
    .boolean()
    .optional()
    .describe('Whether it wants a key. Default: the known ones do, and others that are given one.'),
  signIn: z
    .strictObject({
      url: z
        .url({ protocol: /^https?$/ })
        .optional()
        .describe('The server of your company, such as https://company.ghe.com for GitHub Copilot.'),
      clientId: z
        .string()
        .min(1)
        .optional()
        .describe('The program to sign in as, where that server knows another one.'),
    })
    .optional()
    .describe('Where one signs in to it, where it is not as usual.'),
  fetchModels: z.boolean().optional().describe('Whether to ask it which models it has. Default: true.'),
  models: z.record(name, model).optional().describe('Its models by id.'),
});

const agent = z.strictObject({
  name: z.string().optional().describe('What people see.'),
  description: z.string().optional(),
  command: z
    .string()
    .min(1)
    .optional()
    .describe(
      'The program that speaks ACP on its standard streams; not needed for an agent that is known by its id.',
    ),
  args: strings.optional(),
  env: named.optional().describe('What it finds in its environment besides the usual.'),
  inherits: strings.optional().describe('Variables of our own environment that it may see.'),
  mode: z.string().optional().describe('The mode its sessions begin in.'),
  disabled: z.boolean().optional(),
});

const mcpServer = z.union([
  z.strictObject({
    command: z.string().min(1),
    args: strings.optional(),
    env: named.optional(),
    disabled: z.boolean().optional(),
  }),
  z.strictObject({
    url: z.string().min(1),
    headers: named.optional(),
    disabled: z.boolean().optional(),
    clientId: z
      .string()
      .optional()
      .describe('What the server knows us as, where it does not let us register ourselves.'),
    clientSecret: z
      .string()
      .regex(onlyReference, { error: 'must be a reference such as ${env:NAME}' })
      .optional(),
    clientName: z
      .string()
      .min(1)
      .optional()
      .describe(
        'The name to register ourselves by, where the server lets in only names it knows. Default: Parley.',
      ),
    callbackPort: z
      .int()
      .min(1)
      .max(65_535)
      .optional()
      .describe('The port on which the browser comes back after signing in. Default: a free one.'),
    scope: z.string().optional().describe('What to ask permission for when signing in.'),
  }),
]);

const customTool = z.strictObject({
  description: z.string(),
  command: z.string().min(1).describe('A command line in which {{name}} stands for an argument.'),
  schema: z.strictObject({ properties: z.record(name, z.json()), required: strings.optional() }),
});

const action = {
  command: z.string().min(1).optional().describe('A command line.'),
  timeout: count.optional().describe('After how many milliseconds it is ended. Default: 30000.'),
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
      .describe('When it runs.'),
    matcher: z
      .union([expression, z.record(name, z.record(name, z.array(expression)))])
      .optional()
      .describe(
        'Which calls it is for: an expression for the whole name, such as shell_command or docs__.*, or tools with expressions for their arguments; for summaries, manual or auto.',
      ),
    ...action,
    actions: z
      .array(z.strictObject({ ...action, file: z.string().min(1).optional().describe('A program to run.') }))
      .optional()
      .describe('Several programs, one after the other.'),
    visible: z.boolean().optional().describe('Whether people see that it ran. Default: true.'),
    onlyDone: z
      .boolean()
      .optional()
      .describe(
        'For postToolCall: whether it runs after calls that worked, and after no others. Default: false.',
      ),
  })
  .refine(({ command, actions = [] }) => (command !== undefined) !== actions.length > 0, {
    error: 'needs a command, or actions',
  });

const approvals = z.strictObject({
  allow: z.array(rule).optional(),
  ask: z.array(rule).optional(),
  deny: z.array(denial).optional(),
});

const words = {
  title: z.string().min(1).optional().describe('What a model is told that is asked for a title.'),
  compact: z.string().min(1).optional().describe('What a model is told that is to summarise a conversation.'),
  tools: z
    .record(z.string(), z.string().min(1))
    .optional()
    .describe('What models are told about tools, by their names.'),
};

const mode = z.strictObject({
  inherit: name.optional().describe('Another mode that says what is not said here.'),
  description: z.string().optional().describe('What it is for; other agents choose by it.'),
  mode: z
    .enum(['primary', 'subagent', 'all'])
    .optional()
    .describe('Who uses it: people, other agents, or both. Default: all.'),
  prompt: z.string().optional().describe('What the model is told in place of the usual.'),
  prompts: z
    .strictObject(words)
    .optional()
    .describe('Words of its own for models, in place of those for everybody.'),
  model: z.string().min(1).optional().describe('The model it works with where nobody chose one.'),
  variant: z.string().min(1).optional().describe('How hard that model thinks.'),
  readOnly: z.literal(true).optional().describe('Set where it may change nothing, whatever is allowed.'),
  tools: strings.optional().describe('The only tools it has.'),
  disabledTools: strings.optional().describe('Tools it does not have.'),
  approvals: approvals.optional().describe('Rules for its calls, judged with those for everybody.'),
  maxSteps: count.optional().describe('How often its model may be asked in one turn.'),
  compactAt: z
    .int()
    .min(10)
    .max(100)
    .optional()
    .describe('How full its context may get before it is compacted, in percent.'),
  spawnableBy: strings.optional().describe('The modes that may give it a task. Default: all.'),
  disabled: z.boolean().optional().describe('Set to leave it out.'),
});

const files = z.array(z.strictObject({ path: z.string().min(1) }));

/** Every section is checked on its own, so that a mistake in one leaves the others alone. */
export const sections = {
  defaultModel: z.string().min(1).describe('The model of new sessions, as provider/model.'),
  defaultAgent: z.string().min(1).describe('The agent of new sessions.'),
  providers: z.record(name, provider).describe('Where models come from.'),
  variants: z
    .record(
      expression,
      z.strictObject({
        ways,
        except: strings.optional().describe('Providers whose models are left alone.'),
        api: z
          .union([api, z.array(api)])
          .optional()
          .describe('The only wire formats it is for.'),
      }),
    )
    .describe('Ways to think for all models whose name an expression is found in.'),
  agents: z.record(name, agent).describe('External agents that speak ACP, by id.'),
  modes: z
    .record(name, mode)
    .describe('Ways for the native agent to work: code, plan, explorer, general and your own.'),
  approvals: approvals.describe(
    'What may run unasked, what always asks, and what never runs. Deny wins over ask, and ask over allow; lists of several files add up.',
  ),
  mcpServers: z.record(name, mcpServer).describe('MCP servers: a program, or an address.'),
  disabledTools: strings.describe('Tools that agents are not offered, by name; * stands for anything.'),
  customTools: z.record(name, customTool).describe('Tools made of command lines.'),
  hooks: z.record(name, hook).describe('Command lines that run when something happens.'),
  rules: files.describe('Files or folders with rules for agents, beside those that are found by themselves.'),
  commands: files.describe('Files or folders with commands, beside those that are found by themselves.'),
  plugins: z
    .array(z.strictObject({ name, path: z.string().min(1) }))
    .describe(
      'Folders of plugins by name: each brings skills, agents, commands and rules along in folders of these names.',
    ),
  skills: files.describe('Folders with skills, beside those that are found by themselves.'),
  instructions: z
    .strictObject({
      parents: z
        .enum(['none', 'repository', 'all'])
        .optional()
        .describe(
          'Which AGENTS.md above a folder count: none, those up to the top of its repository, or all. Default: repository.',
        ),
    })
    .describe('AGENTS.md files.'),
  limits: z
    .strictObject({
      steps: count
        .optional()
        .describe(
          'How often a model may be asked in one turn; for external agents, how many tools they may call. Default: 100.',
        ),
      tokens: count.optional().describe('How many tokens one turn may use.'),
      money: z.number().positive().optional().describe('How much money one turn may cost, in dollars.'),
      session: z
        .strictObject({
          steps: count.optional().describe('How many calls of tools.'),
          tokens: count.optional().describe('How many tokens.'),
          money: z.number().positive().optional().describe('How much money, in dollars.'),
        })
        .optional()
        .describe('What all turns of a session may use together.'),
      outputLines: count
        .optional()
        .describe("How many lines of a tool's output a model sees. Default: 2000."),
      outputBytes: count.optional().describe('How many bytes of it. Default: 50000.'),
      commandTimeout: count
        .optional()
        .describe('After how many milliseconds a command is stopped. Default: 60000.'),
      readLines: count
        .optional()
        .describe('How many lines of a file are read where the model does not say how many. Default: 2000.'),
      editorTimeout: count
        .optional()
        .describe('How many milliseconds an editor may take to tell about code. Default: 30000.'),
      compactAt: z
        .int()
        .min(10)
        .max(100)
        .optional()
        .describe('How full the context may get before it is compacted, in percent. Default: 75.'),
      silence: count
        .optional()
        .describe(
          'After how many milliseconds without a byte an answer of a model is given up. Default: 120000.',
        ),
      serverKeepAlive: count
        .optional()
        .describe(
          'After how many milliseconds an MCP server that has nothing to do is asked whether it is alive; one that does not answer is started anew. Default: 30000.',
        ),
      serverTimeout: count
        .optional()
        .describe(
          'How many milliseconds an MCP server may take to start, and to answer a call without a sign of life. Default: 60000.',
        ),
    })
    .describe('How far an agent may go.'),
  shell: z
    .strictObject({
      path: z
        .string()
        .regex(/(?:^|[/\\])bash(?:\.exe)?$/, {
          error:
            'must name a bash: rules judge a command line as bash reads it, and another shell would run something else',
        })
        .optional()
        .describe('The bash that runs command lines of tools. Default: /bin/bash.'),
      args: z
        .array(z.string().regex(/^(?:-[ilc]+|--login|--norc|--noprofile|--posix)$/))
        .refine(
          (args) =>
            args.filter((arg) => /^-[il]*c[il]*$/.test(arg)).length === 1 &&
            /^-[il]*c[il]*$/.test(args.at(-1) ?? ''),
          { error: 'must end with the only -c' },
        )
        .optional()
        .describe('What it is given before the command line. Default: --norc, -c.'),
      titleLength: z
        .int()
        .min(1)
        .max(500)
        .optional()
        .describe('How much of a command line is shown in the title of its call, in letters. Default: 35.'),
    })
    .describe('How command lines are run and shown.'),
  prompts: z
    .strictObject({
      titles: z.boolean().optional().describe('Whether conversations are given titles. Default: true.'),
      follow: z
        .boolean()
        .optional()
        .describe(
          'Whether a conversation that has begun follows changes of AGENTS.md, rules and skills at once; otherwise /sync-system-prompt applies them, and providers go on remembering its beginning. Default: false.',
        ),
      ...words,
    })
    .describe('Words of your own for models, in place of ours.'),
  retention: z
    .strictObject({
      days: z
        .int()
        .min(0)
        .optional()
        .describe('How long archived sessions are kept; 0 keeps them. Default: 0.'),
    })
    .describe('How long sessions are kept.'),
  network: z
    .strictObject({
      ca: z
        .string()
        .min(1)
        .optional()
        .describe('A file with the certificate of an authority to believe besides the usual ones.'),
      cert: z
        .string()
        .min(1)
        .optional()
        .describe('A file with the certificate to show to servers that want to know who asks.'),
      key: z.string().min(1).optional().describe('The file with its key.'),
      passphrase: z
        .string()
        .regex(onlyReference, { error: 'must be a reference such as ${env:NAME}' })
        .optional()
        .describe('What the key is locked with, as ${env:NAME}.'),
      connect: count
        .optional()
        .describe(
          'After how many milliseconds a connection that does not come about is given up. Default: 15000.',
        ),
    })
    .describe(
      'How models and MCP servers on the network are reached. Proxies stand in the environment: HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY.',
    ),
  server: z
    .strictObject({
      host: z.string().min(1).optional().describe('The address to listen on. Default: 127.0.0.1.'),
      port: z
        .int()
        .min(0)
        .max(65_535)
        .optional()
        .describe('The port to listen on. Default: 4517, or a free one.'),
      tls: z
        .boolean()
        .optional()
        .describe(
          'Whether to encrypt on loopback, too. Beyond loopback everything is encrypted. Default: false.',
        ),
      cert: z.string().min(1).optional().describe('A file with the certificate to show instead of our own.'),
      key: z.string().min(1).optional().describe('The file with its key.'),
      insecure: z
        .boolean()
        .optional()
        .describe('Whether to listen beyond loopback without encryption. Default: false.'),
    })
    .describe('Where the host listens.'),
} as const;

export type SectionName = keyof typeof sections;

/** What one file says, checked. */
export interface Written extends Sections {
  /** Only an ECA configuration can ask for it, with `env: "test"`; a file of ours has no such section. */
  readonly deterministic?: true;
}

type Sections = { readonly [K in SectionName]?: z.infer<(typeof sections)[K]> };

export function isSection(key: string): key is SectionName {
  return Object.hasOwn(sections, key);
}

/** What a folder may say before the user trusts it: only what makes things stricter. */
export const strictSections: ReadonlySet<SectionName> = new Set(['approvals', 'disabledTools']);

/** What is the host's own and no folder may say at all. */
const hostSections: ReadonlySet<SectionName> = new Set(['server', 'retention', 'network']);

/** The same, and what a folder could send conversations and keys elsewhere by. */
export const userSections: ReadonlySet<SectionName> = new Set([...hostSections, 'providers', 'variants']);

/** The schema as editors read it. */
export function jsonSchema(): object {
  const whole = z.strictObject({ $schema: z.string().optional(), ...sections }).partial();
  return { title: 'Settings of Parley', ...z.toJSONSchema(whole, { unrepresentable: 'any', io: 'input' }) };
}

export function isExpression(text: string): boolean {
  try {
    return new RegExp(text, 'su') instanceof RegExp;
  } catch {
    return false;
  }
}
