// The keys and the commands of the terminal client, for its help.

/** Commands of this client; the host's commands are listed with them. */
export const clientCommands = [
  { name: 'queue', description: 'List the queued messages' },
  { name: 'drop', description: 'Remove a queued message: /drop 2' },
  { name: 'jobs', description: 'List what runs in the background' },
  { name: 'kill', description: 'End a background job: /kill 1' },
  { name: 'resume', description: 'Open another session' },
  { name: 'model', description: 'Choose the model' },
  { name: 'permissions', description: 'Choose what runs without asking' },
  { name: 'effort', description: 'Choose the level of effort' },
  { name: 'keys', description: 'List the keys' },
  { name: 'stop', description: 'Stop the turn' },
  { name: 'quit', description: 'Leave; the session goes on' },
] as const;

export const keyHelp: readonly (readonly [keys: string, meaning: string])[] = [
  ['enter', 'send; while the agent works, queue'],
  ['ctrl-enter, !TEXT', 'steer the turn'],
  ['shift-enter, alt-enter, ctrl-j, \\ at the end', 'new line'],
  ['esc, ctrl-c', 'stop the turn; the queue comes back to the input'],
  ['alt-↑', 'take the last queued message back'],
  ['↑ ↓', 'earlier messages'],
  ['tab', 'complete a / command, an @ file or a # session'],
  ['shift-tab', 'next permission mode'],
  ['ctrl-g', 'write in $EDITOR'],
  ['ctrl-o', 'show all of the last output'],
  ['ctrl-l', 'draw anew'],
  ['ctrl-d, ctrl-c twice', 'leave; the session goes on'],
];
