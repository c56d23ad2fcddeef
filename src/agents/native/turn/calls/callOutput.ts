// The output of a tool call: what is shown while it runs, and what of a long result the model gets.
import type { TurnContext } from '../../../../host/agent.ts';
import type { Content, ToolResult } from '../../../../model/event.ts';
import { clipMiddle } from '../../tools/clip.ts';
import type { ShownLimits } from '../../tools/clip.ts';
import type { ToolContext } from '../../tools/tool.ts';

/** How many characters of its output a running call shows; the result has all of it. */
const liveLimit = 200_000;

/** Reports the output of a running call up to a limit. */
export function liveOutput(tool: string, turn: Pick<TurnContext, 'report'>): (text: string) => void {
  let shown = 0;
  return (text) => {
    const room = liveLimit - shown;
    shown += text.length;
    if (room <= 0 || text === '') return;
    const more = text.length > room ? '\n[OUTPUT TRUNCATED] The command says more than is shown here.\n' : '';
    turn.report({ kind: 'tool.output', tool, output: { append: text.slice(0, room) + more } });
  };
}

export interface ShortenOptions {
  readonly tool: string;
  readonly turn: TurnContext;
  readonly limits: ShownLimits;
  readonly requestName: ToolContext['requestName'];
}

/** The model gets both ends of a long output, and the path of a file with all of it. */
export async function shortenResult(result: ToolResult, options: ShortenOptions): Promise<ToolResult> {
  if (result.status === 'denied') return result;
  const content = await Promise.all(result.content.map((each, at) => shortenContent(each, at, options)));
  return { ...result, content };
}

async function shortenContent(
  content: Content,
  at: number,
  { tool, turn, limits, requestName }: ShortenOptions,
): Promise<Content> {
  if (content.type !== 'text' || clipMiddle(content.text, limits) === undefined) return content;
  const path = await turn.log.saveOutput(`${tool}/${at}`, content.text);
  const hint =
    path === undefined
      ? ''
      : ` All of it is in ${path}; read parts of it with ${requestName('read_file')} or ` +
        `${requestName('grep')}.`;
  return { ...content, text: clipMiddle(content.text, limits, hint) ?? content.text };
}
