// Formats paths as a tree: one line per name, indented by one space per level, within limits.
import type { FoundPath } from './fileCompletion.ts';

export interface MapLimits {
  /** How many lines in all, and how many in one folder below the first level. */
  readonly entries?: number | undefined;
  readonly entriesPerFolder?: number | undefined;
}

interface Node {
  readonly below: Map<string, Node>;
}

export function drawMap(
  folders: readonly { readonly root: string; readonly names: readonly FoundPath[] }[],
  { entries = 800, entriesPerFolder = 50 }: MapLimits = {},
): string {
  const lines: string[] = [];
  let left = 0;
  const draw = ({ below }: Node, depth: number): void => {
    const sorted = [...below].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const shown = depth > 1 ? sorted.slice(0, entriesPerFolder) : sorted;
    for (const [name, node] of shown) {
      if (lines.length >= entries) left += 1 + sizeOf(node);
      else {
        lines.push(`${' '.repeat(depth)}${name}`);
        draw(node, depth + 1);
      }
    }
    const hidden = sorted.slice(shown.length).reduce((sum, [, node]) => sum + 1 + sizeOf(node), 0);
    if (hidden > 0 && lines.length < entries) lines.push(`${' '.repeat(depth)}... ${hidden} more`);
    else left += hidden;
  };
  for (const { root, names } of folders) {
    lines.push(root);
    draw(treeOf(root, names), 1);
  }
  return [...lines, ...(left > 0 ? [`... ${left} more in all`] : [])].join('\n');
}

function treeOf(root: string, names: readonly FoundPath[]): Node {
  const top: Node = { below: new Map() };
  for (const { path } of names) {
    let node = top;
    for (const part of path.slice(root.length).split(/[/\\]/).filter(Boolean)) {
      const next = node.below.get(part) ?? { below: new Map() };
      node.below.set(part, next);
      node = next;
    }
  }
  return top;
}

function sizeOf({ below }: Node): number {
  return [...below.values()].reduce((sum, node) => sum + 1 + sizeOf(node), 0);
}
