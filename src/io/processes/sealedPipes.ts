// Keeps the terminals of the host from the programs it starts: the package that opens them leaves them open to every child.
import { openSync } from 'node:fs';
import type { StdioOptions } from 'node:child_process';

/** Descriptors that no child may have. */
const kept = new Set<number>();
let nothing: number | undefined;

/** Keeps a descriptor from every child until the returned function is called, which goes before closing it. */
export function keepFromChildren(descriptor: number): () => void {
  kept.add(descriptor);
  return () => void kept.delete(descriptor);
}

/** The given pipes of a child, and nothing in the places of what it may not have. */
export function sealed<const S extends Exclude<StdioOptions, string>>(pipes: S): S {
  if (kept.size === 0) return pipes;
  nothing ??= openSync('/dev/null', 'r+');
  const places = Array.from({ length: Math.max(...kept) + 1 - pipes.length }, (_, at) =>
    kept.has(at + pipes.length) ? nothing : 'ignore',
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the pipes come first and stay as they are; what follows is no pipe
  return [...pipes, ...places] as unknown as S;
}
