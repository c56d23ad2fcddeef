// Working directories, an ordered set on sessions and on chats.
import { removeAt, replaceAt } from '../../immutable.ts';
import type { URI } from '../content.ts';

interface InDirectories {
  readonly workingDirectories?: readonly URI[];
}

export function addDirectory<State extends InDirectories>(state: State, directory: URI): State {
  const directories = state.workingDirectories ?? [];
  if (directories.includes(directory)) return state;
  return { ...state, workingDirectories: [...directories, directory] };
}

export function removeDirectory<State extends InDirectories>(state: State, directory: URI): State {
  const directories = state.workingDirectories ?? [];
  const index = directories.indexOf(directory);
  return index < 0 ? state : { ...state, workingDirectories: removeAt(directories, index) };
}

/** A replacement that is already in the set is not listed twice: the earlier of the two places stays. */
export function replaceDirectory<State extends InDirectories>(
  state: State,
  directory: URI,
  replacement: URI,
): State {
  const directories = state.workingDirectories ?? [];
  const index = directories.indexOf(directory);
  if (index < 0 || directory === replacement) return state;
  const present = directories.indexOf(replacement);
  if (present < 0) return { ...state, workingDirectories: replaceAt(directories, index, replacement) };
  const replaced = replaceAt(directories, Math.min(index, present), replacement);
  return { ...state, workingDirectories: removeAt(replaced, Math.max(index, present)) };
}
