// The states of a tool call and its transitions, as a table.

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
  // External agents may ask for approval of a call that they already report as running; the decision
  // is stored all the same.
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

/** The status after a step; undefined if the step is not allowed. */
export function nextStatus(status: ToolStatus, step: ToolStep): ToolStatus | undefined {
  return life[status][step];
}
