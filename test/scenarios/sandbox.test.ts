// The sandbox through the real program: every client is told how a call ran, and asked about names.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { methods } from '@agentclientprotocol/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { acpEditor, ahpClient, ecaClient } from '../kit/clients.ts';
import type { AhpClient } from '../kit/clients.ts';
import { newHome, visibleBase } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';
import type { Loose, ReceivedNotification, Wire } from '../kit/wire.ts';

describe.runIf(process.platform === 'linux')('a session in auto', () => {
  let home: Home;
  let eca: Wire;
  let ahp: AhpClient;
  let visits = 0;

  beforeAll(async () => {
    home = newHome(undefined, visibleBase());
    mkdirSync(join(home.dir, 'home'), { recursive: true });
    writeFileSync(join(home.dir, 'home', 'config.jsonc'), JSON.stringify({ permissions: { mode: 'auto' } }));
    const host = await home.serve();
    eca = await ecaClient(home);
    ahp = await ahpClient(host);
  });
  afterAll(async () => {
    await eca.close();
    await ahp.close();
    await home.dispose();
  });

  test('tells every client how a call ran', { timeout: 120_000 }, async () => {
    const outside = join(home.dir, 'outside.txt');
    const command = `echo in > made.txt; echo out > ${outside}; true`;
    await eca.request('chat/prompt', { chatId: 'told', message: `tool shell_command ${args({ command })}` });
    const inside = { confined: true, network: 'ask' };
    expect(await called(0)).toMatchObject({ _meta: { sandbox: inside } });
    expect([existsSync(join(home.workspace, 'made.txt')), existsSync(outside)]).toEqual([true, false]);

    const added = await ahp.wait(({ method }) => method === 'root/sessionAdded');
    const { defaultChat } = await ahp.subscribe(added.params.summary.resource as string);
    await ahp.subscribe(defaultChat);
    const first = await ahp.until(defaultChat, ({ turns }) => turns.length === 1);
    expect(callIn(first.turns[0])).toMatchObject({ _meta: { sandbox: inside } });
    // What lies there for the sandbox alone is no change of the command.
    const changed = JSON.stringify(callIn(first.turns[0]).content);
    expect([changed.includes('made.txt'), /\.vscode|\.envrc/.test(changed)]).toEqual([true, false]);

    const heard = eca.said.length;
    const message = `tool shell_command ${args({ command, outside_sandbox: 'It writes there.' })}`;
    await eca.request('chat/prompt', { chatId: 'told', message });
    const asking = await ahp.until(
      defaultChat,
      ({ activeTurn }) => callIn(activeTurn)?.status === 'pending-confirmation',
    );
    const { toolCallId, options, confirmationTitle } = callIn(asking.activeTurn);
    expect(confirmationTitle).toBe('Run this command? (this runs outside the sandbox)');
    // The editors of ECA show of a command only its line and its folder below this, until somebody clicks.
    const run = await eca.wait(({ params }) => params?.content?.type === 'toolCallRun', heard);
    expect(run.params.content.summary).toMatch(
      /^\d+ more characters: \$ echo .* \(this runs outside the sandbox\)$/,
    );
    expect(options.map(({ label }: Loose) => label)).toEqual(['Allow once', 'Deny']);
    ahp.dispatch(defaultChat, {
      type: 'chat/toolCallConfirmed',
      turnId: asking.activeTurn.id,
      toolCallId,
      approved: true,
      confirmed: 'user-action',
      selectedOptionId: options[0].id,
    });
    const left = { confined: false, allowedBy: expect.any(String) as string };
    expect(await called(heard)).toMatchObject({ _meta: { sandbox: left } });
    expect(existsSync(outside)).toBe(true);
    const second = await ahp.until(defaultChat, ({ turns }) => turns.length === 2);
    expect(callIn(second.turns[1])).toMatchObject({ _meta: { sandbox: left } });
    expect(await replayed()).toEqual([inside, left]);
  });

  test(
    'asks for a name while the command waits, and remembers the answer',
    { timeout: 120_000 },
    async () => {
      await ahp.request('createSession', {
        channel: 'parley:/names',
        provider: 'parley',
        workingDirectories: [`file://${home.workspace}`],
      });
      const { defaultChat } = await ahp.subscribe('parley:/names');
      await ahp.subscribe(defaultChat);
      const first = await visit(defaultChat, ['pypi.org'], 'no');
      expect(first.asked).toEqual([
        expect.stringMatching(/^\$ .* wants to connect to pypi\.org \(the package registry of Python\)\.$/),
      ]);
      expect(first.said).toContain('did not connect to http://pypi.org/: the user has not allowed it');
      expect(first.said).toContain(
        'The sandbox stopped:\\na connection to http://pypi.org/: the user has not',
      );
      // It is not resolved before it is allowed, and cannot be resolved then.
      const second = await visit(defaultChat, ['never.invalid'], 'session');
      expect([second.asked.length, second.said]).toEqual([1, expect.stringContaining('cannot be resolved')]);
      const third = await visit(defaultChat, ['never.invalid', '169.254.169.254'], 'no');
      expect([third.asked, third.said]).toEqual([[], expect.stringContaining('address of this machine')]);
      const fourth = await visit(defaultChat, ['always.invalid'], 'always');
      expect(fourth.asked).toHaveLength(1);
      expect((await visit(defaultChat, ['always.invalid'], 'no')).asked).toEqual([]);
      const listed = (await home.run('permissions', 'list').done).out;
      expect(listed).toMatch(
        /allow connections of confined programs to always\.invalid:80\n  in every folder; .*by /,
      );
      expect(listed).toMatch(
        /allow connections of confined programs to never\.invalid:80\n  in the session .*by /,
      );
      await home.run('permissions', 'revoke', '--all').done;
      const last = await visit(defaultChat, ['never.invalid', 'always.invalid'], 'no');
      expect(last.asked).toHaveLength(2);
    },
  );

  test('asks for a protected file that lies there for commands alone, and writes it', async () => {
    await ahp.request('createSession', {
      channel: 'parley:/room',
      provider: 'parley',
      workingDirectories: [`file://${home.workspace}`],
    });
    const { defaultChat } = await ahp.subscribe('parley:/room');
    await ahp.subscribe(defaultChat);
    await visit(defaultChat, 'true', 'no');
    const path = join(home.workspace, '.mcp.json');
    expect(existsSync(path)).toBe(true);
    ahp.dispatch(defaultChat, {
      type: 'chat/turnStarted',
      turnId: 'write',
      startedAt: new Date(0).toISOString(),
      message: { text: `tool write_file ${args({ path, content: '{}' })}`, origin: { kind: 'user' } },
    });
    const { activeTurn } = await ahp.until(
      defaultChat,
      (now) => callIn(now.activeTurn)?.status === 'pending-confirmation' || ended(now, 'write'),
    );
    const { toolCallId, options } = callIn(activeTurn);
    expect(options.map(({ label }: Loose) => label)).toEqual(['Allow once', 'Deny']);
    ahp.dispatch(defaultChat, {
      type: 'chat/toolCallConfirmed',
      turnId: 'write',
      toolCallId,
      approved: true,
      confirmed: 'user-action',
      selectedOptionId: options[0].id,
    });
    await ahp.until(defaultChat, (now) => ended(now, 'write'));
    expect(readFileSync(path, 'utf8')).toBe('{}');
    rmSync(path);
  });

  test('offers to leave when the sandbox itself stopped something', { timeout: 120_000 }, async () => {
    await ahp.request('createSession', {
      channel: 'parley:/leaving',
      provider: 'parley',
      workingDirectories: [`file://${home.workspace}`],
    });
    const { defaultChat } = await ahp.subscribe('parley:/leaving');
    await ahp.subscribe(defaultChat);
    const node = `${process.execPath} visit.cjs 127.0.0.1`;
    const command = `if test -n "$HTTP_PROXY"; then ${node}; exit 1; else echo left > left.txt; fi`;
    const refused = await visit(defaultChat, command, 'no');
    expect(refused.asked).toEqual([expect.stringContaining('the sandbox had stopped a connection to http')]);
    expect(existsSync(join(home.workspace, 'left.txt'))).toBe(false);
    const { asked, said } = await visit(defaultChat, command, 'once');
    expect([asked.length, existsSync(join(home.workspace, 'left.txt'))]).toEqual([1, true]);
    expect(said).toContain('let it run again outside');
    expect(said).toContain('"sandbox":{"confined":false,"allowedBy"');
  });

  /** Runs a command, or one that asks the proxy for pages of these hosts; each question gets the answer. */
  async function visit(chat: string, hosts: readonly string[] | string, answer: string) {
    const turnId = `visit ${(visits += 1)}`;
    writeFileSync(join(home.workspace, 'visit.cjs'), visitor);
    const command = typeof hosts === 'string' ? hosts : `${process.execPath} visit.cjs ${hosts.join(' ')}`;
    ahp.dispatch(chat, {
      type: 'chat/turnStarted',
      turnId,
      startedAt: new Date(0).toISOString(),
      message: { text: `tool shell_command ${args({ command })}`, origin: { kind: 'user' } },
    });
    const asked: string[] = [];
    for (;;) {
      const state = await ahp.until(chat, (now) => openRequest(now) ?? ended(now, turnId));
      const done = ended(state, turnId);
      if (done) return { asked, said: JSON.stringify(done.responseParts) };
      const { id, message, questions } = openRequest(state);
      asked.push(message);
      const seen = asked.length;
      ahp.dispatch(chat, {
        type: 'chat/inputCompleted',
        requestId: id,
        response: 'accept',
        answers: { [questions[0].id]: { state: 'submitted', value: { kind: 'selected', value: answer } } },
      });
      await ahp.until(chat, (now) => openRequest(now)?.id !== id || asked.length !== seen);
    }
  }

  async function called(from: number): Promise<Loose> {
    const isCalled = ({ params }: ReceivedNotification) => params.content?.type === 'toolCalled';
    return (await eca.wait(isCalled, from)).params.content;
  }

  /** What an editor is told that opens the session later. */
  async function replayed(): Promise<readonly unknown[]> {
    const editor = await acpEditor(home);
    const { sessions } = await editor.agent.request(methods.agent.session.list, {});
    const sessionId = sessions[0]?.sessionId ?? '';
    await editor.agent.request(methods.agent.session.load, {
      sessionId,
      cwd: home.workspace,
      mcpServers: [],
    });
    const told = editor.updates.flatMap(({ update: { _meta } }: Loose) => _meta?.sandbox ?? []);
    await editor.close();
    return told;
  }
});

