import { expect, test } from 'vitest';
import type { SessionState } from '../../../protocols/ahp/v1_0/state.ts';
import { paintFor } from '../../output.ts';
import { headLine } from './statusLine.ts';

const head = { id: '3f2a9d10-77', folder: '/home/ada/shop', branch: 'fix/cart-total', client: 'me' };
const others = [
  { clientId: 'me', displayName: 'Terminal', tools: [] },
  { clientId: 'c', displayName: 'VS Code', tools: [] },
];

const also = 'session 3f2a9d10 · also open in VS Code';

test.each<[change: object, width: number, place: string]>([
  [{}, 71, ' Parley  shop · fix/cart-total'],
  // The ID outlives the branch where both have no room.
  [{}, 70, ' Parley  shop'],
  [{ branch: undefined }, 72, ' Parley  shop'],
  [{ folder: undefined, branch: undefined }, 72, ' Parley'],
])('the first line with %j in %d columns', (change, width, place) => {
  const session = { provider: 'parley', activeClients: others } as Partial<SessionState> as SessionState;
  const line = headLine(session, { ...head, ...change }, { paint: paintFor({ isTTY: false }), width });
  expect(line).toBe(place + also.padStart(width - place.length));
});
