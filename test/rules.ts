// The house rules for source files, as data, and the one function that holds a file
// against them. Reads no disk.
import { posix } from 'node:path';
import { noteOwners } from '../src/model/event.ts';
import { type ParseResult, parseSync, Visitor, type VisitorObject } from 'oxc-parser';

/**
 * What a folder may import besides itself. `*` in a folder name stands for one name, and in `ours` for
 * that same name: doors/eca may import protocols/eca. The first matching folder wins. Everything that is
 * not listed is forbidden.
 */
export const importRules: Readonly<Record<string, ImportRule>> = {
  // Pure helpers for every layer: no state, no I/O. Texts are compared by a library.
  'src/base': { ours: [], packages: ['diff'] },
  'src/model': { ours: ['src/base'], packages: [] },
  // The protocol's own package types what we send; it is no part of the program.
  'src/protocols/acp': { ours: ['src/base'], packages: ['zod'], types: ['@agentclientprotocol/sdk'] },
  'src/protocols/*': { ours: ['src/base'], packages: ['zod'] },
  'src/rpc': { ours: ['src/base'], packages: ['node:', 'ws'] },
  // The schema of the settings; the rest of the host reads only the types that follow from it.
  'src/host/settings/schema': { ours: ['src/base', 'src/model', 'src/host'], packages: ['zod'] },
  'src/host': { ours: ['src/base', 'src/model'], packages: [] },
  // The first draft of ECA sends edits as the hunks of a unified diff.
  'src/doors/eca': {
    ours: ['src/base', 'src/host', 'src/model', 'src/rpc', 'src/protocols/eca'],
    packages: ['zod', 'diff'],
  },
  'src/doors/*': {
    ours: ['src/base', 'src/host', 'src/model', 'src/rpc', 'src/protocols/*'],
    packages: ['zod'],
  },
  // Vendors' packages give types to the wire formats and no code; the network is handed in as a
  // function. Prices are a table.
  'src/agents/native': {
    ours: ['src/base', 'src/host', 'src/model'],
    packages: ['@pydantic/genai-prices'],
    types: ['@anthropic-ai/sdk', 'openai'],
  },
  'src/agents/acp': {
    ours: ['src/base', 'src/host', 'src/model', 'src/rpc', 'src/protocols/acp'],
    packages: [],
  },
  'src/io': { ours: ['src/base', 'src/host', 'src/model', 'src/rpc'], packages: 'any' },
  // Everything but the command line, which is built on it.
  'src/app': {
    ours: [
      'src/base',
      'src/model',
      'src/protocols',
      'src/rpc',
      'src/host',
      'src/doors',
      'src/agents',
      'src/io',
    ],
    packages: 'any',
  },
  // Commands are clients of a host or parts of one; what they need of a door, the application layer offers.
  'src/cli': {
    ours: [
      'src/base',
      'src/model',
      'src/protocols',
      'src/rpc',
      'src/host',
      'src/agents',
      'src/io',
      'src/app',
      'client',
    ],
    packages: 'any',
  },
  // The public library: a client over the wire, which knows nothing of the host's inside.
  client: {
    ours: ['src/base', 'src/protocols/ahp', 'src/io'],
    packages: ['node:', 'ws', '@preact/signals'],
  },
  web: {
    ours: ['src/base', 'src/protocols/ahp', 'client'],
    packages: [
      'preact',
      '@preact/signals',
      'marked',
      'dompurify',
      'highlight.js',
      'diff',
      '@xterm/xterm',
      '@xterm/addon-fit',
      'temml',
      'uqr',
    ],
  },
};

/**
 * The rooms of a folder, lowest first: a room may import the rooms before it and never one after it, so no
 * two rooms depend on each other. Tests are exempt; they may set up a whole host.
 */
const roomOrders: Readonly<Record<string, readonly string[]>> = {
  'src/host': [
    'ports.ts',
    'policy',
    'settings',
    'ownership',
    'session',
    'links',
    'workspace',
    'terminals',
    'tools',
    'world.ts',
    'permissions',
    'agent.ts',
    'agentList.ts',
    'hooks',
    'turns',
    'host.ts',
    'door.ts',
  ],
};

