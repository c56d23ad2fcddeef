// What the reference agent remembers: its sessions, also on disk, and what can be set in them.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { offers, quirks, switches } from './switches.ts';
import { problem } from './wire.ts';
import type { Json } from './wire.ts';

export type Session = {
  cwd: string;
  folders: readonly string[];
  servers?: unknown;
  given?: unknown;
  messages: string[];
  /** The prompt at work; after a restart it is known what broke off. */
  unfinished?: string;
  mode: string;
  model: string;
  effort: string;
  fast: boolean;
};

const folder = switches.directory;
const account = folder === undefined ? undefined : join(folder, 'account');

export const sessions = new Map<string, Session>();

export const memory: {
  signedIn: boolean;
  quota: Json | undefined;
  wrongAnswer: { readonly instead: unknown } | undefined;
  readonly notified: unknown[];
} = {
  signedIn: switches.start !== 'login' || (account !== undefined && existsSync(account)),
  /** What the next answer says of the tokens that were used, as one agent says it. */
  quota: undefined,
  /** What the next prompt is answered with in place of a right answer. */
  wrongAnswer: undefined,
  /** What servers behind the client have said unasked. */
  notified: [],
};

/** Signs in for this and every later start. */
export function remember(): void {
  if (folder !== undefined) mkdirSync(folder, { recursive: true });
  if (account !== undefined) writeFileSync(account, 'yes');
}

export function find(id: string): Session {
  const session = sessions.get(id);
  if (!session)
    throw problem(
      quirks.has('lost-as-invalid') ? -32_602 : quirks.has('lost-as-internal') ? -32_603 : -32_002,
      'Session not found',
    );
  return session;
}

export function load(id: string): Session {
  const path = fileOf(id);
  if (quirks.has('forgets') || path === undefined || !existsSync(path))
    throw problem(-32_603, 'No such conversation');
  const session = JSON.parse(readFileSync(path, 'utf8')) as Session;
  sessions.set(id, session);
  return session;
}

export function set(id: string, changes: Partial<Session>): void {
  Object.assign(find(id), changes);
  keep(id);
}

export function keep(id: string, session = sessions.get(id)): void {
  const path = fileOf(id);
  if (path === undefined || folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, JSON.stringify(session));
}

export function forget(id: string): object {
  sessions.delete(id);
  const path = fileOf(id);
  if (path !== undefined) rmSync(path, { force: true });
  return {};
}

function fileOf(id: string): string | undefined {
  return folder === undefined ? undefined : join(folder, `${id}.json`);
}

export function settings({ mode, model, effort, fast }: Session): object {
  const modes = [
    { id: 'ask', name: 'Ask' },
    { id: 'plan', name: 'Plan', description: 'Only plans.' },
  ];
  const models = [
    { modelId: 'large', name: 'Large' },
    { modelId: 'small', name: 'Small' },
  ];
  return {
    ...(offers.has('modes') ? { modes: { currentModeId: mode, availableModes: modes } } : {}),
    ...(offers.has('models') ? { models: { currentModelId: model, availableModels: models } } : {}),
    ...(offers.has('options') ? { configOptions: configOptions({ mode, model, effort, fast }) } : {}),
  };
}

function configOptions({
  mode,
  model,
  effort,
  fast,
}: Pick<Session, 'mode' | 'model' | 'effort' | 'fast'>): object[] {
  const choices = (...values: readonly string[]) =>
    values.map((value) => ({ value, name: value.toUpperCase() }));
  return [
    {
      id: 'm',
      name: 'Mode',
      category: 'mode',
      type: 'select',
      currentValue: mode,
      options: choices('ask', 'plan'),
    },
    {
      id: 'model',
      name: 'Model',
      category: 'model',
      type: 'select',
      currentValue: model,
      options: [{ group: 'g', name: 'All', options: choices('large', 'small') }],
    },
    {
      id: 'effort',
      name: 'Effort',
      category: 'thought_level',
      type: 'select',
      currentValue: effort,
      options: choices('low', 'high'),
    },
    { id: 'fast', name: 'Fast', category: 'model_config', type: 'boolean', currentValue: fast },
    { id: 'broken' },
  ];
}

export function configure(id: string, { configId, value }: Json): object {
  const key = configId === 'm' ? 'mode' : String(configId);
  set(id, { [key]: value });
  return { configOptions: configOptions(find(id)) };
}
