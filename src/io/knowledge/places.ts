// Where knowledge lies: in the folders of a workspace, under our own name and under those that other agents
// use, and in the user's own folders.
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { directories } from '../settings/dataPaths.ts';
import { ecaDirectory } from '../ecaConfig/directory.ts';

type Environment = { readonly [name: string]: string | undefined };

export interface KnowledgeFolder {
  readonly folder: string;
  /**
   * The folder of the workspace that it is in; nothing outside of that is read. Absent for
   * the user's own places.
   */
  readonly inside?: string;
  /** Whether it belongs to the user; content of a workspace may be untrusted. */
  readonly own: boolean;
}

export type KnowledgeKind = 'rules' | 'skills' | 'commands' | 'agents';

/** What is nearer comes first and wins: the workspace before the user, our own name before the others. */
export function knowledgeFolders(
  kind: KnowledgeKind,
  roots: readonly string[],
  env: Environment,
): readonly KnowledgeFolder[] {
  const names = ['.parley', '.eca', ...(kind === 'skills' ? ['.agents'] : [])];
  const inside = roots.flatMap((root) =>
    names.map((name) => ({ folder: join(root, name, kind), inside: root, own: false })),
  );
  return [...inside, ...userFolders(env, kind).map((folder) => ({ folder: join(folder, kind), own: true }))];
}

/**
 * The folders of the user that hold knowledge of a kind, or texts such as AGENTS.md. A home of our own leaves
 * out what was not asked for by name.
 */
export function userFolders(env: Environment, kind?: KnowledgeKind): readonly string[] {
  const alone = (env['PARLEY_HOME'] ?? '') !== '';
  const eca = alone && (env['XDG_CONFIG_HOME'] ?? '') === '' ? [] : [ecaDirectory(env)];
  const agents = kind === 'skills' && !alone ? [join(homedir(), '.agents')] : [];
  return [directories(env).config, ...eca, ...agents];
}

/** The folders above one, nearest first. */
export function parentFolders(folder: string): readonly string[] {
  const up = dirname(folder);
  return up === folder ? [] : [up, ...parentFolders(up)];
}