test('a call outside the sandbox says everywhere why it ran there', { timeout: 120_000 }, async () => {
  const home = newHome(undefined, visibleBase());
  try {
    const host = await home.serve();
    const ahp = await ahpClient(host);
    const eca = await ecaClient(home);
    await ahp.request('createSession', {
      channel: 'parley:/full',
      provider: 'parley',
      workingDirectories: [`file://${home.workspace}`],
      config: { permissions: 'full' },
    });
    const { defaultChat } = await ahp.subscribe('parley:/full');
    await ahp.subscribe(defaultChat);
    ahp.dispatch(defaultChat, {
      type: 'chat/turnStarted',
      turnId: 'one',
      startedAt: new Date(0).toISOString(),
      message: { text: `tool shell_command ${args({ command: 'true' })}`, origin: { kind: 'user' } },
    });
    const sandbox = { confined: false, because: 'full' };
    const state = await ahp.until(defaultChat, (now) => ended(now, 'one'));
    expect(callIn(ended(state, 'one'))).toMatchObject({ _meta: { sandbox } });
    await eca.request('chat/open', { chatId: 'full' });
    const called = await eca.wait(({ params }) => params?.content?.type === 'toolCalled');
    expect(called.params.content).toMatchObject({ _meta: { sandbox } });
    const editor = await acpEditor(home);
    await editor.agent.request(methods.agent.session.load, {
      sessionId: 'full',
      cwd: home.workspace,
      mcpServers: [],
    });
    const told = editor.updates.flatMap(({ update: { _meta } }: Loose) => _meta?.sandbox ?? []);
    expect(told).toEqual([sandbox]);
    expect((await home.run('sessions', 'show', 'full').done).out).toContain(
      '\n  outside the sandbox (permission mode full)\n',
    );
    await Promise.all([editor.close(), eca.close(), ahp.close()]);
  } finally {
    await home.dispose();
  }
});

