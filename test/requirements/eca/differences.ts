// Where our server differs from the recorded one, and why that is accepted. A difference that is gone
// must leave this list.

export interface Accepted {
  /** The steps it shows in; absent where it may show in any. */
  readonly steps?: readonly string[];
  /** The differences in the words of the comparison. */
  readonly differences: readonly string[];
  readonly reason: string;
}

const says = (...kinds: readonly string[]) => kinds.map((kind) => `says ${kind}`);
const lacks = (...kinds: readonly string[]) => kinds.map((kind) => `does not say ${kind}`);
const has = (kind: string, ...members: readonly string[]) => members.map((member) => `${kind} has ${member}`);

export const accepted: readonly Accepted[] = [
  {
    steps: ['initialize'],
    differences: has('result initialize', 'serverInfo', 'serverInfo.name', 'serverInfo.version'),
    reason: 'Some clients look for the version of the server.',
  },
  {
    steps: ['prompt: 400 error', 'outside workspace read'],
    differences: lacks('system metadata'),
    reason:
      'A scripted model is not asked for titles, so a chat of this test keeps the name that its first ' +
      'message gave it.',
  },
  {
    steps: ['jobs'],
    differences: lacks('jobs/updated'),
    reason: 'The end of a job is told once; the recorded server tells the same list twice.',
  },
  {
    steps: ['stop while streaming'],
    differences: says('system text'),
    reason:
      'What the agent is told about a job that ended meanwhile is a message in the log, and every ' +
      'client sees it.',
  },
  {
    steps: ['tool: unknown tool'],
    differences: lacks('system progress Waiting for tool call approval'),
    reason: 'Nobody is asked about a call that cannot be made.',
  },
  {
    steps: ['tool: unknown tool'],
    differences: says('$/showMessage'),
    reason: 'The recorded client approves the call, and is told that it does not wait for an answer.',
  },
  {
    steps: ['tool: unknown tool'],
    differences: ['toolCallRun', 'toolCallRunning', 'toolCalled'].flatMap((state) =>
      has(`assistant ${state}`, 'name', 'origin'),
    ),
    reason: 'The name that the model called is kept, where the recorded server sends null.',
  },
  {
    steps: [
      'tool: shell approve',
      'tool: shell approve+save',
      'tool: shell remembered',
      'tool: shell background',
      'steer during tool',
      'stop while running tool',
    ],
    differences: ['toolCallRunning', 'toolCalled'].flatMap((state) =>
      has(`assistant ${state}`, '_meta', '_meta.sandbox'),
    ),
    reason: 'Every call that runs a program says how it ran: confined, or why not.',
  },
  {
    steps: ['update/list/open/history', 'flag/fork/rollback/clear'],
    differences: says('system usage'),
    reason: 'Whoever opens a chat or sees it anew also sees what it has used.',
  },
  {
    steps: ['flag/fork/rollback/clear'],
    differences: [
      ...says(
        'system text',
        'user text',
        'assistant toolCallRejected',
        'assistant toolCalled',
        'assistant text',
      ),
      ...lacks('assistant toolCallRunning', 'assistant toolCalled', 'user text', 'assistant toolCallRun'),
    ],
    reason:
      'The replay shows what happened here: refused and stopped calls as such, failed turns with their ' +
      'message, every prompt that was sent, and no chats of tools that do not exist.',
  },
  {
    steps: ['update/list/open/history', 'flag/fork/rollback/clear'],
    differences: says('assistant toolCalled'),
    reason:
      'Tools that failed or were missing when this was recorded have done their work here, and the ' +
      'replay shows it.',
  },
  {
    steps: ['/compact on cleared chat'],
    differences: has(
      'system usage',
      'lastMessageCost',
      'sessionCost',
      'limit',
      'limit.context',
      'limit.output',
    ),
    reason: 'The recorded second model has no known limits and prices; here both names stand for one model.',
  },
  {
    steps: ['completion+rewrite'],
    differences: [...lacks('error completion/inline'), ...says('result completion/inline')],
    reason: 'The recorded server could not reach its model for completions; ours answers.',
  },
  {
    steps: ['initialize'],
    differences: lacks('config/updated'),
    reason:
      'The recorded server sends the models twice. Editors that keep the last configuration for views that open later would lose the agents.',
  },
  {
    steps: ['providers'],
    differences: lacks('config/updated'),
    reason:
      'The scripted models of this test do not change with a key, so there is no other list ' +
      'of models to tell.',
  },
  {
    steps: ['tool: spawn_agent'],
    differences: lacks('inside system usage', 'inside system metadata'),
    reason: 'The script of this test gives the other agent neither usage nor a name.',
  },
  {
    steps: ['flag/fork/rollback/clear'],
    differences: says('chat/cleared', 'inside system metadata'),
    reason: 'A chat inside a call is cleared and named together with the chat around it.',
  },
  {
    steps: ['chatStart hook + deny', 'preToolCall exit2', 'outside workspace read', 'prompt while running'],
    differences: has('system usage', 'autoCompactPercentage'),
    reason: 'The recorded server was told never to compact by itself.',
  },
  {
    steps: ['prompt while running'],
    differences: [
      ...says(
        'result chat/prompt',
        'system progress Generating',
        'assistant text',
        'chat/statusChanged idle',
        'system progress finished',
      ),
      ...lacks('result chat/prompt'),
    ],
    reason:
      'A prompt sent while a turn runs waits for it instead of dropping it silently: nothing that was ' +
      'asked is lost.',
  },
  {
    steps: ['mcp'],
    differences: [
      ...lacks(
        'tool/serverUpdated mcp starting',
        'tool/serverUpdated mcp running',
        'tool/serverUpdated mcp stopping',
        'tool/serverUpdated mcp stopped',
        'tool/serverRemoved',
      ),
    ],
    reason:
      'Every change of a server is made and told once; the recorded server begins it anew for its own ' +
      'change of the file, and tells of its removal twice.',
  },
  {
    steps: ['broken config'],
    differences: lacks(
      'config/updated',
      'tool/serverUpdated mcp stopping',
      'tool/serverUpdated mcp stopped',
      'tool/serverRemoved',
      'tool/serverUpdated native running',
    ),
    reason: 'A broken file keeps what it last said, so nothing goes away with it.',
  },
];
