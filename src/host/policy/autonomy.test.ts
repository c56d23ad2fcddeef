// The permission modes: what each lets run unasked, what is stored about it, and which a session may have.
import { afterEach, describe, expect, test } from 'vitest';
import { MemoryStore } from '../../../test/kit/memoryStore.ts';
import { testClient, testWorld } from '../../../test/kit/host.ts';
import { autonomyLevels } from '../../model/event.ts';
import type { Autonomy, Origin, Rule } from '../../model/event.ts';
import type { Verdict } from '../agent.ts';
import { Host } from '../host.ts';
import type { SandboxStatus } from '../ports.ts';
import type { Session } from '../session/session.ts';
import { sessionCommands } from '../turns/sessionCommands.ts';
import { autonomyRefusal } from '../settings/autonomy.ts';
import type { Settings } from '../settings/settings.ts';
import type { Programs } from '../terminals/programs.ts';
import { judge } from './policy.ts';
import type { ToolIntent } from './toolRequest.ts';

const edit: ToolIntent = {
  name: 'write_file',
  toolKind: 'edit',
  input: {},
  paths: ['/w/app/x'],
};
const foreign: ToolIntent = {
  ...edit,
  name: 'shell_command',
  toolKind: 'execute',
  paths: ['/w/app'],
  command: 'a | b > "$(c)"',
};
const command: ToolIntent = { ...foreign, sandbox: {} };

interface Case {
  readonly name: string;
  readonly request: ToolIntent;
  /** What plan, ask, edits, auto and full say. */
  readonly effects: readonly string[];
  readonly rules?: readonly Rule[];
}

const deny: Rule = { id: 'd', effect: 'deny', tool: '*' };
const ask: Rule = { id: 'a', effect: 'ask', tool: 'shell_command' };

describe('the modes', () => {
  test.each<Case>([
    { name: 'an edit', request: edit, effects: ['deny', 'ask', 'allow', 'allow', 'allow'] },
    {
      name: 'reading',
      request: { ...edit, toolKind: 'read' },
      effects: ['allow', 'allow', 'allow', 'allow', 'allow'],
    },
    {
      name: 'an edit outside',
      request: { ...edit, paths: ['/etc/x'] },
      effects: ['deny', 'ask', 'ask', 'ask', 'allow'],
    },
    {
      name: 'an edit of a protected file',
      request: { ...edit, paths: ['/w/app/.git/config'] },
      effects: ['deny', 'ask', 'ask', 'ask', 'allow'],
    },
    {
      name: 'an edit of a file of secrets',
      request: { ...edit, paths: ['/w/app/.env'] },
      effects: ['deny', 'ask', 'ask', 'ask', 'allow'],
    },
    {
      name: 'a command that nobody can read',
      request: command,
      effects: ['deny', 'ask', 'ask', 'allow', 'allow'],
    },
    {
      name: 'a command that we do not run',
      request: foreign,
      effects: ['deny', 'ask', 'ask', 'ask', 'allow'],
    },
    {
      name: 'a command in another folder',
      request: { ...command, paths: ['/etc'] },
      effects: ['deny', 'ask', 'ask', 'ask', 'allow'],
    },
    {
      name: 'a command that wants out',
      request: { ...command, sandbox: { outside: 'why' } },
      effects: ['deny', 'ask', 'ask', 'ask', 'allow'],
    },
    {
      name: 'a tool of a server',
      request: { ...edit, toolKind: 'other', paths: [] },
      effects: ['ask', 'ask', 'ask', 'ask', 'allow'],
    },
    {
      name: 'what a confined agent does outside the workspace',
      request: { ...edit, paths: ['/etc/x'], sandbox: { runs: { confined: true, network: 'on' } } },
      effects: ['deny', 'ask', 'ask', 'allow', 'allow'],
    },
    {
      name: 'what a confined agent does to a file of secrets',
      request: { ...edit, paths: ['/w/app/.env'], sandbox: { runs: { confined: true, network: 'on' } } },
      effects: ['deny', 'ask', 'ask', 'ask', 'allow'],
    },
    {
      name: 'what a rule denies',
      request: command,
      rules: [deny],
      effects: ['deny', 'deny', 'deny', 'deny', 'deny'],
    },
    {
      name: 'what a rule asks about',
      request: command,
      rules: [ask],
      effects: ['deny', 'ask', 'ask', 'ask', 'ask'],
    },
  ])('$name', ({ request, effects, rules = [] }) => {
    const said = autonomyLevels.map(
      (autonomy) => judge(request, { roots: ['/w/app'], rules, autonomy }).effect,
    );
    expect(said).toEqual(effects);
  });

  test('in auto every command of ours is confined, also one that is asked about', () => {
    const context = { roots: ['/w/app'], rules: [ask], autonomy: 'auto' as const };
    expect(judge(command, context)).toMatchObject({ effect: 'ask', confined: true });
    expect(judge(command, { ...context, rules: [] })).toMatchObject({ effect: 'allow', confined: true });
  });

  test('no rule lets a command leave the sandbox, and no answer lasts', () => {
    const allow: Rule = { id: 'r', effect: 'allow', tool: 'shell_command', match: command.command ?? '' };
    const ruling = judge(
      { ...command, sandbox: { outside: 'why' } },
      { roots: ['/w/app'], rules: [allow], autonomy: 'auto' },
    );
    expect(ruling).toMatchObject({ effect: 'ask', once: true, confined: false });
  });
});