interface ImportRule {
  readonly ours: readonly string[];
  readonly packages: readonly string[] | 'any';
  /** Packages of which only types may be imported, so that none of their code is ever bundled. */
  readonly types?: readonly string[];
}

/**
 * A test may use these besides what its folder may; `test` holds the acceptance suites
 * that implementations run.
 */
const testRule = {
  ours: ['test'],
  packages: ['node:', 'vitest', 'fast-check', 'ajv', '@agentclientprotocol/sdk'],
};

/** Time and randomness enter these folders only through a port. */
const clockless = ['src/base', 'src/model', 'src/host', 'src/protocols', 'src/doors', 'src/agents'];

/**
 * What others wrote must not act on a terminal: one file cleans it. The other is a pipe of
 * bytes between programs.
 */
const terminalWriters = ['src/cli/output.ts', 'src/cli/stdio/pipe.ts'];

/** The files that every door has. In AHP each version may have its own. */
export const doorFiles: Readonly<Record<string, string>> = {
  'door.ts': 'serves one client until it disconnects',
  'options.ts': 'what the door needs from the application',
  'connection.ts': 'one client that is connected',
  'methods.ts': 'finds the function for a method',
  'initialize.ts': 'the first message of a client and its response',
  'errors.ts': 'the errors that clients get',
  'inbound/prompts.ts': 'messages of the user, as commands',
  'outbound/entries.ts': 'log entries, as messages to the client',
};

/** The files that some doors have. A name in two doors means the same in both. */
export const sharedDoorFiles: Readonly<Record<string, string>> = {
  'roles.ts': 'the role that a method needs; ECA clients are always local and have full control',
  'inbound/approvals.ts': 'answers to approvals, as commands',
  'inbound/completions.ts': 'what a client offers while the user types',
  'inbound/promptMessage.ts': 'converts a prompt to a user message',
  'inbound/resume.ts': 'continues the connection of a client whose last host is gone',
  'inbound/sessionList.ts': 'the list of sessions',
  'inbound/sessions.ts': 'creates, opens and ends sessions',
  'outbound/content.ts': 'content of messages and results',
  'outbound/questions.ts': 'questions of an agent to the user, and the answers',
  'outbound/replay.ts': 'a chat that is opened later',
  'outbound/toolCall.ts': 'one tool call',
};

/**
 * Files that change what they keep at the top of the module. Everything else is a field of a value that is
 * passed on, so that two hosts, or two tests, in one process share nothing.
 */
const moduleState: Readonly<Record<string, string>> = {
  'src/rpc/processes/processGroup.ts': 'the children of this process, which end with it',
  'src/rpc/processes/strayProcesses.ts': 'processes of this machine that no call has started',
  'src/io/processes/sealedPipes.ts': 'open descriptors of this process',
  'src/io/store/lock.ts': 'locks that this process holds; the garbage collector would release them',
  'src/io/http/httpClient.ts': 'connections of this process, one pool for each timeout',
  'src/io/ecaConfig/interpolate.ts': "outputs of the user's own commands, for a minute",
  'web/state/toasts.ts': 'state of the page, like its signals',
  'web/state/resources.ts': 'state of the page, like its signals',
  'web/views/compose/drafts.ts': 'state of the page, like its signals',
  'web/views/tools/emulatorStyles.ts': 'state of the page, like its signals',
};

/**
 * Every rule that the file breaks, one sentence each. The path is relative to the
 * repository and uses slashes.
 */
export function violations(path: string, source: string): string[] {
  const parsed = parseSync(path, source);
  return [
    ...parsed.errors.map((error) => `${path} does not parse: ${error.message}`),
    ...importedBy(parsed).flatMap((imported) => checkImport(path, imported)),
    ...importedBy(parsed).flatMap(({ specifier }) => checkRoom(path, specifier)),
    ...bannedWords(parsed, path).map((word) => `${path} uses ${word}`),
    ...foreignNotes(parsed, path),
    ...protocolFields(parsed, path),
    ...changedModuleState(parsed, path),
  ];
}

