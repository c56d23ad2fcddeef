// Time from spawn to the answer to initialize: through a running host, through one that must be started, and
// standalone, compared with the smallest possible agent. Prints targets; has no limit.
import { once } from 'node:events';
import { bareAgent, waitForOutput, leanEnvironment, median, print, start, temporary, record } from './kit.ts';

const rounds = 15;
const acp = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: 1, clientCapabilities: {} } })}\n`;
const body = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { processId: null, capabilities: {}, workspaceFolders: [] },
});
const eca = `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const { dir, remove } = temporary();
const env = leanEnvironment(`${dir}/warm`);
const alone = leanEnvironment(`${dir}/alone`);
const host = start(['bin/parley.js', 'serve', '--port', '0'], env);
await waitForOutput(host, 'is listening on');

const cases = {
  'node -e 0': { args: ['-e', '0'], send: '' },
  'bare agent': { args: ['-e', bareAgent], send: acp },
  'parley acp, warm host': { args: ['bin/parley.js', 'acp'], send: acp },
  'parley server, warm host': { args: ['bin/parley.js', 'server'], send: eca },
  'parley acp, no host yet': { args: ['bin/parley.js', 'acp'], send: acp },
  'parley acp --standalone': { args: ['bin/parley.js', 'acp', '--standalone'], send: acp },
  'parley server --standalone': { args: ['bin/parley.js', 'server', '--standalone'], send: eca },
} as const;
const targets: { readonly [name: string]: number | undefined } = {
  'parley acp, warm host': 1.5,
  'parley server, warm host': 1.5,
  'parley acp, no host yet': 2.5,
  'parley acp --standalone': 2.5,
  'parley server --standalone': 2.5,
};

const times = new Map<string, number[]>();
for (let round = 0; round < rounds; round += 1) {
  for (const [name, { args, send }] of Object.entries(cases)) {
    const home = homeOf(name, round);
    times.set(name, [...(times.get(name) ?? []), await time(args, send, home)]);
    if (name.includes('no host yet')) await once(start(['bin/parley.js', 'stop'], home), 'exit');
  }
}
host.kill('SIGTERM');
await once(host, 'exit');
remove();

const floor = median(times.get('bare agent') ?? []);
for (const [name, all] of times) {
  const target = targets[name];
  print(
    `${name.padEnd(28)} ${median(all).toFixed(1).padStart(7)} ms  ${(median(all) / floor).toFixed(2)}x ` +
      `the bare agent${target === undefined ? '' : ` (target ${target}x)`}`,
  );
  if (target !== undefined) record({ name: `start: ${name}`, unit: 'ms', floor, parley: median(all) });
}

function homeOf(name: string, round: number): NodeJS.ProcessEnv {
  if (name.includes('no host yet')) return leanEnvironment(`${dir}/cold${round}`);
  return name.includes('standalone') ? alone : env;
}

async function time(args: readonly string[], send: string, home: NodeJS.ProcessEnv): Promise<number> {
  const started = performance.now();
  const child = start(args, home);
  const exited = once(child, 'exit');
  if (send !== '') {
    child.stdin?.write(send);
    await waitForOutput(child, '"id":1');
  } else await exited;
  const taken = performance.now() - started;
  child.stdin?.end();
  await exited;
  return taken;
}
