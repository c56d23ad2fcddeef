// A real disk that is full: every protocol is told within a second, every request is answered, and work goes
// on when there is space again. The disk is a small file system in memory, which only root can make.
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { methods } from '@agentclientprotocol/sdk';
import { acpEditor, ahpClient, ecaClient } from '../kit/clients.ts';
import type { AhpClient } from '../kit/clients.ts';
import { newHome } from '../kit/parley.ts';
import type { Home, Served } from '../kit/parley.ts';
import { eventually } from '../kit/patience.ts';
import type { Loose } from '../kit/wire.ts';
import { expectWithin } from '../kit/timeLimit.ts';

const size = 8 * 1024 * 1024;
const cleanup: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleanup.splice(0).toReversed()) await clean();
});

function canMount(): boolean {
  return (
    process.platform === 'linux' &&
    spawnSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs none /mnt']).status === 0
  );
}

interface SmallDisk {
  readonly home: Home;
  readonly host: Pick<Served, 'port' | 'token'>;
  /** Takes all space, or gives it back. */
  fill(): void;
  clear(): void;
}

/** A host whose data directory is a small disk of its own; clients reach it through the host's process. */
async function onSmallDisk(): Promise<SmallDisk> {
  const home = newHome();
  cleanup.push(() => home.dispose());
  const data = String(home.env['PARLEY_HOME']);
  mkdirSync(data);
  const script = `mount -t tmpfs -o size=${size},mode=700 none "$PARLEY_HOME" && exec "$@"`;
  const serve = [process.execPath, home.program, 'serve', '--port', '0', '--no-open'];
  const child: ChildProcess = spawn('unshare', ['-m', 'sh', '-c', script, 'sh', ...serve], {
    env: home.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  cleanup.push(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  let said = '';
  child.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await eventually(() => said.includes('is listening on'), 'the host');
  const seen = `/proc/${child.pid}/root${data}`;
  home.env['PARLEY_HOME'] = seen;
  const { port } = JSON.parse(readFileSync(join(seen, 'host.json'), 'utf8')) as { port: number };
  const ballast = join(seen, 'ballast');
  return {
    home,
    host: { port, token: readFileSync(join(seen, 'token'), 'utf8').trim() },
    fill() {
      try {
        writeFileSync(ballast, Buffer.alloc(size));
      } catch {
        // It takes what there is.
      }
    },
    clear: () => rmSync(ballast, { force: true }),
  };
}

const long = 'stream 4000 word\npause 5\n'.repeat(400);

async function prompted(ahp: AhpClient, { workspace }: Home, text: string): Promise<string> {
  await ahp.request('createSession', {
    channel: 'parley:/full',
    workingDirectories: [`file://${workspace}`],
  });
  const { defaultChat } = await ahp.subscribe('parley:/full');
  await ahp.subscribe(defaultChat);
  ahp.dispatch(defaultChat, prompt('1', text));
  await ahp.until(defaultChat, (state) => state.activeTurn?.responseParts.length > 0);
  return defaultChat;
}

function prompt(turn: string, text: string): object {
  return {
    type: 'chat/turnStarted',
    turnId: turn,
    startedAt: new Date(0).toISOString(),
    message: { text, origin: { kind: 'user' } },
  };
}

/** The time until all requests were answered, or refused, in milliseconds. */
async function longest(requests: readonly Promise<unknown>[]): Promise<number> {
  const began = performance.now();
  await Promise.allSettled(requests);
  return performance.now() - began;
}

const full = /could not be stored: .*disk is full/;

test.runIf(canMount())('`parley run` says that the disk is full, and ends', async () => {
  const disk = await onSmallDisk();
  const run = (text: string) => disk.home.run('run', '--cwd', disk.home.workspace, text).done;
  const begun = run(long);
  await eventually(async () => {
    const { out } = await disk.home.run('sessions', 'list').done;
    return out.includes('running');
  }, 'the first turn');
  disk.fill();
  expect(await begun).toMatchObject({ code: 1, err: expect.stringMatching(full) });
  expect(await run('say No.')).toMatchObject({ code: 1, err: expect.stringMatching(full) });
  disk.clear();
  expect(await run('say Yes.')).toMatchObject({ code: 0, out: 'Yes.\n' });
});

test.runIf(canMount())('`parley doctor` says that the disk is full', async () => {
  const disk = await onSmallDisk();
  const said = async () => (await disk.home.doctor()).out;
  expect(await said()).toContain('is almost full: ');
  disk.fill();
  expect(await said()).toMatch(/^broken +data +The disk of .* is full: 0\.0 MB are free\.$/m);
  disk.clear();
  expect(await said()).not.toContain('is full');
});

test.runIf(canMount())('a full disk is told in every protocol, and work goes on after it', async () => {
  const disk = await onSmallDisk();
  const ahp = await ahpClient(disk.host as Served);
  const acp = await acpEditor(disk.home);
  const eca = await ecaClient(disk.home);
  const { sessionId } = await acp.agent.request(methods.agent.session.new, {
    cwd: disk.home.workspace,
    mcpServers: [],
  });
  const chat = await prompted(ahp, disk.home, long);
  const { chatId } = await eca.request('chat/prompt', { message: long });
  const acpPrompt = { sessionId, prompt: [{ type: 'text' as const, text: long }] };
  const acpAnswer = acp.agent
    .request(methods.agent.session.prompt, acpPrompt)
    .catch((error: unknown) => error);
  await eventually(() => acp.updates.length > 0, 'the first words in ACP');

  // How long each of the clients takes for a trivial exchange while all of them stream.
  const slack = await longest([
    ahp.request('ping', { channel: 'ahp-root://' }),
    acp.agent.request(methods.agent.session.list, {}),
    eca.request('chat/list', {}),
  ]);
  disk.fill();
  const ended = await ahp.until(chat, (state) => state.activeTurn === undefined);
  const toldAt = performance.now();
  expect(ended.turns[0].responseParts.at(-1)).toMatchObject({
    kind: 'error',
    error: { message: expect.stringMatching(full) },
  });
  expect(await acpAnswer).toMatchObject({ message: expect.stringMatching(full) });
  await eventually(
    () =>
      eca.said.some(
        ({ method, params }: Loose) =>
          method === 'chat/contentReceived' && params.chatId === chatId && full.test(params.content.text),
      ),
    'the error in ECA',
  );
  // The turns run on their own; each is told when its own words cannot be stored.
  await expectWithin(1_000 + slack, toldAt);

  const late = await ahpClient(disk.host as Served);
  await late.subscribe('parley:/full');
  await late.subscribe(chat);
  const seen = performance.now();
  await late.until(chat, (state) => state.activeTurn === undefined);
  await expectWithin(1_000 + slack, seen);
  expect(late.states.get(chat).turns[0].responseParts.at(-1)).toMatchObject({ kind: 'error' });

  const asked = performance.now();
  const seq = ahp.dispatch(chat, prompt('2', 'say More.'));
  const refusal = eventually(
    () =>
      ahp.said.find(
        ({ params }: Loose) => params?.origin?.clientSeq === seq && params.rejectionReason !== undefined,
      ),
    'the refusal in AHP',
  );
  const answers = await Promise.all([
    refusal.then(({ params }: Loose) => params.rejectionReason as string),
    acp.agent.request(methods.agent.session.prompt, acpPrompt).then(String, (e: Error) => e.message),
    acp.agent
      .request(methods.agent.session.new, { cwd: disk.home.workspace, mcpServers: [] })
      .then(String, (e: Error) => e.message),
    eca.request('chat/prompt', { message: 'say More.' }).then(
      () =>
        eventually(
          () =>
            eca.said
              .map(({ params }: Loose) => params?.content?.text ?? '')
              .findLast((text: string) => full.test(text)),
          'the refusal in ECA',
        ),
      (e: Error) => e.message,
    ),
    ahp
      .request('createSession', {
        channel: 'parley:/more',
        workingDirectories: [`file://${disk.home.workspace}`],
      })
      .then(String, (e: Error) => e.message),
  ]);
  await expectWithin(1_000 + slack, asked);
  for (const answer of answers) expect(answer).toMatch(full);

  disk.clear();
  const again = await eventually(async () => {
    const number = ahp.dispatch(chat, prompt(`again ${performance.now()}`, 'say We go on.'));
    const echo = await eventually(
      () => ahp.said.find(({ params }: Loose) => params?.origin?.clientSeq === number),
      'an echo',
    );
    return (echo as Loose).params.rejectionReason === undefined;
  }, 'an accepted prompt');
  expect(again).toBe(true);
  await ahp.until(chat, (state) => state.turns.at(-1)?.message.text === 'say We go on.');
  await late.until(chat, (state) => state.turns.at(-1)?.message.text === 'say We go on.');
  await Promise.all([ahp.close(), late.close(), acp.close(), eca.close()]);
});
