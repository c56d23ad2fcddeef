// A cache of published model lists in the data directory. It contains names and sizes, and no keys.
import { writeConfig } from '../settings/editConfigFile.ts';
import type { FoundModel } from './modelLists.ts';
import { readUserFile } from '../files/folderFile.ts';

export interface KeptList {
  readonly url: string;
  /** When the vendor was last asked, in milliseconds since 1970. */
  readonly at: number;
  /** The last valid list; absent if there was none. */
  readonly models?: readonly FoundModel[];
  /** Why the last request failed, for users. */
  readonly problem?: string;
}

export interface KeptLists {
  of(provider: string): KeptList | undefined;
  keep(provider: string, list: KeptList): void;
}

/**
 * Reads the file when it is first needed. What is not readable counts as not there, and what cannot be
 * written is remembered until the end.
 */
export function keptLists(file: string): KeptLists {
  let lists: { readonly [provider: string]: KeptList } | undefined;
  const all = () => (lists ??= read(file));
  return {
    of: (provider) => all()[provider],
    keep(provider, list) {
      lists = { ...read(file), ...all(), [provider]: list };
      try {
        writeConfig(file, JSON.stringify(lists), 'nothing');
      } catch {
        // Another start asks again.
      }
    },
  };
}

function read(file: string): { readonly [provider: string]: KeptList } {
  try {
    const value: unknown = JSON.parse(readUserFile(file));
    return Object.fromEntries(
      Object.entries(typeof value === 'object' && value !== null ? value : {}).flatMap(
        ([id, list]: [string, unknown]) => (isKept(list) ? [[id, list]] : []),
      ),
    );
  } catch {
    return {};
  }
}

function isKept(list: unknown): list is KeptList {
  if (
    typeof list !== 'object' ||
    list === null ||
    !('url' in list && typeof list.url === 'string' && 'at' in list && typeof list.at === 'number')
  )
    return false;
  return (
    !('models' in list) ||
    (Array.isArray(list.models) &&
      list.models.every(
        (each: unknown) =>
          typeof each === 'object' && each !== null && 'name' in each && typeof each.name === 'string',
      ))
  );
}
