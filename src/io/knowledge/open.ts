// Reads instructions, rules, skills, commands and agents on request: again for every turn, but unchanged
// files only once.
import { bareKnowledge } from '../../host/settings/projectKnowledge.ts';
import type { Knowledge, ProjectKnowledge } from '../../host/settings/projectKnowledge.ts';
import type { OpenSettings } from '../settings/open.ts';
import { hooksOf } from './hooks.ts';
import { texts as openTexts } from './texts.ts';

export interface KnowledgeOptions {
  readonly settings: Pick<OpenSettings, 'of' | 'watch' | 'trusts'>;
  readonly env: { readonly [name: string]: string | undefined };
  /** Where bugs end up; never throws. */
  readonly report: (problem: unknown, about: string) => void;
}

interface Reading {
  readonly now: Promise<ProjectKnowledge>;
  /** Shared by all who ask during this reading: it may have read a file before that file changed. */
  next?: Promise<ProjectKnowledge>;
}

/** So many workspaces are remembered. */
const most = 50;

export function openKnowledge({ settings, env, report }: KnowledgeOptions): Knowledge {
  const listeners = new Set<() => void>();
  const known = new Map<
    string,
    { readonly roots: readonly string[]; readonly written: string; readonly found: ProjectKnowledge }
  >();
  const reading = new Map<string, Reading>();
  const texts = openTexts();

  const read = async (key: string, roots: readonly string[]): Promise<ProjectKnowledge> => {
    try {
      const { readAll } = await import('./read.ts');
      const found = await readAll(roots, {
        values: settings.of(roots),
        env,
        texts,
        trusts: (folder) => settings.trusts(folder),
      });
      const written = JSON.stringify(found);
      const old = known.get(key);
      if (old?.written === written) return old.found;
      const [oldest] = known.keys();
      if (known.size >= most && oldest !== undefined) known.delete(oldest);
      known.set(key, { roots, written, found });
      for (const listener of [...listeners]) listener();
      return found;
    } catch (error) {
      report(error, 'the knowledge of a workspace');
      return known.get(key)?.found ?? bareKnowledge;
    }
  };
  const of = (roots: readonly string[]): Promise<ProjectKnowledge> => {
    const key = roots.join('\0');
    const begun = reading.get(key);
    if (begun) return (begun.next ??= begun.now.then(() => of(roots)));
    const now = read(key, roots).finally(() => reading.delete(key));
    reading.set(key, { now });
    return now;
  };
  settings.watch(() => {
    for (const { roots } of known.values()) void of(roots);
  });

  return {
    of,
    hooks: (roots) => hooksOf(settings.of(roots).hooks),
    now(roots) {
      const found = known.get(roots.join('\0'))?.found;
      if (!found) void of(roots);
      return found ?? bareKnowledge;
    },
    watch(changed) {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
  };
}
