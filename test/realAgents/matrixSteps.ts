// The steps of the matrix: what a user does with an agent, each with the check that it worked. A step that
// fails throws; the others go on.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { methods } from '@agentclientprotocol/sdk';
import { acpEditor, ahpClient, ecaClient } from '../kit/clients.ts';
import type { AcpEditor, AhpClient } from '../kit/clients.ts';
import type { FakeProvider } from '../kit/fakeProvider.ts';
import { descendantsOf, killAll, untilGone } from '../kit/living.ts';
import type { Home, Served } from '../kit/parley.ts';
import type { Loose } from '../kit/wire.ts';
import { replyTo, writing } from './matrixModel.ts';
import type { Seen } from './matrixModel.ts';

export interface Cell {
  readonly step: string;
  readonly result: 'pass' | 'fail';
  readonly reason: string;
}

/** Everything that the steps of one agent share. */
interface Bench {
  readonly id: string;
  readonly home: Home;
  host: Served;
  ahp: AhpClient;
  acp: AcpEditor | undefined;
  chat: string;
  /** What the editor answers when it is asked. */
  answer: 'allow_once' | 'reject_once';
  readonly seen: Seen;
}

/** An agent gets ten seconds to stop, then its program is ended. */
const stopPatience = 20_000;

/** Each step may take `patience` milliseconds. */
export async function matrixOf(
  id: string,
  { home, model, patience }: { readonly home: Home; readonly model: FakeProvider; readonly patience: number },
): Promise<readonly Cell[]> {
  const seen: Seen = { tools: [], said: '', calls: 0, called: '', tries: 0 };
  model.reply = (asked, { body }) => replyTo(asked, body, seen);
  const host = await home.serve();
  const bench: Bench = {
    id,
    home,
    host,
    ahp: await ahpClient(host),
    acp: undefined,
    chat: '',
    answer: 'allow_once',
    seen,
  };
  const cells: Cell[] = [];
  for (const [step, work] of Object.entries(steps)) {
    const problem = await attempt(() => work(bench), patience);
    if (problem !== undefined) await attempt(() => stopTurn(bench), stopPatience);
    cells.push({ step, result: problem === undefined ? 'pass' : 'fail', reason: problem ?? '' });
    process.stderr.write(`${id}, ${step}: ${problem ?? 'pass'}\n`);
  }
  await bench.acp?.close().catch(() => {});
  await bench.ahp.close().catch(() => {});
  return cells;
}

