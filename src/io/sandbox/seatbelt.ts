// Writes the profile that sandbox-exec of macOS takes. Pure: the caller passes in all facts. Later rules
// override earlier ones.
import type { View } from './bubblewrap.ts';

export function seatbeltWords(view: View): readonly string[] {
  return ['/usr/bin/sandbox-exec', '-p', seatbeltProfile(view)];
}

export function seatbeltProfile({ write, own, fixed, network, temporary, hidden, guards }: View): string {
  const writable = [
    ...write,
    ...guards.flatMap(({ kind, path }) => (kind === 'write' ? [path] : [])),
    temporary,
  ];
  const readOnly = guards.flatMap(({ kind, path }) => (kind === 'write' ? [] : [path]));
  return [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    `(allow file-write* ${subpaths(writable)})`,
    '(allow file-write* (literal "/dev/null") (literal "/dev/tty") (regex #"^/dev/fd/"))',
    ...(readOnly.length > 0 ? [`(deny file-write* ${subpaths(readOnly)})`] : []),
    // The parents of protected and hidden files must not be renamed away.
    ...(readOnly.length + fixed.length > 0
      ? [`(deny file-write-unlink ${parentsOf(readOnly, [...write, ...fixed])})`]
      : []),
    ...(hidden.length > 0
      ? [`(deny file-read* file-write* ${subpaths(hidden.map(({ path }) => path))})`]
      : []),
    ...(own.length > 0 ? [`(allow file-read* file-write* ${subpaths(own)})`] : []),
    ...(network === 'on' ? [] : ['(deny network*)']),
    // Other processes, their memory, and services that act for the user.
    '(deny process-info* (target others))',
    '(deny signal (target others))',
    '(allow signal (target same-sandbox))',
    '(deny mach-lookup (global-name "com.apple.SecurityServer") (global-name "com.apple.securityd"))',
    '(deny appleevent-send)',
    '(deny job-creation)',
  ].join('\n');
}

function subpaths(paths: readonly string[]): string {
  return paths.map((path) => `(subpath ${quoted(path)})`).join(' ');
}

function parentsOf(paths: readonly string[], roots: readonly string[]): string {
  const parents = paths.map((path) => path.slice(0, path.lastIndexOf('/')));
  return [...new Set([...parents, ...roots])].map((path) => `(literal ${quoted(path)})`).join(' ');
}

/** A string of the profile's language. */
function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', String.raw`\"`)}"`;
}
