// What a host of version 1 once said to a client, said again by ours: the same kinds of messages in the same
// order, but for listed differences.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FakeTerminals } from '../../../../test/kit/fakeTerminals.ts';
import { clientsOf } from '../../../../test/kit/ahp.ts';
import { rig } from '../../../../test/kit/host.ts';
import type { Rig } from '../../../../test/kit/host.ts';
import { resourceFiles } from '../../../../test/kit/realFiles.ts';
import type { Loose } from '../../../../test/kit/wire.ts';
import { TerminalHub } from '../../../host/terminals/terminalHub.ts';
import { createMemoryPair } from '../../../rpc/transports/memory.ts';
import { ahpDoor } from '../door.ts';
import { differences } from '../../../../test/kit/ahp/integer1/differences.ts';
import type { Difference } from '../../../../test/kit/ahp/integer1/differences.ts';

const folder = join(
  import.meta.dirname,
  '..',
  '..',
  '..',
  '..',
  '..',
  'shared',
  'conformance',
  'ahp',
  'recordings',
  'v1-host',
);
const names = readdirSync(folder);

test('there are recordings, and every difference has a reason', () => {
  expect(names).toHaveLength(15);
  for (const { reason } of differences) expect(reason).toMatch(/^.{20,}\.$/);
});

test.each(names.filter((name) => !name.startsWith('13')))('%s', async (name) => {
  const on = await rig();
  teach(on);
  const { problems, ours, recorded } = await replay(on, name);
  expect(ours).toEqual(recorded);
  expect(problems).toEqual([]);
  await on.close();
});

test('13-reconnect.jsonl', async () => {
  const on = await rig();
  teach(on);
  const before = await replay(on, '12-queue-cancel-truncate.jsonl');
  const seen = before.heard.find(
    ({ params }) => params?.action?.type === 'session/titleChanged' && params.origin,
  ).params.serverSeq as number;
  const { ours, recorded } = await replay(on, '13-reconnect.jsonl', seen);
  expect(ours).toEqual(recorded);
  await on.close();
});

interface Line {
  readonly dir: '<' | '>';
  readonly m: Loose;
}

async function replay(on: Rig, name: string, seen?: number) {
  const lines = readFileSync(join(folder, name), 'utf8')
    .trim()
    .split('\n')
    .map((line): Line => JSON.parse(line.replaceAll('mock:/', 'script:/').replaceAll('"mock"', '"script"')));
  const fake = new FakeTerminals();
  const hub = new TerminalHub(on.host, fake);
  const [client, served] = createMemoryPair();
  const heard: Loose[] = [];
  client.listen({
    message: (text) => void heard.push(JSON.parse(text)),
    problem: () => {},
    ended: () => Promise.resolve(),
    closed: () => {},
  });
  void ahpDoor({
    version: '1',
    caller: { principal: 'owner' },
    clients: clientsOf(on.host),
    files: resourceFiles(),
    terminals: () => hub,
    extension: undefined,
  }).serve(served, on.host);
  const here = differences.filter(({ file }) => file === undefined || name.startsWith(file));
  const steps: { readonly say: Loose; answers: number }[] = [];
  const recorded: string[] = [];
  for (const { dir, m } of lines) {
    if (dir === '>') steps.push({ say: m, answers: 0 });
    else recorded.push(...kindsOf(m));
    const last = steps.at(-1);
    if (last) last.answers = expected(recorded, here).length;
  }
  for (const { say, answers } of steps) {
    if (seen !== undefined) say.params.lastSeenServerSeq = seen;
    client.send(JSON.stringify(say));
    const type: string = say.params?.action?.type ?? '';
    if (type.startsWith('terminal/')) {
      await answered(() => heard.flatMap(kindsOf).includes(`${type} of the client`));
      fake.last.say('some output');
    }
    await answered(() => spoken(heard, here).length >= answers);
    // What waits in the queue runs now, and a person would see that first.
    if (type === 'session/turnCancelled')
      await answered(() => on.host.summaries().every(({ status }) => status !== 'running'));
  }
  client.close();
  return { heard, ours: spoken(heard, here), recorded: expected(recorded, here), problems: on.problems };
}

/** Waits for something, but not for ever: what is missing then is seen in the comparison. */
async function answered(holds: () => boolean): Promise<void> {
  const patience = Date.now() + 5_000;
  while (!holds() && Date.now() < patience)
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
}

