// Time from the start of `parley chat` in a terminal to the box of its session, and to the first character
// that is typed as soon as there is a box, with a host that runs. The floor of the box is a program that
// greets the host, creates a session and follows it, plus one more start of Node. The floor of the first
// input is a program that only greets the host.
import { once } from 'node:events';
import { terminals } from '../src/io/pty/pty.ts';
import { leanEnvironment, median, print, record, start, temporary, waitForOutput } from './kit.ts';

const rounds = 15;

/** `node -e 0` plus the host's handshake. */
const bareGreeting = `
const socket = require('net').connect(process.env.PARLEY_HOME + '/host.sock');
const params = { channel: 'ahp-root://', protocolVersions: ['1.0.0'], clientId: 'bench-' + process.pid };
socket.write('{"parley":1,"wants":"ahp","options":{}}\\n');
socket.write(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }) + '\\n');
let text = "";
socket.on('data', (chunk) => {
  text += chunk;
  if (!text.includes('"id":1,')) return;
  process.stdout.write('/ commands');
  socket.end();
});
`;

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
const box = '/ commands';
/** Ends the box in which the user types. */
const corner = '\u256f';
/** A character that no screen shows by itself. */
const typed = '\u00a7';
const cases = {
  'node -e 0': { args: ['-e', '0'], until: '' },
  'bare greeting': { args: ['-e', bareGreeting], until: box },
  'bare chat': { args: ['-e', bareChat], until: box },
  'parley chat': { args: [program, 'chat'], until: box },
  'first input': { args: [program, 'chat'], until: typed },
} as const;

const times = new Map<string, number[]>();
for (let round = 0; round < rounds; round += 1)
  for (const [name, { args, until }] of Object.entries(cases))
    times.set(name, [...(times.get(name) ?? []), await time(args, until)]);
host.kill('SIGTERM');
await once(host, 'exit');
remove();

for (const [name, all] of times) print(`${name.padEnd(13)} ${median(all).toFixed(1).padStart(7)} ms`);
const [node = 0, greeting = 0, bare = 0, chat = 0, input = 0] = [...times.values()].map(median);
record(
  { name: 'chat: until the input box', unit: 'ms', floor: node + bare, parley: chat },
  { name: 'chat: until the first input is shown', unit: 'ms', floor: greeting, parley: input },
);

/** In a terminal of its own, until some text is shown or the program has ended. */
async function time(args: readonly string[], until: string): Promise<number> {
  const started = performance.now();
  let shown = '';
  let hasEnded = false;
  let look: () => void = () => {};
  const pty = await terminals({ env }).open({
    program: { kind: 'file', file: process.execPath, args: [...args] },
    cwd: dir,
    env: { PARLEY_HOME: dir, PARLEY_SCRIPTED: '1' },
    cols: 100,
    rows: 30,
    data(piece) {
      shown += piece;
      look();
    },
    exited() {
      hasEnded = true;
      look();
    },
  });
  if ('problem' in pty) throw new Error(pty.message);
  const wait = (isDone: () => boolean) =>
    new Promise<void>((resolve) => {
      look = () => void ((isDone() || hasEnded) && resolve());
      look();
    });
  // Keys are taken from the moment in which there is a box, and the session comes later.
  if (until === typed) await wait(() => shown.includes(corner));
  if (until === typed) pty.write(typed);
  await wait(() => until !== '' && shown.includes(until));
  const taken = performance.now() - started;
  // Ctrl-U empties the box, since Ctrl-D leaves an empty one only.
  pty.write('\u0015\u0004');
  await wait(() => false);
  return taken;
}