async function attempt(work: () => Promise<void>, limit: number): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no end after ${limit / 1_000} seconds`), limit);
  });
  try {
    const done = work().then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)).split('\n')[0],
    );
    return await Promise.race([done, late]);
  } finally {
    clearTimeout(timer);
  }
}

const steps: { readonly [step: string]: (bench: Bench) => Promise<void> } = {
  list: async ({ home, id }) => {
    const { out } = await home.run('agents').done;
    check(new RegExp(`^\\W*${id}\\b`, 'm').test(out), 'it is not in the list');
  },
  test: async ({ home, id }) => {
    const { code, out, err } = await home.run('agents', 'test', id).done;
    check(code === 0, `exit code ${String(code)}: ${(err || out).trim().slice(0, 200)}`);
  },
  run: async ({ home, id }) => {
    const allow = id === 'pi' ? ['--allow', 'unasked_pi'] : [];
    const { out, err } = await home.run('run', '--agent', id, ...allow, '--cwd', home.workspace, 'Good day')
      .done;
    check(out.includes('A good day to you.'), `it said: ${(out || err).trim().slice(0, 200)}`);
  },
  'run, nobody to ask': async ({ home, id }) => {
    const file = join(home.workspace, 'unasked');
    await home.run('run', '--agent', id, '--cwd', home.workspace, `RUN:echo made > ${file}`).done;
    check(!existsSync(file), 'the command ran');
  },
  chat: async (bench) => {
    const { ahp, id, home } = bench;
    const session = `${id}:/matrix`;
    const workingDirectories = [`file://${home.workspace}`];
    await ahp.request('createSession', { channel: session, provider: id, workingDirectories });
    const { defaultChat } = await ahp.subscribe(session);
    await ahp.subscribe(defaultChat);
    bench.chat = defaultChat;
    if (id === 'pi') await allowUnasked(bench);
    await greeted(bench, 'Good morning');
    // A session is listed from its first message on.
    bench.acp = await secondEditor(bench);
  },
  'permission from another client': async (bench) => {
    const file = join(bench.home.workspace, 'permitted');
    const before = bench.acp?.asked.length ?? 0;
    await ask(bench, `RUN:echo made > ${file}`);
    const isAsked = (bench.acp?.asked.length ?? 0) > before;
    check(isAsked || existsSync(file), unrun(bench));
    check(isAsked, 'it did not ask');
    check(existsSync(file), 'the command did not run');
  },
  deny: async (bench) => {
    const file = join(bench.home.workspace, 'denied');
    const before = bench.acp?.asked.length ?? 0;
    bench.answer = 'reject_once';
    await ended(bench, start(bench, `RUN:echo made > ${file}`)).finally(() => (bench.answer = 'allow_once'));
    const isAsked = (bench.acp?.asked.length ?? 0) > before;
    check(!existsSync(file), `the command ran${isAsked ? '' : ': it did not ask'}`);
    check(isAsked, unrun(bench));
  },
  'undo new': async (bench) => {
    const file = join(bench.home.workspace, 'new.txt');
    await ask(bench, writing(bench.id, file));
    check(existsSync(file), unwritten(bench));
    await undo(bench, file);
    check(!existsSync(file), 'the file is still there');
  },
  'undo overwrite': async (bench) => {
    const file = join(bench.home.workspace, 'old.txt');
    const text = '\uFEFFfirst\r\nsecond without an end';
    writeFileSync(file, text, { mode: 0o640 });
    await ask(bench, writing(bench.id, file));
    check(readFileSync(file, 'utf8') !== text, unwritten(bench));
    await undo(bench, file);
    check(readFileSync(file, 'utf8') === text, 'the bytes are not those of before');
  },
  cancel: async (bench) => {
    const { ahp, chat } = bench;
    const turnId = start(bench, 'Go on for ever');
    await ahp.until(chat, ({ activeTurn }) =>
      JSON.stringify(activeTurn?.responseParts ?? '').includes('and on'),
    );
    ahp.dispatch(chat, { type: 'chat/turnCancelled', turnId, duration: 0 });
    const { state } = await ended(bench, turnId);
    check(state === 'cancelled', `the turn is ${String(state)}`);
    await greeted(bench, 'Good noon');
  },
  'kill agent': async (bench) => {
    const children = descendantsOf(bench.host.pid);
    check(children.length > 0, 'it does not run');
    killAll(children);
    await Promise.all(children.map(untilGone));
    await greeted(bench, 'Good afternoon');
  },
  'kill host': async (bench) => {
    const children = descendantsOf(bench.host.pid);
    await bench.acp?.close();
    await bench.host.kill('SIGKILL');
    await Promise.all(children.map(untilGone));
    bench.host = await bench.home.serve();
    bench.ahp = await ahpClient(bench.host);
    await bench.ahp.subscribe(bench.chat);
    bench.acp = await secondEditor(bench);
    await greeted(bench, 'Good evening');
  },
  'swap and back': async (bench) => {
    const { agent } = bench.acp ?? (await secondEditor(bench));
    const sessionId = await newestSession(agent);
    for (const value of ['parley', bench.id])
      await agent.request(methods.agent.session.setConfigOption, { sessionId, configId: 'agent', value });
    await greeted(bench, 'Good night');
  },
  ECA: async ({ home, id }) => {
    const eca = await ecaClient(home);
    try {
      await eca.request('chat/prompt', { chatId: 'eca', message: 'Good bye', agent: id });
      if (id === 'pi') {
        const { params } = await eca.wait(({ params: said }) => said?.content?.type === 'toolCallRun');
        eca.notify('chat/toolCallApprove', { chatId: 'eca', toolCallId: params.content.id });
      }
      await eca.wait(
        ({ params }) => params?.content?.type === 'progress' && params.content.state === 'finished',
      );
      const said = eca.said.map(({ params }) =>
        params?.content?.type === 'text' ? params.content.text : '',
      );
      check(said.join('').includes('A good bye to you.'), `it said: ${said.join('').slice(-200)}`);
    } finally {
      await eca.close();
    }
  },
};