let host: Host | undefined;
afterEach(() => host?.close());

/** Programs of a machine whose sandbox is as said; nothing is started. */
const programs = (status: SandboxStatus): Programs => ({
  start: () => ({ ended: Promise.resolve({ kind: 'exited', code: 0 }), kill: () => {} }),
  sandbox: { status: () => Promise.resolve(status), known: () => status },
});
const available: SandboxStatus = { available: true, how: 'test' };
const missing: SandboxStatus = { available: false, why: 'It is missing.', cure: 'Install it.' };

/** A turn that asks for one command, and what the host said to it. */
async function started(status: SandboxStatus, settings?: Settings, canonical = (path: string) => path) {
  const verdicts: Verdict[] = [];
  let tell: (verdict: Verdict) => void = () => {};
  const verdict = new Promise<Verdict>((resolve) => (tell = resolve));
  const world = { ...testWorld(new MemoryStore()), programs: programs(status), paths: { canonical } };
  host = await Host.start(settings ? { ...world, settings } : world, [
    {
      info: { id: 'a', name: 'A', description: '', models: [] },
      open: () =>
        Promise.resolve({
          ref: 'x',
          close: () => Promise.resolve(),
          prompt: async (turn) => {
            const request = { tool: 't', title: '', intent: { ...command, paths: ['/w'] } };
            turn.report({
              kind: 'tool.started',
              tool: 't',
              name: 'x',
              title: '',
              toolKind: 'execute',
              source: 'native',
            });
            turn.report({ kind: 'tool.ready', tool: 't', input: {}, title: '', toolKind: 'execute' });
            verdicts.push(await turn.approve(request));
            verdicts.slice(0, 1).forEach(tell);
            return { kind: 'completed' };
          },
        }),
    },
  ]);
  const session = host.create({ roots: ['/w'] }, testClient);
  if ('rejected' in session) throw new Error(session.message);
  return { session, verdict, verdicts };
}

