// What the host knows about how a call would run: the folder, the sandbox, the network, what it may write.
// Pure.
import { isRecord } from '../../../src/base/isRecord.ts';
import { visibleText } from '../../../src/base/visibleText.ts';
import type { PendingToolCall } from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import { pathOf, shortPath } from '../../text/format.ts';
import { parseObject } from '../../text/parseObject.ts';
import type { IconName } from '../parts/Icon.tsx';

export interface CallFact {
  readonly icon: IconName;
  readonly text: string;
}

export interface CallPlace {
  /** The folders of the session; a command runs in the first, unless its arguments name another. */
  readonly folders: readonly string[];
  readonly home: string | undefined;
}

export function callFacts(
  { toolInput, _meta: ours }: PendingToolCall,
  place: CallPlace,
): readonly CallFact[] {
  const shown = (path: string): string => visibleText(shortPath(path, place.home));
  const folders = place.folders.map(pathOf);
  const [first] = folders;
  const own = typeof toolInput === 'string' ? parseObject(toolInput)?.['working_directory'] : undefined;
  const where =
    typeof own === 'string' && own !== ''
      ? [{ icon: 'folder', text: `Runs in ${shown(joined(first, own))}` } as const]
      : folders
          .slice(0, 1)
          .map((folder) => ({ icon: 'folder', text: `Session in ${shown(folder)}` }) as const);
  return [...where, ...limitsOf(ours?.['sandbox'], folders.map(shown))];
}

/** Nothing for hosts that do not say how a call runs. */
function limitsOf(told: unknown, folders: readonly string[]): readonly CallFact[] {
  if (!isRecord(told) || typeof told['confined'] !== 'boolean') return [];
  if (!told['confined'])
    return [
      { icon: 'hand', text: 'Outside the sandbox' },
      { icon: 'globe', text: 'Network on' },
      { icon: 'edit', text: 'May write all your files' },
    ];
  const network = networkTexts.get(told['network']);
  return [
    { icon: 'hand', text: 'Sandboxed' },
    ...(network === undefined ? [] : [{ icon: 'globe', text: network } as const]),
    { icon: 'edit', text: `May write in ${writable(folders)}` },
  ];
}

const networkTexts: ReadonlyMap<unknown, string> = new Map([
  ['off', 'No network'],
  ['ask', 'Asks before it uses the network'],
  ['on', 'Network on'],
]);

/** The sandbox has a temporary folder of its own, also where the session has no folder. */
function writable(folders: readonly string[]): string {
  const [first, second] = folders;
  if (first === undefined) return 'a temporary folder';
  return second === undefined ? first : `the ${folders.length} folders of this session`;
}

/** As the host resolves it; dots stay as the agent has written them. */
function joined(folder: string | undefined, path: string): string {
  if (folder === undefined || /^(?:[/~\\]|[a-z]:)/i.test(path)) return path;
  return path === '.' ? folder : `${folder}/${path.replace(/^\.\//, '')}`;
}
