// Every tool of the native agent held against its contract: real files, real processes, nothing in between.
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { nativeTools } from '../../src/agents/native/tools/all.ts';
import { customTools } from '../../src/agents/native/tools/commands/customTools.ts';
import type { PreparedCall, ToolRefusal, Tool, ToolContext } from '../../src/agents/native/tools/tool.ts';
import { builtInAgents } from '../../src/host/settings/builtInProfiles.ts';
import { hasTool } from '../../src/host/settings/projectKnowledge.ts';
import { mapEcaConfig } from '../../src/io/ecaConfig/map.ts';
import type { Json, ToolResult } from '../../src/model/event.ts';
import { workspace } from '../kit/workspace.ts';
import type { Workspace } from '../kit/workspace.ts';
import { customCases, rereadTemplates, signatures, toolCases, unsafeTemplates } from './tools.ts';

let place: Workspace;
beforeEach(() => {
  place = workspace();
});
afterEach(() => place.close());

function context(): ToolContext {
  return {
    tool: 't1',
    requestName: (own) => own,
    roots: [place.root],
    files: place.files,
    processes: place.processes,
    signal: new AbortController().signal,
    settings: { commandTimeout: 60_000 },
    sleep: () => Promise.resolve(),
  };
}

function toolNamed(name: string): Tool {
  const tool = nativeTools.find((each) => each.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool;
}

const filled = (value: Json): Json =>
  JSON.parse(JSON.stringify(value).replaceAll('ROOT', place.root)) as Json;

async function call(tool: Tool, input: Json): Promise<ToolResult | ToolRefusal> {
  const prepared: PreparedCall | ToolRefusal = await tool.prepare(filled(input), context());
  return 'refused' in prepared ? prepared : prepared.run(() => {});
}

/** The words of a result, marked where it is not a success. */
function brief(result: ToolResult | ToolRefusal): string {
  if ('refused' in result) return `refused: ${result.refused}`;
  if (result.status === 'denied') return 'denied';
  const words = result.content
    .flatMap((content) => (content.type === 'text' ? [content.text] : []))
    .join('|');
  return result.status === 'done' ? words : `failed: ${words}`;
}

test('the read-only agents do not have the tools that change files', () => {
  const changing = nativeTools.filter(({ kind }) => ['edit', 'delete', 'move'].includes(kind));
  const readers = builtInAgents.filter(({ readOnly }) => readOnly);
  expect(readers.flatMap((agent) => changing.filter((tool) => hasTool(agent, tool)))).toEqual([]);
  expect(changing).not.toEqual([]);
  expect(readers).not.toEqual([]);
});

describe.each(Object.entries(signatures))('%s', (name, { required, optional }) => {
  test('has the arguments that clients and models know', () => {
    const { properties, required: needed } = toolNamed(name).parameters as {
      properties: { [name: string]: Json };
      required: readonly string[];
    };
    expect([Object.keys(properties), needed]).toEqual([[...required, ...optional], required]);
  });

  test.each([[null], [[]], ['text'], [{}]])(
    'takes %j for no arguments and names what is missing',
    async (input) => {
      const [said] = /refused: INVALID_ARGS.*/.exec(brief(await call(toolNamed(name), input))) ?? [];
      const missing = required.map((each) => `${each} (${typeOf(name, each)})`).join(', ');
      expect(said).toBe(
        missing === '' ? undefined : `refused: INVALID_ARGS: missing or of the wrong type: ${missing}`,
      );
    },
  );
});

function typeOf(tool: string, argument: string): string {
  return (
    (toolNamed(tool).parameters as { properties: { [name: string]: { type: string } } }).properties[argument]
      ?.type ?? ''
  );
}

test('every tool has a signature, and every signature a tool', () => {
  expect(nativeTools.map(({ name }) => name).toSorted()).toEqual(Object.keys(signatures).toSorted());
});

test('an ECA rule about all native tools names every one of them', () => {
  const { approvals } = mapEcaConfig({ toolCall: { approval: { allow: { eca: {} } } } });
  const allowed = (approvals?.allow ?? []).map((rule) => (typeof rule === 'string' ? rule : rule.tool));
  expect(nativeTools.map(({ name }) => name).filter((name) => !allowed.includes(name))).toEqual([]);
});

describe.each([...new Set(toolCases.map(({ tool }) => tool))])('%s', (tool) => {
  test.each(toolCases.filter((each) => each.tool === tool))(
    '$name',
    async ({ input, files = {}, links = {}, says, leaves }) => {
      place.put(files);
      for (const [name, target] of Object.entries(links)) symlinkSync(target, join(place.root, name));
      const before = place.tree();
      const said = brief(await call(toolNamed(tool), input)).replaceAll(place.root, 'ROOT');
      expect(said).toEqual(typeof says === 'string' ? says : matching(says));
      expect(place.tree()).toEqual(leaves ?? before);
    },
  );
});

function matching(pattern: RegExp): unknown {
  return expect.stringMatching(pattern);
}

describe('preparing changes nothing', () => {
  test.each(toolCases)('$tool: $name', async ({ tool, input, files = {} }) => {
    place.put(files);
    const before = place.tree();
    await toolNamed(tool).prepare(filled(input), context());
    expect(place.tree()).toEqual(before);
  });
});

describe('every change is recorded with what was and what is', () => {
  test.each(toolCases.filter(({ leaves }) => leaves))(
    '$tool: $name',
    async ({ tool, input, files = {}, leaves = {} }) => {
      place.put(files);
      const result = await call(toolNamed(tool), input);
      if ('refused' in result || result.status !== 'done') throw new Error('not done');
      const { moved } = {
        moved: undefined,
        ...(result.raw as { moved?: { from: string; to: string } } | undefined),
      };
      const now = new Map(Object.entries(files).map(([name, text]) => [join(place.root, name), text]));
      for (const part of result.content) {
        if (part.type !== 'edit') continue;
        expect(now.get(part.path) ?? null).toBe(part.before);
        if (part.after === null) now.delete(part.path);
        else now.set(part.path, part.after);
      }
      const names = [...now].map(([path, text]) => [
        moved && path.startsWith(moved.from) ? `${moved.to}${path.slice(moved.from.length)}` : path,
        text,
      ]);
      expect(Object.fromEntries(names)).toEqual(
        Object.fromEntries(Object.entries(leaves).map(([name, text]) => [join(place.root, name), text])),
      );
    },
  );
});

describe('a custom tool', () => {
  const made = (command: string) =>
    customTools(
      {
        mine: {
          description: 'Mine',
          command,
          schema: { properties: { x: { type: 'string' } }, required: ['x'] },
        },
      },
      10_000,
    )[0] as Tool;

  test.each(customCases)('%j with %j', async (command, given, says) => {
    expect(brief(await call(made(command), given))).toBe(`Exit code: 0|Stdout:\n${says}`);
  });
  test.each(unsafeTemplates)('takes no argument into %j', async (command) => {
    expect(brief(await call(made(command), { x: 'y' }))).toMatch(
      /^refused: The command of this tool has substitutions/,
    );
  });
  test.each(rereadTemplates)('%j with %j counts as what the user wrote: %j', async (command, x, written) => {
    const prepared = await made(command).prepare({ x }, context());
    expect('runs' in prepared && prepared.runs?.written === true).toBe(written);
  });
  test('does not run after its settings lost their effect', async () => {
    const mine = { description: '', command: 'touch made', schema: { properties: {} } };
    const [tool] = customTools({ mine }, 10_000, () => ({}));
    expect(brief(await call(tool as Tool, {}))).toMatch(/mine or its script has changed/);
    expect(place.tree()).not.toHaveProperty('made');
  });
  test('is judged by the line it runs, and needs what it says it needs', async () => {
    expect(await made('echo {{x}}').prepare({ x: 'a' }, context())).toMatchObject({
      command: "echo 'a'",
      title: '$ mine',
    });
    expect(brief(await call(made('echo {{x}}'), {}))).toBe('refused: INVALID_ARGS: missing: x');
    expect(brief(await call(made('echo {{x}}'), { x: '\0' }))).toBe(
      'refused: INVALID_ARGS: an argument holds a null character.',
    );
    expect(
      customTools({ 'no name': { description: '', command: 'x', schema: { properties: {} } } }, 1),
    ).toEqual([]);
  });
});