function checkImport(path: string, { specifier, isType }: Imported): string[] {
  const folder = folderOf(path);
  if (!folder) return [`${path} is in a folder that no import rule covers`];
  const allowed = allowedFor(path, folder);
  const fine = specifier.startsWith('.')
    ? isInside(posix.join(posix.dirname(path), specifier), [folder.path, ...allowed.ours])
    : allowed.packages === 'any' ||
      allowed.packages.some((name) => isPackage(specifier, name)) ||
      (isType && isAmong(specifier, allowed.types));
  if (fine) return [];
  if (isAmong(specifier, allowed.types))
    return [`${path} imports ${specifier}; ${folder.path} may import its types only`];
  const packages = allowed.packages === 'any' ? ['any package'] : allowed.packages;
  const list = [...allowed.ours, ...packages].join(', ') || 'nothing';
  return [`${path} imports ${specifier}; besides its own folder, ${folder.path} may import ${list}`];
}

function checkRoom(path: string, specifier: string): string[] {
  const [folder, order] = Object.entries(roomOrders).find(([name]) => isInside(path, [name])) ?? [];
  const target = posix.join(posix.dirname(path), specifier);
  if (!folder || !order || !specifier.startsWith('.') || path.endsWith('.test.ts')) return [];
  if (!isInside(target, [folder])) return [];
  const [room, other] = [path, target].map((file) => file.slice(folder.length + 1).split('/')[0] ?? '');
  const missing = [room, other].filter((name) => name !== undefined && !order.includes(name));
  if (missing.length > 0)
    return missing.map((name) => `${folder}/${name} has no place in the order of rooms`);
  return order.indexOf(other ?? '') <= order.indexOf(room ?? '')
    ? []
    : [`${path} imports ${specifier}; in ${folder}, ${room} comes before ${other} and may not import it`];
}

function allowedFor(path: string, folder: Folder): ImportRule {
  const ours = folder.rule.ours.map((name) => name.replace('*', posix.basename(folder.path)));
  const packages = folder.rule.packages;
  const { types = [] } = folder.rule;
  if (!path.endsWith('.test.ts')) return { ours, packages, types };
  return {
    types,
    ours: [...ours, ...testRule.ours],
    packages: packages === 'any' ? 'any' : [...packages, ...testRule.packages],
  };
}

interface Folder {
  readonly path: string;
  readonly rule: ImportRule;
}

/**
 * The folder whose rule governs a file. A file that lies beside the folders of a `*` rule
 * belongs to none of them.
 */
function folderOf(path: string): Folder | undefined {
  const parts = posix.dirname(path).split('/');
  for (const [name, rule] of Object.entries(importRules)) {
    const pattern = name.split('/');
    const matches = pattern.every((part, at) =>
      part === '*' ? parts[at] !== undefined : parts[at] === part,
    );
    if (matches) return { path: parts.slice(0, pattern.length).join('/'), rule };
  }
  return undefined;
}

function isInside(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path.startsWith(`${folder}/`));
}

function isAmong(specifier: string, packages: readonly string[] = []): boolean {
  return packages.some((name) => isPackage(specifier, name));
}

function isPackage(specifier: string, name: string): boolean {
  return specifier === name || specifier.startsWith(name.endsWith(':') ? name : `${name}/`);
}

interface Imported {
  readonly specifier: string;
  readonly isType: boolean;
}

/** Static, dynamic and type imports, re-exports and require calls, each by its literal specifier. */
function importedBy(parsed: ParseResult): Imported[] {
  const found: Imported[] = [];
  const add = (
    source: { readonly type: string; readonly value?: unknown } | null | undefined,
    isType = false,
  ): void => {
    if (source)
      found.push({ specifier: typeof source.value === 'string' ? source.value : 'a computed path', isType });
  };
  visit(parsed, {
    ImportDeclaration: (node) => add(node.source, node.importKind === 'type'),
    ExportNamedDeclaration: (node) => add(node.source, node.exportKind === 'type'),
    ExportAllDeclaration: (node) => add(node.source, node.exportKind === 'type'),
    ImportExpression: (node) => add(node.source),
    TSImportType: (node) => add(node.source, true),
    TSExternalModuleReference: (node) => add(node.expression),
    CallExpression: (node) => {
      if (node.callee.type === 'Identifier' && node.callee.name === 'require') add(node.arguments[0]);
    },
  });
  return found;
}

