// An ended turn of a stored session: its items are read when somebody looks at them, and all but what a list
// says about it when somebody looks at more than that.
import type { EndedTurn, Turn } from './state.ts';

/** What lists say about an ended turn. */
export interface TurnFacts {
  readonly items: number;
  /** Whether one of its calls reports an edit of a file. */
  readonly edits: boolean;
}

/** What is known about a turn that may not have been read. */
interface KnownFacts extends TurnFacts {
  /** The marks of the ids of its calls and texts. */
  readonly marks: string;
}

/** The members of a turn that may be long. */
export type TurnContent = Pick<EndedTurn, 'message' | 'items'>;

const facts = Symbol('facts of a turn');
const listed = Symbol('the entry of a turn in a list');

interface WithFacts {
  readonly [facts]?: KnownFacts;
  readonly [listed]?: ListedTurn;
}

/** What is known about a turn before it is read. */
export interface ListedTurn extends TurnFacts {
  readonly id: EndedTurn['id'];
}

interface UnreadTurn {
  readonly entry: ListedTurn;
  readonly read: () => EndedTurn;
}

/** A turn that is read when somebody wants more than its entry in a list. */
export function unreadTurn(entry: ListedTurn, read: () => EndedTurn): EndedTurn {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has all members of the read turn
  return new Proxy<UnreadTurn>({ entry, read }, asRead) as object as EndedTurn;
}

const asRead: ProxyHandler<UnreadTurn> = {
  get({ entry, read }, key): unknown {
    if (key === 'id') return entry.id;
    return key === listed ? entry : Reflect.get(read(), key);
  },
  has: ({ read }, key) => Reflect.has(read(), key),
  ownKeys: ({ read }) => Reflect.ownKeys(read()),
  getOwnPropertyDescriptor: ({ read }, key) => Reflect.getOwnPropertyDescriptor(read(), key),
};

/** Makes a turn lazy: `read` is called at most once, when somebody wants one of the members. */
export function lazyTurn(turn: EndedTurn, { known, members, read }: LazyContent): EndedTurn {
  const load = () => {
    const content = read();
    for (const member of members) define(turn, member, { value: content[member], writable: true });
    return content;
  };
  for (const member of members) define(turn, member, { get: () => load()[member] });
  return Object.defineProperty(turn, facts, { value: known, configurable: true });
}

export interface LazyContent {
  readonly known: KnownFacts;
  readonly members: readonly (keyof TurnContent)[];
  readonly read: () => Partial<TurnContent>;
}

/** Keeps the place of the member among the others. */
function define(turn: EndedTurn, member: keyof TurnContent, how: PropertyDescriptor): void {
  Object.defineProperty(turn, member, { ...how, enumerable: true, configurable: true });
}

/** Does not read the items of a lazy turn. */
export function factsOf(turn: EndedTurn & WithFacts): TurnFacts {
  return turn[listed] ?? turn[facts] ?? { items: turn.items.length, edits: turn.items.some(hasEdit) };
}

function hasEdit(item: EndedTurn['items'][number]): boolean {
  if (item.type !== 'tool' || !item.result || !('content' in item.result)) return false;
  return item.result.content.some(({ type }) => type === 'edit');
}

/** All that is stored beside a turn, so that it need not be read for it. */
export function knownFacts(turn: EndedTurn & WithFacts): KnownFacts {
  return turn[facts] ?? { ...factsOf(turn), marks: itemIds(turn).map(idMark).join(' ') };
}

/** The ids of its calls and texts, or only the marks of these if it is a lazy turn. */
export function idsIn(turn: Turn & WithFacts): readonly string[] {
  return turn[facts]?.marks.split(' ') ?? itemIds(turn);
}

function itemIds({ items }: Turn): readonly string[] {
  return items.filter(({ type }) => type === 'tool' || type === 'text').map(({ id }) => id);
}

/** A short text that equal ids share, and other ids hardly ever. */
export function idMark(id: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  return ((hash >>> 0) % 36 ** 5).toString(36);
}

/** All of a turn but the content of some members, which is not read for it; for storing. */
export function withoutContent(turn: EndedTurn, members: LazyContent['members']): object {
  const none = members.map((member) => [member, { value: null, enumerable: true }] as const);
  return Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(turn), ...Object.fromEntries(none) },
  );
}
