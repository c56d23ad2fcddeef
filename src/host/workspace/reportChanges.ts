// Records changes of files that belong to no tool call, as a call of their own.
import type { AgentReport } from '../../model/command.ts';
import type { Content, ToolId } from '../../model/event.ts';

/** A turn that runs. */
export interface Reporting {
  report(report: AgentReport): void;
}

export interface FoundChanges {
  /** The id of the call in the log. */
  readonly tool: ToolId;
  readonly title: string;
  readonly changes: readonly Content[];
}

export function reportChanges(context: Reporting, { tool, title, changes }: FoundChanges): void {
  if (changes.length === 0) return;
  const locations = changes.flatMap((change) => ('path' in change ? [{ path: change.path }] : []));
  context.report({ kind: 'tool.started', tool, name: 'workspace', title, toolKind: 'edit', source: 'agent' });
  context.report({ kind: 'tool.ready', tool, input: {}, title, toolKind: 'edit', locations });
  context.report({ kind: 'tool.running', tool, basis: { how: 'agent' } });
  context.report({ kind: 'tool.ended', tool, result: { status: 'done', content: changes } });
}
