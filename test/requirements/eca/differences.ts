// Where our server differs from the recorded one, and why that is accepted. A difference that is gone must leave this list.

export interface Accepted {
  /** The steps it shows in; absent where it may show in any. */
  readonly steps?: readonly string[];
  /** The differences in the words of the comparison; absent where these steps cannot be compared at all. */
  readonly differences?: readonly string[];
  readonly reason: string;
}

export const accepted: readonly Accepted[] = [
  {
    differences: ['system usage has no limit.output'],
    reason: 'The log keeps the size of the context, not the longest answer; no client shows it.',
  },
  {
    differences: ['system usage has no contextBreakdown'],
    reason: 'Estimating the parts takes the whole chat, and a usage report must not cost more the longer a chat is. /context estimates them when asked.',
  },
  {
    differences: ['system usage has no autoCompactPercentage'],
    reason: 'No chat is compacted by itself, so there is no share of the context at which it would be.',
  },
  {
    steps: ['initialize'],
    differences: ['$/progress start plugins', '$/progress finish plugins', '$/progress start cleanup', '$/progress finish cleanup'].map((kind) => `does not say ${kind}`),
    reason: 'There are no plugins to resolve, and nothing is cleaned up when a client comes.',
  },
  {
    steps: ['initialize'],
    differences: ['says $/progress finish models', 'does not say $/progress finish models', 'does not say config/updated'],
    reason: 'The host knows its models before a client comes, so they are in the first push and no second one follows.',
  },
  {
    steps: ['initialize'],
    differences: ['result initialize has serverInfo', 'result initialize has serverInfo.name', 'result initialize has serverInfo.version'],
    reason: 'Some clients look for the version of the server.',
  },
];
