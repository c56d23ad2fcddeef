// How the demo model reacts to a request: an ordered list of patterns and the move for each. Streams nothing.
import type { Json } from '../../../../model/event.ts';
import type { CallResult } from '../../model.ts';
import { describeResult, help, nameList, topOf } from './words.ts';
import { template } from './files.ts';

export interface Move {
  readonly think?: string;
  readonly say: string;
  readonly calls?: readonly { readonly tool: string; readonly input: { readonly [name: string]: Json } }[];
}

/** The first move for a new request. */
export function firstMove(text: string): Move {
  return (
    recognise(text) ?? {
      think:
        'This is beyond what I know how to do. A look at the folder lets me say something ' +
        'useful all the same.',
      ...look(
        '.',
        1,
        'I am the built-in demo model: no key, no network, and only a few things I understand. Let me ' +
          'take a first look at your folder.',
      ),
    }
  );
}

/** The move after tool results. */
export function nextMove(text: string, results: readonly CallResult[], root: string): Move {
  const listed = results.length === 1 ? results[0] : undefined;
  const command =
    listed?.status === 'done' && wantsTests.test(plain(text)) ? testCommand(topOf(listed.text)) : undefined;
  if (command !== undefined)
    return { ...run(command), say: `This looks like a project for \`${command}\`. I will run it.` };
  const said = (wantsTests.test(plain(text)) ? results.slice(-1) : results)
    .map((result) => describeResult(result, root))
    .join('\n\n');
  return { say: recognise(text) ? said : `${said}\n\n${help}` };
}

/** Longer requests are not simple, and matching them would be slow. */
const longest = 4_000;

function recognise(text: string): Move | undefined {
  const request = plain(text);
  if (request.length > longest) return undefined;
  for (const { when, move } of rules) {
    const match = when.exec(request);
    if (match) return move(match.slice(1).map((group: string | undefined) => bare(group ?? '')));
  }
  return undefined;
}

/** Removes polite phrases. */
function plain(text: string): string {
  return text
    .replace(/^(?:(?:please|can you|could you|would you)\s+)+/i, '')
    .replace(/[,\s]+please[.!?]?$/i, '')
    .trim();
}

interface Rule {
  readonly when: RegExp;
  /** Receives the groups of the pattern without surrounding quotes. */
  readonly move: (groups: readonly string[]) => Move;
}

const wantsTests = /^run (?:the |my |all )?(?:unit )?tests[.!]?$/i;

/** A file name: quoted, with a dot, or one of the usual names without. */
const file = String.raw`(\x60[^\x60]+\x60|"[^"]+"|'[^']+'|[\w./~@-]*\.[\w-]+|(?:[\w./-]*/)?(?:Makefile|Dockerfile|LICENSE|README|CHANGELOG|Gemfile|Procfile))`;
const thing = String.raw`(\x60[^\x60]+\x60|"[^"]+"|'[^']+'|.+?)`;