describe('a session', () => {
  test('stores who chose its mode, confines its commands, and says so in the log', async () => {
    const { session, verdict } = await started(available);
    expect(
      session.dispatch({ kind: 'changeSession', changes: { autonomy: 'auto' } }, testClient),
    ).toBeUndefined();
    expect(session.head.autonomy).toEqual({ level: 'auto', by: testClient });
    session.dispatch(
      { kind: 'startTurn', chat: session.id, turn: 'u', message: { id: 'm', text: '' } },
      testClient,
    );
    expect(await verdict).toMatchObject({
      allowed: true,
      confined: { write: ['/w'], network: 'ask', scratch: session.id },
    });
    const tool =
      session.head.chats[session.id]?.turns[0]?.items[0] ?? session.head.chats[session.id]?.active?.items[0];
    expect(tool).toMatchObject({ sandbox: { confined: true, network: 'ask' } });
  });

  test('a device with a limit chooses no more, and its turns get no more', async () => {
    const { session } = await started(available);
    const tablet = { ...testClient, device: 'Tablet', most: 'edits' } as const;
    const change = { kind: 'changeSession', changes: { autonomy: 'auto' } } as const;
    expect(session.dispatch(change, tablet)).toMatchObject({
      message:
        'The permission mode auto is not allowed from this device, which may choose at most edits. ' +
        'See parley devices.',
    });
    expect(host?.create({ roots: ['/w'], autonomy: 'full' }, tablet)).toMatchObject({ rejected: 'invalid' });
    expect(session.dispatch(change, testClient)).toBeUndefined();
    session.dispatch(
      { kind: 'startTurn', chat: session.id, turn: 'u', message: { id: 'm', text: '' } },
      tablet,
    );
    await expect.poll(() => Object.keys(session.state.chats[session.id]?.asks ?? {}).length).toBe(1);
  });

  test.each(['queue', 'steer'] as const)(
    'a message in the lane "%s" has the limit of its device',
    async (lane) => {
      const { session } = await started(available);
      const tablet = { ...testClient, device: 'Tablet', most: 'edits' } as const;
      const chat = session.id;
      const message = { id: 'later', text: '' };
      session.dispatch({ kind: 'changeSession', changes: { autonomy: 'auto' } }, testClient);
      session.dispatch({ kind: 'startTurn', chat, turn: 'u', message: { id: 'm', text: '' } }, testClient);
      session.dispatch({ kind: 'queueMessage', chat, lane, message, turn: 'q' }, tablet);
      if (lane === 'steer') session.dispatch({ kind: 'takeSteering', chat, turn: 'u' }, { kind: 'host' });
      await expect.poll(() => Object.keys(session.state.chats[chat]?.asks ?? {}).length).toBe(1);
      expect(session.head.chats[chat]?.active?.id).not.toBe(lane === 'queue' ? 'u' : 'q');
    },
  );

  test('a subagent has the limit of the device whose turn it works for', async () => {
    const { session, verdict, verdicts } = await started(available);
    const tablet = { ...testClient, device: 'Tablet', most: 'edits' } as const;
    const agent = { kind: 'agent', agent: 'a' } as const;
    const message = { id: 'm', text: '' };
    session.dispatch({ kind: 'changeSession', changes: { autonomy: 'auto' } }, testClient);
    session.dispatch({ kind: 'startTurn', chat: session.id, turn: 'u', message }, testClient);
    await verdict;
    await expect.poll(() => session.head.chats[session.id]?.active).toBeUndefined();
    session.dispatch({ kind: 'startTurn', chat: session.id, turn: 'v', message }, tablet);
    session.dispatch(
      { kind: 'createChat', chat: 'inner', origin: { type: 'tool', chat: session.id, tool: 't' } },
      agent,
    );
    session.dispatch({ kind: 'startTurn', chat: 'inner', turn: 'w', message: { id: 'n', text: '' } }, agent);
    await expect.poll(() => Object.keys(session.state.chats['inner']?.asks ?? {}).length).toBe(1);
    expect(verdicts).toHaveLength(1);
  });

  test('asks where a link has taken the place of its folder', async () => {
    let target = '/w';
    const { session, verdicts } = await started(available, undefined, (path) =>
      path === '/w' ? target : path,
    );
    session.dispatch({ kind: 'changeSession', changes: { autonomy: 'auto' } }, testClient);
    const send = (turn: string) =>
      session.dispatch(
        { kind: 'startTurn', chat: session.id, turn, message: { id: turn, text: '' } },
        testClient,
      );
    send('first');
    await expect.poll(() => verdicts).toMatchObject([{ allowed: true, confined: { write: ['/w'] } }]);
    await expect.poll(() => session.head.chats[session.id]?.active).toBeUndefined();
    target = '/home/u';
    send('second');
    await expect.poll(() => Object.keys(session.state.chats[session.id]?.asks ?? {}).length).toBe(1);
    expect(verdicts).toHaveLength(1);
  });

  test('cannot have auto without a sandbox, and is told the cure', async () => {
    const { session } = await started(missing);
    expect(
      session.dispatch({ kind: 'changeSession', changes: { autonomy: 'auto' } }, testClient),
    ).toMatchObject({
      message: 'The permission mode auto needs a sandbox. It is missing. Install it.',
    });
    expect(session.head.autonomy).toBeUndefined();
    expect(host?.create({ roots: ['/w'], autonomy: 'auto' }, testClient)).toMatchObject({
      rejected: 'invalid',
    });
  });
});

