// The terminal of a tool call: live while it runs, afterwards its output, as tall as its text.
import type { ToolResultContent } from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import { lazy } from '../parts/lazy.tsx';
import { PlainText } from '../parts/PlainText.tsx';

/** Loaded on demand: the terminal emulator is larger than the console itself. */
const TerminalView = lazy(async () => (await import('./TerminalView.tsx')).TerminalView);

export function TerminalContent({
  content,
}: {
  readonly content: Extract<ToolResultContent, { type: 'terminal' }>;
}) {
  const { resource, title, result } = content;
  if (!result) return <TerminalView terminal={resource} title={title} />;
  if (result.preview === undefined) return null;
  const failed = result.exitCode !== undefined && result.exitCode !== 0;
  return <PlainText text={result.preview} label={`${title}, output`} fromEnd={failed} />;
}
