// Decides whether a report of an agent on its running turn is accepted. Late, repeated and
// impossible reports are refused.
import { present } from '../base/present.ts';
import { reject } from './command.ts';
import type { Command, Rejection } from './command.ts';
import type { Decision } from './decide.ts';
import type { Event } from './event.ts';
import { findItem, findTool } from './state.ts';
import type { Chat, Turn } from './state.ts';
import { nextStatus } from './toolCall.ts';
import type { ToolStep } from './toolCall.ts';

type Of<K extends Command['kind']> = Extract<Command, { readonly kind: K }>;

export function decideReport(chat: Chat, { turn, report }: Of<'report'>): Decision {
  const { active } = chat;
  if (active?.id !== turn) return reject('no-turn', 'That turn is no longer running.');
  if (report.kind === 'text.added') return decideText(active, report, chat.id);
  const event = { ...report, chat: chat.id, turn } as Event;
  const isDecided = report.kind === 'tool.running' || report.kind === 'tool.ended';
  const withdrawal = isDecided ? withdrawnAsk(chat, report.tool) : undefined;
  if (withdrawal) return [withdrawal, event];
  return refuseReport(active, report) ?? (saysNothingNew(active, event) ? [] : [event]);
}

type Report = Of<'report'>['report'];

/** Why the report is not accepted; undefined if it is. */
function refuseReport(
  active: Turn,
  report: Exclude<Report, { readonly kind: 'text.added' }>,
): Rejection | undefined {
  switch (report.kind) {
    case 'tool.started':
      return findItem(active, report.tool)
        ? reject('already-exists', `Tool call ${report.tool} was already started.`)
        : undefined;
    case 'image.added':
      return findItem(active, report.item)
        ? reject('already-exists', `Item ${report.item} already exists.`)
        : undefined;
    case 'tool.running':
    case 'tool.ended':
    case 'tool.input':
    case 'tool.ready':
    case 'tool.output':
      return refuseStep(active, report.tool, report.kind);
    case 'tool.held':
      return refuseHold(active, report.tool);
    case 'plan.set':
    case 'notice.added':
    case 'usage.reported':
      return undefined;
    default:
      return report satisfies never;
  }
}

/** A host rule allows or denies a tool call without asking a user. */
export function decideTool(chat: Chat, command: Of<'allowTool'> | Of<'denyTool'>): Decision {
  const { active } = chat;
  if (active?.id !== command.turn) return reject('no-turn', 'That turn is no longer running.');
  const place = { chat: chat.id, turn: active.id, tool: command.tool };
  if (command.kind === 'allowTool') {
    const event: Event = {
      kind: 'tool.running',
      ...place,
      basis: { how: 'rule', rule: command.rule },
      ...present({ sandbox: command.sandbox }),
    };
    return refuseStep(active, command.tool, 'tool.running') ?? (saysNothingNew(active, event) ? [] : [event]);
  }
  const { reason, rule, hook } = command;
  const result = { status: 'denied', reason, rule, ...(hook === undefined ? {} : { hook }) } as const;
  return refuseStep(active, command.tool, 'tool.ended') ?? [{ kind: 'tool.ended', ...place, result }];
}

/** An agent that continues without waiting for the answer has withdrawn its question. */
function withdrawnAsk(chat: Chat, tool: string): Event | undefined {
  const open = Object.values(chat.asks).find(({ ask }) => ask.kind === 'approval' && ask.tool === tool);
  return (
    open && {
      kind: 'ask.answered',
      chat: chat.id,
      turn: open.turn,
      ask: open.ask.id,
      answer: { kind: 'withdrawn', why: 'The agent continued without an answer.' },
    }
  );
}

/** The most frequent report is copied field by field, which is several times cheaper than a spread. */
function decideText(
  active: Turn,
  { kind, item, channel, text, sources, meta }: Extract<Of<'report'>['report'], { kind: 'text.added' }>,
  chat: string,
): Decision {
  const known = findItem(active, item);
  if (known && (known.type !== 'text' || known.channel !== channel))
    return reject('invalid', `Item ${item} is not ${channel} text.`);
  const event = { kind, chat, turn: active.id, item, channel, text };
  if (sources === undefined && meta === undefined) return [event];
  return [{ ...event, ...present({ sources, meta }) }];
}

function refuseStep(active: Turn, id: string, kind: ToolStep): Rejection | undefined {
  const tool = findTool(active, id);
  if (!tool) return reject('unknown-tool', `There is no tool call ${id} in this turn.`);
  if (tool.held && kind !== 'tool.ended')
    return reject('wrong-state', 'The result of this tool call waits for approval.');
  return nextStatus(tool.status, kind)
    ? undefined
    : reject('wrong-state', `The tool call is ${tool.status}.`);
}

/**
 * True for a report of what the call is already. A call that waited while its host was restarted is made
 * again, and agents repeat themselves; clients need not hear it twice.
 */
function saysNothingNew(active: Turn, event: Event): boolean {
  if (event.kind !== 'tool.ready' && event.kind !== 'tool.running') return false;
  const tool = findTool(active, event.tool);
  if (!tool || (event.kind === 'tool.running' ? tool.status !== 'running' : tool.input === undefined))
    return false;
  const { kind: _, chat: _chat, turn: _turn, tool: _tool, ...facts } = event;
  return Object.entries(facts).every(
    ([name, value]) =>
      value === undefined || JSON.stringify(value) === JSON.stringify(Reflect.get(tool, name)),
  );
}

/** Only the result of a client's tool can wait for approval. */
function refuseHold(active: Turn, id: string): Rejection | undefined {
  const tool = findTool(active, id);
  return tool && tool.source !== 'client'
    ? reject('invalid', 'Only the result of a client tool can wait for approval.')
    : refuseStep(active, id, 'tool.held');
}
