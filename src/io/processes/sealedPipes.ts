// Hides the host's terminal descriptors from child processes: the terminal package opens them as inheritable.
import { openSync } from 'node:fs';
import type { StdioOptions } from 'node:child_process';

/** Descriptors that no child may inherit. */
const kept = new Set<number>();
let nothing: number | undefined;

/** Hides a descriptor from children. Call the returned function before you close the descriptor. */
export function keepFromChildren(descriptor: number): () => void {
  kept.add(descriptor);
  return () => void kept.delete(descriptor);
}

/** The stdio of a child, with the hidden descriptors replaced by nothing. */
export function sealedStdio<const S extends Exclude<StdioOptions, string>>(pipes: S): S {
  if (kept.size === 0) return pipes;
  nothing ??= openSync('/dev/null', 'r+');
  const places = Array.from({ length: Math.max(...kept) + 1 - pipes.length }, (_, at) =>
    kept.has(at + pipes.length) ? nothing : 'ignore',
  );
  // The pipes come first and stay as they are; what follows is no pipe.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return [...pipes, ...places] as unknown as S;
}