test.runIf(process.platform === 'linux')(
  'a command by hand that was refused names says which, and how to reach them',
  { timeout: 120_000 },
  async () => {
    const home = newHome(undefined, visibleBase());
    try {
      writeFileSync(join(home.dir, 'visit.cjs'), visitor);
      const visit = (end: string) =>
        home.run(
          'sandbox',
          '--',
          'sh',
          '-c',
          `${process.execPath} visit.cjs a.invalid b.invalid; exit ${end}`,
        ).done;
      const failed = await visit('7');
      expect(failed).toMatchObject({
        code: 7,
        err:
          'parley: the command failed, and the sandbox had refused it connections to a.invalid, b.invalid. ' +
          'Run it with --network on, or add these names to sandbox.hosts of your settings.\n',
      });
      expect(failed.out).toContain('reaches no names without --network on');
      expect(await visit('0')).toMatchObject({ code: 0, err: '' });
    } finally {
      await home.dispose();
    }
  },
);

const visitor = `
const proxy = new URL(process.env.HTTP_PROXY);
for (const host of process.argv.slice(2))
  require('node:http').get({ host: proxy.hostname, port: proxy.port, path: 'http://' + host + '/' }, (got) =>
    got.pipe(process.stdout, { end: false }));
`;

function openRequest({ activeTurn }: Loose): Loose {
  return activeTurn?.responseParts.find(
    ({ kind, response }: Loose) => kind === 'inputRequest' && response === undefined,
  )?.request;
}

function ended({ turns }: Loose, turnId: string): Loose {
  return turns.find(({ id }: Loose) => id === turnId);
}

function args(values: object): string {
  return JSON.stringify(values);
}

function callIn(turn: Loose): Loose {
  return turn?.responseParts.find(({ kind }: Loose) => kind === 'toolCall')?.toolCall;
}
