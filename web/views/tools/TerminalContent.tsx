// The terminal of a tool call: live while its channel exists, afterwards a preview of its output.
import { useState } from 'preact/hooks';
import type { ToolResultContent } from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import { lazy } from '../parts/lazy.tsx';
import { Icon } from '../parts/Icon.tsx';
import { PlainText } from '../parts/PlainText.tsx';

/** Loaded on demand: the terminal emulator is larger than the console itself. */
const TerminalView = lazy(async () => (await import('./TerminalView.tsx')).TerminalView);

export function TerminalContent({
  content,
}: {
  readonly content: Extract<ToolResultContent, { type: 'terminal' }>;
}) {
  const { resource, title, result } = content;
  const [open, setOpen] = useState(result === undefined);
  return (
    <div class="terminal-content">
      <p class="terminal-title">
        <Icon name="terminal" /> <code>{title}</code>
        {result?.exitCode !== undefined && (
          <span class={result.exitCode === 0 ? 'hint' : 'failed'}>exit code {result.exitCode}</span>
        )}
        <button type="button" class="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Hide terminal' : 'Show terminal'}
        </button>
      </p>
      {open && <TerminalView terminal={resource} title={title} />}
      {!open && result?.preview !== undefined && (
        <PlainText text={result.preview} label={`${title}, output`} />
      )}
    </div>
  );
}
