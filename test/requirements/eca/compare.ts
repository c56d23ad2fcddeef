// Puts what a server said into short words without values, and holds two servers against each other: which
// kinds, in which order, with which members.
import type { Loose } from '../../kit/wire.ts';

export interface MessageShape {
  /** What kind of message it is. */
  readonly kind: string;
  readonly members: readonly string[];
}

/** Answers are named by the method they answer. */
export function saidBy(
  messages: readonly Loose[],
  asked: ReadonlyMap<unknown, string>,
): readonly MessageShape[] {
  return messages.map((message) => {
    if (message.method === undefined)
      return {
        kind: `${message.error ? 'error' : 'result'} ${asked.get(message.id) ?? '?'}`,
        members: membersOf(message.error ?? message.result),
      };
    if (message.method !== 'chat/contentReceived')
      return { kind: `${message.method}${detail(message)}`, members: membersOf(message.params) };
    const { role, content, parentChatId } = message.params;
    const inside = parentChatId === undefined ? '' : 'inside ';
    const words = content.type === 'progress' ? ` ${content.text ?? content.state}` : '';
    return {
      kind: `${inside}${role} ${content.type}${words.replace(/ \(\d+ queued\)$/, '')}`,
      members: membersOf(content),
    };
  });
}

function detail({ method, params }: Loose): string {
  if (method === '$/progress') return ` ${params.type} ${params.taskId}`;
  if (method === 'chat/statusChanged') return ` ${params.status}`;
  return method === 'tool/serverUpdated' ? ` ${params.type} ${params.status}` : '';
}

/** The members two levels deep; what is null counts as absent, and what tools take and give is data. */
function membersOf(value: Loose, path = ''): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value)
    .filter(([, inner]) => inner !== null)
    .flatMap(([key, inner]) => {
      const name = path === '' ? key : `${path}.${key}`;
      return path === '' && !data.has(key) ? [name, ...membersOf(inner, name)] : [name];
    });
}

const data: ReadonlySet<string> = new Set(['arguments', 'outputs', 'tools', 'contextBreakdown']);

/** Pieces of one text or of one call come in any number, and these come when they are ready. */
const pieces = /^(?:inside )?assistant (?:text|reasonText|toolCallPrepare)$/;
const whenever: ReadonlySet<string> = new Set([
  'system usage',
  'system metadata',
  'inside system usage',
  'inside system metadata',
]);

/** The differences between two servers in one step, one sentence each. */
export function differences(
  theirs: readonly MessageShape[],
  ours: readonly MessageShape[],
): readonly string[] {
  const kinds = (said: readonly MessageShape[]) =>
    said
      .map(({ kind }) => kind)
      .filter((kind) => !whenever.has(kind))
      .filter((kind, at, all) => kind !== all[at - 1] || !pieces.test(kind));
  const [a, b] = [kinds(theirs), kinds(ours)];
  const order = steps(a, b).map(([what, kind]) => `${what === 'gone' ? 'does not say' : 'says'} ${kind}`);
  const late = [...whenever].flatMap((kind) => {
    const [has, had] = [ours.some((said) => said.kind === kind), theirs.some((said) => said.kind === kind)];
    return has === had ? [] : [`${has ? 'says' : 'does not say'} ${kind}`];
  });
  return [...new Set([...order, ...late, ...memberDifferences(theirs, ours)])];
}

function memberDifferences(
  theirs: readonly MessageShape[],
  ours: readonly MessageShape[],
): readonly string[] {
  const [a, b] = [byKind(theirs), byKind(ours)];
  return [...a].flatMap(([kind, { always, ever }]) => {
    const own = b.get(kind);
    if (!own) return [];
    const missing = [...always].filter((name) => !own.ever.has(name)).map((name) => `${kind} has no ${name}`);
    const more = [...own.always].filter((name) => !ever.has(name)).map((name) => `${kind} has ${name}`);
    return [...missing, ...more];
  });
}

function byKind(
  said: readonly MessageShape[],
): ReadonlyMap<string, { readonly always: ReadonlySet<string>; readonly ever: ReadonlySet<string> }> {
  const found = new Map<string, { always: Set<string>; ever: Set<string> }>();
  for (const { kind, members } of said) {
    const known = found.get(kind);
    if (!known) found.set(kind, { always: new Set(members), ever: new Set(members) });
    else {
      known.always = new Set([...known.always].filter((name) => members.includes(name)));
      for (const name of members) known.ever.add(name);
    }
  }
  return found;
}

/** The shortest way from one order to the other. */
function steps(a: readonly string[], b: readonly string[]): readonly (readonly ['gone' | 'new', string])[] {
  const common = Array.from({ length: a.length + 1 }, () => Array.from({ length: b.length + 1 }, () => 0));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const row = common[i];
      if (row)
        row[j] =
          a[i] === b[j]
            ? (common[i + 1]?.[j + 1] ?? 0) + 1
            : Math.max(common[i + 1]?.[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  const found: (readonly ['gone' | 'new', string])[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) [i, j] = [i + 1, j + 1];
    else if (j < b.length && (i >= a.length || (common[i]?.[j + 1] ?? 0) > (common[i + 1]?.[j] ?? 0)))
      found.push(['new', b[j++] ?? '']);
    else found.push(['gone', a[i++] ?? '']);
  }
  return found;
}
