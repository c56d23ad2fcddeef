// Held against recordings of the real server: what its clients sent must be understood, and what we say must
// have the shape of what it said.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { ZodType } from 'zod';
import { notifications, read, requests } from '../../protocols/eca/schema.ts';

const recordings = fileURLToPath(new URL('../../../../shared/conformance/eca/recordings/', import.meta.url));
const cases = fileURLToPath(new URL('cases/', import.meta.url));

interface Recorded {
  readonly dir: string;
  readonly m: { readonly method?: string; readonly params?: Params };
}

type Params = { readonly [key: string]: unknown };

const recorded = existsSync(recordings)
  ? readdirSync(recordings).flatMap((name) =>
      readFileSync(recordings + name, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Recorded),
    )
  : [];

test('the recordings are there', () => expect(recorded.length).toBeGreaterThan(1_000));

test('everything that clients sent under a method we serve can be read', () => {
  const schemas = new Map<string, ZodType>([...Object.entries(requests), ...Object.entries(notifications)]);
  const sent = recorded.filter(
    ({ dir, m }) => dir === 'c>s' && m.method !== undefined && schemas.has(m.method),
  );
  const problems = sent.flatMap(({ m }) => {
    const schema = schemas.get(m.method ?? '');
    const given = schema && read(schema, m.params);
    return given && 'problem' in given ? [`${m.method}: ${given.problem}`] : [];
  });
  expect(sent.length).toBeGreaterThan(60);
  expect(problems).toEqual([]);
});

/** Members that the real server sends and we cannot know or do not have. */
const left: { readonly [kind: string]: readonly string[] } = {
  'content usage': ['lastMessageCost', 'sessionCost', 'contextBreakdown', 'autoCompactPercentage'],
  'details shellCommand command': ['remembered'],
};

describe('what we say has every member that the real server always sent', () => {
  const theirs = shapes(
    recorded.filter(({ dir, m }) => dir === 's>c' && m.method !== undefined).map(({ m }) => m),
  );
  const ours = shapes(
    readdirSync(cases)
      .flatMap((name) =>
        readFileSync(cases + name, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as { wire?: string; params?: Params }),
      )
      .flatMap(({ wire, params }) =>
        wire === undefined || params === undefined ? [] : [{ method: wire, params }],
      ),
  );

  test('there is much to compare', () =>
    expect([...ours.keys()].filter((kind) => theirs.has(kind)).length).toBeGreaterThan(20));

  test.each([...ours.keys()].filter((kind) => theirs.has(kind)))('%s', (kind) => {
    const always = [...(theirs.get(kind)?.always ?? [])]
      .filter((key) => !left[kind]?.includes(key))
      .toSorted();
    const missing = always.filter((key) => !ours.get(kind)?.always.has(key));
    expect(missing).toEqual([]);
  });

  test.each([...ours.keys()].filter((kind) => theirs.has(kind)))(
    '%s has no member of another name',
    (kind) => {
      expect([...(ours.get(kind)?.ever ?? [])].filter((key) => !theirs.get(kind)?.ever.has(key))).toEqual([]);
    },
  );
});

interface Shape {
  always: Set<string>;
  readonly ever: Set<string>;
}

/** For every kind of object in these messages, the members it always has and those it ever has. */
function shapes(
  messages: readonly { readonly method?: string; readonly params?: Params }[],
): Map<string, Shape> {
  const found = new Map<string, Shape>();
  const note = (kind: string, value: unknown) => {
    if (typeof value !== 'object' || value === null) return;
    const keys = Object.keys(value);
    const known = found.get(kind);
    if (!known) found.set(kind, { always: new Set(keys), ever: new Set(keys) });
    else {
      known.always = new Set([...known.always].filter((key) => keys.includes(key)));
      for (const key of keys) known.ever.add(key);
    }
  };
  for (const { method = '', params = {} } of messages) {
    const content = params['content'] as
      | {
          type?: string;
          role?: string;
          details?: { type?: string; commands?: unknown[]; tasks?: unknown[] } | null;
        }
      | undefined;
    if (method !== 'chat/contentReceived') note(method, params);
    if (!content) continue;
    // The task list alone comes as a call without an id.
    const which =
      content.type === 'text'
        ? ` of ${String(params['role'])}`
        : content.type === 'toolCalled' && !('id' in content)
          ? ' of tasks'
          : '';
    note(`content ${content.type}${which}`, content);
    if (!content.details) continue;
    note(`details ${content.details.type}`, content.details);
    for (const command of content.details.commands ?? [])
      note(`details ${content.details.type} command`, command);
    for (const task of content.details.tasks ?? []) note(`details ${content.details.type} task`, task);
  }
  return found;
}
