// The end of a call's line: its result in a word, the lines it changed, and how long it took.
import type { ToolCallState, ToolResultContent } from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import { isStopped, timeLimitOf } from '../../../client/callText.ts';
import { formatDuration } from '../../text/format.ts';
import { sandboxMark } from './sandboxMark.ts';
import { LineCounts } from '../parts/LineCounts.tsx';

export function CallResult({ call }: { readonly call: ToolCallState }) {
  const { duration, editedBy } = call._meta ?? {};
  const limit = timeLimitOf(call);
  return (
    <span class="end">
      {typeof editedBy === 'string' && <span class="badge">Edited by {editedBy}</span>}
      <SandboxMark call={call} />
      {limit === undefined ? (
        <Outcome call={call} />
      ) : (
        <span class="bad">Timed out after {formatDuration(limit)}</span>
      )}
      {limit === undefined && typeof duration === 'number' && duration >= 0 && (
        <span>{formatDuration(duration)}</span>
      )}
    </span>
  );
}

/** Where the call ran, unless that is as usual. */
function SandboxMark({ call }: { readonly call: ToolCallState }) {
  const mark = sandboxMark(call._meta?.['sandbox']);
  if (!mark || mark.tone === 'quiet') return null;
  return <span class={mark.tone === 'bad' ? 'badge bad' : 'badge'}>{mark.text}</span>;
}

function Outcome({ call }: { readonly call: ToolCallState }) {
  if (call.status === 'streaming') return <>Preparing</>;
  // The mark at the beginning of the line says that it runs.
  if (call.status === 'running') return <span class="unseen">Running</span>;
  if (call.status !== 'completed') return null;
  const content = call.content ?? [];
  const exitCode = exitCodeIn(content);
  if (exitCode !== undefined) return <span class={exitCode === 0 ? '' : 'bad'}>Exit {exitCode}</span>;
  if (isStopped(call)) return null;
  if (!call.success) return <span class="bad">Failed</span>;
  const edits = content.flatMap((each) => (each.type === 'fileEdit' && each.diff ? [each.diff] : []));
  const [added, removed] = [sum(edits.map((diff) => diff.added)), sum(edits.map((diff) => diff.removed))];
  return added + removed > 0 ? (
    <LineCounts added={added} removed={removed} />
  ) : (
    <span class="unseen">Done</span>
  );
}

function exitCodeIn(content: readonly ToolResultContent[]): number | undefined {
  for (const each of content) if (each.type === 'terminal' && each.result) return each.result.exitCode;
  return undefined;
}

function sum(numbers: readonly (number | undefined)[]): number {
  return numbers.reduce<number>((total, value) => total + (value ?? 0), 0);
}
