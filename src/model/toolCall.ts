// The life of a tool call as a table; who may move it is decided elsewhere.

export type ToolStatus = 'preparing' | 'ready' | 'asking' | 'running' | 'ended';

export type ToolStep =
  | 'tool.input'
  | 'tool.ready'
  | 'ask.opened'
  | 'ask.answered'
  | 'tool.running'
  | 'tool.output'
  | 'tool.held'
  | 'tool.ended';

const life: Record<ToolStatus, Partial<Record<ToolStep, ToolStatus>>> = {
  preparing: {
    'tool.input': 'preparing',
    'tool.ready': 'ready',
    'ask.opened': 'asking',
    'tool.running': 'running',
    'tool.output': 'preparing',
    'tool.ended': 'ended',
  },
  ready: {
    'tool.ready': 'ready',
    'ask.opened': 'asking',
    'tool.running': 'running',
    'tool.output': 'ready',
    'tool.ended': 'ended',
  },
  asking: { 'tool.ready': 'asking', 'ask.answered': 'ready' },
  // External agents ask about calls that they have shown as running already; what is decided then is stored all the same.
  running: {
    'tool.ready': 'running',
    'ask.opened': 'asking',
    'tool.running': 'running',
    'tool.output': 'running',
    'tool.held': 'running',
    'tool.ended': 'ended',
  },
  ended: {},
};

/** The status after a step, or undefined where the table has none. */
export function nextStatus(status: ToolStatus, step: ToolStep): ToolStatus | undefined {
  return life[status][step];
}