test('whose settings say auto tells why it asks where there is no sandbox, once', async () => {
  // Only what a session reads.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const settings = {
    of: () => ({ permissions: { mode: 'auto' }, approvals: [] }),
    problems: () => [],
    watch: () => () => {},
  } as unknown as Settings;
  const { session } = await started(missing, settings);
  expect(session.head.autonomy).toEqual({ level: 'auto', by: { kind: 'host' } });
  const notices = () =>
    session.head.chats[session.id]?.active?.items.filter(({ type }) => type === 'notice') ?? [];
  session.dispatch(
    { kind: 'startTurn', chat: session.id, turn: 'u', message: { id: 'm', text: '' } },
    testClient,
  );
  await expect.poll(notices).toHaveLength(1);
  expect(notices()[0]).toMatchObject({
    level: 'warning',
    text: 'The permission mode is auto, but there is no sandbox, so everything asks as in the mode ask. It is missing. Install it.',
  });
});

/** Settings whose limit a test changes. */
function limitable(values: { mode?: Autonomy; most?: Autonomy }) {
  const followers = new Set<() => void>();
  // Only what a session reads.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const settings = {
    of: () => ({ permissions: { ...values }, approvals: [] }),
    problems: () => [],
    watch: (follower: () => void) => {
      followers.add(follower);
      return () => followers.delete(follower);
    },
  } as unknown as Settings;
  const limit = (most: Autonomy) => {
    values.most = most;
    for (const follower of followers) follower();
  };
  return { settings, limit };
}

describe('a limit below the mode of a session', () => {
  const send = (session: Session, turn: string, by: Origin = testClient) =>
    session.dispatch({ kind: 'startTurn', chat: session.id, turn, message: { id: turn, text: '' } }, by);
  const notices = ({ state, id }: Session) => {
    const { turns = [], active } = state.chats[id] ?? {};
    const items = [...turns, ...(active ? [active] : [])].flatMap((turn) => turn.items);
    return items.flatMap((item) => (item.type === 'notice' ? [item.text] : []));
  };
  const device = (most: Autonomy) => ({ ...testClient, device: 'Tablet', most }) as const;

  test('lowers the mode that every client shows at once, and the next turn says why, once', async () => {
    const { settings, limit } = limitable({});
    const { session } = await started(available, settings);
    session.dispatch({ kind: 'changeSession', changes: { autonomy: 'full' } }, testClient);
    limit('auto');
    expect(session.head.autonomy).toEqual({ level: 'auto', by: { kind: 'host' } });
    for (const turn of ['u', 'v']) {
      send(session, turn);
      await expect.poll(() => session.state.chats[session.id]?.turns.at(-1)?.id).toBe(turn);
    }
    const why =
      'The permission mode full is not allowed: permissions.most of the settings is auto. ' +
      'This session is in auto now.';
    expect(notices(session)).toEqual([why]);
  });

  test('is said at once in a turn that runs', async () => {
    const { settings, limit } = limitable({});
    const { session } = await started(available, settings);
    session.dispatch({ kind: 'changeSession', changes: { autonomy: 'edits' } }, testClient);
    send(session, 'u');
    await expect.poll(() => Object.keys(session.state.chats[session.id]?.asks ?? {}).length).toBe(1);
    limit('ask');
    await session.settled();
    expect(session.head.autonomy?.level).toBe('ask');
    expect(notices(session)).toEqual([expect.stringContaining('This session is in ask now.')]);
  });

  test('holds for a session that is created by the settings, whose first turn says why', async () => {
    const { settings, limit } = limitable({ mode: 'auto', most: 'edits' });
    const { session } = await started(available, settings);
    expect(session.head.autonomy).toEqual({ level: 'edits', by: { kind: 'host' } });
    send(session, 'u');
    await expect.poll(() => Object.keys(session.state.chats[session.id]?.asks ?? {}).length).toBe(1);
    limit('edits');
    await session.settled();
    expect(notices(session)).toEqual([
      'The permission mode auto is not allowed: permissions.most of the settings is edits. ' +
        'This session is in edits now.',
    ]);
  });

  test('is said once in a turn of a device that may have less', async () => {
    const { session } = await started(available);
    session.dispatch({ kind: 'changeSession', changes: { autonomy: 'auto' } }, testClient);
    send(session, 'u', device('edits'));
    await expect.poll(() => Object.keys(session.state.chats[session.id]?.asks ?? {}).length).toBe(1);
    session.dispatch({ kind: 'changeSession', changes: { autonomy: 'full' } }, testClient);
    await session.settled();
    expect(notices(session)).toEqual([
      'This turn is in the permission mode edits, not auto: the device of one of its messages may have no more. ' +
        'See parley devices.',
    ]);
  });

  test('is said when a message of such a device joins a turn', async () => {
    const { session } = await started(available);
    send(session, 'u');
    await expect.poll(() => Object.keys(session.state.chats[session.id]?.asks ?? {}).length).toBe(1);
    const message = { id: 'later', text: '' };
    session.dispatch(
      { kind: 'queueMessage', chat: session.id, lane: 'steer', message, turn: 'q' },
      device('plan'),
    );
    session.dispatch({ kind: 'takeSteering', chat: session.id, turn: 'u' }, { kind: 'host' });
    await expect.poll(() => notices(session)).toEqual([expect.stringContaining('mode plan, not ask')]);
  });
});

