// The settings as a page to read, made from their schema.
import { jsonSchema } from './schema.ts';

interface Shape {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly properties?: { readonly [name: string]: Shape };
  readonly required?: readonly string[];
  readonly additionalProperties?: Shape | boolean;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
}

export function settingsDocument(): string {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a JSON Schema of our own making
  const { properties = {} } = jsonSchema() as Shape;
  const sections = Object.entries(properties).filter(([name]) => name !== '$schema');
  return [introduction, ...sections.map(([name, shape]) => section(name, shape))].join('\n');
}

const introduction = `# Settings

This page is made from the schema: \`parley config schema --markdown > docs/settings.md\`. The schema itself, for editors, is what \`parley config schema\` prints.

Settings are read from these places, later ones winning:

1. what is built in,
2. what ECA clients know of their user's ECA configuration: \`initializationOptions\`, \`ECA_CONFIG\`, and ECA's own \`config.json\` or the file given with \`--config-file\`,
3. \`config.jsonc\` in the configuration directory (\`parley config path\` says where),
4. \`.eca/config.json\` and then \`.parley/config.jsonc\` in each folder of the workspace,
5. the environment: \`PARLEY_MODEL\`, \`PARLEY_AGENT\`, \`PARLEY_HOST\`, \`PARLEY_PORT\`,
6. flags of the command line.

Files may hold comments. A change takes effect at once; a file that is broken keeps the last good settings, and the problem is told. \`parley config show\`
prints what holds in the current folder, and where each value comes from.

A folder's own files are not trusted until \`parley trust\` was run for it, and again after every change of them or of a script inside the folder that they name:
until then they can only forbid things (\`approvals.deny\`, \`approvals.ask\`, \`disabledTools\`). What such a script runs in turn is not looked at.

Secrets do not belong into these files. Write \`\${env:NAME}\` where one is needed.

## What agents are told

Beside the settings there are texts, read where they lie and again for every turn, no restart needed:

| What | In each folder | Of the user |
| --- | --- | --- |
| instructions | \`AGENTS.md\` (else \`CLAUDE.md\`), also above it up to the top of its repository | \`AGENTS.md\` |
| rules | \`.parley/rules\`, \`.eca/rules\` | \`rules\` |
| skills | \`.parley/skills\`, \`.eca/skills\`, \`.agents/skills\` | \`skills\`, and \`~/.agents/skills\` |
| commands | \`.parley/commands\`, \`.eca/commands\` | \`commands\` |
| agents | \`.parley/agents\`, \`.eca/agents\` | \`agents\` |

Those of the user lie in the configuration directory of Parley and in that of ECA. A file that names another with \`@path\` brings it along.
Of a folder only regular files are read that lie inside it when all links are followed.

Until a folder is trusted its texts are marked as untrusted, for models and in clients: they count less than yours, take the place of nothing of yours, and its agents
cannot replace a system prompt. \`parley trust\` trusts the folder with all that lies in it; \`parley untrust\` ends the notice about it.

- A rule is a Markdown file. Its front matter may say \`agent\`, \`model\` (an expression) and \`paths\` (patterns). With \`paths\` agents know of it and read it with \`fetch_rule\` when they come to
  such a file; \`enforce: [read, modify]\` refuses the file until they have.
- A skill is a folder with a \`SKILL.md\`, whose front matter has \`name\` and \`description\`. Agents read it when they need it; people call it with \`/name\`.
- A command is a Markdown file that is called with \`/name\`. \`$1\`, \`$2\` and \`$ARGS\` in it, or \`{{name}}\`, are its arguments.
- An agent is a Markdown file: its text is what the model is told, its front matter says \`description\`, \`mode\` (\`primary\`, \`subagent\`, \`all\`), \`model\`, \`variant\`, \`tools\`, \`disabledTools\`,
  \`maxSteps\`, \`spawnableBy\` and \`inherit\`. One that came with a folder can take tools away and allows none.

## Rules of approval

A rule is a text or an object. \`"write_file"\` speaks of a tool, \`"write_file(src/**)"\` of a tool and paths, \`"shell_command(npm test)"\` of a tool and a command,
\`"$ git log *"\` of a command in any tool, \`"@edit"\` of every tool of a kind.

The words of a command must be exactly those of the rule; a last \`*\` stands for any further words, as long as they stay inside the workspace and do not
make another command of it (\`find -exec\`, \`git -c\` and the like). Every part of a line with \`&&\`, \`|\` or \`;\` needs a rule. Lines with substitutions, redirections,
variables or programs that run programs are never allowed by such a rule. Rules that ask or deny take hold of every command that begins so, wherever it stands in a line.

Nothing is ever allowed by a rule outside the workspace, or where it would change files that decide what runs: \`.git\`, start-up files of shells,
settings and instructions of editors and agents, what build servers run, and our own.

Expressions are tried in limited time. One that refers back to what it has matched, or is too long, is not tried: in a rule that denies or asks it counts as
fitting, in one that allows it does not, and the problem is told.
`;

function section(name: string, shape: Shape): string {
  const rows = rowsOf(name, shape);
  const table = rows.length > 0 ? ['', '| Setting | Type | Meaning |', '| --- | --- | --- |', ...rows] : [];
  return [`## ${name}`, '', `${shape.description ?? ''} Type: ${typeOf(shape)}.`, ...table, ''].join('\n');
}

function rowsOf(path: string, shape: Shape): readonly string[] {
  const inner = Object.entries(shape.properties ?? {}).flatMap(([name, value]) => [
    row(`${path}.${name}`, value),
    ...rowsOf(`${path}.${name}`, value),
  ]);
  const each =
    typeof shape.additionalProperties === 'object'
      ? rowsOf(`${path}.<name>`, shape.additionalProperties)
      : [];
  const items = shape.items ? rowsOf(`${path}[]`, shape.items) : [];
  const choices = (shape.anyOf ?? []).flatMap((choice) => rowsOf(path, choice));
  return [...new Set([...inner, ...each, ...items, ...choices])];
}

function row(path: string, shape: Shape): string {
  return `| \`${path}\` | ${typeOf(shape).replaceAll('|', '\\|')} | ${shape.description ?? ''} |`;
}

function typeOf(shape: Shape): string {
  if (shape.enum) return shape.enum.map((value) => `\`${value}\``).join(', ');
  if (shape.anyOf) return [...new Set(shape.anyOf.map(typeOf))].join(' or ');
  if (shape.items) return `list of ${typeOf(shape.items)}`;
  if (typeof shape.additionalProperties === 'object') return `map to ${typeOf(shape.additionalProperties)}`;
  return shape.type ?? 'any value';
}
