// The tools that clients lend, as tools of ours: asked about like anything unknown, run by their client, which says what came of them.
import type { ClientTool } from '../../../host/tools/clientTools.ts';
import { freeName } from './serverTools.ts';
import { clipped } from './clip.ts';
import type { Tool } from './tool.ts';
import { failed } from './tool.ts';

/** More would crowd out everything else a model is told. */
const most = 128;

/** `taken` are the names of all other tools, which a client's tool does not replace. */
export function clientTools(lent: readonly ClientTool[], taken: ReadonlySet<string>): readonly Tool[] {
  const names = new Set(taken);
  return lent.slice(0, most).map((tool) => toolOf(tool, names));
}

function toolOf(
  { client, name, title = name, description = title, parameters }: ClientTool,
  names: Set<string>,
): Tool {
  return {
    name: freeName(name.replaceAll(/[^\w-]+/g, '_') || 'tool', names),
    description: clipped(description),
    parameters,
    kind: 'other',
    client,
    preparing: title,
    prepare: () =>
      Promise.resolve({
        title,
        paths: [],
        run: () => Promise.resolve(failed('The client that lends this tool runs it.')),
      }),
  };
}