function bannedWords(parsed: ParseResult, path: string): string[] {
  const found: string[] = [];
  const inSrc = path.startsWith('src/');
  const mayNotWrite = inSrc && !path.endsWith('.test.ts') && !terminalWriters.includes(path);
  const noClock = isInside(path, clockless) && !path.endsWith('.test.ts');
  visit(parsed, {
    ExportDefaultDeclaration: () => inSrc && found.push('a default export'),
    ExportAllDeclaration: () => inSrc && found.push('export *'),
    ImportDeclaration: (node) => {
      // The named `z` keeps all of zod and its languages in the bundle, five times the size.
      const names = node.specifiers.some((specifier) => specifier.type !== 'ImportNamespaceSpecifier');
      if (node.source.value === 'zod' && node.importKind !== 'type' && names)
        found.push('zod without `import * as z`');
    },
    Identifier: (node) => node.name === 'console' && found.push('console'),
    MemberExpression: (node) => {
      if (isTerminalWrite(node) && mayNotWrite)
        found.push('standard output or error without src/cli/output.ts');
      if (node.object.type !== 'Identifier' || node.property.type !== 'Identifier') return;
      const name = `${node.object.name}.${node.property.name}`;
      if (noClock && (name === 'Date.now' || name === 'Math.random')) found.push(name);
    },
    NewExpression: (node) => noClock && readsClock(node) && found.push('new Date()'),
    CallExpression: (node) => noClock && readsClock(node) && found.push('Date()'),
  });
  return found;
}

/**
 * Variables and collections at the top of a module that something changes.
 */
function changedModuleState(parsed: ParseResult, path: string): string[] {
  if (path.endsWith('.test.ts') || Object.hasOwn(moduleState, path)) return [];
  const { variables, collections } = topLevelNames(parsed);
  const changed = new Set<string>(variables);
  const change = (target: { readonly type: string }): void => {
    const name = rootName(target);
    if (name !== undefined && collections.has(name)) changed.add(name);
  };
  visit(parsed, {
    CallExpression: ({ callee }) => {
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return;
      if (callee.object.type === 'Identifier' && mutators.has(callee.property.name)) change(callee.object);
    },
    AssignmentExpression: ({ left }) => left.type === 'MemberExpression' && change(left),
    UpdateExpression: ({ argument }) => argument.type === 'MemberExpression' && change(argument),
  });
  return [...changed].map(
    (name) => `${path} changes ${name}, which belongs to the module; pass it as a value`,
  );
}

const mutators: ReadonlySet<string> = new Set([
  'add',
  'clear',
  'delete',
  'pop',
  'push',
  'set',
  'shift',
  'splice',
  'unshift',
]);

/** `let` and `var`, and constants that are made as a collection, an array or an object. */
function topLevelNames({ program }: ParseResult): {
  readonly variables: readonly string[];
  readonly collections: ReadonlySet<string>;
} {
  const declared = program.body.flatMap((statement) => {
    const node = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    return node?.type === 'VariableDeclaration' && !node.declare
      ? node.declarations.map(({ id, init }) => ({ kind: node.kind, id, init }))
      : [];
  });
  const names = (isWanted: (each: (typeof declared)[number]) => boolean) =>
    declared.filter(isWanted).flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
  const made: readonly unknown[] = ['NewExpression', 'ArrayExpression', 'ObjectExpression'];
  return {
    variables: names(({ kind }) => kind !== 'const'),
    collections: new Set(names(({ kind, init }) => kind === 'const' && made.includes(init?.type))),
  };
}

/** The variable at the beginning of `a.b.c`. */
function rootName(node: {
  readonly type: string;
  readonly object?: unknown;
  readonly name?: unknown;
}): string | undefined {
  if (node.type === 'Identifier' && typeof node.name === 'string') return node.name;
  const { object } = node;
  return node.type === 'MemberExpression' && isNode(object) ? rootName(object) : undefined;
}

