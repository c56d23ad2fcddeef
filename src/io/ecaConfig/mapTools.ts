// Converts shell and repository-map options of an ECA configuration, and reports options that have no effect.
import * as z from 'zod';
import { sections } from '../../host/settings/schema/sections.ts';
import type { WrittenSettings } from '../../host/settings/schema/sections.ts';
import type { EcaConfig } from './file.ts';
import { part, present } from './parts.ts';

/** Options of the repository map. */
export interface IndexSettings {
  /** Set where files count that the repository ignores. */
  readonly ignored?: true;
  readonly entries?: number;
  readonly entriesPerFolder?: number;
}

const count = z.int().min(1).optional().catch(undefined);
const shellCommand = z.object({
  shellCommand: z.object({
    path: z.string().min(1).optional(),
    args: z.array(z.string()).optional(),
    summaryMaxLength: count,
  }),
});

export function shell(config: EcaConfig): WrittenSettings['shell'] {
  const {
    path,
    args,
    summaryMaxLength: titleLength,
  } = part(config, 'toolCall', shellCommand)?.shellCommand ?? {};
  const wanted = sections.shell.safeParse(present({ path, args }));
  // Another shell could read a line differently from the rules and run a command that they did not judge.
  const found = present({
    ...(wanted.success ? wanted.data : {}),
    titleLength: titleLength === undefined ? undefined : Math.min(titleLength, 500),
  });
  return Object.keys(found).length === 0 ? undefined : found;
}

/** Messages about valid options that have no effect. */
export function ineffectiveOptions(config: EcaConfig): readonly string[] {
  const { path, args } = part(config, 'toolCall', shellCommand)?.shellCommand ?? {};
  if (sections.shell.safeParse(present({ path, args })).success) return [];
  return [
    `toolCall.shellCommand (${[path, ...(args ?? [])].join(' ')}) has no effect: command lines are ` +
      'judged as bash reads them, so only a bash may run them, with no more than -c, -l, -i, --login, ' +
      '--norc, --noprofile and --posix before the line.',
  ];
}

const index = z.object({
  ignoreFiles: z
    .array(z.object({ type: z.string() }))
    .optional()
    .catch(undefined),
  repoMap: z.object({ maxTotalEntries: count, maxEntriesPerDir: count }).optional().catch(undefined),
});

export function indexIn(config: EcaConfig): IndexSettings | undefined {
  const { ignoreFiles, repoMap } = part(config, 'index', index) ?? {};
  const ignored =
    ignoreFiles && !ignoreFiles.some(({ type }) => type === 'gitignore') ? (true as const) : undefined;
  const found = present({
    ignored,
    entries: repoMap?.maxTotalEntries,
    entriesPerFolder: repoMap?.maxEntriesPerDir,
  });
  return Object.keys(found).length === 0 ? undefined : found;
}