describe('the command for the mode', () => {
  /** The agent hands each message on to a subagent. */
  async function delegating() {
    host = await Host.start(testWorld(new MemoryStore()), [
      {
        info: { id: 'a', name: 'A', description: '', models: [], commands: sessionCommands },
        open: () =>
          Promise.resolve({
            ref: 'x',
            close: () => Promise.resolve(),
            prompt: async (turn) => {
              if (turn.session.chat !== turn.session.id) return { kind: 'completed' };
              const { text } = turn.message;
              turn.report({
                kind: 'tool.started',
                tool: 't',
                name: 'x',
                title: '',
                toolKind: 'other',
                source: 'native',
              });
              turn.report({ kind: 'tool.running', tool: 't', basis: { how: 'agent' } });
              await turn.subagents.delegate({ tool: 't', title: '', text: text.slice(1) });
              return { kind: 'completed' };
            },
          }),
      },
    ]);
    const session = host.create({ roots: ['/w'] }, testClient);
    if ('rejected' in session) throw new Error(session.message);
    return session;
  }

  test.each([
    { who: 'a user', text: '/permissions edits', autonomy: { level: 'edits', by: testClient } },
    { who: 'a subagent', text: '!/permissions full', autonomy: undefined },
  ])('counts from $who: $text', async ({ text, autonomy }) => {
    const session = await delegating();
    session.dispatch(
      { kind: 'startTurn', chat: session.id, turn: 'u', message: { id: 'm', text } },
      testClient,
    );
    await expect.poll(() => session.state.chats[session.id]?.turns.length).toBe(1);
    expect(session.head.autonomy).toEqual(autonomy);
  });
});

describe('the settings', () => {
  const settings = (most: Autonomy, untrusted: readonly string[] = []): Settings =>
    // Only what the check reads.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    ({
      of: () => ({ permissions: { most } }),
      trust: { untrusted: (roots: readonly string[]) => roots.find((root) => untrusted.includes(root)) },
      watch: () => () => {},
    }) as unknown as Settings;

  test.each([
    ['full', settings('full'), undefined],
    ['auto', settings('edits'), 'permissions.most of the settings is edits'],
    ['edits', settings('edits'), undefined],
    ['full', settings('full', ['/w']), 'which you do not trust'],
    ['full', settings('full', ['/other']), undefined],
    ['auto', settings('full', ['/w']), undefined],
  ] as const)('%s', (level, given, why) => {
    const refusal = autonomyRefusal(level, ['/w'], { settings: given, sandbox: available });
    expect(refusal?.includes(why ?? '')).toBe(why === undefined ? undefined : true);
  });
});
