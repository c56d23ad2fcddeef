// What a tool gets for one call.
import type { TurnContext } from '../../../../host/agent.ts';
import { requestName } from '../../prompt/clientConventions.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { turnPorts } from '../../tools/turnWorkbench.ts';
import type { CallOptions } from './callTool.ts';

export function toolContext(tool: string, turn: TurnContext, { setup, onUsage }: CallOptions): ToolContext {
  const { settings, ports, conventions } = setup;
  const { commandTimeout, readLines, editorTimeout } = settings.limits;
  const { jobs, editors } = turn.workspace;
  return {
    tool,
    requestName: (name) => requestName(name, conventions),
    roots: turn.session.roots,
    ...turnPorts(turn, tool, ports),
    signal: turn.signal,
    sleep: ports.sleep,
    settings: { commandTimeout, shell: settings.shell, readLines, editorTimeout },
    services: { jobs, editors, web: ports.web },
    user: {
      ask: (message, questions) => turn.ask({ kind: 'question', tool, message, questions }, turn.signal),
      visit: (message, url) => turn.ask({ kind: 'signin', message, url }, turn.signal),
    },
    chat: {
      plan: {
        entries: () => turn.state().chats[turn.session.chat]?.plan ?? [],
        set: (entries) => turn.report({ kind: 'plan.set', entries }),
      },
      show: (content) => turn.report({ kind: 'tool.output', tool, output: { replace: content } }),
      subagentChat: () => turn.subagents.chatFor(tool),
      delegate: (task) => turn.subagents.delegate(task),
      onUsage,
    },
  };
}
