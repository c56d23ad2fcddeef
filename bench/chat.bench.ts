// Time from the start of `parley chat` in a terminal to its input box, with a host that runs. The floor is a
// program that only greets the host, creates a session and follows it, plus one more start of Node.
import { once } from 'node:events';
import { terminals } from '../src/io/pty/pty.ts';
import { leanEnvironment, median, print, record, start, temporary, waitForOutput } from './kit.ts';

const rounds = 15;

/** What every client of a new session must do before it can show anything. */
const bareChat = `
const socket = require('net').connect(process.env.PARLEY_HOME + '/host.sock');
const id = 'bench-' + process.pid;
const session = 'ahp-session:/' + id;
const send = (id, method, params) => socket.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }) + '\\n');
socket.write('{"parley":1,"wants":"ahp","options":{}}\\n');
send(1, 'initialize', { channel: 'ahp-root://', protocolVersions: ['1.0.0'], clientId: id });
send(2, 'createSession', { channel: session, workingDirectories: ['file://' + process.cwd()] });
send(3, 'subscribe', { channel: session });
let text = "";
let asked = false;
socket.on('data', (chunk) => {
  text += chunk;
  const chat = /"defaultChat":"([^"]+)"/.exec(text);
  if (chat && !asked) { asked = true; send(4, 'subscribe', { channel: chat[1] }); }
  if (!text.includes('"id":4,')) return;
  process.stdout.write('/ commands');
  socket.end();
});
`;

const { dir, remove } = temporary();
const env = leanEnvironment(dir);
const host = start(['bin/parley.js', 'serve', '--port', '0'], env);
await waitForOutput(host, 'is listening on');
const program = `${process.cwd()}/bin/parley.js`;
const cases = {
  'node -e 0': { args: ['-e', '0'], until: '' },
  'bare chat': { args: ['-e', bareChat], until: '/ commands' },
  'parley chat': { args: [program, 'chat'], until: '/ commands' },
} as const;

const times = new Map<string, number[]>();
for (let round = 0; round < rounds; round += 1)
  for (const [name, { args, until }] of Object.entries(cases))
    times.set(name, [...(times.get(name) ?? []), await time(args, until)]);
host.kill('SIGTERM');
await once(host, 'exit');
remove();

for (const [name, all] of times) print(`${name.padEnd(12)} ${median(all).toFixed(1).padStart(7)} ms`);
const [node = 0, bare = 0, chat = 0] = [...times.values()].map(median);
record({ name: 'chat: until the input box', unit: 'ms', floor: node + bare, parley: chat });

/** In a terminal of its own, until some text is shown or the program has ended. */
async function time(args: readonly string[], until: string): Promise<number> {
  const started = performance.now();
  let shown = '';
  let done: () => void = () => {};
  let ended: () => void = () => {};
  const isShown = new Promise<void>((resolve) => (done = resolve));
  const hasEnded = new Promise<void>((resolve) => (ended = resolve));
  const pty = await terminals({ env }).open({
    program: { kind: 'file', file: process.execPath, args: [...args] },
    cwd: dir,
    env: { PARLEY_HOME: dir, PARLEY_SCRIPTED: '1' },
    cols: 100,
    rows: 30,
    data(piece) {
      shown += piece;
      if (until !== '' && shown.includes(until)) done();
    },
    exited() {
      done();
      ended();
    },
  });
  if ('problem' in pty) throw new Error(pty.message);
  await isShown;
  const taken = performance.now() - started;
  pty.write('\u0004');
  await hasEnded;
  return taken;
}
