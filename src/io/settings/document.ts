// Generates docs/settings.md from the schema of the settings.
import { jsonSchema } from '../../host/settings/schema/sections.ts';

interface Shape {
  readonly type?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
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

This page is generated from the schema: \`parley config schema --markdown > docs/settings.md\`.
\`parley config schema\` prints the JSON Schema for editors.

Parley reads settings from these sources; later ones override earlier ones:

1. the built-in defaults,
2. the user's ECA configuration, for ECA clients: \`initializationOptions\`, \`ECA_CONFIG\`, and ECA's
   \`config.json\` or the file given with \`--config-file\`,
3. \`config.jsonc\` in the configuration directory (\`parley config path\` prints its path),
4. \`.eca/config.json\` and then \`.parley/config.jsonc\` in each folder of the workspace,
5. environment variables: \`PARLEY_MODEL\`, \`PARLEY_AGENT\`, \`PARLEY_HOST\`, \`PARLEY_PORT\`,
6. command-line flags.

Files may contain comments. Changes take effect immediately. If a file is broken, or empty after it had
settings, Parley reports the problem and keeps the last valid settings. \`parley config show\` prints the
effective settings of the current folder and the source of each value.

The settings files of a folder are not trusted until you say so. Your client asks you with the first message
there, and again after every change to them or to a script inside the folder that they name: trust, this
time (until the session is closed or Parley ends), or never. If you decline to decide, no client asks again
before the next change. \`/trust\` in any client and \`parley trust\` in a terminal show the same and let you decide;
\`parley trust --list\` lists your answers. Until then the files can only restrict (\`approvals.deny\`,
\`approvals.ask\`, \`disabledTools\`). Parley does not check which files such a script runs.

Do not store secrets in these files. Write \`\${env:NAME}\` instead.

## Instructions, rules, skills, commands and agents

Parley also reads these text files, again for every turn; no restart is needed:

| Kind | In each folder | In the user's directories |
| --- | --- | --- |
| instructions | \`AGENTS.md\` (else \`CLAUDE.md\`), also in parent folders up to the root of the repository | \`AGENTS.md\` |
| rules | \`.parley/rules\`, \`.eca/rules\` | \`rules\` |
| skills | \`.parley/skills\`, \`.eca/skills\`, \`.agents/skills\` | \`skills\`, and \`~/.agents/skills\` |
| commands | \`.parley/commands\`, \`.eca/commands\` | \`commands\` |
| agents | \`.parley/agents\`, \`.eca/agents\` | \`agents\` |

The user's directories are the configuration directories of Parley and of ECA. A file includes another one
with \`@path\`. From a folder Parley reads only regular files that are inside the folder after all links are
resolved.

Until you trust a folder, its texts are marked as untrusted for models and in clients: they rank below your
texts, replace none of them, and the folder's agents cannot replace a system prompt. \`parley trust\` trusts
the folder and everything in it; \`parley untrust\` ends the notice about it.

- A rule is a Markdown file. Its front matter may contain \`agent\`, \`model\` (a regular expression) and
  \`paths\` (patterns). Agents read a rule with \`paths\` by \`fetch_rule\` when they work on a matching
  file; \`enforce: [read, modify]\` denies access to the file until they have read the rule.
- A skill is a folder with a \`SKILL.md\`, whose front matter has \`name\` and \`description\`. Agents read
  it when they need it; users call it with \`/name\`.
- A command is a Markdown file that users call with \`/name\`. \`$1\`, \`$2\` and \`$ARGS\`, or
  \`{{name}}\`, are replaced by its arguments.
- An agent is a Markdown file. Its text is the system prompt; its front matter may contain \`description\`,
  \`mode\` (\`primary\`, \`subagent\`, \`all\`), \`model\`, \`variant\`, \`tools\`, \`disabledTools\`,
  \`maxSteps\`, \`spawnableBy\` and \`inherit\`. An agent that a folder defines can remove tools but cannot
  allow any.

## Approval rules

A rule is a string or an object. \`"write_file"\` matches a tool, \`"write_file(src/**)"\` a tool and paths,
\`"shell_command(npm test)"\` a tool and a command, \`"$ git log *"\` a command in any tool, \`"@edit"\`
every tool of a kind.

A command must equal the command of the rule. A final \`*\` matches any further arguments that stay inside
the workspace and do not run another command (\`find -exec\`, \`git -c\` and similar). Every part of a line
with \`&&\`, \`|\` or \`;\` needs a rule. Output may go to files in the workspace, a command may have
variables that only change how it prints (\`CI=1 npm test\`), and \`if\`, \`while\` and \`for\` over fixed
words are read as their commands. A rule never allows lines with substitutions, other variables or programs
that run other programs; only \`"*"\`, which stands for every call of every tool, does. Rules that ask or
deny apply to every command that begins like the rule, anywhere in a line, also with another name of the
subcommand (\`npm i\` for \`npm install\`). Where there is such a rule, a line that hides what it starts (\`$X a\`)
asks, in every mode. No rule sees what a script or another program starts.

A rule never allows anything outside the workspace, or a change to files that control what runs: \`.git\`,
start-up files of shells, settings and instructions of editors and agents, CI configuration, and Parley's
own files.

Regular expressions have a time limit. An expression with back-references, or one that is too long, is not
evaluated: in a deny or ask rule it counts as a match, in an allow rule it does not, and Parley reports the
problem.
`;

function section(name: string, shape: Shape): string {
  const rows = rowsOf(name, shape);
  const header = ['', '| Setting | Type | Meaning | Example |', '| --- | --- | --- | --- |'];
  const table = rows.length > 0 ? [...header, ...rows] : [];
  const written = JSON.stringify({ [name]: shape.examples?.[0] }, undefined, 2);
  return [
    `## ${name}`,
    '',
    wrapped(`${shape.description ?? ''} Type: ${typeOf(shape)}.`),
    '',
    `\`\`\`json\n${written}\n\`\`\``,
    ...table,
    '',
  ].join('\n');
}

/** The text in lines of at most 110 characters. */
function wrapped(text: string): string {
  return text.replaceAll(/(?=.{111})(.{1,110}) /g, '$1\n');
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
  const example = `\`${JSON.stringify(shape.examples?.[0])}\``;
  const cells = [`\`${path}\``, typeOf(shape), shape.description ?? '', example];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function typeOf(shape: Shape): string {
  if (shape.enum) return shape.enum.map((value) => `\`${value}\``).join(', ');
  if (shape.anyOf) return [...new Set(shape.anyOf.map(typeOf))].join(' or ');
  if (shape.items) return `list of ${typeOf(shape.items)}`;
  if (typeof shape.additionalProperties === 'object') return `map to ${typeOf(shape.additionalProperties)}`;
  return shape.type ?? 'any value';
}