/** Why an agent has not done what its model asked for, in its own words. */
function unwritten({ seen: { said, tools } }: Bench): string {
  if (said !== '') return `its tool said: ${said.replaceAll(/\s+/g, ' ').slice(0, 200)}`;
  return `its model has no tool that writes a file; it has: ${tools.join(', ').slice(0, 200)}`;
}

function unrun({ seen: { said, tools } }: Bench): string {
  if (said !== '') return `it did not ask; its tool said: ${said.replaceAll(/\s+/g, ' ').slice(0, 200)}`;
  return `its model has no tool that runs a command; it has: ${tools.join(', ').slice(0, 200)}`;
}

function check(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}

async function secondEditor(bench: Bench): Promise<AcpEditor> {
  const editor = await acpEditor(bench.home, ({ options }: Loose) => {
    const option = options.find(({ kind }: Loose) => kind === bench.answer) ?? options.at(-1);
    return Promise.resolve({ outcome: { outcome: 'selected', optionId: option.optionId } });
  });
  const sessionId = await newestSession(editor.agent);
  await editor.agent.request(methods.agent.session.load, {
    sessionId,
    cwd: bench.home.workspace,
    mcpServers: [],
  });
  return editor;
}

/** The session of the chat: those of `parley run` are older. */
async function newestSession(agent: AcpEditor['agent']): Promise<string> {
  const { sessions } = await agent.request(methods.agent.session.list, {});
  return (
    sessions.find(({ sessionId }) => sessionId.includes('matrix'))?.sessionId ?? sessions[0]?.sessionId ?? ''
  );
}

let turns = 0;

function start({ ahp, chat, seen }: Bench, text: string): string {
  seen.said = '';
  seen.called = '';
  seen.tries = 0;
  const turnId = `turn-${(turns += 1)}`;
  ahp.dispatch(chat, {
    type: 'chat/turnStarted',
    turnId,
    startedAt: new Date(0).toISOString(),
    message: { text, origin: { kind: 'user' } },
  });
  return turnId;
}

async function ended({ ahp, chat }: Bench, id: string): Promise<Loose> {
  const state = await ahp.until(chat, (now) => now.turns.some((one: Loose) => one.id === id));
  return state.turns.find((one: Loose) => one.id === id);
}

async function ask(bench: Bench, text: string): Promise<string> {
  const { state, responseParts, error } = await ended(bench, start(bench, text));
  const said = JSON.stringify(responseParts);
  check(
    state === 'complete',
    `the turn is ${String(state)}: ${String(error?.message ?? said).slice(0, 200)}`,
  );
  return said;
}

async function greeted(bench: Bench, text: string): Promise<void> {
  const said = await ask(bench, text);
  check(said.includes(`A ${text.toLowerCase()} to you.`), `it said: ${said.slice(-200)}`);
}

/** A step that failed must not keep the next ones from their turn. */
async function stopTurn({ ahp, chat }: Bench): Promise<void> {
  const turnId = ahp.states.get(chat)?.activeTurn?.id;
  if (turnId === undefined) return;
  ahp.dispatch(chat, { type: 'chat/turnCancelled', turnId, duration: 0 });
  await ahp.until(chat, ({ activeTurn }) => activeTurn === undefined);
}

/** Pi never asks, so that the host asks once for each chat in its place. */
async function allowUnasked(bench: Bench): Promise<void> {
  const { ahp, chat } = bench;
  const turnId = start(bench, 'Good day');
  const callOf = ({ activeTurn }: Loose): Loose =>
    activeTurn?.responseParts.find((part: Loose) => part.toolCall?.status === 'pending-confirmation');
  const { toolCall } = callOf(await ahp.until(chat, (state) => callOf(state) !== undefined));
  ahp.dispatch(chat, {
    type: 'chat/toolCallConfirmed',
    turnId,
    toolCallId: toolCall.toolCallId,
    approved: true,
    confirmed: 'user-action',
    selectedOptionId: toolCall.options.find(({ kind }: Loose) => kind === 'approve').id,
  });
  await ended(bench, turnId);
}

async function undo({ ahp, id }: Bench, file: string): Promise<void> {
  const { changesets } = await ahp.until(`${id}:/matrix`, (state) => state.changesets?.length > 0);
  await ahp.request('invokeChangesetOperation', {
    channel: changesets[0].uriTemplate.replace(/\/\{.*$/, ''),
    operationId: 'undo',
    target: { kind: 'resource', resource: `file://${file}` },
  });
}
