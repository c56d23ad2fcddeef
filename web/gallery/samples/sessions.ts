// The sessions of the gallery: one in every state, in several folders, with long and right-to-left titles.
import { statusBits } from '../../../src/protocols/ahp/status.ts';
import type { SessionSummary } from '../../../src/protocols/ahp/v1_0/state.ts';
import { minutesAgo } from './time.ts';

/** The session whose conversation, changes and jobs the gallery shows. */
export const shop = 'ahp-session:/shop';
export const shopChat = 'ahp-chat:/shop';

const { idle, inProgress, inputNeeded, error, isRead, isArchived } = statusBits;

interface Row {
  readonly id: string;
  readonly title: string;
  readonly status: number;
  readonly age: number;
  readonly folder?: string;
  readonly more?: Partial<SessionSummary>;
}

const rows: readonly Row[] = [
  {
    ...{ id: 'shop', title: 'Fix the cart total', status: inputNeeded, age: 1 },
    more: { activity: 'Wants to run git push', changes: { additions: 12, deletions: 3, files: 3 } },
  },
  {
    ...{ id: 'deploy', title: 'Deploy the preview', status: inProgress, age: 4 },
    more: { activity: 'Running npm run build', _meta: { permissions: 'full' } },
  },
  {
    ...{ id: 'prices', title: 'Import prices', status: error, age: 31 },
    more: { _meta: { failure: 'The provider rejected the key.' } },
  },
  { id: 'docs', title: 'Write the guide', status: idle, age: 75, folder: 'guide' },
  {
    ...{ id: 'long', status: idle + isRead, age: 60 * 26, folder: 'guide' },
    title: 'Explain why the nightly job sometimes sends the same invoice twice, and how to stop it',
    more: { changes: { additions: 240, deletions: 18, files: 9 } },
  },
  { id: 'rtl', title: 'اشرح لي هذا المشروع', status: idle + isRead, age: 60 * 30, folder: 'guide' },
  { id: 'old', title: 'Move to the new bundler', status: idle + isRead + isArchived, age: 60 * 400 },
];

export const sessions: readonly SessionSummary[] = rows.map(
  ({ id, title, status, age, folder = 'shop', more }) => ({
    ...{ resource: `ahp-session:/${id}`, provider: 'parley', title, status },
    ...{ createdAt: minutesAgo(age), modifiedAt: minutesAgo(age), defaultChat: `ahp-chat:/${id}` },
    workingDirectories: [`file:///home/ada/code/${folder}`],
    ...more,
  }),
);
