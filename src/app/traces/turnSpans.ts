// The spans of one ended turn, as OpenTelemetry's collectors read them (OTLP in JSON). Kinds, times and
// counts only: no text, name, path, command or key. Ids are hashes, because clients choose some of them.
import { createHash } from 'node:crypto';
import type { EndedTurn, ToolItem } from '../../model/state.ts';

export interface TraceSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: 'turn' | 'tool';
  /** An internal operation. */
  readonly kind: 1;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code: 0 | 1 | 2 };
}

type Attribute = {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string };
};

export function turnSpans(session: string, turn: EndedTurn): readonly TraceSpan[] {
  const traceId = hashOf(32, session, turn.id);
  const spanId = hashOf(16, session, turn.id);
  const tools = turn.items.filter((item) => item.type === 'tool');
  const texts = turn.items.filter((item) => item.type === 'text');
  const { outcome, usage } = turn;
  const whole: TraceSpan = {
    traceId,
    spanId,
    name: 'turn',
    kind: 1,
    startTimeUnixNano: nanoseconds(turn.startedAt),
    endTimeUnixNano: nanoseconds(turn.endedAt),
    attributes: [
      word('parley.session', hashOf(16, session)),
      word('parley.turn.outcome', outcome.kind),
      number('parley.turn.items', turn.items.length),
      number('parley.turn.tools', tools.length),
      number(
        'parley.turn.characters',
        texts.reduce((sum, { text }) => sum + text.length, 0),
      ),
      ...(usage?.input === undefined ? [] : [number('parley.turn.input_tokens', usage.input)]),
      ...(usage?.output === undefined ? [] : [number('parley.turn.output_tokens', usage.output)]),
    ],
    status: { code: outcome.kind === 'failed' ? failed : succeeded },
  };
  return [whole, ...tools.map((tool) => toolSpan(tool, { session, traceId, parent: spanId, turn }))];
}

interface SpanPlace {
  readonly session: string;
  readonly traceId: string;
  readonly parent: string;
  readonly turn: EndedTurn;
}

function toolSpan(tool: ToolItem, { session, traceId, parent, turn }: SpanPlace): TraceSpan {
  const isFailed = tool.result?.status === 'failed';
  const waited = tool.runningAt === undefined ? undefined : tool.runningAt - tool.at;
  return {
    traceId,
    spanId: hashOf(16, session, turn.id, tool.id),
    parentSpanId: parent,
    name: 'tool',
    kind: 1,
    startTimeUnixNano: nanoseconds(tool.at),
    endTimeUnixNano: nanoseconds(tool.endedAt ?? turn.endedAt),
    attributes: [
      word('parley.tool.kind', tool.toolKind),
      word('parley.tool.status', tool.result?.status ?? tool.status),
      ...(waited === undefined ? [] : [number('parley.tool.wait_ms', waited)]),
      number('parley.tool.output_characters', tool.output.length),
    ],
    status: { code: isFailed ? failed : succeeded },
  };
}

const succeeded = 1;
const failed = 2;

function word(key: string, stringValue: string): Attribute {
  return { key, value: { stringValue } };
}

function number(key: string, value: number): Attribute {
  return { key, value: { intValue: String(Math.round(value)) } };
}

function nanoseconds(milliseconds: number): string {
  return String(BigInt(Math.round(milliseconds)) * 1_000_000n);
}

function hashOf(digits: number, ...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, digits);
}
