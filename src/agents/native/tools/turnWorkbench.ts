// The files and processes of a turn: those of the user's editor if it provides them, ours otherwise. Policy
// has checked the paths before.
import type { TurnContext } from '../../../host/agent.ts';
import type { FileProblem, Files, Processes } from '../../../host/ports.ts';
import type { Workbench } from '../../../host/workspace/workbench.ts';
import type { ToolId } from '../../../model/event.ts';

export interface TurnPorts {
  readonly files: Files;
  readonly processes: Processes;
}

/** Looks up the editor at every use, because it may disconnect during a turn. */
export function turnPorts(
  turn: Pick<TurnContext, 'workspace' | 'session'>,
  tool: ToolId,
  { files, processes }: TurnPorts,
): TurnPorts {
  if (!turn.workspace.workbench()) return { files, processes };
  const workbench = (): Workbench => turn.workspace.workbench() ?? {};
  const shown = shownPath(turn.session.roots, files);
  return {
    files: {
      ...files,
      readText: async (path, limit) =>
        (await unsaved(workbench(), await shown(path), limit)) ?? files.readText(path, limit),
      writeText: async (path, text, expected) => {
        const write = workbench().writeText?.bind(workbench());
        if (!write) return files.writeText(path, text, expected);
        const now =
          (await unsaved(workbench(), await shown(path), Infinity)) ??
          (await files.readText(path, Number.MAX_SAFE_INTEGER));
        if ('problem' in now && now.problem === 'failed') return now;
        if (!isExpected(now, expected))
          return { problem: 'stale', message: `${path} has changed meanwhile; read it again.` };
        const written = await write(await shown(path), text);
        return written === 'gone' ? files.writeText(path, text, expected) : written;
      },
    },
    processes: {
      run: async (command) => {
        // A terminal of the editor cannot be confined.
        const ran = command.confined ? 'gone' : ((await workbench().run?.(command, tool)) ?? 'gone');
        return ran === 'gone' ? processes.run(command) : ran;
      },
    },
  };
}

async function unsaved(
  bench: Workbench,
  path: string,
  limit: number,
): Promise<{ readonly text: string } | FileProblem | undefined> {
  const text = await bench.readText?.(path);
  if (typeof text !== 'string') return text;
  return text.length > limit
    ? { problem: 'too-large', message: `${path} is larger than ${limit} bytes.` }
    : { text };
}

function isExpected(now: { readonly text: string } | FileProblem, expected: string | null): boolean {
  return 'problem' in now ? expected === null && now.problem === 'not-found' : now.text === expected;
}

/**
 * Our paths have links resolved; an editor expects paths below the folder that it named, which may be a link.
 */
function shownPath(roots: readonly string[], files: Files): (path: string) => Promise<string> {
  const real = Promise.all(roots.map(async (root) => ({ root, real: await files.realPath('.', root) })));
  return async (path) => {
    const found = (await real).find((each) => path.startsWith(`${each.real}/`));
    return found ? `${found.root}${path.slice(found.real.length)}` : path;
  };
}
