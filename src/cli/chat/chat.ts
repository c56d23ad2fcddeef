// `parley chat`: reads its options, shows where to type, and then loads what finds or creates the session.
import { didYouMean } from '../../base/nearest.ts';
import { isAutonomy } from '../../host/settings/autonomy.ts';
import { autonomyLevels } from '../../model/event.ts';
import { readArgs, noMore, UsageError } from '../say.ts';

const flags = {
  agent: { type: 'string' },
  model: { type: 'string' },
  mode: { type: 'string' },
  continue: { type: 'boolean' },
  resume: { type: 'boolean' },
  plain: { type: 'boolean' },
} as const;

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(args, flags);
  if (values.mode !== undefined && !isAutonomy(values.mode)) throw new UsageError(unknownMode(values.mode));
  const [wanted, ...more] = positionals;
  noMore(more);
  if ([wanted !== undefined, values.continue, values.resume].filter(Boolean).length > 1)
    throw new UsageError('Use only one of SESSION, --continue and --resume.');
  const hasScreen = canDraw(values.plain);
  if (values.resume && !hasScreen)
    throw new UsageError('--resume needs a terminal to choose on. Name the session instead.');
  // A list of sessions comes before the box, and so does the search for one of them.
  const isBoxFirst = hasScreen && !values.resume && wanted === undefined;
  const input = isBoxFirst ? new (await import('./firstInput.ts')).FirstInput() : undefined;
  try {
    const { openChat } = await import('./openChat.ts');
    return await openChat({ ...values, session: wanted, hasScreen, input });
  } finally {
    input?.close();
  }
}

/** A region that is redrawn needs a terminal that can move the cursor. */
function canDraw(plain = false): boolean {
  return process.stdin.isTTY && process.stdout.isTTY && !plain && process.env['TERM'] !== 'dumb';
}

function unknownMode(word: string): string {
  const similar = didYouMean(word, autonomyLevels);
  return `Unknown permission mode "${word}".${similar} Use one of: ${autonomyLevels.join(', ')}.`;
}
