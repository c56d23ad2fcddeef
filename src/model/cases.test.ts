import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isRejection } from './command.ts';
import type { Command } from './command.ts';
import { decide } from './decide.ts';
import { reduce } from './reduce.ts';
import { emptyState } from './state.ts';
import type { State } from './state.ts';

/** The steps a case may name under `given`. */
const steps: { readonly [name: string]: Command } = {
  session: { kind: 'createSession', session: 's', agent: 'a', roots: ['/w'] },
  turn: { kind: 'startTurn', chat: 's', turn: 't1', message: { id: 'm1', text: 'hi' } },
  completed: { kind: 'endTurn', chat: 's', turn: 't1', outcome: { kind: 'completed' }, next: 'unused' },
  queued: {
    kind: 'queueMessage',
    chat: 's',
    lane: 'queue',
    message: { id: 'q1', text: 'queued' },
    turn: 'unused',
  },
  steering: {
    kind: 'queueMessage',
    chat: 's',
    lane: 'steer',
    message: { id: 'st1', text: 'steer' },
    turn: 'unused',
  },
  helper: { kind: 'createChat', chat: 'h', origin: { type: 'tool', chat: 's', tool: 'c1' } },
  helperTurn: { kind: 'startTurn', chat: 'h', turn: 'h1', message: { id: 'm2', text: 'help' } },
  helperSteering: {
    kind: 'queueMessage',
    chat: 'h',
    lane: 'steer',
    message: { id: 'st2', text: 'faster' },
    turn: 'unused',
  },
  tool: {
    kind: 'report',
    chat: 's',
    turn: 't1',
    report: {
      kind: 'tool.started',
      tool: 'c1',
      name: 'shell_command',
      title: 'ls',
      toolKind: 'execute',
      source: 'native',
    },
  },
  ended: {
    kind: 'report',
    chat: 's',
    turn: 't1',
    report: { kind: 'tool.ended', tool: 'c1', result: { status: 'done', content: [] } },
  },
  asked: {
    kind: 'openAsk',
    chat: 's',
    turn: 't1',
    ask: {
      kind: 'approval',
      id: 'a1',
      tool: 'c1',
      title: 'ls?',
      editable: true,
      options: [
        { id: 'y', label: 'Yes', effect: 'allow' },
        { id: 's', label: 'Session', effect: 'allow-session' },
        { id: 'n', label: 'No', effect: 'deny' },
      ],
    },
  },
  running: {
    kind: 'report',
    chat: 's',
    turn: 't1',
    report: { kind: 'tool.running', tool: 'c1', basis: { how: 'agent' } },
  },
  words: {
    kind: 'report',
    chat: 's',
    turn: 't1',
    report: {
      kind: 'tool.ready',
      tool: 'c1',
      input: { command: ['git', 'status'] },
      title: 'git status',
      toolKind: 'execute',
    },
  },
  askedAboutWords: {
    kind: 'openAsk',
    chat: 's',
    turn: 't1',
    ask: {
      kind: 'approval',
      id: 'a1',
      tool: 'c1',
      title: '?',
      options: [{ id: 's', label: 'Session', effect: 'allow-session' }],
    },
  },
  answered: { kind: 'answer', chat: 's', ask: 'a1', answer: { kind: 'option', option: 'y' } },
  question: {
    kind: 'openAsk',
    chat: 's',
    turn: 't1',
    ask: {
      kind: 'question',
      id: 'q1',
      message: '?',
      questions: [{ id: 'colour', message: '?', required: true, answer: { type: 'text' } }],
    },
  },
};

/** A tool call is asked about with its arguments known. */
const ready: Command = {
  kind: 'report',
  chat: 's',
  turn: 't1',
  report: { kind: 'tool.ready', tool: 'c1', input: { command: 'ls' }, title: 'ls', toolKind: 'execute' },
};

interface Case {
  readonly name: string;
  readonly given: readonly string[];
  readonly when: Command;
  readonly then: string | readonly unknown[];
}

function apply(state: State, command: Command): State {
  const events = decide(state, command);
  if (isRejection(events)) throw new Error(`${command.kind}: ${events.message}`);
  return events.reduce(
    (old, event) =>
      reduce(old, { seq: old.seq + 1, pos: old.pos + 1, at: 1000, by: { kind: 'host' }, event }),
    state,
  );
}

const folder = join(import.meta.dirname, 'cases');
for (const file of readdirSync(folder)) {
  const cases = JSON.parse(readFileSync(join(folder, file), 'utf8')) as readonly Case[];
  test.each(cases.map((one) => [one.name, one] as const))(`${file}: %s`, (_, { given, when, then }) => {
    const commands = given.flatMap((name) => (name === 'asked' ? [ready, steps[name]] : [steps[name]]));
    const state = commands.reduce<State>((old, command) => apply(old, command as Command), emptyState('s'));
    const decision = decide(state, when);
    expect(isRejection(decision) ? decision.rejected : decision).toEqual(then);
  });
}
