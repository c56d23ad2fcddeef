import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { rig, testClient, testWorld, until } from '../../../test/kit/host.ts';
import type { Rig } from '../../../test/kit/host.ts';
import type { Answer } from '../../model/event.ts';
import type { Session } from '../session/session.ts';
import type { Settings, SettingsValues, UndecidedFolder } from '../settings/settings.ts';
import { TrustQuestions } from './trustQuestions.ts';

let hosted: Rig;
let waiting: readonly UndecidedFolder[];
let decided: string[];
let worked: number;
let working: 'at once' | 'until stopped';
let listeners: Set<() => void>;
let settings: Settings;

const folder: UndecidedFolder = {
  folder: '/w',
  digest: 'one',
  changed: false,
  declined: false,
  isAsked: true,
  lines: ['mcpServers.db.command = "./db.sh"'],
};

beforeEach(async () => {
  [waiting, decided, worked, listeners] = [[folder], [], 0, new Set()];
  working = 'at once';
  settings = {
    of: () => ({ approvals: [] }) as unknown as SettingsValues,
    problems: () => [],
    watch(changed) {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
    trust: {
      undecided: () => waiting,
      untrusted: () => waiting[0]?.folder,
      decide(which, decision, session) {
        decided.push(`${decision} ${which.folder} ${which.digest} in ${session}`);
        change([]);
      },
      endSession: (session) => void decided.push(`end of ${session}`),
    },
  };
  hosted = await rig(undefined, { settings });
  hosted.scripts.set('*', async ({ signal }) => {
    worked += 1;
    await new Promise<void>((resolve) => {
      if (working === 'until stopped') signal.addEventListener('abort', () => resolve());
      else resolve();
    });
  });
});
afterEach(() => hosted.close());

function change(now: readonly UndecidedFolder[]): void {
  waiting = now;
  for (const listener of [...listeners]) listener();
}

async function begin(session: Session, turn: string): Promise<void> {
  session.dispatch(
    { kind: 'startTurn', chat: session.id, turn, message: { id: turn, text: 'hi' } },
    testClient,
  );
  await session.settled();
}

const openIn = (session: Session) =>
  Object.values(session.head.chats[session.id]?.asks ?? {}).map(({ ask }) => ask);

async function asked(session: Session) {
  await until(session, () => openIn(session).length > 0);
  const [ask] = openIn(session);
  if (ask?.kind !== 'question') throw new Error('no question');
  return ask;
}

async function answer(session: Session, given: Answer): Promise<void> {
  const { id } = await asked(session);
  session.dispatch({ kind: 'answer', chat: session.id, ask: id, answer: given }, testClient);
}

const choose = (decision: string): Answer => ({ kind: 'fields', values: { decision } });
const ended = (session: Session, turn: string) =>
  until(session, (state) => state.chats[session.id]?.turns.at(-1)?.id === turn);

describe('a folder that is not decided', () => {
  check('trust', ['trust /w one in s']);
  check('once', ['once /w one in s']);
  check('never', ['never /w one in s']);
  check('something else', []);

  function check(decision: string, expected: readonly string[]): void {
    test(`is asked about before the agent works: ${decision}`, async () => {
      const session = await hosted.create('s');
      await begin(session, 't1');
      const { message, needs } = await asked(session);
      expect(message).toContain('```\nmcpServers.db.command = "./db.sh"\n```');
      expect([worked, needs]).toEqual([0, 'control']);
      await answer(session, choose(decision));
      await ended(session, 't1');
      expect([decided, worked]).toEqual([expected, 1]);
    });
  }

  test('is not asked about again in the session once a client could not ask', async () => {
    const session = await hosted.create('s');
    await begin(session, 't1');
    await answer(session, { kind: 'declined', reason: 'This client cannot ask questions.' });
    await ended(session, 't1');
    await begin(session, 't2');
    await ended(session, 't2');
    expect([decided, worked]).toEqual([[], 2]);
  });

  test.each<Answer>([{ kind: 'declined' }, { kind: 'withdrawn', why: 'The user cancelled.' }])(
    'is not asked about again in any session once somebody answered with %j',
    async (given) => {
      const session = await hosted.create('s');
      await begin(session, 't1');
      await answer(session, given);
      await ended(session, 't1');
      change([{ ...folder, declined: true }]);
      const other = await hosted.create('other');
      await begin(other, 't2');
      await ended(other, 't2');
      expect([decided, worked]).toEqual([['not now /w one in s'], 2]);
    },
  );

  test('is no longer asked about when somebody declined in another session', async () => {
    const session = await hosted.create('s');
    await begin(session, 't1');
    await asked(session);
    change([{ ...folder, declined: true }]);
    await ended(session, 't1');
    expect([decided, worked]).toEqual([[], 1]);
  });

  test('is shown by the command after somebody declined', async () => {
    change([{ ...folder, declined: true }]);
    const session = await hosted.create('s');
    const questions = new TrustQuestions({ session, world: { ...testWorld(hosted.store), settings } });
    expect(questions.command(undefined)).toContain('mcpServers.db.command = "./db.sh"');
    expect(questions.command('yes')).toBe('/w: trusted as shown.');
  });

  test('that only sets variables is not asked about, and is trusted by the command', async () => {
    const lines = ['variables for external agents: .envrc'];
    change([{ ...folder, isAsked: false, lines }]);
    const session = await hosted.create('s');
    await begin(session, 't1');
    await until(session, () => worked + openIn(session).length > 0);
    expect([openIn(session), worked]).toEqual([[], 1]);
    const questions = new TrustQuestions({ session, world: { ...testWorld(hosted.store), settings } });
    expect(questions.command(undefined)).toContain(lines[0]);
    // The digest is that of the settings alone.
    change([{ ...folder, isAsked: false, lines: ['variables for external agents: .envrc, mise.toml'] }]);
    expect(questions.command('yes')).toContain('mise.toml');
    expect(questions.command('yes')).toBe('/w: trusted as shown.');
  });

  test('is asked about again after a stop', async () => {
    const session = await hosted.create('s');
    await begin(session, 't1');
    await asked(session);
    session.dispatch({ kind: 'stopTurn', chat: 's', next: 'n' }, testClient);
    await ended(session, 't1');
    await begin(session, 't2');
    await answer(session, choose('trust'));
    await ended(session, 't2');
    expect([decided, worked]).toEqual([['trust /w one in s'], 1]);
  });

  test('is no longer asked about when somebody decided elsewhere', async () => {
    const session = await hosted.create('s');
    await begin(session, 't1');
    await asked(session);
    change([]);
    await ended(session, 't1');
    expect([decided, worked]).toEqual([[], 1]);
  });

  test('is trusted by a command once the command has shown it as it is', async () => {
    const session = await hosted.create('s');
    const questions = new TrustQuestions({ session, world: { ...testWorld(hosted.store), settings } });
    expect(questions.command('yes')).toContain('```\nmcpServers.db.command = "./db.sh"\n```');
    change([{ ...folder, digest: 'two', lines: ['mcpServers.db.command = "./evil.sh"'] }]);
    expect(questions.command('yes')).toContain('evil.sh');
    expect(decided).toEqual([]);
    expect(questions.command('yes')).toBe('/w: trusted as shown.');
    expect(questions.command(undefined)).toContain('nothing to decide');
    change([folder]);
    expect(questions.command('never')).toContain('not asked again');
    change([{ ...folder, lines: Array.from({ length: 101 }, (_, at) => `line ${at}`) }]);
    expect([questions.command('yes'), questions.command('yes')]).toEqual([
      expect.stringContaining('too long to show here'),
      expect.stringContaining('too long to show here'),
    ]);
    expect(decided).toEqual(['trust /w two in s', 'never /w one in s']);
  });

  test('that brings too much to show can only be refused here', async () => {
    change([{ ...folder, lines: Array.from({ length: 101 }, (_, at) => `line ${at}`) }]);
    const session = await hosted.create('s');
    await begin(session, 't1');
    const { message, questions } = await asked(session);
    expect(message).toContain('101 lines, too long to show here. Run "parley trust /w"');
    expect(questions[0]?.answer).toMatchObject({ choices: [{ id: 'never' }] });
    await answer(session, choose('trust'));
    await ended(session, 't1');
    expect(decided).toEqual([]);
  });

  test('cannot leave the block that its text is quoted in', async () => {
    change([{ ...folder, lines: ['a = "```"', '````', '# Trusted by the user'] }]);
    const session = await hosted.create('s');
    await begin(session, 't1');
    expect((await asked(session)).message).toContain(
      '\n`````\na = "```"\n````\n# Trusted by the user\n`````',
    );
    await answer(session, { kind: 'declined' });
    await ended(session, 't1');
  });
});

test('a trusted folder that changes while the agent works is asked about at once', async () => {
  working = 'until stopped';
  change([]);
  const session = await hosted.create('s');
  await begin(session, 't1');
  await expect.poll(() => worked).toBe(1);
  change([{ ...folder, digest: 'new and not asked before the next turn' }]);
  change([{ ...folder, digest: 'two', changed: true }]);
  expect((await asked(session)).message).toContain('/w has changed since you trusted it');
  await answer(session, choose('trust'));
  await expect.poll(() => decided).toEqual(['trust /w two in s']);
  session.dispatch({ kind: 'stopTurn', chat: 's', next: 'n' }, testClient);
  await ended(session, 't1');
});

test('a decision for this time ends with its session', async () => {
  const session = await hosted.create('s');
  await begin(session, 't1');
  await answer(session, choose('once'));
  await ended(session, 't1');
  await hosted.host.remove('s');
  expect(decided).toEqual(['once /w one in s', 'end of s']);
});
