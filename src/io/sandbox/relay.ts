// The inner end of the way to the network: ports of the sandbox whose connections go to the proxy's socket.
// A few lines of Perl open the ports and start the confined program; the relay itself, a small Node program,
// starts with the first connection. Without Perl the relay starts first.
import { existsSync } from 'node:fs';

/** Where the folder with the proxy's socket lies inside. */
export const proxyFolder = '/run/parley';

const port = 3128;

/** Connections to the first port speak to the proxy; for the others the relay asks the proxy to connect. */
const relay = `
const net = require('node:net');
const [socket, list, command, ...args] = process.argv.slice(1);
const serve = ({ port, fd }, at) => new Promise((ready) => {
  const server = net.createServer({ allowHalfOpen: true }, (near) => {
    const far = net.connect({ path: socket, allowHalfOpen: true });
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    if (at === 0) return far.pipe(near), near.pipe(far);
    let head = '';
    const read = (bytes) => {
      head += bytes.toString('latin1');
      const end = head.indexOf('\\r\\n\\r\\n');
      if (end < 0) return;
      far.off('data', read);
      if (!/^HTTP\\/1.1 200/.test(head)) return near.destroy();
      near.write(Buffer.from(head.slice(end + 4), 'latin1'));
      far.pipe(near);
      near.pipe(far);
    };
    far.on('data', read);
    far.write('CONNECT localhost:' + port + ' HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n');
  });
  server.on('error', () => ready());
  server.listen(fd === undefined ? { port, host: '127.0.0.1' } : { fd }, () => ready());
});
if (command !== undefined)
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
Promise.all(JSON.parse(list).map(serve)).then(() => {
  if (command === undefined) return;
  const { spawn } = require('node:child_process');
  const { constants } = require('node:os');
  const child = spawn(command, args, { stdio: 'inherit' });
  child.on('error', (error) => { console.error(error.message); process.exit(127); });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
});
`;

/** Numbers are those of Linux: sockets of IPv4, and the option to use an address again. */
const opener = `
my ($node, $relay, $socket, $ports, @command) = @ARGV;
$^F = 255;
my ($waiting, @list, @open) = ("");
for my $port (split /,/, $ports) {
  socket(my $s, 2, 1, 0) or next;
  setsockopt($s, 1, 2, pack("i", 1));
  bind($s, pack("S n C4 x8", 2, $port, 127, 0, 0, 1)) or next;
  listen($s, 128);
  vec($waiting, fileno($s), 1) = 1;
  push @list, sprintf(q({"port":%d,"fd":%d}), $port, fileno($s));
  push @open, $s;
}
if (defined(my $pid = fork)) {
  if ($pid == 0) {
    open(STDIN, "<", "/dev/null"); open(STDOUT, ">", "/dev/null"); open(STDERR, ">", "/dev/null");
    setpgrp(0, 0);
    if (open(my $mark, ">&=", 8)) { close $mark; }
    select($waiting, undef, undef, undef);
    exec $node, "-e", $relay, $socket, "[" . join(",", @list) . "]";
    exit 1;
  }
}
close $_ for @open;
exec { $command[0] } @command;
print STDERR "$command[0]: $!\\n";
exit 127;
`;

/** The words that start a program behind the relay; `local` are ports that lead to those of the machine. */
export function relayWords(
  words: readonly string[],
  socket: string,
  local: readonly number[] = [],
): readonly string[] {
  const path = `${proxyFolder}/${socket}`;
  const ports = [port, ...local];
  if (existsSync(perl)) return [perl, '-e', opener, process.execPath, relay, path, ports.join(','), ...words];
  return [
    process.execPath,
    '-e',
    relay,
    path,
    JSON.stringify(ports.map((each) => ({ port: each }))),
    ...words,
  ];
}

const perl = '/usr/bin/perl';

/** Reads the variables and words of a program and starts it. What did not arrive whole starts nothing. */
const waiter = `
open(my $in, "<&=", 4) or exit 1;
my $text = do { local $/; <$in> };
close $in;
my ($count, $variables, @words) = split /\\0/, $text // "", -1;
exit 1 unless @words > 1 && $count == @words - 1;
pop @words;
for (splice @words, 0, $variables) {
  my ($name, $value) = split /=/, $_, 2;
  $ENV{$name} = $value;
}
exec { $words[0] } @words;
print STDERR "$words[0]: $!\\n";
exit 127;
`;

/** The words of a program that waits for other words on descriptor 4; undefined where there is none. */
export function waitingWords(): readonly string[] | undefined {
  return existsSync(perl) ? [perl, '-e', waiter] : undefined;
}

/** What a program that waits reads. The pairs are those of `pairsOf`. */
export function sentWords(words: readonly string[], pairs: readonly string[]): string {
  return [pairs.length + words.length, pairs.length, ...pairs, ...words, ''].join('\0');
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