function isNode(value: unknown): value is { readonly type: string } {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** `process.stdout.write`, `stderr.write` and the like. */
function isTerminalWrite({
  object,
  property,
}: Parameters<NonNullable<VisitorObject['MemberExpression']>>[0]): boolean {
  const stream = object.type === 'MemberExpression' ? object.property : object;
  const isStream = stream.type === 'Identifier' && (stream.name === 'stdout' || stream.name === 'stderr');
  return isStream && property.type === 'Identifier' && property.name === 'write';
}

/** Exported sessions are checked against a list of all events; `parley doctor` has a state of that name. */
const wordNote = ['src/app', 'src/cli'];

/**
 * Notes are private facts of doors: nobody but the model touches `notes` of a state, no door names another
 * one as the owner, and outside the doors that own notes nobody reads or makes one.
 */
function foreignNotes(parsed: ParseResult, path: string): string[] {
  if (!path.startsWith('src/') || path.startsWith('src/model/') || path.endsWith('.test.ts')) return [];
  const isOwner = noteOwners.some((owner) => isInside(path, [`src/${owner}`]));
  const found: string[] = [];
  const reads = () => found.push(`${path} reads notes; only their owner does, through notesOf`);
  visit(parsed, {
    Literal: ({ value }) => {
      const isForeign = noteOwners.some((owner) => value === owner && !isInside(path, [`src/${owner}`]));
      if (isForeign) found.push(`${path} names ${String(value)}, whose notes are private to that folder`);
      if (value === 'notes') reads();
      if (value === 'note' && !isOwner && !isInside(path, wordNote))
        found.push(`${path} handles note events; only doors have notes`);
    },
    ImportSpecifier: ({ imported }) => {
      if (!isOwner && imported.type === 'Identifier' && imported.name === 'notesOf')
        found.push(`${path} imports notesOf; only doors have notes`);
    },
    MemberExpression: ({ property }) => {
      if (property.type === 'Identifier' && property.name === 'notes') reads();
    },
    ObjectPattern: ({ properties }) => {
      if (properties.some((each) => each.type === 'Property' && nameOf(each.key) === 'notes')) reads();
    },
    ObjectExpression: ({ properties }) => {
      const isNote = properties.some(
        (each) =>
          each.type === 'Property' &&
          nameOf(each.key) === 'kind' &&
          each.value.type === 'Literal' &&
          each.value.value === 'note',
      );
      if (isNote && isInside(path, wordNote)) found.push(`${path} makes a note; only doors have notes`);
    },
  });
  return found;
}

/**
 * These folders make what is in the logs. A step that upgrades an old format may read such a field,
 * and never writes one.
 */
const eventMakers = ['src/model', 'src/host', 'src/doors', 'src/agents'];
const protocols = /^(?:ahp|acp|eca)$/i;

/** ACP names one kind of tool servers after itself, and the greeting says so on the wire. */
const wireOnly = ['src/doors/acp/initialize.ts'];

/**
 * The log does not move with a protocol: no field of an event is named after one, and what external agents
 * attach to their messages is not stored. `meta` of an event belongs to the native agent.
 */
function protocolFields(parsed: ParseResult, path: string): string[] {
  if (!isInside(path, eventMakers) || path.endsWith('.test.ts') || wireOnly.includes(path)) return [];
  const found: string[] = [];
  const add = (key: Key): void => {
    const name = nameOf(key);
    const isForeign = name === 'meta' && isInside(path, ['src/agents/acp']);
    if (typeof name === 'string' && (isForeign || protocols.test(name)))
      found.push(`${path} has a field ${name}; the log has no words of a protocol`);
  };
  visit(parsed, {
    TSPropertySignature: (node) => add(node.key),
    ObjectExpression: (node) =>
      node.properties.forEach((property) => property.type === 'Property' && add(property.key)),
  });
  return found;
}

interface Key {
  readonly type: string;
  readonly name?: unknown;
  readonly value?: unknown;
}

/** The name of a field in an object. */
function nameOf({ type, name, value }: Key): unknown {
  return type === 'Identifier' ? name : value;
}

function readsClock(node: {
  readonly type: string;
  readonly callee: { readonly type: string; readonly name?: unknown };
  readonly arguments: readonly unknown[];
}): boolean {
  const isDate = node.callee.type === 'Identifier' && node.callee.name === 'Date';
  return isDate && (node.type === 'CallExpression' || node.arguments.length === 0);
}

function visit(parsed: ParseResult, visitor: VisitorObject): void {
  new Visitor(visitor).visit(parsed.program);
}