function kindsOf(message: Loose): readonly string[] {
  const { method, params, result, error } = message;
  if (error) return [`error ${error.code}`];
  if (method === 'notification') return [params.notification.type];
  if (method === 'action') return [kindOf(params)];
  return result?.type === 'replay'
    ? ['replay', ...result.actions.map((envelope: Loose) => `replayed ${kindOf(envelope)}`)]
    : [result?.type ?? 'result'];
}

function kindOf({ action, origin, rejectionReason }: Loose): string {
  return `${action.type}${origin ? ' of the client' : ''}${rejectionReason === undefined ? '' : ', rejected'}`;
}

function expected(recorded: readonly string[], here: readonly Difference[]): readonly string[] {
  return here.reduce<readonly string[]>((kinds, { kind, ours, from = 0 }) => {
    if (ours === 'left out' || ours === 'elsewhere') return kinds.filter((one) => one !== kind);
    if (ours === 'once') return kinds.filter((one, i) => one !== kind || kinds[i - 1] !== kind);
    return ours === 'added'
      ? kinds
      : kinds.map((one, i) =>
          one === kind && kinds.slice(0, i).filter((other) => other === kind).length >= from
            ? ours.instead
            : one,
        );
  }, recorded);
}

function spoken(heard: readonly Loose[], here: readonly Difference[]): readonly string[] {
  const without = new Set(
    here.flatMap(({ kind, ours }) => (ours === 'added' || ours === 'elsewhere' ? [kind] : [])),
  );
  return heard.flatMap(kindsOf).filter((kind) => !without.has(kind));
}

/** The agent does what the recorded one did. */
function teach({ scripts }: Rig): void {
  scripts.set('*', async (turn) => {
    const { text } = turn.message;
    if (turn.history.length === 0) turn.log.title(text);
    const say = (words: string) =>
      turn.report({ kind: 'text.added', item: `md-${turn.session.turn}`, channel: 'answer', text: words });
    const tool = { permission: 'tc-perm-1', 'run-dangerous-command': 'tc-shell-deny-1' }[text] ?? 'tc-1';
    const start = (name: string) => {
      turn.report({
        kind: 'tool.started',
        tool,
        name,
        title: `Running ${name}...`,
        toolKind: name === 'shell' ? 'execute' : 'other',
        source: 'native',
      });
      turn.report({ kind: 'tool.running', tool, basis: { how: 'agent' } });
    };
    const end = () =>
      turn.report({
        kind: 'tool.ended',
        tool,
        result: { status: 'done', content: [{ type: 'text', text: 'echoed' }] },
      });
    const ask = async () => {
      await turn.approve({
        tool,
        intent: { name: 'shell', toolKind: 'execute', input: { command: 'echo test' }, paths: [] },
        title: 'Run a test command',
        options: [
          { id: 'allow-session', label: 'Allow in this Session', effect: 'allow-session' },
          { id: 'allow-once', label: 'Allow Once', effect: 'allow' },
          { id: 'skip', label: 'Skip', effect: 'deny' },
        ],
      });
    };
    switch (text) {
      case 'use-tool':
        start('echo_tool');
        end();
        return say('Tool done.');
      case 'error':
        return { kind: 'failed', problem: { code: 'test_error', message: 'Something went wrong' } };
      case 'permission':
        start('shell');
        await ask();
        return say('Allowed.');
      case 'with-usage':
        say('Usage response.');
        return turn.report({ kind: 'usage.reported', usage: { input: 100, output: 50 } });
      case 'with-reasoning':
        turn.report({ kind: 'text.added', item: 'rs', channel: 'reasoning', text: 'Let me think' });
        turn.report({ kind: 'text.added', item: 'rs', channel: 'reasoning', text: ' about this...' });
        return say('Reasoned response.');
      case 'with-title':
        say('Title response.');
        return turn.log.title('Another title');
      case 'run-safe-command':
        start('shell');
        turn.report({
          kind: 'tool.ready',
          tool,
          input: { command: 'ls -la' },
          title: 'Run ls',
          toolKind: 'execute',
        });
        return end();
      case 'run-dangerous-command':
        start('shell');
        await ask();
        return end();
      case 'subagent':
        start('task');
        turn.report({
          kind: 'tool.output',
          tool,
          output: { replace: [{ type: 'chat', chat: 'inner', title: 'Explore' }] },
        });
        end();
        return say('Subagent finished.');
      case 'slow':
        while (!turn.signal.aborted) {
          turn.log.takeSteering();
          await new Promise((resolve) => {
            setImmediate(resolve);
          });
        }
        return undefined;
      default:
        return say('Hello, world!');
    }
  });
}
