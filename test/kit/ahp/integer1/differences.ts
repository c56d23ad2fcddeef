// Where our host and the recorded host of version 1 differ on purpose, and why.

export interface Difference {
  /** The recording it is about, by the beginning of its name; all of them where it is absent. */
  readonly file?: string;
  /** What was recorded, or what only we say. */
  readonly kind: string;
  /**
   * What becomes of it here: it is not said, said only once, said at another moment, said in addition, or
   * something else is said.
   */
  readonly ours: 'left out' | 'once' | 'elsewhere' | 'added' | { readonly instead: string };
  /** The first occurrence it is about, counted from zero. */
  readonly from?: number;
  readonly reason: string;
}

export const differences: readonly Difference[] = [
  {
    kind: 'root/activeSessionsChanged',
    ours: 'elsewhere',
    reason:
      'Busy sessions are counted from what is stored, so the root hears of a turn right after its ' +
      'session, not before.',
  },
  {
    kind: 'notify/sessionSummaryChanged',
    ours: 'elsewhere',
    reason: 'Summaries are told with every change; the recorded host gathers them for a tenth of a second.',
  },
  {
    kind: 'session/toolCallDelta',
    ours: 'added',
    reason: 'The title of a call is told with its start, and this version has no other action for it.',
  },
  {
    kind: 'session/toolCallComplete',
    ours: 'once',
    reason: 'The recorded agent ends its calls twice; the second time changes nothing.',
  },
  {
    kind: 'session/configChanged',
    ours: 'left out',
    reason: 'What is allowed for a session are rules of the session and no settings of clients.',
  },
  {
    kind: 'session/activityChanged',
    ours: 'added',
    reason: 'What a session is doing is told in a few words; the recorded host leaves that field empty.',
  },
  {
    file: '05',
    kind: 'session/toolCallContentChanged',
    ours: 'added',
    reason: 'A command shows the terminal that it runs in.',
  },
  {
    file: '09',
    kind: 'session/toolCallContentChanged',
    ours: 'added',
    reason: 'A command shows the terminal that it runs in.',
  },
  {
    file: '10',
    kind: 'session/toolCallContentChanged',
    ours: 'added',
    reason: 'A command shows the terminal that it runs in.',
  },
  {
    file: '01',
    kind: 'error -32600',
    ours: 'added',
    reason:
      'A request before initialize is answered with an error; the recorded host leaves the client waiting.',
  },
  {
    file: '01',
    kind: 'error -32603',
    ours: { instead: 'error -32601' },
    reason: 'JSON-RPC has a code for methods that do not exist.',
  },
  {
    file: '01',
    kind: 'result',
    from: 3,
    ours: { instead: 'error -32009' },
    reason: 'A folder that no session works in is not listed.',
  },
  {
    file: '01',
    kind: 'error -32008',
    ours: { instead: 'error -32009' },
    reason: 'Outside the folders of sessions it is not even told whether a file exists.',
  },
  {
    file: '12',
    kind: 'session/responsePart',
    ours: 'added',
    reason: 'A message that steered a turn stays visible in it, and the queued one is answered.',
  },
  {
    file: '12',
    kind: 'session/turnStarted',
    ours: 'added',
    reason: 'The queue goes on after a cancelled turn; in the recorded host it stays stuck.',
  },
  {
    file: '12',
    kind: 'session/turnComplete',
    ours: 'added',
    reason: 'The queue goes on after a cancelled turn; in the recorded host it stays stuck.',
  },
  {
    file: '12',
    kind: 'session/diffsChanged',
    ours: 'elsewhere',
    reason: 'The turn out of the queue tells its edits, too.',
  },
  {
    file: '12',
    kind: 'session/turnCancelled of the client',
    from: 1,
    ours: { instead: 'session/turnCancelled of the client, rejected' },
    reason:
      'A turn that does not run cannot be cancelled; the recorded host gives the action back as if it could.',
  },
  {
    file: '12',
    kind: 'session/delta of the client',
    ours: { instead: 'session/delta of the client, rejected' },
    reason: 'Only the host may speak for the agent; the recorded host tells the forged text to everybody.',
  },
  {
    file: '13',
    kind: 'replayed session/customizationsChanged',
    ours: 'added',
    reason: 'What extends the agents of a session is in no log, and is told again as it is.',
  },
  {
    file: '13',
    kind: 'replayed root/agentsChanged',
    ours: 'added',
    reason: 'What the log does not hold of the root is told again as it is.',
  },
  {
    file: '13',
    kind: 'replayed root/activeSessionsChanged',
    ours: 'added',
    reason: 'What the log does not hold of the root is told again as it is.',
  },
  {
    file: '13',
    kind: 'replayed root/terminalsChanged',
    ours: 'added',
    reason: 'What the log does not hold of the root is told again as it is.',
  },
  {
    file: '15',
    kind: 'terminal/titleChanged',
    ours: 'left out',
    reason: 'A name that a client gave to a terminal stays, whatever runs there.',
  },
  {
    file: '15',
    kind: 'root/terminalsChanged',
    ours: 'elsewhere',
    reason: 'The list is told when it has changed: without the title, and with the end of the program.',
  },
  {
    file: '15',
    kind: 'terminal/exited',
    ours: 'added',
    reason: 'Those who follow a terminal hear of its end before it is gone.',
  },
];
