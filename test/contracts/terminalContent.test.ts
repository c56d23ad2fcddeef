// What the host remembers of a terminal is what a client of the Agent Host Protocol makes of the same events.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TerminalContent } from '../../src/host/terminals/terminalContent.ts';
import type { TerminalPart } from '../../src/host/terminals/terminalContent.ts';
import { appendOutput, beginCommand, finishCommand } from '../../src/protocols/ahp/terminalContent.ts';
import type { TerminalContentPart } from '../../src/protocols/ahp/terminalContent.ts';

type Step =
  | { readonly type: 'data'; readonly text: string }
  | { readonly type: 'begin'; readonly id: string; readonly commandLine: string }
  | { readonly type: 'finish'; readonly id: string; readonly exitCode: number | undefined }
  | { readonly type: 'clear' };

const id = fc.constantFrom('a', 'b', 'c');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant('data'), text: fc.string({ minLength: 1, maxLength: 20 }) }),
  fc.record({
    type: fc.constant('finish'),
    id,
    exitCode: fc.option(fc.nat({ max: 255 }), { nil: undefined }),
  }),
  fc.constant({ type: 'clear' } as const),
);

test('content of the host and of a client are the same', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(step, fc.constant('begin' as const)), { maxLength: 30 }), (steps) => {
      const content = new TerminalContent();
      let client: readonly TerminalContentPart[] = [];
      const fresh = ['a', 'b', 'c'];
      for (const each of steps) {
        const next: Step =
          each === 'begin' ? { type: 'begin', id: fresh.shift() ?? 'z', commandLine: 'x' } : each;
        if (next.type === 'begin' && next.id === 'z') continue;
        tell(content, next);
        client = fold(client, next);
      }
      expect(content.parts.map(shown)).toEqual(client);
    }),
  );
});

function tell(content: TerminalContent, next: Step): void {
  switch (next.type) {
    case 'data':
      return content.append(next.text);
    case 'begin':
      return content.begin({ ...next, startedAt: 1 });
    case 'finish':
      return content.finish(next.id, { exitCode: next.exitCode, durationMs: 2 });
    case 'clear':
      return content.clear();
    default:
      return next satisfies never;
  }
}

function fold(content: readonly TerminalContentPart[], next: Step): readonly TerminalContentPart[] {
  switch (next.type) {
    case 'data':
      return appendOutput(content, next.text);
    case 'begin':
      return beginCommand(content, { commandId: next.id, commandLine: next.commandLine, timestamp: 1 });
    case 'finish':
      return finishCommand(content, {
        commandId: next.id,
        durationMs: 2,
        ...(next.exitCode === undefined ? {} : { exitCode: next.exitCode }),
      });
    case 'clear':
      return [];
    default:
      return next satisfies never;
  }
}

function shown(part: TerminalPart): TerminalContentPart {
  if (part.type === 'plain') return { type: 'unclassified', value: part.text };
  const { id: commandId, commandLine, output, startedAt: timestamp, finished } = part;
  const begun = { type: 'command', commandId, commandLine, output, timestamp } as const;
  if (!finished) return { ...begun, isComplete: false };
  return {
    ...begun,
    isComplete: true,
    durationMs: finished.durationMs,
    ...(finished.exitCode === undefined ? {} : { exitCode: finished.exitCode }),
  };
}
