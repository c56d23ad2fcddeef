// The inner end of the way to the network: a small program that passes connections from a port of the
// sandbox on to the socket of the proxy, and starts the confined program once it listens.

/** Where the folder with the proxy's socket lies inside. */
export const proxyFolder = '/run/parley';

const port = 3128;

const script = `
const net = require('node:net');
const { spawn } = require('node:child_process');
const { constants } = require('node:os');
const [socket, command, ...args] = process.argv.slice(1);
const server = net.createServer({ allowHalfOpen: true }, (near) => {
  const far = net.connect({ path: socket, allowHalfOpen: true });
  near.on('error', () => far.destroy()).on('close', () => far.destroy());
  far.on('error', () => near.destroy()).on('close', () => near.destroy());
  near.pipe(far);
  far.pipe(near);
});
for (const signal of ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
server.listen(${port}, '127.0.0.1', () => {
  const child = spawn(command, args, { stdio: 'inherit' });
  child.on('error', (error) => { console.error(error.message); process.exit(127); });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
});
`;

/** The words that start a program behind the relay. */
export function relayWords(words: readonly string[], socket: string): readonly string[] {
  return [process.execPath, '-e', script, `${proxyFolder}/${socket}`, ...words];
}

/** What makes programs use the relay. */
export const relayVariables: readonly (readonly [name: string, value: string])[] = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'].map(
    (name) => [name, `http://127.0.0.1:${port}`] as const,
  ),
  ...['NO_PROXY', 'no_proxy'].map((name) => [name, 'localhost,127.0.0.1,::1'] as const),
  // Node asks for it.
  ['NODE_USE_ENV_PROXY', '1'],
];
