// Gives a whole run one directory for everything temporary. At the end it removes the directory, and ends
// the hosts that still use it: a test that runs out of time never reaches its own clean-up.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function setup(): () => void {
  // The name is short, for the path of a socket may not be long.
  const directory = mkdtempSync(join(tmpdir(), 'pt-'));
  process.env['TMPDIR'] = directory;
  return () => {
    endHosts(directory);
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  };
}

function endHosts(directory: string): void {
  const files = readdirSync(directory).map((name) => join(directory, name, 'home', 'host.json'));
  for (const file of files.filter((path) => existsSync(path))) {
    const { pid } = JSON.parse(readFileSync(file, 'utf8')) as { pid: number };
    // The number may belong to another program by now, also to a host of another run: its variables tell.
    const { stdout } = spawnSync('ps', ['eww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    if (!stdout?.includes('parley') || !stdout.includes(directory)) continue;
    process.stderr.write(`A test left its host running; ending process ${pid}.\n`);
    process.kill(pid, 'SIGKILL');
  }
}
