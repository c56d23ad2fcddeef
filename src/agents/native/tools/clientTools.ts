// The tools that clients provide: their calls need approval, and the client runs them
// and reports the results.
import type { ClientTool } from '../../../host/tools/clientTools.ts';
import { freeName } from './serverTools.ts';
import { clipped } from './clip.ts';
import type { Tool } from './tool.ts';
import { failed } from './tool.ts';

/** The largest number of client tools; more would leave too little context. */
const most = 128;

/** `taken` are the names of all other tools; a client's tool never replaces one of them. */
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