const rules: readonly Rule[] = [
  { when: /^(?:help|what can you do|who are you|what are you)\b/i, move: () => ({ say: help }) },
  {
    when: /^(?:hi|hello|hey|good (?:morning|afternoon|evening))\b[\s\w]{0,12}[.!]?$/i,
    move: () => ({ say: `Hello! ${help}` }),
  },
  { when: /^(?:thanks|thank you|great|cool|nice)\b.{0,20}$/i, move: () => ({ say: 'You are welcome.' }) },
  {
    when: wantsTests,
    move: () => ({
      think: 'I must know what kind of project this is first.',
      ...look('.', 1, 'Let me see what kind of project this is.'),
    }),
  },
  { when: /^(?:(?:run|execute)\b\s*:?|\$)\s*(.+)$/is, move: ([command = '']) => run(command) },
  {
    when: new RegExp(`^in ${file},? (?:replace|change) ${thing} (?:with|by|to|into) ${thing}[.!]?$`, 'is'),
    move: ([path = '', from = '', to = '']) => edit(path, from, to),
  },
  {
    when: new RegExp(
      `^(?:replace|change) ${thing} (?:with|by|to|into) ${thing} in (?:the file )?${file}[.!]?$`,
      'is',
    ),
    move: ([from = '', to = '', path = '']) => edit(path, from, to),
  },
  {
    when: new RegExp(
      `^(?:write|put|save) ${thing} (?:to|into|in) (?:a |the )?(?:new )?(?:file )?(?:named |called )?${file}[.!]?$`,
      'is',
    ),
    move: ([content = '', path = '']) => write(path, /^(?:an?|the|some|me)\b/i.test(content) ? '' : content),
  },
  {
    when: new RegExp(
      `^(?:create|write|make|add) (?:me )?(?:an? |the )?(?:new |empty )?(?:file |script )?(?:named |called )?${file}(?:[,:]? (?:with|containing|that says|saying)(?: the)?(?: text| content| words)?:?\\s+(.+))?$`,
      'is',
    ),
    move: ([path = '', content = '']) => write(path, content),
  },
  {
    when: new RegExp(
      `^(?:read|show(?: me)?|open|print|cat|display|view|explain|summari[sz]e|what(?:'s| is) in) (?:the )?(?:files? )?${file}(?:(?:,| and|, and) ${file})?[?.!]*$`,
      'i',
    ),
    move: (paths) => read(paths.filter((path) => path !== '')),
  },
  {
    when: /^(?:find|search(?: for)?|grep(?: for)?|look for|where (?:is|are)) (?:all |the |every )?(.+?)(?: comments?| lines)?(?: in (?:the |this |my )?([\w./-]+))?[?.!]*$/i,
    move: ([what = '', where = '']) => find(what, where),
  },
  { when: /^(?:ls|tree|dir)(?: ([\w./-]+))?$/i, move: ([path = '']) => look(folderOf(path), 2) },
  {
    when: /^(?:what(?:'s| is) in|show(?: me)?|list|look at)(?: the| my)? ([\w./-]+) (?:folder|directory)[?.!]*$/i,
    move: ([path = '']) => look(folderOf(path), 2),
  },
  {
    when: /^(?:what(?:'s| is| are| does)|show(?: me)?|list|describe|explain|look at|tell me about)\b.*?\b(?:folder|director(?:y|ies)|workspace|project|repo(?:sitory)?|files?|here|code)\b(?: (?:in|of|under) ([\w./-]+))?.{0,20}$/i,
    move: ([path = '']) => look(folderOf(path), 2),
  },
  {
    when: /^(?:what(?:'s| is) in|list|look (?:at|into))(?: the)? ([\w./-]+)[?.!]*$/i,
    move: ([path = '']) => look(folderOf(path), 2),
  },
];

function run(command: string): Move {
  const line = command.replace(/^(?:the )?command:?\s+/i, '');
  return {
    think: 'That is a command line; the user will be asked before it runs.',
    say: `I will run \`${line}\`.`,
    calls: [{ tool: 'shell_command', input: { command: line } }],
  };
}

function edit(path: string, from: string, to: string): Move {
  return {
    think: `An exact replacement in ${path} is what edit_file does.`,
    say: `I will replace every “${from}” with “${to}” in \`${path}\`.`,
    calls: [
      { tool: 'edit_file', input: { path, original_content: from, new_content: to, all_occurrences: true } },
    ],
  };
}

function write(path: string, content: string): Move {
  const say =
    content === ''
      ? `You gave no content for \`${path}\`, so I will start it with something small.`
      : `I will write \`${path}\`.`;
  const text = content === '' ? template(path) : content;
  return {
    think: 'A whole file is a matter for write_file.',
    say,
    calls: [{ tool: 'write_file', input: { path, content: text.endsWith('\n') ? text : `${text}\n` } }],
  };
}

function read(paths: readonly string[]): Move {
  return {
    think: `Reading ${paths.length === 1 ? 'a file' : 'files'} inside the workspace needs no approval.`,
    say: `Let me read ${nameList(paths)}.`,
    calls: paths.map((path) => ({ tool: 'read_file', input: { path } })),
  };
}

function find(what: string, where: string): Move {
  const pattern = what.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return {
    think: 'The words are to be found as they are, so I escape what a pattern would take for signs.',
    say: `I will search for “${what}”${where === '' ? '' : ` in \`${where}\``}.`,
    calls: [{ tool: 'grep', input: { path: folderOf(where), pattern, output_mode: 'content' } }],
  };
}

function look(path: string, depth: number, say = 'Let me look.'): Move {
  return { say, calls: [{ tool: 'directory_tree', input: { path, max_depth: depth } }] };
}

/** Phrases for the workspace itself. */
function folderOf(path: string): string {
  return path === '' ||
    /^(?:this|here|the|my|it|current|whole|code|folder|directory|project|workspace|repo|repository)$/i.test(
      path,
    )
    ? '.'
    : path;
}

/** Removes surrounding quotes. */
function bare(text: string): string {
  return text.trim().replace(/^([`"'])(.*)\1$/s, '$2');
}

function testCommand(names: readonly string[]): string | undefined {
  const commands: { readonly [name: string]: string } = {
    'package.json': 'npm test',
    'Cargo.toml': 'cargo test',
    'go.mod': 'go test ./...',
    'pyproject.toml': 'python3 -m pytest',
    'pom.xml': 'mvn test',
    Makefile: 'make test',
  };
  const known = Object.keys(commands).find((name) => names.includes(name));
  return known === undefined ? undefined : commands[known];
}
