// What running calls print: follows the terminal of each, and what sub-agents are doing.
import type { URI } from '../../../protocols/ahp/v1_0/content.ts';
import type { ChatState, SessionState, TerminalState } from '../../../protocols/ahp/v1_0/state.ts';
import type { ToolCallState } from '../../../protocols/ahp/v1_0/toolCall.ts';
import type { HostClient } from '../../client/hostClient.ts';

/** Only the end of an output is shown. */
const keptLetters = 4_000;

export class LiveOutputs {
  readonly #link: HostClient;
  readonly #changed: () => void;
  readonly #texts = new Map<URI, string>();
  readonly #since = new Map<string, number>();
  #session: SessionState | undefined;

  constructor(link: HostClient, changed: () => void) {
    this.#link = link;
    this.#changed = changed;
  }

  /** Begins to follow what runs, and leaves what has ended. */
  update({ activeTurn }: ChatState, session: SessionState): void {
    this.#session = session;
    const running = (activeTurn?.responseParts ?? []).flatMap((part) =>
      part.kind === 'toolCall' && part.toolCall.status === 'running' ? [part.toolCall] : [],
    );
    for (const { toolCallId } of running)
      if (!this.#since.has(toolCallId)) this.#since.set(toolCallId, Date.now());
    const wanted = new Set(running.flatMap((call) => terminalOf(call) ?? []));
    for (const terminal of wanted) if (!this.#texts.has(terminal)) void this.#follow(terminal);
    for (const terminal of this.#texts.keys())
      if (!wanted.has(terminal)) {
        this.#texts.delete(terminal);
        this.#link.leave(terminal);
      }
  }

  of(call: ToolCallState): { readonly output: string; readonly since: number } {
    const terminal = terminalOf(call);
    const output = terminal === undefined ? this.#subagentOf(call) : (this.#texts.get(terminal) ?? '');
    return { output, since: this.#since.get(call.toolCallId) ?? Date.now() };
  }

  async #follow(terminal: URI): Promise<void> {
    this.#texts.set(terminal, '');
    const keep = (state: TerminalState) => {
      if (!this.#texts.has(terminal)) return;
      this.#texts.set(terminal, textOf(state));
      this.#changed();
    };
    await this.#link.follow('terminal', terminal, keep).then(keep, () => {});
  }

  #subagentOf(call: ToolCallState): string {
    if (call.status !== 'running') return '';
    const content = (call.content ?? []).find(({ type }) => type === 'subagent');
    if (content?.type !== 'subagent') return '';
    const chat = this.#session?.chats.find(({ resource }) => resource === content.resource);
    return [content.title, chat?.activity].filter((text) => text !== undefined && text !== '').join(' · ');
  }
}

function terminalOf(call: ToolCallState): URI | undefined {
  if (call.status !== 'running') return undefined;
  const content = (call.content ?? []).find(({ type }) => type === 'terminal');
  return content?.type === 'terminal' ? content.resource : undefined;
}

/** Programs colour their output and redraw lines; here only the last text of each line counts. */
function textOf({ content }: TerminalState): string {
  const text = content
    .map((part) => (part.type === 'command' ? part.output : part.value))
    .join('')
    .slice(-keptLetters);
  return withoutSequences(text)
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf('\r', line.length - 2) + 1).replace('\r', ''))
    .join('\n');
}

/* oxlint-disable no-control-regex -- that is what programs write to terminals */
function withoutSequences(text: string): string {
  return text.replaceAll(
    /\u001b(?:\[[\d;:?<>=]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g,
    '',
  );
}
/* oxlint-enable no-control-regex */
