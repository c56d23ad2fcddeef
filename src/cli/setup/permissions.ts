// `parley permissions`: lists the answers that hold for more than one call, revokes them, and confirms those
// of earlier versions.
import { jsonText } from '../../base/jsonText.ts';
import { originName } from '../../model/howItRan.ts';
import type { RememberedAnswer } from '../../host/permissions/rememberedAnswers.ts';
import type { Peer } from '../../rpc/peer.ts';
import { RpcError } from '../../rpc/rpcError.ts';
import { runHostCommand } from '../client/hostCommand.ts';
import type { HostCommand as Command } from '../client/hostCommand.ts';
import { print, printError } from '../output.ts';
import { shortIds } from '../shortIds.ts';
import { age, noMore, readArgs, safe, short, UsageError } from '../say.ts';

export function run(args: readonly string[]): Promise<number> {
  return runHostCommand('permissions', commands, args);
}

const list: Command = (args) => {
  const { values, positionals } = readArgs(args, { json: { type: 'boolean' } });
  noMore(positionals);
  return async (peer) => {
    const all = await answersOf(peer);
    if (values.json) print(`${jsonText(all, 2)}\n`);
    else if (all.length === 0)
      print(
        'No answers are remembered. "Allow for this session", "in this folder" and "everywhere" make one.\n',
      );
    else {
      const ids = shortIds(all.map(({ id }) => id));
      print(all.map((answer) => lines(answer, ids.get(answer.id) ?? answer.id)).join(''));
    }
    return 0;
  };
};

const revoke: Command = (args) => {
  const find = chosen(args);
  return async (peer) => {
    const found = find(await answersOf(peer));
    if (found.length === 0) print('No answers are remembered.\n');
    let isWhole = true;
    for (const { id, rule } of found) {
      try {
        await peer.request('permissions/revoke', { id });
        print(`Revoked: ${safe(rule)}.\n`);
      } catch (error) {
        // One that cannot be taken back does not keep the others.
        if (!(error instanceof RpcError)) throw error;
        printError(`parley: Not revoked: ${safe(rule)}. ${safe(error.message)}\n`);
        isWhole = false;
      }
    }
    return isWhole ? 0 : 1;
  };
};

const confirm: Command = (args) => {
  const find = chosen(args);
  return async (peer) => {
    const waiting = find(await answersOf(peer)).filter(({ confirmed }) => !confirmed);
    if (waiting.length === 0) print('Nothing waits to be confirmed.\n');
    for (const { id, rule } of waiting) {
      await peer.request('permissions/confirm', { id });
      print(`Allowed in every folder again: ${safe(rule)}.\n`);
    }
    return 0;
  };
};

const commands: { readonly [verb: string]: Command } = { list, revoke, confirm };

async function answersOf(peer: Peer): Promise<readonly RememberedAnswer[]> {
  const answer = await peer.request('permissions/list');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the host is ours
  return Array.isArray(answer) ? (answer as readonly RememberedAnswer[]) : [];
}

/** Finds the answer with an ID, which can be shortened to a unique prefix, or all. */
function chosen(
  args: readonly string[],
): (all: readonly RememberedAnswer[]) => readonly Pick<RememberedAnswer, 'id' | 'rule' | 'confirmed'>[] {
  const { values, positionals } = readArgs(args, { all: { type: 'boolean' } });
  const [id, ...more] = positionals;
  noMore(more);
  if ((id === undefined) === (values.all !== true))
    throw new UsageError('Give the ID of an answer, or --all. See parley permissions list.');
  return (all) => {
    if (id === undefined)
      return all.filter((answer, at) => all.findIndex((other) => other.id === answer.id) === at);
    const exact = all.filter((answer) => answer.id === id);
    const found = exact.length > 0 ? exact : all.filter((answer) => answer.id.startsWith(id));
    const ids = new Set(found.map((answer) => answer.id));
    if (ids.size === 0) throw new Error(`Unknown answer "${id}". Try: parley permissions`);
    if (ids.size > 1)
      throw new UsageError(`Several answers start with "${id}". Use more characters of the ID.`);
    return found.slice(0, 1);
  };
}

function lines(answer: RememberedAnswer, id: string): string {
  const { effect, rule, confirmed } = answer;
  const warning = confirmed ? '' : '  does not count until you confirm it: parley permissions confirm\n';
  return `${id}  ${effect} ${safe(rule)}\n  ${where(answer)}; ${origin(answer)}\n${warning}`;
}

function where({ scope, folders = [], session }: RememberedAnswer): string {
  if (scope === 'folder') return `in ${safe(folders.join(', '))}`;
  if (scope === 'everywhere') return 'in every folder';
  return `in the session ${safe(short(session?.title || (session?.id ?? ''), 60))}`;
}

function origin({ by, at }: RememberedAnswer): string {
  if (by?.kind !== 'client') return 'by an earlier version';
  return `${at === undefined ? '' : `${when(at)} `}by ${safe(originName(by))}`;
}

function when(at: number): string {
  const since = age(at, Date.now());
  return since === 'now' ? 'just now' : `${since} ago`;
}
