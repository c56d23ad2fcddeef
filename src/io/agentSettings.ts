// The external agents in the user's settings file: read, added and removed with every comment left in place. Knows no other setting.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { applyEdits, modify, parse } from 'jsonc-parser';
import type { ParseError } from 'jsonc-parser';
import * as z from 'zod';

export interface AgentSettingsFile {
  readonly path: string;
  readonly agents: readonly StoredAgent[];
  /** What cannot be understood there, one sentence each. */
  readonly problems: readonly string[];
}

const names = z.record(z.string(), z.string());

const stored = z.object({
  name: z.string().optional(),
  description: z.string().optional(),
  command: z.string().min(1).optional(),
  args: z.array(z.string()).optional(),
  env: names.optional(),
  inherits: z.array(z.string()).optional(),
  mode: z.string().optional(),
  disabled: z.boolean().optional(),
});

export type StoredAgent = { readonly id: string } & { readonly [K in keyof z.output<typeof stored>]?: NonNullable<z.output<typeof stored>[K]> };

export function readAgentSettings(directory: string): AgentSettingsFile {
  const path = join(directory, 'config.jsonc');
  const text = textOf(path);
  const errors: ParseError[] = [];
  const value: unknown = text.trim() === '' ? {} : parse(text, errors, { allowTrailingComma: true });
  if (errors.length > 0) return { path, agents: [], problems: [`${path} is not valid JSON with comments (near character ${errors[0]?.offset ?? 0}).`] };
  const listed: unknown = typeof value === 'object' && value !== null && 'agents' in value ? value.agents : {};
  if (typeof listed !== 'object' || listed === null || Array.isArray(listed)) return { path, agents: [], problems: [`"agents" in ${path} must be an object of agents by id.`] };
  const read = Object.entries(listed).map(([id, each]): StoredAgent | string => {
    const one = stored.safeParse(each);
    if (!one.success) return `The agent "${id}" in ${path} cannot be used: ${one.error.issues.map(({ path: at, message }) => `${at.join('.') || 'it'}: ${message}`).join('; ')}.`;
    return { id, ...Object.fromEntries(Object.entries(one.data).filter(([, given]) => given !== undefined)) };
  });
  return { path, agents: read.filter((each) => typeof each !== 'string'), problems: read.filter((each) => typeof each === 'string') };
}

/** Adds an agent or replaces the one with its id. */
export function storeAgent(directory: string, { id, ...agent }: StoredAgent): void {
  change(directory, ['agents', id], agent);
}

/** False where there is none with that id. */
export function removeAgent(directory: string, id: string): boolean {
  if (!readAgentSettings(directory).agents.some((agent) => agent.id === id)) return false;
  change(directory, ['agents', id], undefined);
  return true;
}

/** The file is replaced in one step, so whoever reads it meanwhile sees the old or the new one. */
function change(directory: string, at: readonly string[], value: unknown): void {
  const path = join(directory, 'config.jsonc');
  const old = textOf(path);
  const errors: ParseError[] = [];
  if (old.trim() !== '') parse(old, errors, { allowTrailingComma: true });
  if (errors.length > 0) throw new Error(`${path} is not valid JSON with comments; mend it first.`);
  const base = old.trim() === '' ? '{}\n' : old;
  const text = applyEdits(base, modify(base, [...at], value, { formattingOptions: { insertSpaces: true, tabSize: 2 } }));
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.new`;
  writeFileSync(draft, text.endsWith('\n') ? text : `${text}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}
